// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the machine that the probes are asked on is real: a
// repository with a worktree made by git, the policy that install writes, the
// real runtime, and agents and services that really listen.

package doctor_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/agent/claude/setup"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/fakeagent"
	"github.com/steward-setup/steward-setup/internal/testenv/sessions"
	"github.com/steward-setup/steward-setup/steps/doctor"
	"github.com/steward-setup/steward-setup/steps/install"
)

// On a stage this binary is the program.
func TestMain(m *testing.M) { os.Exit(fakeagent.Tests(sessions.Recorded(m))) }

// machine is a throwaway machine, all of it in one directory.
type machine struct {
	t                            testing.TB
	dir, home, project, worktree string
	environ                      map[string]string
}

// newMachine sets a machine up as its user would: a repository with a linked
// worktree, and install with every default.
func newMachine(t testing.TB) *machine {
	t.Helper()
	testenv.Need(t, "git", "bwrap", "socat", "rg")
	claude := testenv.Claude(t)
	dir := testenv.Short(t, "d")
	m := &machine{t: t, dir: dir, home: filepath.Join(dir, "home"), project: filepath.Join(dir, "home/code/p"),
		worktree: filepath.Join(dir, "home/code/p-fix"),
		environ: map[string]string{"SHELL": "/bin/bash", "USER": "tester", "LOGNAME": "tester", "TERM": "xterm-256color",
			"LANG": "C.UTF-8", "XDG_RUNTIME_DIR": filepath.Join(dir, "run")}}
	m.link("claude", claude)
	for _, program := range []string{"git", "rg", "sh", "bash", "true", "cat", "printf", "env", "unshare", "ls", "bwrap",
		"socat", "curl", "ssh", "ssh-add", "ssh-agent", "ssh-keygen",
		"gpg", "gpg-agent", "gpg-connect-agent", "docker", "podman", "mktemp", "sed", "tr", "zsh"} {
		if real, err := exec.LookPath(program); err == nil {
			m.link(program, real)
		}
	}
	m.write("home/.gitconfig", "[user]\n\tname = Test\n\temail = test@example.invalid\n[init]\n\tdefaultBranch = main\n",
		0o644)
	m.write("home/.aws/credentials", "[default]\naws_access_key_id = SAMPLE\n", 0o600)
	m.write("home/code/p/README.md", "A project\n", 0o644)
	m.write("home/code/p/.gitignore", ".claude/settings.local.json\n", 0o644)
	m.mkdir("run")
	m.git(m.project, "init", "--quiet")
	m.git(m.project, "add", "--all")
	m.git(m.project, "commit", "--quiet", "--message", "A project")
	m.git(m.project, "worktree", "add", "--quiet", "-b", "fix", m.worktree)
	m.answer(report.Answers{})
	return m
}

// answer runs install with answers, and commits what it wrote.
func (m *machine) answer(answers report.Answers) {
	m.t.Helper()
	h := m.host()
	proposal, err := install.NewDialogue(h, &setup.Claude{}).Propose(
		context.Background(), answers)
	if err != nil {
		m.t.Fatal(err)
	}
	applier := engine.Applier{State: h.Places().State, Version: "test", Now: time.Now}
	if _, err := applier.Apply(context.Background(), proposal.Plan, proposal.Plan.ID, "test",
		func(engine.Event) {}); err != nil {
		m.t.Fatal(err)
	}
	m.git(m.project, "add", "--all")
	m.git(m.project, "commit", "--quiet", "--allow-empty", "--message", "The policy")
	m.git(m.worktree, "merge", "--quiet", "main")
}

// host is the machine as the program sees it, started in the project.
func (m *machine) host() *host.Host {
	m.t.Helper()
	exe, err := os.Executable()
	if err != nil {
		m.t.Fatal(err)
	}
	vars := []string{"HOME=" + m.home, "PATH=" + filepath.Join(m.dir, "bin")}
	for name, value := range m.environ {
		vars = append(vars, name+"="+value)
	}
	h, err := host.New(env.System{Env: env.New(vars), GOOS: "linux", GOARCH: runtime.GOARCH, UID: os.Getuid(),
		GID: os.Getgid(), Cwd: m.project,
		Executable: exe, Root: filepath.Join(m.dir, "root"), Now: time.Now})
	if err != nil {
		m.t.Fatal(err)
	}
	return h
}

// ask runs the doctor and compares the machine before and after.
func (m *machine) ask(o doctor.Options) []report.Finding {
	m.t.Helper()
	before := m.fingerprint()
	var events []engine.Event
	findings, err := doctor.Run(m.t.Context(), sessions.Counted(m.t, m.host()), o,
		func(e engine.Event) { events = append(events, e) })
	if err != nil {
		m.t.Fatal(err)
	}
	if m.fingerprint() != before {
		m.t.Error("the doctor changed the machine")
	}
	m.told(findings, events)
	return findings
}

// told compares what the events say with the findings: each probe begins, has
// every column, and ends with its finding; what works does not wait for a fix.
func (m *machine) told(findings []report.Finding, events []engine.Event) {
	m.t.Helper()
	for _, f := range findings {
		begun, ended, fixing := 0, 0, false
		columns := map[engine.Column]bool{}
		for _, e := range events {
			switch e := e.(type) {
			case engine.CheckStarted:
				if e.ID == f.Check {
					begun++
				}
			case engine.ProbeStep:
				if e.ID == f.Check {
					columns[e.Column] = begun == 1 && ended == 0
					fix, _, works := strings.Cut(e.Summary, "” works")
					if part := strings.Contains(e.Summary, " in part"); works && part != inPart(f, strings.TrimPrefix(fix, "“")) {
						m.t.Errorf("%s: %q\n%s", f.Check, e.Summary, told(findings))
					}
				}
			case engine.CheckDone:
				if e.Finding.Check == f.Check {
					ended++
					if fixing && (f.Status == report.Pass || f.Status == report.Skip) {
						m.t.Errorf("%s is told after a fix was tried", f.Check)
					}
				}
			case engine.Progress:
				fixing = fixing || strings.Contains(e.Text, ": trying “")
			}
		}
		if begun != 1 || ended != 1 || !columns[engine.Outside] || !columns[engine.Inside] || !columns[engine.WithFix] {
			m.t.Errorf("%s: begun %d times, ended %d times, columns %v", f.Check, begun, ended, columns)
		}
	}
}

// inPart says whether the evidence for a fix names calls that it does not help.
func inPart(f report.Finding, fix string) bool {
	return slices.ContainsFunc(f.Evidence, func(e report.Evidence) bool {
		return strings.Contains(e.Where, "with the fix: "+fix) && strings.Contains(e.Text, "; still refused: ")
	})
}

// fingerprint is all of the machine but sockets and what services keep.
func (m *machine) fingerprint() string {
	m.t.Helper()
	sum, err := fs.Fingerprint(m.home)
	if err != nil {
		m.t.Fatal(err)
	}
	return sum
}

func (m *machine) path(name string) string { return filepath.Join(m.dir, name) }

func (m *machine) mkdir(name string) string {
	m.t.Helper()
	if err := os.MkdirAll(m.path(name), 0o755); err != nil {
		m.t.Fatal(err)
	}
	return m.path(name)
}

func (m *machine) write(name, text string, mode os.FileMode) {
	m.t.Helper()
	m.mkdir(filepath.Dir(name))
	// Programs of the machine are links to the system's: those are not written.
	if real, err := filepath.EvalSymlinks(m.path(name)); err == nil && !pathname.Within(real, m.dir) {
		m.t.Fatalf("%s leads to %s, out of %s", name, real, m.dir)
	}
	if err := os.WriteFile(m.path(name), []byte(text), mode); err != nil {
		m.t.Fatal(err)
	}
}

// link puts a program on the machine's PATH.
func (m *machine) link(name, to string) {
	m.t.Helper()
	m.mkdir("bin")
	_ = os.Remove(m.path("bin/" + name))
	if err := os.Symlink(to, m.path("bin/"+name)); err != nil {
		m.t.Fatal(err)
	}
}

// program puts a script in the place of a program.
func (m *machine) program(name, script string) {
	m.t.Helper()
	_ = os.Remove(m.path("bin/" + name))
	m.write("bin/"+name, "#!/bin/sh\n"+script+"\n", 0o755)
}

func (m *machine) git(dir string, args ...string) {
	m.t.Helper()
	m.run(append([]string{"git", "-C", dir}, args...)...)
}

// run starts a program with the machine's home.
func (m *machine) run(args ...string) string {
	m.t.Helper()
	cmd := exec.CommandContext(m.t.Context(), args[0], args[1:]...)
	cmd.Env = append([]string{"HOME=" + m.home, "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "SSH_AUTH_SOCK=" +
		m.environ["SSH_AUTH_SOCK"]}, testenv.GitDates...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		m.t.Fatalf("%q: %v\n%s", args, err, out)
	}
	return string(out)
}

// set gives one key of a settings file a value.
func (m *machine) set(name, key string, value any) {
	m.t.Helper()
	doc := map[string]any{}
	if b, err := os.ReadFile(m.path(name)); err == nil {
		if err := json.Unmarshal(b, &doc); err != nil {
			m.t.Fatal(err)
		}
	}
	at, parts := doc, strings.Split(key, ".")
	for _, part := range parts[:len(parts)-1] {
		below, ok := at[part].(map[string]any)
		if !ok {
			below = map[string]any{}
			at[part] = below
		}
		at = below
	}
	at[parts[len(parts)-1]] = value
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(doc); err != nil {
		m.t.Fatal(err)
	}
	m.write(name, b.String(), 0o644)
}

const (
	projectSettings = "home/code/p/.claude/settings.json"
	userSettings    = "home/.claude/settings.json"
)

func find(findings []report.Finding, id report.ID) report.Finding {
	for _, f := range findings {
		if f.Check == id {
			return f
		}
	}
	return report.Finding{}
}

// told is what the user is told.
func told(findings []report.Finding) string {
	var b strings.Builder
	for _, f := range findings {
		fmt.Fprintf(&b, "%s %s: %s\n", f.Status.Symbol(), f.Check, f.Summary)
		for _, e := range f.Evidence {
			fmt.Fprintf(&b, "    %s  %s\n", e.Where, e.Text)
		}
	}
	return b.String()
}
