// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package shellrc

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

func TestCsh(t *testing.T) {
	u := User{Home: "/home/u", Getenv: func(string) string { return "" }}
	alias := func(line int, name, value string) Def { return Def{File: "rc", Line: line, Name: name, Value: value} }
	type sees struct {
		Aliases, Sets, Calls []Def
		Sources              []string
		Dynamic              int
		Unread               bool
	}
	for text, want := range map[string]sees{
		"# alias claude x\nalias claude 'claude --x \\!*'\n": {Aliases: []Def{alias(2, "claude", "claude --x")}},
		"alias a b c; alias d \"e 'f g'\"": {Aliases: []Def{alias(1, "a", "b c"),
			alias(1, "d", "e 'f g'")}},
		"alias a 'x \\!* y'":            {Aliases: []Def{alias(1, "a", `x "$@" y`)}},
		"alias a b\nunalias a\nalias a": {},
		"alias a \\\n b":                {Aliases: []Def{alias(1, "a", "b")}},
		"setenv LD_PRELOAD $HOME/x":     {Sets: []Def{alias(1, "LD_PRELOAD", "$HOME/x")}},
		"set path = ( ~/bin $path )":    {Sets: []Def{alias(1, "PATH", "~/bin:$PATH")}},
		"if ( -e ~/x ) then\n source ~/x\nelse if (1) then\nsetenv A b\nendif": {Sets: []Def{alias(4, "A", "b")},
			Sources: []string{"/home/u/x"}},
		"if ($?prompt) alias a b":     {Aliases: []Def{alias(1, "a", "b")}},
		"source \"$HOME/a b\"":        {Sources: []string{"/home/u/a b"}},
		"source $x/y; source /z > /q": {Sources: []string{"/q"}, Dynamic: 1},
		"eval `init` && ./run x": {Calls: []Def{{File: "rc", Line: 1, Value: "eval `init`"},
			{File: "rc", Line: 1, Value: "./run x"}}},
		"alias a 'b": {Unread: true},
	} {
		f := u.Read(Tcsh, "rc", []byte(text))
		got := sees{Aliases: f.Aliases, Sets: f.Sets, Calls: f.Calls, Dynamic: len(f.Dynamic), Unread: f.Unread != nil}
		for _, ref := range f.Sources {
			got.Sources = append(got.Sources, ref.Path)
		}
		if len(got.Aliases) == 0 {
			got.Aliases = nil
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("%q:\n%s", text, diff)
		}
	}
}

// TestTheFileThatENVNames is read by interactive shells, whoever names it.
func TestTheFileThatENVNames(t *testing.T) {
	for _, tt := range []struct {
		env, profile string
		shell        Shell
		want         string
	}{
		{"", "", POSIX, ""},
		{"", "ENV=$HOME/.shrc; export ENV\n", POSIX, ".shrc"},
		{"", "export ENV=\"${HOME}/.shrc\"\n", Mksh, ".shrc"},
		{"", "export ENV=~/.shrc\n", Ksh, ".shrc"},
		{"", "export ENV=$(x)\n", Ksh, ".kshrc"},
		{"/.shrc", "export ENV=~/.other\n", POSIX, ".shrc"},
		{"", "", Mksh, ".mkshrc"},
	} {
		home := t.TempDir()
		for _, name := range []string{".shrc", ".kshrc", ".mkshrc", ".other"} {
			os.WriteFile(filepath.Join(home, name), nil, 0o600)
		}
		os.WriteFile(filepath.Join(home, ".profile"), []byte(tt.profile), 0o600)
		u := User{Home: home, Getenv: func(name string) string {
			if name == "ENV" && tt.env != "" {
				return home + tt.env
			}
			return ""
		}}
		var want []string
		if tt.want != "" {
			want = []string{filepath.Join(home, tt.want)}
		}
		if got := u.Scan(machine(t, u), tt.shell).Interactive; !slices.Equal(got, want) {
			t.Errorf("%+v: interactive shells read %v", tt, got)
		}
	}
}
