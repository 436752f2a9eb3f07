// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: instructions are read again in a session, after /clear and
// after /compact. What a command has put in their place by then is told in a
// plain start, and not in the launch, with the real runtime.

package iso_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/sessions"
)

// dialogue are the arguments of a session to which prompts are typed.
var dialogue = []string{"-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose",
	"--model", "claude-sonnet-4-5", "--allowedTools", "Bash"}

// typed plays a session in ~/p that gets one prompt after the other.
func (l *lab) typed(path string, argv, environ []string, prompts ...string) session {
	l.t.Helper()
	ctx, stop := context.WithTimeout(l.t.Context(), testenv.Patience)
	defer stop()
	cmd := exec.CommandContext(ctx, path)
	cmd.Args, cmd.Env, cmd.Dir = argv, environ, l.project
	in, err := cmd.StdinPipe()
	if err != nil {
		l.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		l.t.Fatal(err)
	}
	var said strings.Builder
	next := func() {
		if len(prompts) == 0 {
			_ = in.Close()
			return
		}
		_, _ = fmt.Fprintf(in, `{"type":"user","message":{"role":"user","content":%q}}`+"\n", prompts[0])
		prompts = prompts[1:]
	}
	next()
	for lines := bufio.NewReader(out); ; {
		line, err := lines.ReadString('\n')
		said.WriteString(line)
		var m struct{ Type string }
		if json.Unmarshal([]byte(line), &m) == nil && m.Type == "result" {
			next()
		}
		if err == io.EOF {
			break
		}
	}
	if err := cmd.Wait(); err != nil || len(prompts) > 0 {
		l.t.Fatalf("%v, %d prompts are left\n%s", err, len(prompts), said.String())
	}
	return session{sessions.Played{Server: l.server}, said.String()}
}

// swap is a command that puts symlinks to files of the home in the place of
// instructions, and a rule that imports one.
func (l *lab) swap(names []string) []model.Turn {
	script := "import os\nos.makedirs('.claude/rules', exist_ok=True)\n" +
		"open('.claude/rules/t.md', 'w').write('@~/notes/rule\\n')\n"
	l.put("notes/rule", "CANARY of a rule.\n")
	for _, name := range names {
		to := l.put("notes/"+strings.ReplaceAll(name, "/", "-"), "CANARY of "+name+".\n")
		script += fmt.Sprintf("try:\n  if os.path.lexists(%[1]q): os.remove(%[1]q)\n  os.symlink(%[2]q, %[1]q)\n"+
			"except OSError as e: print(e)\n", name, to)
	}
	l.put("p/swap.py", script)
	return calls(model.Bash("python3 swap.py; echo swapped"))
}

func TestInstructionsAreNotExchangedInASession(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	names := []string{"CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md", ".claude/rules/s.md"}
	machine := func(keys string) (*lab, []model.Turn) {
		l := newLab(t)
		l.put("p/CLAUDE.md", "OWN WORDS\n")
		l.settings(keys)
		l.approve()
		return l, l.swap(names)
	}
	for _, again := range []string{"/clear", "/compact"} {
		l, script := machine(`{}`)
		s := sessions.Steady(t, func() session {
			return l.typed(l.claude(script), append([]string{"claude"}, dialogue...), l.environ(), "go", again, "on")
		})
		for _, name := range names[:3] {
			if !s.Told("CANARY of " + name) {
				t.Errorf("%s, %s: the attack does not even work in a plain start: %s", again, name, s.text(t, 0))
			}
		}
	}
	closed, script := machine(`{"sandbox":{"enabled":true,"filesystem":{"denyRead":["~/"],"allowRead":["."],` +
		`"denyWrite":["./.claude","./CLAUDE.md","./CLAUDE.local.md","./AGENTS.md"]}}}`)
	s := sessions.Steady(t, func() session {
		return closed.typed(closed.claude(script), append([]string{"claude"}, dialogue...), closed.environ(), "go", "/clear",
			"on", "/compact", "on")
	})
	for _, name := range names {
		if s.Told("CANARY of " + name) {
			t.Errorf("plain, with denyWrite: the model was told what lies behind %s", name)
		}
	}
	const blocked = `{"permissions":{"deny":["Read(**/.env)"],"blockReadsOutsideWorkingDirectories":true}}`
	for _, keys := range []string{`{}`, blocked} {
		l, script := machine(keys)
		if keys == blocked {
			l.put(".claude.json", fmt.Sprintf(`{"hasCompletedOnboarding":true,"projects":{%q:{"hasTrustDialogAccepted":true,`+
				`"hasClaudeMdExternalIncludesApproved":true}}}`, l.project))
		}
		s := sessions.Steady(t, func() session {
			l.claude(script)
			launch, err := l.prepare("p", iso.Options{Args: dialogue})
			if err != nil {
				t.Fatal(err)
			}
			return l.typed(launch.Runtime.Path, launch.Argv, launch.Environ, "go", "/compact", "on", "/clear", "on")
		})
		if got := s.text(t, 0); !strings.Contains(got, "swapped") || !s.Told("OWN WORDS") {
			t.Errorf("%s: the instructions are not read, or the command did not run: %s", keys, got)
		}
		for _, name := range append(names, "a rule") {
			if s.Told("CANARY of " + name) {
				t.Errorf("%s: the model was told what lies behind %s", keys, name)
			}
		}
	}
}

// TestInstructionsThatCouldBeExchangedAreNotRead: no rule keeps a symlink, and
// what the user allowed a rule to import, a command can write into one.
func TestInstructionsThatCouldBeExchangedAreNotRead(t *testing.T) {
	testenv.AsUser(t)
	allows := func(l *lab, dir string) {
		l.put(".claude.json", fmt.Sprintf(`{"projects":{%q:{"hasClaudeMdExternalIncludesApproved":true}}}`, dir))
	}
	for what, c := range map[string]struct {
		make func(l *lab)
		lead string
	}{
		"a file": {func(l *lab) {}, ""},
		"a symlink": {func(l *lab) {
			if err := errors.Join(os.Remove(filepath.Join(l.project, "CLAUDE.md")),
				os.Symlink("README.md", filepath.Join(l.project, "CLAUDE.md"))); err != nil {
				t.Fatal(err)
			}
		}, "is a symlink to HOME/p/README.md, which a command can replace"},
		"imports allowed": {func(l *lab) { allows(l, l.project) },
			"allows imports from outside HOME/p, which a command can add"},
		"imports allowed elsewhere": {func(l *lab) { allows(l, l.home) }, ""},
		"a state that is no file": {func(l *lab) {
			if err := errors.Join(os.Remove(filepath.Join(l.home, ".claude.json")),
				os.Mkdir(filepath.Join(l.home, ".claude.json"), 0o755)); err != nil {
				t.Fatal(err)
			}
		}, "holds more than is looked through"},
	} {
		for _, held := range []string{"", "the policy", "the user"} {
			l := newLab(t)
			l.put("p/CLAUDE.md", "OWN WORDS\n")
			const blocks = `{"permissions":{"blockReadsOutsideWorkingDirectories":true}}`
			switch held {
			case "the policy":
				l.settings(blocks)
			case "the user":
				l.put(".claude/settings.json", blocks)
			}
			c.make(l)
			launch, _, err := iso.Outlook(l.host(l.project), l.project)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, lead := range launch.Leads {
				got = append(got, strings.ReplaceAll(lead.String(), l.home, "HOME"))
			}
			want := c.lead
			if held != "" {
				want = ""
			}
			if strings.Join(got, "; ") != want || launch.Instructions != (want == "") {
				t.Errorf("%s, reads outside blocked by %q: read: %v, %q, want %q", what, held, launch.Instructions, got, want)
			}
		}
	}
}
