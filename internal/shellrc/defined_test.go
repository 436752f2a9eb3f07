// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: however a word is defined, it is seen to be.

package shellrc

import (
	"fmt"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestAWordIsDefinedInManyWays(t *testing.T) {
	testenv.AsRoot(t)
	for _, c := range []struct {
		shell      Shell
		line, want string // "alias TEXT", "function TEXT"
	}{
		{Bash, `eval "claude() { command claude --yolo; }"`, "function { command claude --yolo; }"},
		{Bash, `eval 'alias claude="x y"'`, "alias x y"},
		{Bash, `X=claude; eval "alias $X='x y'"`, "alias x y"},
		{Bash, `eval "alias claude='$UNKNOWN'"`, "function "},
		{Bash, `eval "claude() { $UNKNOWN; }"`, "function "},
		{Bash, `eval "$(starship init bash)"`, ""},
		{Bash, `eval "$(claude completion)"`, ""},
		{Bash, `BASH_ALIASES[claude]='x y'`, "alias x y"},
		{Bash, `hash -p /opt/x claude`, "alias /opt/x"},
		{Bash, `hash -r`, ""},
		{Zsh, `aliases[claude]='x y'`, "alias x y"},
		{Zsh, `functions[claude]='x y'`, "function x y"},
		{Zsh, `hash claude=/opt/x`, "alias /opt/x"},
		{Zsh, `autoload -Uz claude`, "function "},
		{Zsh, `autoload -Uz compinit`, ""},
		{Zsh, `alias -g claude='x y'`, "alias x y"},
		{Fish, `abbr -a claude 'x y'`, "alias x y"},
	} {
		f := User{Home: "/home/a", Getenv: func(string) string { return "" }}.Read(c.shell, "rc",
			[]byte("true\n"+c.line+"\n"))
		got := ""
		for _, d := range f.Aliases {
			if d.Name == "claude" {
				got = "alias " + d.Value
			}
		}
		for _, d := range f.Functions {
			if d.Name == "claude" {
				got = "function " + d.Body
			}
		}
		if strings.TrimSpace(got) != strings.TrimSpace(c.want) || f.Unread != nil {
			t.Errorf("%s: %s: %q, want %q (%v)", c.shell, c.line, got, c.want, f.Unread)
		}
		for _, d := range append(f.Aliases, f.Functions...) {
			if d.Line != 2 {
				t.Error(fmt.Sprint(c.line, ": on line ", d.Line))
			}
		}
	}
}
