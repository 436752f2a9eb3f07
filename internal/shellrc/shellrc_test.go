// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package shellrc

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func init() { env.Add(env.Agent{Program: "claude"}) }

func noEnv(string) string { return "" }

// home is a throwaway home, with a space in its name, that holds a wrapper in
// "~/a b/iso.sh" (or .fish) which leaves a variable behind.
func home(t *testing.T) (User, string) {
	dir := filepath.Join(testenv.Home(t), "my home")
	put(t, filepath.Join(dir, "a b/iso.sh"), "ISO=SOURCED\n")
	put(t, filepath.Join(dir, "a b/iso.fish"), "set -g ISO SOURCED\n")
	return User{Home: dir, Getenv: noEnv}, filepath.Join(dir, "a b/iso.sh")
}

func put(t *testing.T, path, text string) {
	t.Helper()
	testenv.Write(t, path, text, 0o644)
}

// reads runs the text of an rc file in the real shell and says whether the
// wrapper was sourced.
func reads(t *testing.T, u User, s Shell, text string) bool {
	t.Helper()
	rc := filepath.Join(t.TempDir(), "rc")
	put(t, rc, text+"\necho \"$ISO\"\n")
	program, args := string(s), []string{rc}
	switch s {
	case POSIX:
		program = "dash"
	case Zsh:
		args = []string{"-f", rc}
	case Fish:
		args = []string{"--no-config", rc}
	}
	testenv.Need(t, program)
	cmd := exec.Command(program, args...)
	cmd.Env, cmd.Dir = testenv.Env(t, u.Home), u.Home
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil && stderr.Len() > 0 {
		t.Logf("%s: %v: %s", program, err, stderr.String())
	}
	return strings.Contains(stdout.String(), "SOURCED")
}

// shells names the shells by their letters: s is a POSIX shell.
var sourcing = []struct {
	shells string
	text   string
	want   bool
}{
	{"sbz", `. "$HOME/a b/iso.sh"`, true},
	{"bz", `source "${HOME}/a b/iso.sh"`, true},
	{"sbz", `. ~/'a b'/iso.sh`, true},
	{"sbz", `. ~/a\ b/iso.sh`, true},
	{"sbz", `. "$HOME/a b/../a b/iso.sh" 2>/dev/null`, true},
	{"sbz", `[ -f "$HOME/a b/iso.sh" ] && . "$HOME/a b/iso.sh"`, true},
	{"sbz", "[ -f \"$HOME/a b/iso.sh\" ] \\\n  && . \"$HOME/a b/iso.sh\"", true},
	{"sbz", `if [ -f "$HOME/a b/iso.sh" ]; then . "$HOME/a b/iso.sh"; fi`, true},
	{"sbz", `test -r ~/a\ b/iso.sh && . ~/a\ b/iso.sh`, true},
	{"bz", `[[ ! -f ~/a\ b/iso.sh ]] || source ~/a\ b/iso.sh`, true},
	{"sbz", `case $- in x*) ;; *) . "$HOME/a b/iso.sh" ;; esac`, true},
	{"sbz", `{ . "$HOME/a b/iso.sh"; }`, true},
	{"sbz", "X=\"$HOME/a b\"\n. \"$X/iso.sh\"", true},
	{"bz", "export X=~/'a b'\n. \"${X:-/none}/iso.sh\"", true},
	{"sbz", "export X=\"$HOME/a b\"\n. \"${X:-/none}/iso.sh\"", true},
	{"sbz", `. "${XDG_DATA_HOME:-$HOME/a b}/iso.sh"`, true},
	{"sbz", `for f in "$HOME/a b"/*.sh; do [ -r "$f" ] && . "$f"; done`, true},
	{"sbz", "for f in /none ~/'a b/iso.sh'\ndo\n\tif [ -f \"$f\" ]; then . \"$f\"; fi\ndone", true},
	{"sb", `command . "$HOME/a b/iso.sh"`, true},
	{"z", `command . "$HOME/a b/iso.sh"`, false},
	{"sb", `command -p . "$HOME/a b/iso.sh"`, true},
	{"sb", `command -- . "$HOME/a b/iso.sh"`, true},
	{"sbz", `command -v . >/dev/null`, false},
	{"sbz", "X=~/'a b'; unset -f X; . \"$X/iso.sh\"", true},
	{"sbz", "X=~/'a b'; printf X >/dev/null; . \"$X/iso.sh\"", true},
	{"bz", `builtin source "$HOME/a b/iso.sh"`, true},
	{"sbz", `\. "$HOME/a b/iso.sh"`, true},
	{"sbz", `if true; then if :; then . "$HOME/a b/iso.sh"; fi; fi`, true},
	{"z", `() { source "$HOME/a b/iso.sh" }`, true},
	{"sbz", "if true; then X=~/'a b'; else X=/none; fi\n. \"$X/iso.sh\"", true},
	{"sbz", "HOME=\"$HOME/a b\"; . ~/iso.sh", true},
	{"sbz", "X=; . \"${X:-$HOME/a b}/iso.sh\"", true},
	{"sbz", "X=~/'a b'; Y=$X; . \"$Y/iso.sh\"", true},
	{"z", "X=~/'a b'; . $X/iso.sh", true},

	{"sbz", "# Gr\xfc\xdfe\n. \"$HOME/a b/iso.sh\"", true},

	{"sbz", `# . "$HOME/a b/iso.sh"`, false},
	{"sbz", `echo . "$HOME/a b/iso.sh"`, false},
	{"sbz", `: '
. "$HOME/a b/iso.sh"
'`, false},
	{"sbz", "cat >/dev/null <<E\n. \"$HOME/a b/iso.sh\"\nE", false},
	{"sbz", `f() { . "$HOME/a b/iso.sh"; }`, false},
	{"sbz", `( . "$HOME/a b/iso.sh" )`, false},
	{"sbz", `. "$HOME/a b/iso.sh" | cat`, false},
	{"sbz", `. "$HOME/a b/iso.sh" & wait`, false},
	{"z", `. "$HOME/a b/iso.sh" &!`, false},
	{"sbz", `X=$(. "$HOME/a b/iso.sh")`, false},
	{"sbz", `if false; then . "$HOME/a b/iso.sh"; fi`, false},
	{"sbz", `false && . "$HOME/a b/iso.sh"`, false},
	{"sbz", `true || . "$HOME/a b/iso.sh"`, false},
	{"sbz", `[ -f "$HOME/a b/other.sh" ] && . "$HOME/a b/other.sh"`, false},

	{"f", `source "$HOME/a b/iso.fish"`, true},
	{"f", `source ~/"a b"/iso.fish`, true},
	{"f", `source ~/a\ b/iso.fish # comment`, true},
	{"f", `. ~/'a b/iso.fish'`, true},
	{"f", `test -f "$HOME/a b/iso.fish"; and source "$HOME/a b/iso.fish"`, true},
	{"f", `test -f "$HOME/a b/iso.fish" && source "$HOME/a b/iso.fish"`, true},
	{"f", "if test -f \"$HOME/a b/iso.fish\"\n\tsource \"$HOME/a b/iso.fish\" 2>/dev/null\nend", true},
	{"f", `if false; echo; else if true; source ~/a\ b/iso.fish; end`, true},
	{"f", `if not false; source ~/a\ b/iso.fish; end`, true},
	{"f", "begin\n source ~/a\\ b/iso.fish\nend >&2", true},
	{"f", `for f in ~/a\ b/*.fish; source $f; end`, true},
	{"f", "set -gx X ~/'a b'\nbuiltin source $X/iso.fish", true},
	{"f", "switch x\n case x\n source \\\n ~/'a b/iso.fish'\nend", true},
	{"f", `echo (echo ")" '(' a; echo "b)") >/dev/null; source ~/a\ b/iso.fish`, true},

	{"f", `# source ~/a\ b/iso.fish`, false},
	{"f", `echo source ~/a\ b/iso.fish`, false},
	{"f", "echo '\nsource ~/a\\ b/iso.fish\n' >/dev/null", false},
	{"f", `function f; if true; source ~/a\ b/iso.fish; end; end`, false},
	{"f", `if false; source ~/a\ b/iso.fish; end`, false},
	{"f", `false && source ~/a\ b/iso.fish`, false},
	{"f", `false; and source ~/a\ b/iso.fish`, false},
	{"f", `echo "echo no" | source`, false},
	{"f", `source (echo "echo no" | psub)`, false},
}

func TestSourcesAgreesWithTheShell(t *testing.T) {
	letters := map[rune]Shell{'s': POSIX, 'b': Bash, 'z': Zsh, 'f': Fish}
	for _, tt := range sourcing {
		for _, letter := range tt.shells {
			s := letters[letter]
			t.Run(string(s)+" "+tt.text, func(t *testing.T) {
				u, wrapper := home(t)
				if s == Fish {
					wrapper = strings.TrimSuffix(wrapper, ".sh") + ".fish"
				}
				if did := reads(t, u, s, tt.text); did != tt.want {
					t.Fatalf("the test is wrong: %s sourced it: %v", s, did)
				}
				f := u.Read(s, "rc", []byte(tt.text))
				if f.Unread != nil || len(f.Dynamic) > 0 {
					t.Errorf("doubts: %v %v", f.Unread, f.Dynamic)
				}
				if got := slices.ContainsFunc(f.Sources, names(wrapper)); got != tt.want {
					t.Errorf("sources it: %v, want %v (%+v)", got, tt.want, f.Sources)
				}
			})
		}
	}
}

func names(path string) func(Ref) bool {
	return func(r Ref) bool {
		match, _ := filepath.Match(r.Path, path)
		return r.Path == path || r.Glob && match
	}
}

// What only the running shell knows is a doubt, never "not sourced".
func TestDoubtsAreKept(t *testing.T) {
	u, _ := home(t)
	for _, tt := range []struct {
		s    Shell
		text string
	}{
		{Bash, `. "$(dirname "$0")/iso.sh"`},
		{Bash, `. "$UNSET/iso.sh"`},
		{Bash, `. iso.sh`},
		{Bash, `. '$HOME/iso.sh'`},
		{Bash, `. "~/iso.sh"`},
		{POSIX, `export X=~/a; . "$X/iso.sh"`},
		{Fish, `source '$HOME/iso.fish'`},
		{Bash, `for f in "${list[@]}"; do . "$f"; done`},
		{Bash, `X=$(pwd); . "$X/iso.sh"`},
		{Bash, `. ~other/iso.sh`},
		{Bash, `X=/a; X+=/b; . $X`},
		{POSIX, `X=/a; unset X; . "$X/iso.sh"`},
		{Zsh, `X=/a; read -r X; . "$X/iso.sh"`},
		{Bash, `X=/a; printf -v X %s /b; . "$X/iso.sh"`},
		{Bash, `X="/a b"; . $X/iso.sh`},
		{POSIX, `X="/a/*"; . $X`},
		{Bash, `. "${HOME:+/a}/iso.sh"`},
		{Zsh, `source "${0:A:h}/iso.sh"`},
		{Zsh, `source ${(%):-%N}`},
		{Fish, `source (dirname (status filename))/iso.fish; source $UNSET/x`},
		{Fish, `source {a,b}.fish`},
		{Fish, `source ~other/iso.fish`},
	} {
		if f := u.Read(tt.s, "rc", []byte(tt.text)); len(f.Dynamic) != 1 || len(f.Sources) != 0 {
			t.Errorf("%s %s: %+v", tt.s, tt.text, f)
		}
	}
	for _, tt := range []struct {
		s    Shell
		text string
	}{
		{Bash, "if [ -f x ]; then\n"},
		{Bash, "echo 'open\n"},
		{POSIX, "f() { [[ a ]] && (( }\n"},
		{Zsh, "if [[ -n x ]] { echo }\n"},
		{Zsh, "for f (~/a/*.sh) {\n\tsource $f\n}\n"},
		{Zsh, "{ echo a } always { echo b }\n"},
		{Fish, "if true\n"},
		{Fish, "echo 'open\n"},
		{Fish, "echo (open\n"},
		{Fish, "end\n"},
		{Fish, "else\n"},
		{Bash, strings.Repeat("(", 1<<20)},
		{Zsh, "((" + strings.Repeat("a[", 1<<19-1)},
		{Fish, strings.Repeat("(", 1<<20)},
		{Bash, strings.Repeat("#", 1<<20+1)},
	} {
		if f := u.Read(tt.s, "rc", []byte(tt.text)); f.Unread == nil {
			t.Errorf("%s: %.40q is said to be understood: %+v", tt.s, tt.text, f)
		}
	}
}

// Beyond the place where the parser gives up, a line is a maybe.
func TestLinesAfterAnErrorAreMaybes(t *testing.T) {
	u, wrapper := home(t)
	text := ". ~/before\nif [[ -n x ]] { echo }\n[ -f \"$HOME/a b/iso.sh\" ] && . \"$HOME/a b/iso.sh\"\n"
	f := u.Read(Zsh, "rc", []byte(text))
	if f.Unread == nil || len(f.Sources) != 1 || f.Sources[0].Line != 1 {
		t.Errorf("before: %+v", f)
	}
	if len(f.Maybe) != 1 || f.Maybe[0].Path != wrapper || f.Maybe[0].Line != 3 {
		t.Errorf("maybe: %+v", f.Maybe)
	}
}

func TestAliasesAndFunctions(t *testing.T) {
	u, _ := home(t)
	def := func(line int, name, value string) Def {
		return Def{File: "rc", Line: line, Name: name, Value: value}
	}
	fn := func(line int, name, body string) Def {
		return Def{File: "rc", Line: line, Name: name, Body: body}
	}
	for _, tt := range []struct {
		shells             []Shell
		text               string
		aliases, functions []Def
	}{
		{[]Shell{Bash, Zsh, POSIX}, "alias claude='claude-iso'", []Def{def(1, "claude", "claude-iso")}, nil},
		{[]Shell{Bash, Zsh, POSIX}, "\nalias ll=ls claude=claude-iso",
			[]Def{def(2, "ll", "ls"), def(2, "claude", "claude-iso")}, nil},
		{[]Shell{Bash, Zsh}, `alias "claude=$HOME/bin/claude -x"`, []Def{def(1, "claude", u.Home+"/bin/claude -x")}, nil},
		{[]Shell{Bash, Zsh, POSIX}, `alias claude="$(which claude)"`, []Def{def(1, "claude", `"$(which claude)"`)}, nil},
		{[]Shell{Bash, Zsh}, "alias claude=x\nunalias claude", nil, nil},
		{[]Shell{Zsh}, `alias -g claude=claude-iso`, []Def{def(1, "claude", "claude-iso")}, nil},
		{[]Shell{Bash, Zsh, POSIX}, "# alias claude=x\ncommand -v claude", nil, nil},
		{[]Shell{Bash, Zsh, POSIX}, "claude() { :; }", nil, []Def{fn(1, "claude", "{ :; }")}},
		{[]Shell{Bash, Zsh}, "\nfunction claude { :; }", nil, []Def{fn(2, "claude", "{ :; }")}},
		{[]Shell{Zsh}, "function claude codex { :; }", nil, []Def{fn(1, "claude", "{ :; }"), fn(1, "codex", "{ :; }")}},
		{[]Shell{Fish}, "alias claude='claude-iso'", []Def{def(1, "claude", "claude-iso")}, nil},
		{[]Shell{Fish}, "alias --save claude=claude-iso", []Def{def(1, "claude", "claude-iso")}, nil},
		{[]Shell{Fish}, "\nalias claude 'claude-iso'", []Def{def(2, "claude", "claude-iso")}, nil},
		{[]Shell{Fish}, "alias claude claude-iso --x (pwd)", []Def{def(1, "claude", "claude-iso --x (pwd)")}, nil},
		{[]Shell{Fish}, "function claude --wraps x\n alias claude=y\nend", nil, []Def{fn(1, "claude", "alias claude=y")}},
		{[]Shell{Fish}, "function claude; if true; command claude $argv; end; end\ntrue", nil,
			[]Def{fn(1, "claude", "if true; command claude $argv; end")}},
	} {
		for _, s := range tt.shells {
			f := u.Read(s, "rc", []byte(tt.text))
			if f.Unread != nil || !slices.Equal(f.Aliases, tt.aliases) || !slices.Equal(f.Functions, tt.functions) {
				t.Errorf("%s %q: %+v", s, tt.text, f)
			}
		}
	}
}

func TestShellOf(t *testing.T) {
	for path, want := range map[string]Shell{"/bin/bash": Bash, "/usr/bin/zsh": Zsh, "/usr/local/bin/fish": Fish,
		"/bin/sh": POSIX, "/bin/dash": POSIX, "/bin/tcsh": Tcsh, "/bin/ksh93": Ksh, "/bin/mksh": Mksh,
		"/usr/bin/nu": "", "": ""} {
		if got, ok := shellOf(path); got != want || ok != (want != "") {
			t.Errorf("shellOf(%q) = %q, %v", path, got, ok)
		}
	}
}

func machine(t *testing.T, u User) *host.Host {
	t.Helper()
	h, err := host.New(env.System{Env: env.New([]string{"HOME=" + u.Home}), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func FuzzRead(f *testing.F) {
	for _, tt := range sourcing {
		f.Add(tt.text)
	}
	f.Add("alias claude='claude-iso'\nfunction claude; end\nset x (")
	u := User{Home: "/home/u", Getenv: noEnv}
	f.Fuzz(func(t *testing.T, text string) {
		for _, s := range []Shell{Bash, Zsh, Fish, POSIX} {
			file := u.Read(s, "/rc", []byte(text))
			lines := strings.Count(text, "\n") + 1
			for _, r := range slices.Concat(file.Sources, file.Maybe) {
				if !filepath.IsAbs(r.Path) || r.Line < 1 || r.Line > lines {
					t.Fatalf("%s: %+v of %d lines", s, r, lines)
				}
			}
			for _, d := range slices.Concat(file.Aliases, file.Functions) {
				if d.Line < 1 || d.Line > lines {
					t.Fatalf("%s: %+v of %d lines", s, d, lines)
				}
			}
			// A comment in front of every line takes everything away.
			quiet := u.Read(s, "/rc", []byte("#"+strings.ReplaceAll(text, "\n", "\n#")))
			if n := fmt.Sprint(quiet.Sources, quiet.Aliases, quiet.Functions, quiet.Unread); n != "[] [] [] <nil>" {
				t.Fatalf("%s: a commented file does %s", s, n)
			}
		}
	})
}

// What a variable is set to is what bash makes of it (run with 5.2).
func TestWhatAVariableIsSetTo(t *testing.T) {
	u, _ := home(t)
	text := "X='a b'; Y=\"pre $X\"; Z=\"\\u \\$(x) {a,b}\"; V=$X/c\nif true; then W=1; else W=2; fi; U=\"$W\"\n"
	got := map[string]string{}
	for _, d := range u.Read(Bash, "rc", []byte(text)).Sets {
		got[d.Name] = d.Value
	}
	for name, want := range map[string]string{"Y": "pre a b", "Z": `\u $(x) {a,b}`, "V": "a b/c", "U": "$W"} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
}

func TestFishSetsWhatItNeitherAsksForNorErases(t *testing.T) {
	u := User{Home: "/h", Getenv: func(string) string { return "" }}
	f := u.Read(Fish, "rc", []byte("set -gx A ~/b\nset -q C d\nset --erase E f\nset -eg G h"))
	if len(f.Sets) != 1 || f.Sets[0].Name != "A" || f.Sets[0].Value != "/h/b" {
		t.Errorf("%+v", f.Sets)
	}
}

// What fish sources of a pipe is what stands before it.
func TestFishSourcesWhatAPipePrints(t *testing.T) {
	f := User{Home: "/home/u", Getenv: noEnv}.Read(Fish, "rc", []byte("a; b | source\nc | d\ne |\n\tsource -\nsource"))
	var lines []string
	for _, c := range f.Calls {
		lines = append(lines, c.Value)
	}
	if want := []string{"a", "b | source", "c", "d", "e | source", "source"}; !slices.Equal(lines, want) {
		t.Errorf("it runs %q, want %q", lines, want)
	}
}
