// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a file that a loop sources is known by the names that the loop
// goes through.

package shellrc

import (
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestWhatALoopSources(t *testing.T) {
	testenv.AsRoot(t)
	for _, c := range []struct {
		shell       Shell
		text, wants string
	}{
		{Zsh, "for f (~/a.zsh ~/b.zsh) source $f", "/h/a.zsh /h/b.zsh"},
		{Zsh, "for f (~/z/*.zsh(N)) . $f # all", "/h/z/*.zsh"},
		{Zsh, "for f (~/a.zsh); do source $f; done", "/h/a.zsh"},
		{Zsh, "for f (~/a.zsh) do source $f; done", "/h/a.zsh"},
		{Zsh, "for f (~/a.zsh) { source $f }", "/h/a.zsh"},
		{Zsh, "() {\n  for f (~/a.zsh) source $f\n}\nsource ~/c.zsh", "/h/a.zsh /h/c.zsh"},
		{Zsh, "for n (1 2) echo $n; source ~/c.zsh", "/h/c.zsh"},
		{Zsh, "echo 'for f (a b) c'\nsource ~/c.zsh", "/h/c.zsh"},
		{Zsh, "u='for f (a) b; c'\nsource ~/c.zsh", "/h/c.zsh"},
		{Bash, "for f in ~/.{a,b}; do . \"$f\"; done", "/h/.a /h/.b"},
		{Bash, "for f in ~/.{a,{b,c}d}; do . \"$f\"; done", "/h/.a /h/.bd /h/.cd"},
		{Bash, "for f in ~/{1..1000000}; do . \"$f\"; done", ""},
		{Fish, "if true\n  set d ~/a\nelse\n  set d ~/b\nend\nsource $d/x.fish", "/h/a/x.fish /h/b/x.fish"},
		{Fish, "if true\n  set d (pwd)\nelse\n  set d ~/b\nend\nsource $d/x.fish", ""},
		{Fish, "source $__fish_config_dir/x.fish", "/h/.config/fish/x.fish"},
	} {
		f := User{Home: "/h", Getenv: func(string) string { return "" }}.Read(c.shell, "rc", []byte(c.text+"\n"))
		var got []string
		for _, ref := range f.Sources {
			got = append(got, ref.Path)
		}
		if strings.Join(got, " ") != c.wants || f.Unread != nil {
			t.Errorf("%s: %s: %q, want %q (%v)", c.shell, c.text, got, c.wants, f.Unread)
		}
	}
}

func TestAValueOfFishIsWhatItsQuotesHold(t *testing.T) {
	testenv.AsRoot(t)
	for text, want := range map[string]string{
		`set X "a b/c"`:       `a b/c`,
		`set X 'a (b)'`:       `a (b)`,
		`set X "a '\.*'"`:     `a '\.*'`,
		`set X "a \"b\""`:     `"a \"b\""`,
		`set X "a" "b"`:       `a b`,
		`set X "$(x)/y"`:      `$(x)/y`,
		`set -gx X (x)/y "b"`: `$(x)/y b`,
	} {
		f := User{Home: "/h", Getenv: func(string) string { return "" }}.Read(Fish, "rc", []byte(text+"\n"))
		if len(f.Sets) != 1 || f.Sets[0].Value != want {
			t.Errorf("%s: %+v, want %q", text, f.Sets, want)
		}
	}
}
