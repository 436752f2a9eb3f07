// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a launch takes no home from the project, and does not take
// the user's own for one.

package iso_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
)

// TestAHomeInTheProject: containers and scripts set HOME=$PWD. The settings of
// the project, which nobody approved, would be the user's.
func TestAHomeInTheProject(t *testing.T) {
	for _, c := range []struct {
		what, account, home, start string // below the home; account "-" is none
		refused                    bool
	}{
		{"the account's", "", "", "p", false},
		{"the account's, started there", "", "", "", false},
		{"the project's root", "", "p", "p", true},
		{"the root, started below", "", "p", "p/sub", true},
		{"a directory in it", "", "p/sub", "p", true},
		{"a symlink to it", "", "link", "p", true},
		{"elsewhere", "", "other", "p", false},
		{"the root, the account is not known", "-", "p", "p", false},
		{"the root, the account has no home", "none", "p", "p", false},
	} {
		t.Run(c.what, func(t *testing.T) {
			l := newLab(t)
			l.put("other/x", "")
			if err := os.Symlink(l.project, filepath.Join(l.home, "link")); err != nil {
				t.Fatal(err)
			}
			l.root = t.TempDir()
			uid := os.Getuid()
			if c.account == "-" {
				uid++
			}
			table := filepath.Join(l.root, "etc/passwd")
			if err := os.MkdirAll(filepath.Dir(table), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(table, fmt.Appendf(nil, "a:x:%d:0::/:/bin/sh\nu:x:%d:%[2]d:,,,:%s:/bin/sh\n", uid+7, uid,
				filepath.Join(l.home, c.account)), 0o644); err != nil {
				t.Fatal(err)
			}
			l.vars = []string{"HOME=" + filepath.Join(l.home, c.home), "XDG_STATE_HOME=" + l.marks, "CLAUDE_CONFIG_DIR=" + l.bin}
			start := filepath.Join(l.home, c.start)
			launch, _, err := iso.Outlook(l.host(start), start)
			if err != nil {
				t.Fatal(err)
			}
			err = launch.Forgeable
			if (err != nil) != c.refused || err != nil && !strings.Contains(err.Error(), "not your account's home") {
				t.Errorf("refused: %v, want %v", err, c.refused)
			}
		})
	}
}

// TestALaunchStartsBelowTheApprovals: commands write all of the directory that a session
// starts in (with a policy in user settings and 2.1.330: approvals, ~/.zshenv and
// ~/.local/bin).
func TestALaunchStartsBelowTheApprovals(t *testing.T) {
	l := newLab(t)
	l.put(".local/state/steward-setup/x", "")
	l.put(".claude/settings.json", `{"sandbox":{"enabled":true}}`)
	l.vars = []string{"HOME=" + l.home}
	for start, refused := range map[string]bool{"": true, ".local": true, "p": false} {
		dir := filepath.Join(l.home, start)
		launch, _, err := iso.Outlook(l.host(dir), dir)
		if err != nil {
			t.Fatal(err)
		}
		if err = launch.Open; (err != nil) != refused || refused && !strings.Contains(err.Error(), "your approvals") {
			t.Errorf("refused in ~/%s: %v, want %v", start, err, refused)
		}
	}
}
