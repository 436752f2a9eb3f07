// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a rehearsal is played with the real runtime, on a machine
// that install set up, and says the same twice.

package checks_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/checks"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/sessions"
	"github.com/steward-setup/steward-setup/internal/trial"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// live makes a machine's programs real: the runtime, and this program.
func (m *Machine) live(claude string) {
	m.t.Helper()
	binary := m.at("~/.local/bin/steward-setup")
	if err := os.Remove(binary); err != nil && !os.IsNotExist(err) {
		m.t.Fatal(err)
	}
	testenv.Build(m.t, binary)
	for name, path := range map[string]string{"claude": claude} {
		at := filepath.Join(m.dir, "bin", name)
		_ = os.Remove(at)
		if err := os.Symlink(path, at); err != nil {
			m.t.Fatal(err)
		}
	}
	for _, name := range []string{"bash", "python3", "curl", "bwrap", "socat", "sh"} {
		_ = os.Remove(filepath.Join(m.dir, "bin", name))
		m.link(name)
	}
}

// rehearse runs every check with a rehearsal; only, if it names sessions, are
// those that are played.
func (m *Machine) rehearse(only ...string) []report.Finding {
	m.t.Helper()
	return m.rehearsed(func(engine.Check) bool { return true }, only)
}

// proved is what some checks say with a rehearsal of some sessions.
func (m *Machine) proved(ids []report.ID, only ...string) []report.Finding {
	m.t.Helper()
	return m.rehearsed(func(c engine.Check) bool { return slices.Contains(ids, c.ID) }, only)
}

func (m *Machine) rehearsed(wanted func(engine.Check) bool, only []string) []report.Finding {
	m.t.Helper()
	l := verify.NewRehearsal()
	if only != nil {
		l.Only = func(name string) bool { return slices.Contains(only, name) }
	}
	o := verify.Options{Agent: checks.Claude{}, Project: m.Project}
	h := host.Once(m.host()) // as verify does
	count := sessions.Counted
	if m.unsteady {
		count = sessions.Live
	}
	l.Begin(context.Background(), count(m.t, h), o)
	list := slices.DeleteFunc(verify.WithRehearsal(o, l, nil), func(c engine.Check) bool { return !wanted(c) })
	return engine.RunChecks(context.Background(), h, list, func(engine.Event) {})
}

// fingerprint is all of a machine that a rehearsal must leave as it is.
func (m *Machine) fingerprint() string {
	m.t.Helper()
	sum, err := fs.Fingerprint(m.dir)
	if err != nil {
		m.t.Fatal(err)
	}
	return sum
}

// deciding are the sessions that a second rehearsal plays.
var deciding = []string{verify.PlainRoot, verify.IsoRoot, verify.PlainTerminal, verify.Twin, verify.HookSession}

// TestAHealthyMachineIsProved: what install sets up holds in every session but
// a plain start below the project, says the same twice, and is not touched. The project
// has instructions, as most have.
func TestAHealthyMachineIsProved(t *testing.T) {
	sessions.Anew(t)
	t.Parallel()
	m := build(t, usualSetup)
	m.write("~/code/tracker/CLAUDE.md", "# The tracker\n", 0o644)
	m.live(testenv.Claude(t))
	before := m.fingerprint()
	var only []string
	if os.Getuid() == 0 { // what a terminal shows as root: TestOnATerminal
		only = []string{verify.PlainRoot, verify.IsoRoot, verify.Twin, verify.HookSession}
	}
	first := m.rehearse(only...)
	for _, f := range first {
		want := report.Pass
		switch f.Check {
		case "mcp-servers":
			want = report.Skip
		case "tools-pinned": // the tools are this machine's own
			continue
		case "denials": // plain claude in a subdirectory has no policy (measured)
			want = unlessRoot(report.Warn)
		}
		if f.Status != want {
			t.Errorf("%s is %s, want %s: %s\n%v", f.Check, f.Status, want, f.Summary, f.Evidence)
		}
	}
	denials := find(first, "denials")
	for _, l := range denials.Launches {
		if want := unlessRoot(map[report.Launch]report.Status{report.Plain: report.Warn,
			report.Iso: report.Pass}[l.Launch]); l.Status != want {
			t.Errorf("%s is %s, want %s: %s", l.Launch, l.Status, want, l.Summary)
		}
	}
	if os.Getuid() == 0 && !strings.HasPrefix(denials.Summary, verify.Root) {
		t.Errorf("as root it is said of the denials: %s", denials.Summary)
	}
	if os.Getuid() != 0 { // as root every denial is unknown, twice
		for _, c := range report.CoversOf(first) {
			open := c.Launch == report.Plain && (c.Start == report.AtSub || c.Start == report.AtOther)
			if want := map[bool]report.Status{true: report.Fail, false: report.Pass}[open]; c.Start != report.AtOther &&
				c.Status != want || open && c.Status != want {
				t.Errorf("%s, %s is %s, want %s: %s", c.Launch, c.Start, c.Status, want, c.Why)
			}
		}
		if second := m.rehearse(deciding...); !reflect.DeepEqual(stable(first), stable(second)) {
			t.Errorf("two runs differ:\n%s", cmp.Diff(stable(first), stable(second)))
		}
	}
	if m.fingerprint() != before {
		t.Error("a rehearsal changed the machine")
	}
}

// TestAHealthyMachineIsProvedAtTheFloor says of the oldest runtime that is
// accepted that it protects as well as the pinned one.
func TestAHealthyMachineIsProvedAtTheFloor(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	m := build(t, usualSetup)
	m.live(testenv.ClaudeFloor(t))
	findings := m.rehearse()
	if f := find(findings, "hooks-fire"); f.Status != report.Pass {
		t.Errorf("hooks-fire is %s: %s\n%v", f.Status, f.Summary, f.Evidence)
	}
	f := find(findings, "denials")
	for _, l := range f.Launches {
		if want := unlessRoot(map[report.Launch]report.Status{report.Plain: report.Warn,
			report.Iso: report.Pass}[l.Launch]); l.Status != want {
			t.Errorf("%s is %s, want %s: %s", l.Launch, l.Status, want, l.Summary)
		}
	}
	for _, session := range []string{verify.PlainRoot, verify.IsoRoot} {
		if !slices.ContainsFunc(f.Evidence, func(e report.Evidence) bool {
			return e.Where == session && strings.Contains(e.Text, " forbidden actions were blocked: ")
		}) {
			t.Errorf("%s: the denials did not all hold: %v", session, f.Evidence)
		}
	}
}

// unlessRoot is a status of denials, of which nothing better than Unknown is
// known as root.
func unlessRoot(s report.Status) report.Status {
	if os.Getuid() == 0 && (s == report.Pass || s == report.Warn) {
		return report.Unknown
	}
	return s
}

// stable are findings without what is different in every run: how long a check
// took, and what is said of sessions that are not deciding.
func stable(findings []report.Finding) []report.Finding {
	others := []string{verify.IsoTerminal, verify.IsoSub, verify.PlainSub, verify.IsoTree, verify.PlainTree}
	findings = slices.Clone(findings)
	for i, f := range findings {
		f.Duration = 0
		if f.Check == "denials" { // judged by all of them
			f = report.Finding{Check: f.Check, Voids: f.Voids, Evidence: f.Evidence}
		}
		f.Evidence = slices.DeleteFunc(slices.Clone(f.Evidence), func(e report.Evidence) bool {
			session, _, _ := strings.Cut(e.Where, " · ")
			return slices.Contains(others, session)
		})
		findings[i] = f
	}
	return findings
}

// TestWithoutASandboxEveryDenialIsOpen: with the sandbox off in the user's
// settings, every denial of the operating system and of the network is
// reported as allowed, so that none of them is the stage's own.
func TestWithoutASandboxEveryDenialIsOpen(t *testing.T) {
	sessions.Anew(t)
	t.Parallel()
	m := build(t, usualSetup)
	m.live(testenv.Claude(t))
	m.set(m.Project+"/.claude/settings.json", "sandbox", map[string]any{"enabled": false})
	m.set(m.Project+"/.claude/settings.json", "permissions", map[string]any{})
	m.set("~/.claude/settings.json", "sandbox", map[string]any{"enabled": false})
	m.set("~/.claude/settings.json", "env."+claude.MentionsVariable, "0")
	l := verify.NewRehearsal()
	l.Only = func(name string) bool { return name == verify.PlainRoot || name == verify.Twin }
	l.Begin(context.Background(), sessions.Counted(t, m.host()),
		verify.Options{Agent: checks.Claude{}, Project: m.Project})
	if err := l.Wait(nil); err != nil {
		t.Fatal(err)
	}
	outcomes := l.Outcomes(verify.PlainRoot)
	for _, o := range outcomes {
		switch {
		case o.Control && o.Status != report.Pass:
			t.Errorf("%s does not work: %s", o.ID, o.Why)
		case !o.Control && o.Below != trial.Rule && o.Layer != trial.Allowed:
			t.Errorf("%s is %q, want it allowed: %s", o.ID, o.Layer, o.Why)
		}
	}
	if len(outcomes) < 30 {
		t.Errorf("only %d probes", len(outcomes))
	}
}

// TestWithoutAStageThereIsAReplica: where bwrap does not start, --live=always
// plays in a directory of its own, proves nothing that it did not see, and
// leaves nothing behind.
func TestWithoutAStageThereIsAReplica(t *testing.T) {
	testenv.AsUser(t)
	m := build(t, usualSetup)
	m.live(testenv.Claude(t))
	m.breaks("bwrap", "bwrap: setting up uid map: Permission denied", 1)
	before, elsewhere := m.fingerprint(), names(t, "/var/tmp")
	l := verify.NewRehearsal()
	l.Only = func(name string) bool { return name == verify.PlainRoot || name == verify.Twin }
	o := verify.Options{Agent: checks.Claude{}, Project: m.Project, Live: verify.Always}
	l.Begin(context.Background(), sessions.Counted(t, m.host()), o)
	f := find(engine.RunChecks(context.Background(), m.host(), verify.WithRehearsal(o, l, nil), func(engine.Event) {}),
		"denials")
	if words := m.short(fmt.Sprint(f.Summary, f.Evidence)); f.Status != report.Unknown ||
		!strings.Contains(words, "no command works there") ||
		!strings.Contains(words, "rehearsed in a replica home") {
		t.Errorf("%s: %s", f.Status, words)
	}
	if m.fingerprint() != before {
		t.Error("the machine was changed")
	}
	for _, name := range names(t, "/var/tmp") {
		if !slices.Contains(elsewhere, name) && strings.HasPrefix(name, "steward-") {
			t.Errorf("%s was left in /var/tmp", name)
		}
	}
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}
