// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a line of CLAUDE.md brings to the model is first
// shown on a plain start.

package iso_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// TestImportsAreNotRead: the pinned runtime follows imports out of the project
// once the user has allowed them; 2.1.141 and 2.1.224 follow symlinks and read
// .env always. The launch then reads no instructions.
func TestImportsAreNotRead(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	const followed, allowed, never = "always", "if external imports are allowed", "never"
	imports := []struct{ what, line, file, old, pinned string }{
		{"a credential file of the project", "@.npmrc", "p/.npmrc", followed, followed},
		{".env", "@.env", "p/.env", followed, never},
		{"a symlink to a private key", "@docs/c.md", ".ssh/id_rsa", followed, allowed},
		{"an import of an import", "@docs/on.md", "secret.md", allowed, allowed},
	}
	testenv.EachClaude(t, func(t *testing.T, claude string, old bool) {
		l := newLab(t)
		l.runtime = claude
		text := "OWN WORDS\n"
		for _, i := range imports {
			l.put(i.file, secret+" of "+i.file+"\n")
			text += i.line + "\n"
		}
		l.put("p/docs/on.md", "@../../secret.md\n")
		if err := os.Symlink(filepath.Join(l.home, ".ssh/id_rsa"), filepath.Join(l.project, "docs/c.md")); err != nil {
			t.Fatal(err)
		}
		l.put("p/CLAUDE.md", text)
		l.approve()
		script := calls(model.Bash("true"))
		untold := l.plain("p", script...)
		l.put(".claude.json", fmt.Sprintf(`{"hasCompletedOnboarding":true,"projects":{%q:{"hasTrustDialogAccepted":true,"hasClaudeMdExternalIncludesApproved":true}}}`, l.project))
		external := l.plain("p", script...)
		for _, i := range imports {
			want := i.pinned
			if old {
				want = i.old
			}
			if got := untold.Told(secret + " of " + i.file); got != (want == followed) {
				t.Errorf("%s: a plain start tells it: %v, want %s", i.what, got, want)
			}
			if got := external.Told(secret + " of " + i.file); got != (want != never) {
				t.Errorf("%s: a plain start, external imports allowed, tells it: %v, want %s", i.what, got, want)
			}
		}
		if s := l.hardened("p", iso.Options{}, script...); s.Told(secret) || s.Told("OWN WORDS") {
			t.Error("the launch read the instructions")
		}
	})
}
