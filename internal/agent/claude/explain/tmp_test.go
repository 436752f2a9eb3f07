// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the catalog calls measured of /tmp is what the runtime does.

package explain

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// TestADirectoryBelowTmpCanBeOpened: allowWrite opens one directory below /tmp, and
// the one beside it stays read-only, as all of them without it.
func TestADirectoryBelowTmpCanBeOpened(t *testing.T) {
	testenv.AsUser(t)
	testenv.Claude(t)
	testenv.Need(t, "bwrap", "socat")
	top := "/tmp" // TMPDIR of a test may be another; one below it has a word in recordings
	if below := os.TempDir(); pathname.Within(below, top) {
		top = below
	}
	dir, err := os.MkdirTemp(top, "steward-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	open, beside := filepath.Join(dir, "open"), filepath.Join(dir, "beside")
	for _, d := range []string{open, beside} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	const readOnly = "Read-only file system"
	for _, allowed := range []bool{false, true} {
		l := newLab(t)
		list := []string{}
		if allowed {
			list = []string{open}
		}
		l.settings("p/.claude/settings.json", map[string]any{"sandbox": map[string]any{"enabled": true,
			"failIfUnavailable": true, "filesystem": map[string]any{"allowWrite": list}}})
		said := l.play([]model.Call{model.Bash("touch " + open + "/x && echo made; touch " + beside + "/x")})[0].Text
		if strings.Contains(said, "made") != allowed || !strings.Contains(said, "'"+beside+"/x': "+readOnly) {
			t.Errorf("allowed %v: %s", allowed, said)
		}
	}
}
