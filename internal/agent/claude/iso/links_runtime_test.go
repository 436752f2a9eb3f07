// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the runtime keeps what a symlink leads to, and not the
// symlink: it is tried with the real runtime, on a plain start first.

package iso_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// TestASymlinkToTheSettingsIsReplaced: a sandboxed command removes a symlink on
// the way to the settings; the next plain session has none.
func TestASymlinkToTheSettingsIsReplaced(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	for _, tt := range []struct {
		what    string
		links   [][2]string // name and target, below the project; what is there is moved
		command string
	}{
		{".claude is a symlink", [][2]string{{".claude", "conf/claude"}}, `python3 -c "import os; os.remove('.claude')"`},
		{"a symlink on the way", [][2]string{{".claude/settings.json", "conf/s.json"}, {"conf", "real"}}, "rm conf"},
	} {
		l := newLab(t)
		for _, link := range tt.links {
			name, to := filepath.Join(l.project, link[0]), filepath.Join(l.project, link[1])
			for _, err := range []error{os.MkdirAll(filepath.Dir(to), 0o755), os.Rename(name, to), os.Symlink(to, name)} {
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		l.approve()
		read := calls(open(filepath.Join(l.home, "secret.txt")))
		if got := l.hardened("p", iso.Options{}, read...).text(t, 0); strings.Contains(got, secret) {
			t.Fatalf("%s: the policy is not in force: %s", tt.what, got)
		}
		l.plain("p", calls(model.Bash(tt.command))...)
		if got := l.plain("p", read...).text(t, 0); !strings.Contains(got, secret) {
			t.Errorf("%s: the attack does not even work on a plain start: %s", tt.what, got)
		}
		if _, err := l.prepare("p", iso.Options{}); err == nil {
			t.Errorf("%s: claude-iso starts without the policy that was approved", tt.what)
		}
	}
}
