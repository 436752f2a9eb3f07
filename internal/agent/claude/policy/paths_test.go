// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package policy

import "testing"

const home = "/home/me"

func TestEditPath(t *testing.T) {
	for rule, want := range map[string]string{
		"Edit(~/d)": "~/d", "Edit(~/d/)": "~/d", "Edit(~/d/**)": "~/d", "Edit(~/**)": "~", "Edit(//opt/d/**)": "/opt/d",
		"Edit(//**)":         "/",
		"Edit(../d/../e/**)": "../e", "Edit(src/**)": "src", "Edit(./src)": "src",
		"Edit(/d/**)": "d", "Edit(/**)": ".", "Edit(/)": ".",
	} {
		if got, ok := EditPath(rule, ""); got != want || !ok {
			t.Errorf("%s opens %q %v, want %q", rule, got, ok, want)
		}
	}
	for _, rule := range []string{"Edit", "Edit()", "Edit(**)", "Edit(*)", "Edit(~/d/*)", "Edit(~/d/**/**)",
		"Edit(~/d/*.txt)", "Edit(~/d*/**)", "Edit(~/d**)", "Edit(**/d)",
		"Write(~/d/**)", "MultiEdit(~/d)", "NotebookEdit(~/d)", "Read(~/d/**)", "edit(~/d)", "Bash(~/d)"} {
		if got, ok := EditPath(rule, ""); ok {
			t.Errorf("%s opens %q, want nothing", rule, got)
		}
	}
	for rule, want := range map[string]string{"Edit(/d/**)": "~/.claude/d", "Edit(/**)": "~/.claude", "Edit(d)": "d"} {
		if got, ok := EditPath(rule, "~/.claude"); got != want || !ok {
			t.Errorf("%s of user settings opens %q %v, want %q", rule, got, ok, want)
		}
	}
}
