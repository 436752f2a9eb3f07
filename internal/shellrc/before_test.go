// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package shellrc

import (
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/shell"
)

// runs are the files that the calls of a file run, or the directories of those, each read alone.
func runs(f File) (paths []string) {
	place := shell.Place{Home: "/home/u", Dir: "/start", Getenv: noEnv}
	for _, c := range f.Calls {
		for _, u := range place.Line(c.Alone()).Uses {
			if (u.Kind == shell.Runs || u.Kind == shell.Decides) && !slices.Contains(paths, u.Path) {
				paths = append(paths, u.Path)
			}
		}
	}
	return paths
}

// TestACallKnowsWhatStandsBefore: a call that is kept as a line still means what it means in its file: with the
// variables that are set before it, and in the directory that the shell is in then.
func TestACallKnowsWhatStandsBefore(t *testing.T) {
	u := User{Home: "/home/u", Getenv: noEnv}
	for text, want := range map[string]string{
		"P=~/p; $P/x &":                              "/home/u/p/x",
		"P=~/p; ($P/x)":                              "/home/u/p/x",
		"P=~/p; $P/x | cat":                          "/home/u/p/x",
		"P=~/p; (P=~/q; $P/x)":                       "/home/u/q/x",
		"P=~/p; (cd $P && ./x)":                      "/home/u/p/x",
		"P='~/a b'; (\"$P/x\")":                      "/start/~/a b/x",
		"P=~/p; eval \"$(cat $P/x; $P/y)\"":          "/home/u/p/y",
		"P=~/p; Q=$P/q; (export R=$Q; $R/x)":         "/home/u/p/q/x",
		"for P in ~/p ~/q; do ($P/x); done":          "/home/u/p/x /home/u/q/x",
		"for P in ~/p/* ~/q; do (\"$P/x\"); done":    "/home/u/p /home/u/q/x",
		"if a; then P=~/p; else P=~/q; fi; ($P/x)":   "/home/u/p/x /home/u/q/x",
		"P=~/p; read P; ($P/x)":                      "",
		"cd ~/p; ./x":                                "/home/u/p/x /start/x",
		"cd ~/p && ./x":                              "/home/u/p/x /start/x",
		"cd ~/p; cd q; ./x":                          "/home/u/p/q/x /start/q/x /start/x",
		"cd -P ~/p; ./x":                             "/home/u/p/x /start/x",
		"cd -1; ./x":                                 "/start/x",
		"cd; ./x":                                    "/home/u/x /start/x",
		"cd -; ./x":                                  "/start/x",
		"cd \"$1\"; ./x":                             "/start/x",
		"[ -d ~/p ] && cd ~/p; (./x &)":              "/home/u/p/x /start/x",
		"(cd ~/p; ./x); ./y":                         "/home/u/p/x /start/x /start/y",
		"P=~/p; alias a='$P/x'; trap '$P/y' EXIT":    "/home/u/p/y",
		"P=~/p; PATH=/b:$PATH; (PATH=$PATH:~; $P/x)": "/home/u/p/x",
	} {
		got := runs(u.Read(Bash, "/home/u/.bashrc", []byte(text)))
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("%s runs %q, want %q", text, got, want)
		}
	}
}

// TestAFunctionKnowsItsFile: a function that is called later has the variables that its file leaves.
func TestAFunctionKnowsItsFile(t *testing.T) {
	u := User{Home: "/home/u", Getenv: noEnv}
	for _, s := range []Shell{Bash, Zsh, Fish} {
		text := "f() {\n$P/x\n(Q=~/q; $P/$Q)\n}\nP=~/p\n"
		if s == Fish {
			text = "function f\n$P/x\nend\nset P ~/p\n"
		}
		f := u.Read(s, "/home/u/rc", []byte(text))
		in := f.Inside(u, f.Functions[0])
		if got := runs(in); len(got) == 0 || got[0] != "/home/u/p/x" {
			t.Errorf("%s: the function runs %q", s, got)
		}
		for _, c := range in.Calls {
			if c.Line != f.Functions[0].Line {
				t.Errorf("%s: a call of it is on line %d", s, c.Line)
			}
		}
	}
}

// TestADirectoryIsEntered: what is sourced by a relative path lies where the shell is.
func TestADirectoryIsEntered(t *testing.T) {
	u := User{Home: "/home/u", Getenv: noEnv}
	f := u.Read(Bash, "/home/u/.bashrc", []byte("cd ~/p\n. ./x.sh\n. /y.sh"))
	var got []string
	for _, ref := range f.Sources {
		got = append(got, ref.Path)
	}
	if !slices.Equal(got, []string{"/home/u/p/x.sh", "/y.sh"}) || len(f.Dynamic) != 1 {
		t.Errorf("it sources %q, and of %d only the shell knows", got, len(f.Dynamic))
	}
}
