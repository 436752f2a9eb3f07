// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package sessions

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

type told string

func (s told) Requests() []model.Request { return []model.Request{{Body: []byte(s)}} }

func TestASandboxThatCameTooLateIsNoAnswer(t *testing.T) {
	kept := filepath.Join(t.TempDir(), "sessions")
	testenv.Write(t, kept, "", 0o644)
	t.Setenv("STEWARD_TEST_SESSIONS", kept)
	const late = `"content":"Sandbox failed to initialize. "`
	for _, c := range []struct {
		answers []told
		want    int // the one that counts
	}{{[]told{"ok"}, 0}, {[]told{late, "ok"}, 1}, {[]told{late, late, late, late, "never asked"}, 3}} {
		played := 0
		if got := Steady(t, func() told { played++; return c.answers[played-1] }); got != c.answers[c.want] ||
			played != c.want+1 {
			t.Errorf("%q: %q counts, of %d", c.answers, got, played)
		}
	}
	if b, err := os.ReadFile(kept); err != nil || string(b) != strings.Repeat(byItself+"\t"+testenv.Whole(t)+"\n", 7) {
		t.Errorf("counted: %q %v", b, err)
	}
}
