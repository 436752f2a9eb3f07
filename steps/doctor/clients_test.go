// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a workflow needs is asked where its own program looks
// for it, and a part that works is not taken for the whole.

package doctor_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/fixes"
	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/sessions"
	"github.com/steward-setup/steward-setup/steps/doctor"
)

// TestSSHAddAloneIsNotTheAgent: with ssh-add outside the sandbox, ssh and git
// still get no key, and the doctor does not say that it works.
func TestSSHAddAloneIsNotTheAgent(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	m := newMachine(t)
	m.sshAgent()
	m.set(userSettings, "sandbox.excludedCommands", []string{"ssh-add *"})
	findings := m.ask(doctor.Options{Agent: fixes.Claude{}, Project: m.project, Probes: []report.ID{"ssh-agent"}})
	f := find(findings, "ssh-agent")
	if f.Status != report.Warn || !strings.HasPrefix(f.Summary, "1 of 2 calls work; by design: seccomp: another program "+
		"that asks the agent, as ssh and git do: ") {
		t.Errorf("%s", told(findings))
	}
	if strings.Contains(told(findings), "every command can use every key") {
		t.Errorf("the price is that of an open socket:\n%s", told(findings))
	}
}

// TestTheEngineOfTheContextIsAsked: docker's own choice counts where DOCKER_HOST
// is not set, and a path in DOCKER_HOST is no address.
func TestTheEngineOfTheContextIsAsked(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	testenv.Need(t, "docker")
	m := newMachine(t)
	m.mkdir("run/own")
	socket := m.path("run/own/engine.sock")
	service, err := model.Engine(socket, "4.3.1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = service.Close() })
	m.run("docker", "context", "create", "rootless", "--docker", "host=unix://"+socket)
	m.run("docker", "context", "create", "far", "--docker", "host=ssh://user@far.example")
	for _, c := range []struct {
		name, use string
		environ   map[string]string
		status    report.Status
		says      string
	}{
		{"none chosen", "default", nil, report.Skip, "no service of docker is running: no socket"},
		{"chosen", "rootless", nil, report.Fail, "the context rootless  unix://" + socket},
		{"chosen by the environment", "default", map[string]string{"DOCKER_CONTEXT": "rootless"}, report.Fail,
			"version 4.3.1"},
		{"on another machine", "far", nil, report.Skip, "the context far names no unix socket: the network decides"},
		{"a path for an address", "rootless", map[string]string{"DOCKER_HOST": socket}, report.Skip,
			"DOCKER_HOST is a path, not an address: unix:// is missing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m.run("docker", "context", "use", c.use)
			for name, value := range c.environ {
				m.environ[name] = value
				defer delete(m.environ, name)
			}
			findings, columns := m.columns(doctor.Options{Agent: fixes.Claude{}, Project: m.project,
				Probes: []report.ID{"docker"}})
			f := find(findings, "docker")
			if f.Status != c.status || !strings.Contains(told(findings)+columns, c.says) {
				t.Errorf("want %s and %q in\n%s%s", c.status, c.says, told(findings), columns)
			}
			if c.status == report.Fail && !slices.Equal(layersOf(f), []catalog.Refuser{catalog.Seccomp}) {
				t.Errorf("layers %v", layersOf(f))
			}
		})
	}
}

// TestSignedCommitsAreSaidToBe: the stage's commits are unsigned, and who signs
// the user's is another probe's matter. It is said of what is seen outside: there
// is no stage here.
func TestSignedCommitsAreSaidToBe(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	m := newMachine(t)
	testenv.Need(t, "gpg", "gpg-agent", "gpg-connect-agent")
	m.program("bwrap", "case ${1-} in --version) echo bubblewrap 0.11.2; exit 0 ;; esac\nexit 1")
	ids := []report.ID{"gpg-sign", "git-worktree"}
	says := func(wants ...string) {
		t.Helper()
		findings, columns := m.columns(doctor.Options{Agent: fixes.Claude{}, Project: m.project, Probes: ids})
		for _, want := range wants {
			if !strings.Contains(told(findings)+columns, want) {
				t.Errorf("%q is not said in\n%s%s", want, columns, told(findings))
			}
		}
	}
	m.git(m.project, "config", "commit.gpgsign", "true")
	says("⊘ gpg-sign: gpg has no secret key to sign with, though your commits are to be signed: git commit fails "+
		"outside, too",
		"commits are tried unsigned, yours are signed with gpg, see gpg-sign")
	m.run("git", "config", "--global", "gpg.format", "ssh")
	says("⊘ gpg-sign: your commits are signed with an SSH key: no SSH agent: SSH_AUTH_SOCK is not set",
		"commits are tried unsigned, yours are signed with an SSH key, see gpg-sign")
	m.git(m.project, "config", "commit.gpgsign", "off")
	findings, columns := m.columns(doctor.Options{Agent: fixes.Claude{}, Project: m.project, Probes: ids})
	if text := told(findings) + columns; strings.Contains(text, "unsigned") || strings.Contains(text, "your commits") {
		t.Errorf("nothing is signed, and that is not said:\n%s", text)
	}
}

// columns runs the doctor and returns what its columns and notes say, too.
func (m *machine) columns(o doctor.Options) ([]report.Finding, string) {
	m.t.Helper()
	var b strings.Builder
	findings, err := doctor.Run(m.t.Context(), sessions.Counted(m.t, m.host()), o, func(e engine.Event) {
		switch e := e.(type) {
		case engine.ProbeStep:
			b.WriteString(string(e.ID) + " " + string(e.Column) + ": " + e.Summary + "\n")
		case engine.Note:
			b.WriteString(e.Text + "\n")
		}
	})
	if err != nil {
		m.t.Fatal(err)
	}
	return findings, b.String()
}

// TestAHookThatIsNotRunIsSaid, with its place; those of the setup are known. The
// probe does not apply here, and nothing is played for it.
func TestAHookThatIsNotRunIsSaid(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	m := newMachine(t)
	o := doctor.Options{Agent: fixes.Claude{}, Project: m.project, Probes: []report.ID{"ssh-agent"}}
	if _, columns := m.columns(o); strings.Contains(columns, "hook") {
		t.Errorf("the setup's own hook is said to be left out:\n%s", columns)
	}
	b, err := os.ReadFile(m.path(userSettings))
	if err != nil {
		t.Fatal(err)
	}
	m.write(userSettings, strings.Replace(string(b), `"PreToolUse": [`,
		`"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "exit 2"}]},`, 1), 0o644)
	_, columns := m.columns(o)
	if want := "not tested, although it may block Bash calls in a session: the hook in " + m.path(userSettings) +
		":"; !strings.Contains(columns, want) {
		t.Errorf("%q is not in\n%s", want, columns)
	}
}

// TestBelowAWildcardAHostIsTried: a policy that names none, but allows those
// below a name, is tried too.
func TestBelowAWildcardAHostIsTried(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	m := newMachine(t)
	m.set(projectSettings, "sandbox.network.allowedDomains", []string{"*.github.com"})
	findings := m.ask(doctor.Options{Agent: fixes.Claude{}, Project: m.project, Probes: []report.ID{"egress"}})
	if f := find(findings, "egress"); f.Status != report.Pass ||
		!strings.Contains(told(findings), "git over SSH from steward-allowed.github.com  works inside") {
		t.Errorf("%s", told(findings))
	}
}

// TestTheProgramThatSignsIsFollowed, as git does: one that hands on to ssh-keygen
// is tried, and of one whose service or program is not here nothing is claimed.
func TestTheProgramThatSignsIsFollowed(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	m := newMachine(t)
	testenv.Need(t, "ssh-keygen")
	m.write("home/.ssh/id_ed25519", "not read\n", 0o600)
	signs := look(t, "ssh-keygen")
	for _, c := range []struct {
		key, program string
		status       report.Status
		says         string
	}{
		{"~/.ssh/id_ed25519.pub", signs, report.Fail, "error: Couldn't load public key "},
		{"~/.ssh/id_ed25519.pub", look(t, "false"), report.Unknown, "does not work without the sandbox either"},
		{"~/.ssh/id_ed25519.pub", m.path("nowhere"), report.Skip,
			"it is not installed, and git commit fails outside, too"},
		{"~/.ssh/id_ed25519.pub", m.path("home/.ssh/sign"), report.Skip, "it lies in the home directory"},
		{"key::ssh-ed25519 AAAA", signs, report.Unknown, "with a service of its own"},
	} {
		m.signs(c.key)
		m.write("home/.ssh/sign", "#!/bin/sh\n", 0o755)
		m.run("git", "config", "--global", "gpg.ssh.program", c.program)
		findings, columns := m.columns(doctor.Options{Agent: fixes.Claude{}, Project: m.project,
			Probes: []report.ID{"gpg-sign"}})
		if f := find(findings, "gpg-sign"); f.Status != c.status || !strings.Contains(told(findings)+columns, c.says) {
			t.Errorf("%s %s: want %s and %q in\n%s%s", c.key, c.program, c.status, c.says, columns, told(findings))
		}
	}
	m.run("git", "config", "--global", "--unset", "gpg.ssh.program")
	m.git(m.project, "config", "gpg.ssh.program", signs)
	m.signs("~/.ssh/id_ed25519.pub")
	findings, columns := m.columns(doctor.Options{Agent: fixes.Claude{}, Project: m.project,
		Probes: []report.ID{"gpg-sign"}})
	if !strings.Contains(told(findings)+columns, "not tested: the repository's own configuration names it") {
		t.Errorf("the repository's program is tried:\n%s%s", columns, told(findings))
	}
}

// layersOf lists the layers that a finding says refused something.
func layersOf(f report.Finding) []catalog.Refuser {
	var list []catalog.Refuser
	for _, layer := range f.Of(report.Refusal) {
		list = append(list, catalog.Refuser(layer))
	}
	return list
}
