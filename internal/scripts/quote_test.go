// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a quoted word comes back whole from the shells themselves.

package scripts

import (
	"os/exec"
	"testing"

	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestQuoteIsOneWordToEveryShell(t *testing.T) {
	testenv.Need(t, "sh", "bash", "zsh")
	for _, word := range []string{"", "plain-1.0:/x", "a b", "it's", "''", "; touch x", "$(id)", "`id`", "=ls", "~", "*",
		"a\nb", "-n", `\`, "ü", "#x", "!x", "1.0~rc1^2"} {
		for _, shell := range []string{"sh", "bash", "zsh"} {
			out, err := exec.Command(shell, "-c", "printf '%s' "+Quote(word)).Output()
			if err != nil || string(out) != word {
				t.Errorf("%s: %q is %q, %v (%s)", shell, word, out, err, Quote(word))
			}
		}
	}
	if got := Quote("/home/u/code-1"); got != "/home/u/code-1" {
		t.Errorf("a plain word is quoted: %s", got)
	}
}
