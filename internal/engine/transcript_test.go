// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package engine_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestATranscriptIsPrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.jsonl")
	for _, sessions := range [][]rehearsal.Raw{nil, {{Session: "one"}},
		{{Session: "two"}}} { // each takes the place of the last
		body := rehearsal.Save(sessions)
		testenv.OK(t, engine.Transcript.Save(path, body))
		b, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(b, body) {
			t.Errorf("%q became %q, %v", body, b, err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("mode %v, %v", info.Mode(), err)
		}
		testenv.OK(t, os.Chmod(path, 0o644))
	}
}

func TestATranscriptReplacesNothingElse(t *testing.T) {
	dir := t.TempDir()
	own := filepath.Join(dir, "own")
	link := filepath.Join(dir, "link")
	testenv.OK(t, errors.Join(os.WriteFile(own, []byte("mine\n"), 0o644), os.Symlink("own", link),
		os.Mkdir(filepath.Join(dir, "d"), 0o755)))
	for _, name := range []string{"own", "link", "d", "own/x"} {
		path := filepath.Join(dir, name)
		var refused *report.Error
		if err := engine.Transcript.Check(path); !errors.As(err, &refused) || refused.Code != report.ExitUsage {
			t.Errorf("%s: %v", name, err)
		}
		if err := engine.Transcript.Save(path, []byte("x")); err == nil {
			t.Errorf("%s: written", name)
		}
	}
	if b, err := os.ReadFile(own); err != nil || string(b) != "mine\n" {
		t.Errorf("the user's file is %q, %v", b, err)
	}
	if err := engine.Transcript.Check(filepath.Join(dir, "new")); err != nil {
		t.Error(err)
	}
}

// What cannot be written is refused before a rehearsal is asked for it, in
// words that speak of no plan.
func TestATranscriptThatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	closed := filepath.Join(dir, "closed")
	testenv.OK(t, os.Mkdir(closed, 0o555))
	wants := map[string]int{filepath.Join(closed, "new", "t"): report.ExitUsage}
	if os.Geteuid() == 0 { // who may write everywhere, but where the system has no files
		wants = map[string]int{"/proc/none/t": report.ExitLeft}
	}
	for path, code := range wants {
		var refused *report.Error
		err := engine.Transcript.Save(path, []byte("x"))
		if !errors.As(err, &refused) || refused.Code != code || strings.Contains(refused.Error()+refused.Next+refused.Why,
			"plan") {
			t.Errorf("%s: %v", path, err)
		}
		if err := engine.Transcript.Check(path); (err != nil) != (code == report.ExitUsage) {
			t.Errorf("%s, before: %v", path, err)
		}
	}
	if err := engine.Transcript.Check(filepath.Join(dir, "new", "deep", "t")); err != nil {
		t.Error(err)
	}
}
