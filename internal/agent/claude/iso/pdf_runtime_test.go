// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a program that the agent has started on demand is found on
// PATH like any other, in a plain start also where a command has just put it.

package iso_test

import (
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// TestAPDFIsReadByAProgramOfPATH was run with 2.1.329.
func TestAPDFIsReadByAProgramOfPATH(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	for launch, want := range map[string]bool{"plain": true, "claude-iso": false} {
		t.Run(launch, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			l.approve()
			l.put("p/tools/README", "")
			l.vars = []string{"PATH=" + l.home + "/p/tools:" + l.bin + ":/usr/local/bin:/usr/bin:/bin"}
			planted := l.put("p/planted", l.mark("pdf", "exit 1"))
			script := calls(model.Bash("cp "+planted+" tools/pdfinfo; cp "+planted+
				" tools/pdftoppm; printf '%%PDF-1.4\ntrailer<<>>\n' > a.pdf; echo put"),
				model.Call{Tool: "Read", Input: map[string]any{"file_path": l.home + "/p/a.pdf", "pages": "1"}}, nothing)
			var s session
			if launch == "plain" {
				s = l.plain("p", script...)
			} else {
				s = l.hardened("p", iso.Options{}, script...)
			}
			if got := s.text(t, 0); got != "put" && got != "put\n" {
				t.Fatalf("the command got back %q", got)
			}
			if got := l.marked("pdf"); got != want {
				t.Errorf("the program that a command put on PATH ran outside the sandbox: %v, want %v\n%s", got, want, s.text(t, 1))
			}
		})
	}
}
