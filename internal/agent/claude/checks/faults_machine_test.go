// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the machine that the faults are seeded into is real: a
// repository made by git, the files that install writes, and the sandbox's own
// programs. Only what they say of their version is pinned here.

package checks_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/agent/claude/checks"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	ours "github.com/steward-setup/steward-setup/internal/agent/claude/setup"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/syncrepo"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/pinned"
	"github.com/steward-setup/steward-setup/steps/install"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// Machine is a throwaway machine: a home, programs and system files, all in
// one directory.
type Machine struct {
	t   testing.TB
	dir string
	// Home, Project and Worktree are absolute; Worktree is "" where the
	// repository has none.
	Home, Project, Worktree string
	// Env is the user's environment beside HOME and PATH.
	Env map[string]string
	// unsteady says that a session there answers otherwise each time, and is always played.
	unsteady bool
}

// How a machine came to be what it is.
type setup struct {
	home, project, worktree string // below the machine's directory
	env                     map[string]string
	before                  func(*Machine) // what was there when install ran
	answers                 report.Answers
	after                   func(*Machine) // what the user did then
}

// usualSetup is a machine as most users have it: every default of install,
// with one linked worktree.
var usualSetup = setup{home: "home", project: "home/code/tracker", worktree: "home/code/tracker-fix"}

// newMachine makes a directory for a machine. Its path is short, since
// programs make sockets below it (unix(7): 107 bytes).
func newMachine(t testing.TB, s setup) *Machine {
	t.Helper()
	dir := testenv.Short(t, "m")
	m := &Machine{t: t, dir: dir, Home: filepath.Join(dir, s.home), Project: filepath.Join(dir, s.project),
		Env: map[string]string{"SHELL": "/bin/bash", "USER": "tester", "LOGNAME": "tester", "TERM": "xterm-256color",
			"LANG": "C.UTF-8"}}
	if s.worktree != "" {
		m.Worktree = filepath.Join(dir, s.worktree)
	}
	for name, value := range s.env {
		m.Env[name] = strings.ReplaceAll(value, "~", m.Home)
	}
	return m
}

// versions are what the tools say of themselves, in their own words. All else
// is answered by the real program, where there is one.
var versions = map[string]string{
	"bwrap": "bubblewrap 0.11.2",
	"socat": "socat by Gerhard Rieger and contributors - see www.dest-unreach.org\n" +
		"socat version 1.8.1.3 on 26 Jun 2026 10:00:00",
	"claude": pinned.ClaudeSays(pinned.Claude()),
}

// build sets a machine up as its user would: programs, home, repository,
// install, and the lines that install prints for the user to add.
func build(t testing.TB, s setup) *Machine {
	t.Helper()
	testenv.Need(t, "git", "bwrap", "socat", "rg")
	m := newMachine(t, s)
	for _, program := range []string{"git", "rg", "sh", "bash", "true", "cat", "env", "grep", "unshare", "ls"} {
		m.link(program)
	}
	m.write(m.dir+"/bin/ps", "#!/bin/sh\n", 0o755)
	for name, text := range versions {
		m.says(name, text)
	}
	m.write("/etc/os-release", "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nNAME=\"Debian GNU/Linux\"\n"+
		"VERSION_ID=\"12\"\nID=debian\n", 0o644)
	m.write("~/.gitconfig", "[user]\n\tname = Test\n\temail = test@example.invalid\n[init]\n\tdefaultBranch = main\n",
		0o644)
	m.write("~/.bashrc", "# ~/.bashrc\nexport EDITOR=vim\n", 0o644)
	m.write("~/.ssh/id_ed25519", "not a key\n", 0o600)
	m.write("~/.aws/credentials", "[default]\naws_access_key_id = SAMPLE\n", 0o600)
	m.write("~/.local/bin/steward-setup", "#!/bin/sh\nexit 0\n", 0o755)
	m.write(m.Project+"/go.mod", "module example.invalid/tracker\n", 0o644)
	m.write(m.Project+"/.gitignore", "/bin/\n.claude/settings.local.json\n", 0o644)
	m.git(m.Project, "init", "--quiet", "--template=") // without the samples of hooks, which nothing runs
	m.git(m.Project, "add", "--all")
	m.git(m.Project, "commit", "--quiet", "--message", "A project")
	if m.Worktree != "" {
		m.git(m.Project, "worktree", "add", "--quiet", "-b", "fix", m.Worktree)
	}
	if s.before != nil {
		s.before(m)
	}
	m.install(s.answers)
	if s.after != nil {
		s.after(m)
	}
	m.git(m.Project, "gc", "--quiet") // machines are copied: one file in place of one for each object
	return m
}

// install runs the real install with these answers, approves its plan, adds
// the lines that it prints for rc files, and commits the policy.
func (m *Machine) install(answers report.Answers) {
	m.t.Helper()
	h := m.host()
	proposal, err := install.NewDialogue(h, &ours.Claude{}).Propose(
		context.Background(), answers)
	if err != nil {
		m.t.Fatal(err)
	}
	m.apply(h, proposal.Plan)
	for _, c := range proposal.Plan.Commands() {
		if strings.HasPrefix(c.Where, "~/") &&
			slices.Contains([]report.ID{"wrapper/rc", "wrapper/rc-env", "wrapper/alias"}, c.ID) {
			m.write(c.Where, m.readOr(c.Where)+c.Line+"\n", 0o644)
		}
	}
	m.git(m.Project, "add", "--all")
	m.git(m.Project, "commit", "--quiet", "--allow-empty", "--message", "Add the policy")
	if m.Worktree != "" {
		m.git(m.Worktree, "merge", "--quiet", "main")
	}
}

// approve approves the policy as it is now for claude-iso, as the user would
// with steward-setup iso --approve; what the runtime would drop cannot be
// approved.
func (m *Machine) approve() {
	m.t.Helper()
	m.approveWith(func(iso.Item) bool { return false })
}

// approveAll approves the project's hooks and servers too.
func (m *Machine) approveAll() {
	m.t.Helper()
	m.approveWith(func(i iso.Item) bool { return i.Kind != iso.Other })
}

func (m *Machine) approveWith(want func(iso.Item) bool) {
	m.t.Helper()
	h := m.host()
	round := host.Still(h)
	launch, err := iso.Survey(round, m.Project)
	if err != nil {
		return
	}
	var load []iso.Item
	for _, i := range launch.Items {
		if want(i) {
			load = append(load, i)
		}
	}
	plan, err := launch.Approval(round, load)
	if err != nil {
		m.t.Fatal(err)
	}
	m.apply(h, plan)
}

// apply approves a plan.
func (m *Machine) apply(h *host.Host, p report.Plan) {
	m.t.Helper()
	applier := engine.Applier{State: h.Places().State, Version: "test", Now: time.Now}
	if _, err := applier.Apply(context.Background(), p, p.ID, "test", func(engine.Event) {}); err != nil {
		m.t.Fatal(err)
	}
}

// copyOf copies a machine with everything in it; what names its directory
// names the copy's.
func copyOf(t testing.TB, from *Machine) *Machine {
	t.Helper()
	rel := func(path string) string { return strings.TrimPrefix(strings.TrimPrefix(path, from.dir), "/") }
	m := newMachine(t, setup{home: rel(from.Home), project: rel(from.Project), worktree: rel(from.Worktree)})
	moved := strings.NewReplacer(from.dir+"/", m.dir+"/")
	for name, value := range from.Env {
		m.Env[name] = moved.Replace(value)
	}
	testenv.CopyMachine(t, from.dir, m.dir)
	return m
}

// first puts an entry first on the user's PATH.
func (m *Machine) first(entry string) { m.Env["PATH"] = entry + ":" + m.host().System().Get("PATH") }

// host is the machine as the program sees it, started in the project.
func (m *Machine) host() *host.Host {
	m.t.Helper()
	vars := []string{"HOME=" + m.Home, "PATH=" + filepath.Join(m.dir, "bin")}
	for name, value := range m.Env {
		vars = append(vars, name+"="+value)
	}
	h, err := host.New(env.System{Env: env.New(vars), GOOS: "linux", GOARCH: runtime.GOARCH, UID: os.Getuid(),
		GID: os.Getgid(), Cwd: m.Project,
		Executable: m.at("~/.local/bin/steward-setup"), Root: filepath.Join(m.dir, "root"), Now: time.Now})
	if err != nil {
		m.t.Fatal(err)
	}
	return h
}

// verify runs the checks.
func (m *Machine) verify() []report.Finding {
	m.t.Helper()
	return m.run(func(engine.Check) bool { return true })
}

// judged runs one check alone.
func (m *Machine) judged(id report.ID) report.Finding {
	m.t.Helper()
	return find(m.run(func(c engine.Check) bool { return c.ID == id }), id)
}

func (m *Machine) run(wanted func(engine.Check) bool) []report.Finding {
	m.t.Helper()
	h := m.host()
	options := verify.Options{Agent: checks.Claude{}, Project: m.Project, Sync: syncrepo.There(h)}
	r, list := m.sharing(h, asked(options))
	list = slices.DeleteFunc(list, func(c engine.Check) bool { return !wanted(c) })
	return engine.RunChecks(context.Background(), host.Once(r), list, func(engine.Event) {})
}
