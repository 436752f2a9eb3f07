// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: every command of a line is listed, wherever it stands.

package shell

import (
	"strings"
	"testing"
)

func TestCommandsOfALine(t *testing.T) {
	for line, want := range map[string]string{
		"git push":                       "git push",
		"cd x && git 'push' -f; echo ok": "cd x|git push -f|echo ok",
		"if git diff | grep -q x; then curl \"$URL\"; fi": `git diff|grep -q x|curl "$URL"`,
		"echo $(gh api user)":                             "echo $(gh api user)|gh api user",
		"A=1 make -C ~/x":                                 "make -C /h/x",
		"'":                                               "",
		"":                                                "",
		strings.Repeat("x", maxLine+1):                    "",
	} {
		if got := strings.Join(Commands(line, "/h"), "|"); got != want {
			t.Errorf("%.60q: %q, want %q", line, got, want)
		}
	}
}
