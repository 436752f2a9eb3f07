// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the homes are real directories, what is proposed is
// written by the engine, and the shells that read it are real.

package setup

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/steps/install"
)

// dwelling is a throwaway home in which sections are proposed.
type dwelling struct {
	t         *testing.T
	home      string
	vars      []string
	goos      string
	answers   report.Answers
	framework string
}

func newDwelling(t *testing.T, shell string) *dwelling {
	d := &dwelling{t: t, home: filepath.Join(testenv.Home(t), "my home"), vars: []string{"SHELL=" + shell}, goos: "linux",
		answers: report.Answers{}}
	d.put(".local/bin/steward-setup", "#!/bin/sh\nprintf '%s.' \"$@\"\n", 0o755)
	return d
}

func (d *dwelling) path(rel string) string { return filepath.Join(d.home, rel) }

func (d *dwelling) put(rel, text string, mode os.FileMode) {
	d.t.Helper()
	testenv.Write(d.t, d.path(rel), text, mode)
	if err := os.Chmod(d.path(rel), mode); err != nil {
		d.t.Fatal(err)
	}
}

func (d *dwelling) link(target, rel string) {
	d.t.Helper()
	if err := os.MkdirAll(filepath.Dir(d.path(rel)), 0o755); err != nil {
		d.t.Fatal(err)
	}
	if err := os.Symlink(target, d.path(rel)); err != nil {
		d.t.Fatal(err)
	}
}

func (d *dwelling) read(rel string) string {
	d.t.Helper()
	b, err := os.ReadFile(d.path(rel))
	if err != nil {
		d.t.Fatal(err)
	}
	return string(b)
}

func (d *dwelling) proposer() *proposer {
	d.t.Helper()
	h, err := host.New(env.System{Env: env.New(append([]string{"HOME=" + d.home, "PATH=/usr/bin:/bin"}, d.vars...)),
		GOOS: d.goos, Root: d.t.TempDir(), Now: time.Now})
	if err != nil {
		d.t.Fatal(err)
	}
	return &proposer{r: h, opts: Options{Framework: d.framework}, answers: d.answers, draft: install.NewDraft(h),
		places:  install.Places{Draft: install.NewDraft(h)},
		program: install.Program{Path: d.path(".local/bin/steward-setup")}}
}

func (d *dwelling) wrapper() report.Section {
	d.t.Helper()
	s, err := d.proposer().wrapper(context.Background())
	if err != nil {
		d.t.Fatal(err)
	}
	return s
}

func (d *dwelling) hooks() report.Section {
	d.t.Helper()
	s, err := d.proposer().hooks(context.Background())
	if err != nil {
		d.t.Fatal(err)
	}
	return s
}

// apply writes a section's changes as the engine does.
func (d *dwelling) apply(s report.Section) {
	d.t.Helper()
	plan := report.NewPlan([]report.Section{s})
	a := engine.Applier{State: d.path(".local/state/steward-setup"), Now: time.Now}
	if _, err := a.Apply(context.Background(), plan, plan.ID, "test", func(engine.Event) {}); err != nil {
		d.t.Fatal(err)
	}
}

// keyOf is the id of a change or a command.
func keyOf(it report.Item) string {
	if c, ok := it.(report.Change); ok {
		return string(c.ID)
	}
	return string(it.(report.Command).ID)
}

// gist is a section in short: the ids of its items ("?" marks an optional
// command) and the statuses of its findings ("!" marks a decision).
func gist(s report.Section) string {
	var words []string
	for _, it := range s.Items {
		word := keyOf(it)
		if c, ok := it.(report.Command); ok {
			word += "@" + c.Where
			if c.Optional {
				word += "?"
			}
		}
		words = append(words, word)
	}
	for _, f := range s.Findings {
		word := string(f.Status)
		if f.Decide {
			word += "!"
		}
		if len(f.Evidence) == 0 {
			word += " without evidence"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

const ourLine = `[ -f "$HOME/.claude/agent-isolation/claude-iso.sh" ] && . "$HOME/.claude/agent-isolation/claude-iso.sh"` + "\n"

func TestWrapperIsProposed(t *testing.T) {
	const foreign = "claude-iso() { env -i claude \"$@\"; }\n"
	for _, tt := range []struct {
		name, shell, goos string
		files             map[string]string
		answers           report.Answers
		want              string
	}{
		{name: "bash", shell: "/bin/bash", files: map[string]string{".bashrc": "", ".profile": ". ~/.bashrc\n"},
			want: "wrapper/claude-iso.sh wrapper/rc@~/.bashrc"},
		{name: "zsh", shell: "/usr/bin/zsh", want: "wrapper/claude-iso.sh wrapper/rc@~/.zshrc"},
		{name: "fish", shell: "/usr/bin/fish", want: "wrapper/claude-iso.fish wrapper/rc@~/.config/fish/config.fish"},
		{name: "an alias for sh, in a file that ENV names", shell: "/bin/dash",
			want: "wrapper/rc-env@~/.profile? wrapper/rc@~/.shrc?"},
		{name: "an alias for sh, in the file that ENV names", shell: "/bin/dash",
			files: map[string]string{".profile": "export ENV=$HOME/.rc\n", ".rc": "set -o vi\n"}, want: "wrapper/rc@~/.rc?"},
		{name: "an alias for ksh", shell: "/bin/ksh93", answers: report.Answers{"alias": {"yes"}},
			want: "wrapper/rc@~/.kshrc? wrapper/alias@~/.kshrc"},
		{name: "an alias for mksh is there", shell: "/bin/mksh",
			files: map[string]string{".mkshrc": "alias claude-iso='~/.local/bin/steward-setup iso'\n"}, want: "pass"},
		{name: "an alias for tcsh, which reads .cshrc", shell: "/bin/tcsh", files: map[string]string{".cshrc": "#\n"},
			want: "wrapper/rc@~/.cshrc?"},
		{name: "a line for nu", shell: "/usr/bin/nu", want: "wrapper/rc@~/.config/nushell/config.nu? warn"},
		{name: "nobody logs in", shell: "/usr/sbin/nologin", want: "pass"},
		{name: "an alias for tcsh", shell: "/bin/tcsh", want: "wrapper/rc@~/.tcshrc?"},
		{name: "no SHELL", shell: "", want: "unknown"},
		{name: "sourced already", shell: "/bin/bash", files: map[string]string{".bashrc": ourLine},
			want: "wrapper/claude-iso.sh pass"},
		{name: "sourced by a file that is sourced", shell: "/bin/bash",
			files: map[string]string{".bashrc": ". ~/.bash_aliases\n", ".bash_aliases": ourLine},
			want:  "wrapper/claude-iso.sh pass"},
		{name: "commented out", shell: "/bin/bash", files: map[string]string{".bashrc": "# " + ourLine},
			want: "wrapper/claude-iso.sh wrapper/rc@~/.bashrc"},
		{name: "not understood is unknown", shell: "/usr/bin/zsh",
			files: map[string]string{".zshrc": "if [[ -n x ]] { : }\n"},
			want:  "wrapper/claude-iso.sh wrapper/rc@~/.zshrc? unknown"},
		{name: "not understood, but the line is there", shell: "/usr/bin/zsh",
			files: map[string]string{".zshrc": "if [[ -n x ]] { : }\n" + ourLine},
			want:  "wrapper/claude-iso.sh unknown"},
		{name: "a source that only the shell knows", shell: "/bin/bash", files: map[string]string{".bashrc": ". \"$(x)\"\n"},
			want: "wrapper/claude-iso.sh wrapper/rc@~/.bashrc? unknown"},
		{name: "login shells read another file", shell: "/bin/bash",
			files: map[string]string{".bashrc": "", ".bash_profile": ""},
			want:  "wrapper/claude-iso.sh wrapper/rc@~/.bashrc wrapper/rc-login@~/.bash_profile?"},
		{name: "on macOS every terminal is one", shell: "/bin/bash", goos: "darwin",
			want: "wrapper/claude-iso.sh wrapper/rc@~/.bashrc wrapper/rc-login@~/.bash_profile"},
		{name: "alias wanted", shell: "/bin/bash", answers: report.Answers{"alias": {"yes"}},
			want: "wrapper/claude-iso.sh wrapper/rc@~/.bashrc wrapper/alias@~/.bashrc"},
		{name: "alias there", shell: "/bin/bash", files: map[string]string{".bashrc": ourLine +
			"alias claude='claude-iso'\n"}, answers: report.Answers{"alias": {"yes"}},
			want: "wrapper/claude-iso.sh pass pass"},
		{name: "a claude of their own", shell: "/bin/bash", files: map[string]string{".bashrc": ourLine +
			"alias claude=~/.claude/local/claude\n"}, want: "wrapper/claude-iso.sh pass warn"},
		{name: "a foreign file is kept", shell: "/bin/bash",
			files: map[string]string{".claude/agent-isolation/claude-iso.sh": foreign, ".bashrc": ourLine}, want: "warn! pass"},
		{name: "kept on purpose", shell: "/bin/bash",
			files:   map[string]string{".claude/agent-isolation/claude-iso.sh": foreign, ".bashrc": ourLine},
			answers: report.Answers{"wrapper": {"keep"}}, want: "warn pass"},
		{name: "kept, but never sourced", shell: "/bin/bash",
			files: map[string]string{".claude/agent-isolation/claude-iso.sh": foreign}, want: "wrapper/rc@~/.bashrc warn!"},
		{name: "replaced when asked for", shell: "/bin/bash",
			files:   map[string]string{".claude/agent-isolation/claude-iso.sh": foreign, ".bashrc": ourLine},
			answers: report.Answers{"wrapper": {"copy"}}, want: "wrapper/claude-iso.sh pass"},
		{name: "another one is sourced", shell: "/bin/bash", files: map[string]string{"fw/claude-iso.sh": foreign,
			".bashrc": ". ~/fw/claude-iso.sh\n"}, want: "warn!"},
		{name: "another one is given up", shell: "/bin/bash", files: map[string]string{"fw/claude-iso.sh": foreign,
			".bashrc": ". ~/fw/claude-iso.sh\n"},
			answers: report.Answers{"wrapper": {"copy"}}, want: "wrapper/claude-iso.sh wrapper/rc@~/.bashrc"},
		{name: "none wanted", shell: "/bin/bash", answers: report.Answers{"wrapper": {"keep"}, "alias": {"yes"}},
			want: "skip"},
		{name: "no checkout to source from", shell: "/bin/bash", answers: report.Answers{"wrapper": {"framework"}},
			want: "warn!"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDwelling(t, tt.shell)
			d.answers = tt.answers
			if tt.goos != "" {
				d.goos = tt.goos
			}
			for rel, text := range tt.files {
				d.put(rel, text, 0o644)
			}
			if got := gist(d.wrapper()); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// What was proposed is written, the printed lines are added by the user, and
// the shell then has claude-iso; a second proposal has nothing to propose.
func TestWrapperWorksOnceTheLinesAreAdded(t *testing.T) {
	for shell, call := range map[string][]string{
		"bash": {"-i", "-c", "claude-iso -w 'a b'"}, "zsh": {"-i", "-c", "claude-iso -w 'a b'"},
		"fish": {"-i", "-c", "claude-iso -w 'a b'"},
	} {
		t.Run(shell, func(t *testing.T) {
			testenv.Need(t, shell)
			d := newDwelling(t, "/bin/"+shell)
			d.vars = append(d.vars, "CLAUDE_CONFIG_DIR="+d.path("it's claude"))
			d.answers = report.Answers{"alias": {"yes"}}
			s := d.wrapper()
			d.apply(s)
			for _, it := range s.Items {
				c, ok := it.(report.Command)
				if !ok {
					continue
				}
				rc := strings.Replace(c.Where, "~/", "", 1)
				old, _ := os.ReadFile(d.path(rc))
				d.put(rc, string(old)+c.Line+"\n", 0o644)
			}
			cmd := exec.Command(shell, call...)
			cmd.Env, cmd.Dir = testenv.Env(t, d.home), d.home
			out, err := cmd.Output()
			if err != nil || !strings.Contains(string(out), "iso.-w.a b.") {
				t.Errorf("%v %q", err, out)
			}
			if got := gist(d.wrapper()); got != "pass pass" {
				t.Errorf("a second time: %s", got)
			}
		})
	}
}

func TestWrapperFromAFramework(t *testing.T) {
	d := newDwelling(t, "/bin/bash")
	d.framework = d.path("frame work")
	d.put("frame work/tools/agent-isolation/claude-iso.sh", "claude-iso() { :; }\n", 0o644)
	s := d.wrapper()
	if got := gist(s); got != "wrapper/rc@~/.bashrc" {
		t.Fatal(got)
	}
	line := s.Items[0].(report.Command).Line
	if !strings.Contains(line, "frame work/tools/agent-isolation/claude-iso.sh") {
		t.Error(line)
	}
	d.put(".bashrc", line+"\n", 0o644)
	if got := gist(d.wrapper()); got != "pass" {
		t.Errorf("sourced: %s", got)
	}
	// The agent must not be able to write what runs outside the sandbox.
	p := d.proposer()
	p.places.Open = []string{d.framework}
	s, err := p.wrapper(context.Background())
	if err != nil || strings.Contains(gist(s), "pass") || !strings.Contains(gist(s), "warn") {
		t.Errorf("%s, %v", gist(s), err)
	}
}

// A wrapper of another version is ours to replace, through a link too.
func TestWrapperOfAnotherVersion(t *testing.T) {
	d := newDwelling(t, "/bin/bash")
	old, err := scripts.Render("claude-iso.sh", "/old/steward-setup")
	if err != nil {
		t.Fatal(err)
	}
	d.put("dotfiles/claude-iso.sh", string(old), 0o600)
	d.link(d.path("dotfiles/claude-iso.sh"), ".claude/agent-isolation/claude-iso.sh")
	d.put(".bashrc", ourLine, 0o644)
	s := d.wrapper()
	c, ok := s.Items[0].(report.Change)
	if !ok || c.Target != d.path("dotfiles/claude-iso.sh") || len(s.Items) != 1 {
		t.Fatalf("%+v", s.Items)
	}
	d.apply(s)
	if got := d.read("dotfiles/claude-iso.sh"); !strings.Contains(got, d.path(".local/bin/steward-setup")) {
		t.Error(got)
	}
	if got := gist(d.wrapper()); got != "pass" {
		t.Errorf("a second time: %s", got)
	}
}

func TestNoProgramNoWrapper(t *testing.T) {
	d := newDwelling(t, "/bin/bash")
	p := d.proposer()
	p.program.Path = ""
	for _, propose := range []func(context.Context) (report.Section, error){p.wrapper, p.hooks} {
		if s, err := propose(context.Background()); err != nil || gist(s) != "skip" {
			t.Errorf("%s, %v", gist(s), err)
		}
	}
	if !p.scriptsMissing {
		t.Error("the wiring would call scripts that are not there")
	}
}
