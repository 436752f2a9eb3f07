// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: claude-iso is defined and called in the shells that users
// sit in, with the options that users set, from the line that they paste.

package scripts

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/shellrc"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// session is a home, with a space in its name, whose rc line sources the
// wrapper for binary.
type session struct{ shell, home, rc string }

func newSession(t *testing.T, shell, binary string) session {
	t.Helper()
	testenv.Need(t, shell)
	s := session{shell: shell, home: filepath.Join(testenv.Home(t), "my home")}
	name := Wrapper(shellrc.Shell(shell))
	b, err := Render(name, binary)
	if err != nil {
		t.Fatal(err)
	}
	wrapper := filepath.Join(s.home, ".claude", "agent-isolation", name)
	put(t, wrapper, string(b), WrapperMode)
	if s.rc, err = SourceLine(shellrc.Shell(shell), s.home, wrapper); err != nil {
		t.Fatal(err)
	}
	return s
}

// run runs lines in the shell after the rc line, as a script.
func (s session) run(t *testing.T, before, after string, extra ...string) outcome {
	t.Helper()
	path := filepath.Join(testenv.Home(t), "session")
	put(t, path, before+"\n"+s.rc+"\n"+after+"\n", 0o644)
	argv := []string{s.shell, path}
	if s.shell == "zsh" {
		argv = []string{s.shell, "-f", path}
	}
	return run(t, "", append(extra, "HOME="+s.home), argv...)
}

// argv is what the fake program prints when it is called with these.
func argv(args ...string) string {
	all := append([]string{"iso"}, args...)
	return string(rune('0'+len(all))) + "\x00" + strings.Join(all, "\x00") + "\x00allow= token=\x00"
}

func TestArgumentsPassUntouched(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	binary := program(t)
	for _, tt := range []struct {
		name, posix, fish string
		want              []string
	}{
		{"none", `claude-iso`, `claude-iso`, nil},
		{"worktree", `claude-iso -w -p x`, `claude-iso -w -p x`, []string{"-w", "-p", "x"}},
		{"dashes", `claude-iso -- --help -`, `claude-iso -- --help -`, []string{"--", "--help", "-"}},
		{"empty and spaces", `claude-iso "" "a  b" " " ''`, `claude-iso "" "a  b" " " ''`, []string{"", "a  b", " ", ""}},
		{"quotes", `claude-iso "it's" 'say "x"' '\' 'a\nb'`, `claude-iso "it's" 'say "x"' '\\' 'a\nb'`,
			[]string{"it's", `say "x"`, `\`, `a\nb`}},
		{"globs", `claude-iso '*' '/*' '?[a]' '{a,b}' '~' '$HOME' '!!'`,
			`claude-iso '*' '/*' '?[a]' '{a,b}' '~' '$HOME' '!!'`, []string{"*", "/*", "?[a]", "{a,b}", "~", "$HOME", "!!"}},
		{"newlines", "claude-iso 'a\nb\n' '\n'", "claude-iso 'a\nb\n' '\n'", []string{"a\nb\n", "\n"}},
		{"not ASCII", "claude-iso ü '\xff'", "claude-iso ü \\Xff", []string{"ü", "\xff"}},
	} {
		for _, shell := range []string{"bash", "zsh", "fish"} {
			t.Run(shell+" "+tt.name, func(t *testing.T) {
				call := tt.posix
				if shell == "fish" {
					call = tt.fish
				}
				if got := newSession(t, shell, binary).run(t, "", call); got != (outcome{argv(tt.want...), "", 0}) {
					t.Errorf("%+v", got)
				}
			})
		}
	}
}

// Whatever a user has set must not change what claude-iso does, nor may
// sourcing the file change what the user has set.
func TestOptionsOfTheUser(t *testing.T) {
	t.Parallel()
	binary := program(t)
	for _, tt := range []struct{ shell, before string }{
		{"bash", "set -eu -o pipefail"},
		{"bash", "set -C; shopt -s nullglob failglob extglob"},
		{"bash", "IFS=iso/"},
		{"bash", "shopt -s expand_aliases; alias claude-iso='echo no' printf=no"},
		{"bash", "claude-iso() { echo no; }; claude-iso >/dev/null"},
		{"zsh", "set -eu"},
		{"zsh", "setopt noclobber nomatch rc_quotes ksh_arrays sh_word_split glob_subst"},
		{"zsh", "setopt extended_glob ignore_braces no_short_loops err_return warn_create_global"},
		{"zsh", "setopt aliases; alias claude-iso='echo no' printf=no"},
		{"zsh", "emulate sh"},
		{"zsh", "emulate ksh; set -u"},
		{"fish", "set -g fish_trace"},
		{"fish", "function printf; end; function claude-iso; echo no; end"},
	} {
		t.Run(tt.shell+" "+tt.before, func(t *testing.T) {
			// \claude-iso: an alias of that name is the user's own, and wins
			// where it is called plainly.
			call := `\claude-iso -w "a b" '*' ""`
			if tt.shell == "fish" {
				call = `claude-iso -w "a b" '*' ""`
			}
			if got := newSession(t, tt.shell, binary).run(t, tt.before,
				call); got != (outcome{argv("-w", "a b", "*", ""), "", 0}) {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestExitCodeIsTheProgramsOwn(t *testing.T) {
	t.Parallel()
	binary := program(t)
	for shell, call := range map[string]string{"bash": "claude-iso; echo $?", "zsh": "claude-iso; echo $?",
		"fish": "claude-iso; echo $status"} {
		if got := newSession(t, shell, binary).run(t, "", call, "FAKE_CODE=42"); got.stdout != argv()+"42\n" {
			t.Errorf("%s: %+v", shell, got)
		}
	}
}

func TestNamedVariablesReachTheProgram(t *testing.T) {
	t.Parallel()
	binary := program(t)
	for _, shell := range []string{"bash", "zsh", "fish"} {
		got := newSession(t, shell, binary).run(t, "", `CLAUDE_ISO_ALLOW="GH_TOKEN" GH_TOKEN="a b" claude-iso`)
		if !strings.Contains(got.stdout, "allow=GH_TOKEN token=a b\x00") {
			t.Errorf("%s: %+v", shell, got)
		}
	}
}

// An alias of claude goes through claude-iso and does not come back.
func TestAliasOfClaude(t *testing.T) {
	t.Parallel()
	binary := program(t)
	for shell, before := range map[string]string{"bash": "shopt -s expand_aliases", "zsh": "", "fish": ""} {
		s := newSession(t, shell, binary)
		alias := AliasLine(shellrc.Shell(shell), "claude")
		for call, want := range map[string]string{"claude -p 'a b'": argv("-p", "a b"), "claude-iso x": argv("x")} {
			if got := s.run(t, before, alias+"\n"+call); got != (outcome{want, "", 0}) {
				t.Errorf("%s %s: %+v", shell, call, got)
			}
		}
	}
}

func TestMissingProgramIsSaid(t *testing.T) {
	t.Parallel()
	for how := range brokenPrograms {
		if how == "wrong machine" || how == "no interpreter" {
			continue // the shell says what it cannot start
		}
		binary := broken(t, how)
		for shell, code := range map[string]string{"bash": "$?", "zsh": "$?", "fish": "$status"} {
			got := newSession(t, shell, binary).run(t, "", "claude-iso -w x\necho "+code)
			if got.stdout != "127\n" || !strings.Contains(got.stderr, binary) ||
				!strings.Contains(got.stderr, "steward-setup install") {
				t.Errorf("%s, %s: %+v", shell, how, got)
			}
		}
	}
	for _, how := range []string{"wrong machine", "no interpreter"} {
		binary := broken(t, how)
		for _, shell := range []string{"bash", "zsh", "fish"} {
			if got := newSession(t, shell, binary).run(t, "", "claude-iso"); got.code < 125 || got.code > 127 ||
				got.stderr == "" {
				t.Errorf("%s, %s: %+v", shell, how, got)
			}
		}
	}
}

// A wrapper that was synced to another host starts the program of the home that
// it lies in, whatever HOME says when it is called; one elsewhere starts none.
func TestASyncedWrapperFindsTheProgramOfItsHost(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	for _, c := range []struct{ shell, before string }{
		{"bash", ""}, {"bash", "set -eu"}, {"bash", "IFS=/"}, {"zsh", ""},
		{"zsh", "set -eu; setopt ksh_arrays no_function_argzero"}, {"fish", ""},
	} {
		s := newSession(t, c.shell, "/home/somebody else/.local/bin/steward-setup")
		put(t, filepath.Join(s.home, ".local", "bin", "steward-setup"), echo, 0o755)
		elsewhere := testenv.Home(t)
		put(t, filepath.Join(elsewhere, ".local", "bin", "steward-setup"), "#!/bin/sh\necho no\n", 0o755)
		leave := "export HOME='" + elsewhere + "'; cd '" + elsewhere + "'\nclaude-iso x 'a b'"
		if got := s.run(t, c.before, leave); got != (outcome{argv("x", "a b"), "", 0}) {
			t.Errorf("%+v: %+v", c, got)
		}
		wrapper, moved := filepath.Join(s.home, ".claude", "agent-isolation", Wrapper(shellrc.Shell(c.shell))),
			filepath.Join(s.home, "p", "tools", "iso", Wrapper(shellrc.Shell(c.shell)))
		b, err := os.ReadFile(wrapper)
		if err != nil {
			t.Fatal(err)
		}
		put(t, moved, string(b), WrapperMode)
		put(t, filepath.Join(s.home, "p", ".local", "bin", "steward-setup"), "#!/bin/sh\necho no\n", 0o755)
		if s.rc, err = SourceLine(shellrc.Shell(c.shell), s.home, moved); err != nil {
			t.Fatal(err)
		}
		if got := s.run(t, "", leave); got.stdout != "" || got.code != 127 || !strings.Contains(got.stderr, "is missing at") {
			t.Errorf("%+v, moved: %+v", c, got)
		}
	}
}

// The rc line does nothing while there is no file, and the file nothing in a
// shell that cannot have a function of that name.
func TestSourcingIsHarmless(t *testing.T) {
	t.Parallel()
	for _, shell := range []string{"bash", "zsh", "fish"} {
		s := newSession(t, shell, program(t))
		s.rc = strings.ReplaceAll(s.rc, "claude-iso", "not-there")
		if got := s.run(t, "", "echo on"); got != (outcome{"on\n", "", 0}) {
			t.Errorf("%s: %+v", shell, got)
		}
	}
	s := newSession(t, "bash", program(t))
	eachShell(t, func(t *testing.T, shell []string) {
		path := filepath.Join(testenv.Home(t), "profile")
		put(t, path, "set -eu\n"+s.rc+"\necho on\n", 0o644)
		if got := run(t, "", []string{"HOME=" + s.home}, append(shell[:len(shell):len(shell)],
			path)...); got != (outcome{"on\n", "", 0}) {
			t.Errorf("%+v", got)
		}
	})
}

// The user's interactive shell reads its rc file with the two lines in it.
func TestInteractiveShells(t *testing.T) {
	t.Parallel()
	binary := program(t)
	for shell, args := range map[string][]string{"bash": {"-i", "-c"}, "zsh": {"-i", "-c"}, "fish": {"-i", "-c"}} {
		s := newSession(t, shell, binary)
		u := shellrc.User{Home: s.home, Getenv: func(string) string { return "" }}
		put(t, u.RC(shellrc.Shell(shell)), s.rc+"\n"+AliasLine(shellrc.Shell(shell), "claude")+"\n", 0o644)
		got := run(t, "", []string{"HOME=" + s.home}, append(append([]string{shell}, args...),
			"claude-iso 'a b'; eval claude -w")...)
		if !strings.Contains(got.stdout, argv("a b")+argv("-w")) || got.code != report.ExitOK {
			t.Errorf("%s: %+v", shell, got)
		}
	}
}
