// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what docs/protection.md says of the file of preview servers is what
// the runtime does.

package iso_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// TestPreviewServersAreWrittenWithoutAPrompt: the runtime asks nobody before the
// agent writes .claude/launch.json of the start directory. The rule of the policy
// does, in each mode and whatever an allow rule says, and the launch adds it, for
// each directory of the project. Rules for the tool as a whole do not ask.
func TestPreviewServersAreWrittenWithoutAPrompt(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	pinned, floor := testenv.Claude(t), testenv.ClaudeFloor(t)
	const rule = `{"ask":["` + claude.WritesServers + `"],"allow":["` + claude.WritesServers + `"]}`
	for _, c := range []struct {
		name, runtime, project, user, dir, mode string
		hardened, asked                         bool
	}{
		{"plain, no rule", pinned, `{}`, `{}`, "p", claude.ModeDefault, false, false},
		{"plain, no rule, the floor", floor, `{}`, `{}`, "p", claude.ModeDefault, false, false},
		{"plain, the tool", pinned, `{"ask":["Edit","Edit(*)"]}`, `{}`, "p", claude.ModeDefault, false, false},
		{"plain, the rule", pinned, rule, `{}`, "p", claude.ModeAcceptEdits, false, true},
		{"plain, the rule, the floor", floor, rule, `{}`, "p", claude.ModeDefault, false, true},
		{"plain, the user's rule", pinned, `{}`, rule, "p/sub", claude.ModeDefault, false, true},
		{"claude-iso, no rule", pinned, `{}`, `{}`, "p", claude.ModeAcceptEdits, true, true},
		{"claude-iso in a subdirectory, no rule", pinned, `{}`, `{}`, "p/sub", claude.ModeDefault, true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			l.runtime = c.runtime
			l.settings(`{"permissions":` + c.project + `}`)
			l.put(".claude/settings.json", `{"permissions":`+c.user+`}`)
			l.approve()
			script := calls(model.Call{Tool: "Write", Input: map[string]any{
				"file_path": filepath.Join(l.home, c.dir, claude.Dir, claude.LaunchFile), "content": "{}"}})
			args := []string{"--permission-mode", c.mode}
			start := func() session { return l.plainWith(c.dir, args, script...) }
			if c.hardened {
				start = func() session { return l.hardened(c.dir, iso.Options{Args: args}, script...) }
			}
			want := "File created successfully"
			if c.asked {
				want = "requested permissions to write"
			}
			if said := start().text(t, 0); !strings.Contains(said, want) {
				t.Errorf("%q, want %q", said, want)
			}
		})
	}
}
