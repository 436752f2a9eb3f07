// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what docs/protection.md says of copies for /rewind the real runtime does.

package iso_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/sessions"
)

// TestNoCopyForRewind: of a file that the agent edited, and that a command then made a
// symlink to a key, a plain start keeps a copy of the key, which /rewind would write into
// the project. claude-iso, and a plain start with what install sets, keep none.
func TestNoCopyForRewind(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	args := append(append([]string{}, dialogue...), "Read", "Edit")
	machine := func(keys string) (*lab, string) {
		l := newLab(t)
		l.settings(`{}`)
		l.put(".claude/settings.json", keys)
		l.approve()
		key := l.put("notes/key", "CANARY of a key\n")
		file := l.put("p/s.txt", "old\n")
		l.vars = []string{"CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING=1", "CLAUDE_ISO_ALLOW=" +
			"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC DISABLE_AUTOUPDATER ANTHROPIC_API_KEY ANTHROPIC_BASE_URL " +
			"CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING"}
		return l, l.claude(calls(model.Do(model.Read, "file_path", file),
			model.Do(model.Edit, "file_path", file, "old_string", "old", "new_string", "new"),
			model.Bash("ln -sf "+key+" s.txt; echo linked")))
	}
	const closed = `{"env":{"` + claude.CheckpointsVariable + `":"1"}}`
	for name, c := range map[string]struct {
		keys        string
		clean, kept bool
	}{
		"a plain start":                        {`{}`, false, true},
		"a plain start, with the variable":     {closed, false, false},
		"claude-iso":                           {`{}`, true, false},
		"claude-iso, switched off by the user": {`{"env":{"` + claude.CheckpointsVariable + `":"0"}}`, true, true},
	} {
		l, path := machine(c.keys)
		s := sessions.Steady(t, func() session {
			argv, environ := append([]string{"claude"}, args...), l.environ()
			if c.clean {
				launch, err := l.prepare("p", iso.Options{Args: args})
				if err != nil {
					t.Fatal(err)
				}
				path, argv, environ = launch.Runtime.Path, launch.Argv, launch.Environ
			}
			return l.typed(path, argv, environ, "go", "on")
		})
		if got := s.text(t, 2); !strings.Contains(got, "linked") {
			t.Fatalf("%s: the file was not replaced: %s", name, got)
		}
		kept := false
		history := filepath.Join(l.home, ".claude/file-history")
		err := filepath.WalkDir(history, func(at string, _ os.DirEntry, _ error) error {
			if b, err := os.ReadFile(at); err == nil && strings.Contains(string(b), "CANARY of a key") {
				kept = true
			}
			return nil
		})
		if err != nil || kept != c.kept {
			t.Errorf("%s: a copy of the key is kept: %v, want %v (%v)", name, kept, c.kept, err)
		}
	}
}
