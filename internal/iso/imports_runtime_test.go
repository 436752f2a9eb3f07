// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a line of CLAUDE.md brings to the model is first
// shown on a plain start.

package iso_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/iso"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// TestImportsAreNotRead: the pinned runtime follows imports out of the project
// once the user has allowed them; 2.1.141 and 2.1.224 follow symlinks and read
// .env always. The launch then reads no instructions.
func TestImportsAreNotRead(t *testing.T) {
	const followed, allowed, never = "always", "if external imports are allowed", "never"
	for _, c := range []struct{ name, line, old, pinned string }{
		{"a credential file of the project", "@.npmrc", followed, followed},
		{".env", "@.env", followed, never},
		{"a symlink to a private key", "@docs/c.md", followed, allowed},
		{"an import of an import", "@docs/on.md", allowed, allowed},
	} {
		for version, want := range map[string]string{"old": c.old, "pinned": c.pinned} {
			t.Run(c.name+"/"+version, func(t *testing.T) {
				t.Parallel()
				l := newLab(t)
				l.runtime = testenv.Claude(t)
				if version == "old" {
					l.runtime = testenv.ClaudeOld(t)
				}
				for _, name := range []string{"secret.md", ".ssh/id_rsa", "p/.npmrc", "p/.env"} {
					l.put(name, secret+"\n")
				}
				l.put("p/docs/on.md", "@../../secret.md\n")
				if err := os.Symlink(filepath.Join(l.home, ".ssh/id_rsa"), filepath.Join(l.project, "docs/c.md")); err != nil {
					t.Fatal(err)
				}
				l.put("p/CLAUDE.md", "OWN WORDS\n"+c.line+"\n")
				l.approve()
				told := func(s session, word string) bool {
					var all strings.Builder
					for _, r := range s.Requests() {
						all.Write(r.Body)
					}
					return strings.Contains(all.String(), word)
				}
				script := calls(model.Bash("true"))
				if got := told(l.plain("p", script...), secret); got != (want == followed) {
					t.Errorf("a plain start tells it: %v, want %s", got, want)
				}
				l.put(".claude.json", fmt.Sprintf(`{"hasCompletedOnboarding":true,"projects":{%q:{"hasTrustDialogAccepted":true,"hasClaudeMdExternalIncludesApproved":true}}}`, l.project))
				if got := told(l.plain("p", script...), secret); got != (want != never) {
					t.Errorf("a plain start, external imports allowed, tells it: %v, want %s", got, want)
				}
				s := l.hardened("p", iso.Options{}, script...)
				if told(s, secret) || told(s, "OWN WORDS") {
					t.Error("the launch read the instructions")
				}
			})
		}
	}
}
