// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package shellrc

import "testing"

// The framework's wrapper splits words as zsh does behind a condition; bash
// reads it all the same (measured with bash 5.2).
func TestAWrapperForBashAndZshIsReadInBoth(t *testing.T) {
	const text = "run() {\n  if [[ -n \"${ZSH_VERSION-}\" ]]; then\n    list=(${=names} ${(f)more} ${^each})\n  else\n" +
		"    list=($names)\n  fi\n}\n" +
		"if [[ \"${BASH_SOURCE[0]}\" != \"${0}\" ]]; then\n  claude-iso() { run claude \"$@\"; }\nfi\n. ~/after.sh\n"
	u := User{Home: "/h", Getenv: func(string) string { return "" }}
	for _, s := range []Shell{Bash, Zsh} {
		f := File{Path: "/h/agent-iso.sh", Shell: s}
		u.readPOSIX(&f, s, []byte(text))
		if f.Unread != nil || len(f.Sources) != 1 || f.Sources[0].Line != 11 {
			t.Errorf("%s: %v, sources %v", s, f.Unread, f.Sources)
		}
		found := false
		for _, d := range f.Functions {
			found = found || d.Name == "claude-iso"
		}
		if !found {
			t.Errorf("%s: claude-iso is not defined: %v", s, f.Functions)
		}
	}
}
