// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package shellrc

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/testenv"
)

// TestUndone: each rc file around a line that sources the definition of f, and
// whether f is that function when it was read, as the shell itself says.
func TestUndone(t *testing.T) {
	for _, c := range []struct {
		shell  Shell
		rc     string
		undone string // the commands
	}{
		{Bash, "SOURCE", ""},
		{Bash, "SOURCE\nunset -f f", "unset -f f"},
		{Bash, "unset -f f\nSOURCE", ""},
		{Bash, "SOURCE\nunset f2 g", ""},
		{Bash, "f() { :; }\nSOURCE", ""},
		{Bash, "SOURCE\nf() { :; }", "function"},
		{Bash, "SOURCE\nf() { :; }\nSOURCE", ""},
		{Bash, "SOURCE\n. ./more", "function"},
		{Bash, ". ./more\nSOURCE", ""},
		{Bash, "return\nSOURCE", "return"},
		{Bash, "{ return 0; }\nSOURCE", "return"},
		{Bash, "exit 0\nSOURCE", "exit"},
		{Bash, "exec true\nSOURCE", "exec"},
		{Bash, "exec 3>&1\nSOURCE", ""},
		{Bash, "[ -n x ] || return\nSOURCE", ""},
		{Bash, "case $- in *q*) return ;; esac\nSOURCE", ""},
		{Bash, "if false; then return; fi\nSOURCE", ""},
		{Bash, "(exit)\ng() { return; }\nSOURCE\nreturn", ""},
		{Bash, ". ./ends\nSOURCE", ""},
		{Zsh, "SOURCE\nunfunction f", "unfunction f"},
		{Zsh, "SOURCE\nunset -f f", "unset -f f"},
		{Zsh, "return\nSOURCE", "return"},
		{Fish, "SOURCE", ""},
		{Fish, "SOURCE\nfunctions -e f", "functions -e f"},
		{Fish, "SOURCE\nfunctions --erase f g", "functions -e f"},
		{Fish, "SOURCE\nfunction f; end", "function"},
		{Fish, "return\nSOURCE", "return"},
		{Fish, "exit\nSOURCE", "exit"},
		{Fish, "true; or return\nSOURCE", ""},
		{Fish, "false && exit\nSOURCE", ""},
		{Fish, "if false\nexit\nend\nSOURCE", ""},
	} {
		home := testenv.Home(t)
		define := "f() { echo theirs; }\n"
		if c.shell == Fish {
			define = "function f; echo theirs; end\n"
		}
		put(t, filepath.Join(home, "wanted"), define)
		put(t, filepath.Join(home, "more"), "f() { :; }\n")
		put(t, filepath.Join(home, "ends"), "return\n")
		u := User{Home: home, Getenv: noEnv}
		rc := u.RC(c.shell)
		text := strings.ReplaceAll(c.rc, "SOURCE", "source "+filepath.Join(home, "wanted"))
		put(t, rc, strings.ReplaceAll(text, "./", home+"/")+"\n")
		wanted := func(path string) bool { return path == filepath.Join(home, "wanted") }
		var got []string
		sc := u.Scan(machine(t, u), c.shell)
		for _, d := range sc.Undone(sc.Interactive, wanted, "f") {
			if d.Value == "" {
				d.Value = "function"
			}
			got = append(got, d.Value)
		}
		if s := strings.Join(got, ", "); s != c.undone {
			t.Errorf("%s, %q: undone by %q, want %q", c.shell, c.rc, s, c.undone)
		}
		program, err := exec.LookPath(string(c.shell))
		if err != nil {
			continue
		}
		cmd := exec.Command(program, map[Shell]string{Bash: "--norc", Zsh: "-f", Fish: "--no-config"}[c.shell], "-c",
			"source "+rc+"; f")
		cmd.Env, cmd.Dir = testenv.Env(t, home), home
		out, _ := cmd.Output()
		if theirs := strings.TrimSpace(string(out)) == "theirs"; theirs != (c.undone == "") {
			t.Errorf("%s, %q: the shell says %q", c.shell, c.rc, out)
		}
	}
}
