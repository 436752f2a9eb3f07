// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is written is recognised, and what must not be
// written is refused.

package scripts

import (
	"bytes"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/shellrc"
	"github.com/steward-setup/steward-setup/templates"
)

var all = slices.Concat(Hooks, Wrappers, []string{gitHook})

func TestEveryTemplateIsRendered(t *testing.T) {
	var have []string
	for _, dir := range []string{"scripts", "agent-isolation"} {
		entries, err := templates.Files.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			have = append(have, e.Name())
		}
	}
	want := append(slices.Clone(all), gitDispatcher)
	slices.Sort(want)
	slices.Sort(have)
	if !slices.Equal(have, want) {
		t.Errorf("templates %q, rendered %q", have, want)
	}
	for _, name := range all {
		b, err := Render(name, "/opt/steward-setup")
		if err != nil || bytes.Contains(b, []byte("@BINARY")) || !bytes.Contains(b, []byte("'/opt/steward-setup'")) {
			t.Errorf("%s: %v\n%s", name, err, b)
		}
	}
}

func TestRecognize(t *testing.T) {
	const binary = `/a b/it's "\$x`
	for _, name := range all {
		b, err := Render(name, binary)
		if err != nil {
			t.Fatal(err)
		}
		if s, ok := Recognize(b); !ok || s != (Script{name, binary, true}) {
			t.Errorf("%s: %+v, %v", name, s, ok)
		}
		edited := append(slices.Clone(b), "echo mine\n"...)
		if s, ok := Recognize(edited); !ok || s.Current || s.Binary != binary {
			t.Errorf("%s, edited: %+v, %v", name, s, ok)
		}
		older := bytes.Replace(b, []byte("\n#\n"), []byte("\n# older\n#\n"), 1)
		if s, ok := Recognize(older); !ok || s.Current || s.Name != name {
			t.Errorf("%s, older: %+v, %v", name, s, ok)
		}
	}
	for _, foreign := range []string{"", "#!/bin/bash\necho hi\n", "#!/bin/sh\n\n\n" + marker + "x\n", "echo " + marker} {
		if Ours([]byte(foreign)) {
			t.Errorf("%q is taken for ours", foreign)
		}
	}
	if s, ok := Recognize([]byte(marker + "from-tomorrow.sh\n")); !ok || s.Current || s.Name != "from-tomorrow.sh" {
		t.Errorf("an unknown script of ours: %+v, %v", s, ok)
	}
}

func TestPathsThatAreRefused(t *testing.T) {
	for _, path := range []string{"", "relative/x", "/a\nb", "/a\x1b[31m", "/a\x7f", "/a\u0085b", "/a\xff"} {
		for _, err := range []error{
			second(Render(Hooks[0], path)), second(GitHook(path)), second(GitHookLine(path)),
			second(SourceLine(shellrc.Bash, "/home/u", path)),
		} {
			var e *report.Error
			if !errors.As(err, &e) || e.Next == "" {
				t.Errorf("%q: %v", path, err)
			}
		}
	}
	if _, err := Render("no-such.sh", "/x"); err == nil {
		t.Error("a script that does not exist was rendered")
	}
}

func second[T any](_ T, err error) error { return err }

func TestSourceLineSpeaksOfHome(t *testing.T) {
	for _, tt := range []struct {
		s                shellrc.Shell
		home, path, want string
	}{
		{shellrc.Bash, "/home/u", "/home/u/.claude/agent-isolation/claude-iso.sh",
			`[ -f "$HOME/.claude/agent-isolation/claude-iso.sh" ] && . "$HOME/.claude/agent-isolation/claude-iso.sh"`},
		{shellrc.Zsh, "/home/u/", "/home/u/a b/x", `[ -f "$HOME/a b/x" ] && . "$HOME/a b/x"`},
		{shellrc.Bash, "/home/u", "/home/u/it's $x", `[ -f '/home/u/it'\''s $x' ] && . '/home/u/it'\''s $x'`},
		{shellrc.Bash, "/home/u", "/home/user2/x", `[ -f '/home/user2/x' ] && . '/home/user2/x'`},
		{shellrc.Fish, "/home/u", "/home/u/x", `test -f "$HOME/x"; and source "$HOME/x"`},
		{shellrc.Fish, "/home/u", `/o/it's \`, `test -f '/o/it\'s \\'; and source '/o/it\'s \\'`},
	} {
		got, err := SourceLine(tt.s, tt.home, tt.path)
		if err != nil || got != tt.want {
			t.Errorf("got  %s, %v\nwant %s", got, err, tt.want)
		}
		// The line that is printed is one that the rc reader finds.
		f := shellrc.User{Home: filepath.Clean(tt.home), Getenv: func(string) string { return "" }}.Read(tt.s, "rc",
			[]byte(got))
		if len(f.Sources) != 1 || f.Sources[0].Path != tt.path {
			t.Errorf("%s is read as %+v", got, f)
		}
	}
}

func FuzzQuoteAndRecognize(f *testing.F) {
	f.Add("/it's \\ \"@BINARY@\" %s")
	f.Add("/''\\'")
	f.Fuzz(func(t *testing.T, path string) {
		for fish, q := range map[bool]func(string) string{false: quote, true: quoteFish} {
			if back, ok := unquote(q(path)+" rest", fish); !ok || back != path {
				t.Fatalf("%q is read back as %q", path, back)
			}
		}
		for _, name := range all {
			b, err := Render(name, path)
			if err != nil {
				continue
			}
			if strings.ContainsFunc(path, unicode.IsControl) {
				t.Fatalf("%q was rendered", path)
			}
			if s, ok := Recognize(b); !ok || s != (Script{name, path, true}) {
				t.Fatalf("%q: %+v", path, s)
			}
		}
		Recognize([]byte(path))
	})
}

func TestADispatcherIsReadBack(t *testing.T) {
	for _, d := range []Dispatcher{{Binary: "/opt/x"}, {Binary: `/a b/it's`, Before: "~/ho'oks", Asks: true},
		{Binary: "/x", Before: "@ASKS@ @BINARY@"}} {
		b, err := d.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := ReadDispatcher(b); !ok || got != d || !IsDispatcher(b) {
			t.Errorf("%+v: %+v, %v", d, got, ok)
		}
		if s, ok := Recognize(b); !ok || !s.Current || s.Binary != d.Binary {
			t.Errorf("%+v: %+v", d, s)
		}
		if _, ok := ReadDispatcher(append(slices.Clone(b), "# mine\n"...)); ok {
			t.Errorf("%+v: edited, and taken for what was written", d)
		}
	}
	if _, err := (Dispatcher{Binary: "/x", Before: "a\nb"}).Bytes(); err == nil {
		t.Error("a newline is rendered")
	}
	if _, ok := ReadDispatcher([]byte("#!/bin/sh\n")); ok {
		t.Error("a foreign hook is taken for a dispatcher")
	}
}
