// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a quoted word comes back whole from the shells themselves.

package scripts

import (
	"os/exec"
	"testing"

	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestQuoteIsOneWordToEveryShell(t *testing.T) {
	testenv.Need(t, "sh", "bash", "zsh")
	for _, word := range []string{"", "plain-1.0:/x", "a b", "it's", "''", "; touch x", "$(id)", "`id`", "=ls", "~", "*",
		"a\nb", "-n", `\`, "ü", "#x", "!x", "1.0~rc1^2", "\n", "a\n", "-\n%d%%'\\012!", "\t \x1b[31m\u202e\xff\u00a0é 1"} {
		for _, shell := range []string{"sh", "bash", "zsh"} {
			out, err := exec.Command(shell, "-c", "printf '%s' "+Quote(word)).Output()
			if err != nil || string(out) != word {
				t.Errorf("%s: %q is %q, %v (%s)", shell, word, out, err, Quote(word))
			}
		}
	}
	for _, word := range []string{"/p/a\nb", "\x1b[2Jx", "a\u202eb'", "\t-"} {
		if got := Quote(word); redact.Line(got, 0) != got {
			t.Errorf("%q is shown as %s, and pasted it is another line: %s", word, redact.Line(got, 0), got)
		}
	}
	if got := Quote("/home/u/code-1"); got != "/home/u/code-1" {
		t.Errorf("a plain word is quoted: %s", got)
	}
}
