// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: taking protection away never improves an answer, and never
// hides what else is open.

package checks_test

import (
	"context"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/checks"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// worsening is a value of a settings file that takes protection away.
type worsening struct {
	name string
	make func(*Machine)
}

var worsenings = []worsening{
	{"every file can be read", func(m *Machine) { m.add(projectFile, allowRead, "/") }},
	{"keys can be read", func(m *Machine) { m.add(localFile, allowRead, "~/.aws") }},
	{"a start file can be written", func(m *Machine) { m.add(localFile, allowWrite, "~/.bashrc") }},
	{"a deny rule is missing", func(m *Machine) { m.drop(projectFile, "permissions.deny", "Read(~/.netrc)") }},
	{"the home is not hidden", func(m *Machine) { m.drop(projectFile, "sandbox.filesystem.denyRead", "~/") }},
	{"auto mode is not closed", func(m *Machine) { m.unset(projectFile, "permissions.disableAutoMode") }},
	{"sessions start in auto mode", func(m *Machine) { m.set(userFile, "permissions.defaultMode", "auto") }},
	{"bypassPermissions is not closed", func(m *Machine) {
		m.unset(projectFile,
			"permissions.disableBypassPermissionsMode")
	}},
	{"the sandbox is off", func(m *Machine) { m.set(localFile, "sandbox.enabled", false) }},
	{"the sandbox may be missing", func(m *Machine) { m.set(localFile, "sandbox.failIfUnavailable", false) }},
	{"the file system is left out", func(m *Machine) { m.set(userFile, "sandbox.filesystem.disabled", true) }},
	{"every host is allowed", func(m *Machine) { m.add(localFile, "sandbox.network.allowedDomains", "*") }},
	{"every command is excluded", func(m *Machine) { m.add(localFile, "sandbox.excludedCommands", "*") }},
	{"docker is excluded", func(m *Machine) { m.add(projectFile, "sandbox.excludedCommands", "docker *") }},
	{"the Read tool is approved", func(m *Machine) { m.add(userFile, allowRules, "Read") }},
	{"all sockets are allowed", func(m *Machine) { m.set(projectFile, "sandbox.network.allowAllUnixSockets", true) }},
	{"gh's tokens can be read", func(m *Machine) { m.add(projectFile, allowRead, "~/.config/gh/") }},
	{"a key that is in no table", func(m *Machine) { m.set(userFile, "notAKey", true) }},
	{"a hook of the project", func(m *Machine) { m.set(projectFile, "apiKeyHelper", "./key.sh") }},
	{"a hook that is not resolved", func(m *Machine) { m.userHook(`eval "$X"`) }},
}

// monotonePairs is how many pairs are tried, of about 190.
const monotonePairs = 40

func TestTakingProtectionAwayNeverImproves(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	healthy := newStock(t, listFaults)[&usualSetup].machine
	alone := make([][]report.Finding, len(worsenings))
	for i, w := range worsenings {
		alone[i] = settingsAnswers(copyOf(t, healthy), w)
	}
	pick := rand.New(rand.NewPCG(9, 9))
	for range monotonePairs {
		a, b := pick.IntN(len(worsenings)), pick.IntN(len(worsenings))
		if a == b {
			continue
		}
		t.Run(worsenings[a].name+", and "+worsenings[b].name, func(t *testing.T) {
			t.Parallel()
			m := copyOf(t, healthy)
			both := settingsAnswers(m, worsenings[a], worsenings[b])
			for _, one := range []int{a, b} {
				noBetter(t, worsenings[one].name, alone[one], both)
			}
		})
	}
}

// TestTakingGitsAnswerAwayNeverImproves: a command that breaks what the
// configuration of the repository includes makes git exit with 128.
func TestTakingGitsAnswerAwayNeverImproves(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	healthy := newStock(t, listFaults)[&usualSetup].machine
	broken := worsening{"git gives no answer", func(m *Machine) {
		m.git(m.at("~/code/tracker"), "config", "include.path", "../tools/gitconfig")
		m.write("~/code/tracker/tools/gitconfig", "[user\n", 0o644)
	}}
	m := copyOf(t, healthy)
	f := find(settingsAnswers(m, broken), "policy-invariants")
	if f.Status != report.Fail || !slices.ContainsFunc(f.Evidence, func(e report.Evidence) bool {
		return strings.HasPrefix(e.Where, "~/code/tracker/.git/config") && strings.Contains(e.Text, "git cannot read it")
	}) {
		t.Errorf("an include that git cannot read is %s: %v", f.Status, f.Evidence)
	}
	for _, w := range worsenings {
		if w.name != "the sandbox is off" && w.name != "the home is not hidden" && w.name != "every file can be read" {
			continue
		}
		alone := settingsAnswers(copyOf(t, healthy), w)
		both := settingsAnswers(copyOf(t, healthy), w, broken)
		if before, after := report.Judge(alone, false), report.Judge(both, false); report.Weaker(before, after) != after {
			t.Errorf("with %q alone the verdict is %s, without git's answer %s", w.name, before, after)
		}
		for _, check := range []report.ID{"project-settings", "policy-invariants"} {
			if a, b := find(alone, check), find(both, check); a.Status == report.Fail && (b.Status != a.Status || a.Voids &&
				!b.Voids) {
				t.Errorf("with %q alone %s is %s, without git's answer %s", w.name, check, a.Status, b.Status)
			}
		}
	}
}

// settingsAnswers are the answers about settings on a machine with some of
// them made worse, and approved so.
func settingsAnswers(m *Machine, made ...worsening) []report.Finding {
	for _, w := range made {
		w.make(m)
	}
	m.approve()
	about := []report.ID{"project-settings", "project-code", "policy-invariants", "effective-sandbox",
		"runtime-advisories", "scope"}
	list := slices.DeleteFunc(verify.Checks(verify.Options{Agent: checks.Claude{},
		Project: m.Project}), func(c engine.Check) bool {
		return !slices.Contains(about, c.ID)
	})
	findings := engine.RunChecks(context.Background(), host.Once(m.host()), list, func(engine.Event) {})
	for i := range findings {
		for j := range findings[i].Evidence {
			e := &findings[i].Evidence[j]
			e.Where, e.Text = m.short(e.Where), m.short(e.Text)
		}
	}
	return findings
}

// noBetter compares the answers to one thing with those to it and another.
func noBetter(t *testing.T, name string, one, both []report.Finding) {
	t.Helper()
	for _, launch := range []report.Launch{report.Plain, report.Iso} {
		before, _ := report.JudgeLaunch(one, launch, false)
		after, _ := report.JudgeLaunch(both, launch, false)
		if report.Weaker(before, after) != after {
			t.Errorf("with %q alone %s is %s, with both %s", name, launch, before, after)
		}
	}
	if before, after := report.Judge(one, false), report.Judge(both, false); report.Weaker(before, after) != after {
		t.Errorf("with %q alone the verdict is %s, with both %s", name, before, after)
	}
	for i, f := range one {
		// A weakness of the sandbox touches nothing where there is none.
		off := f.Check == "runtime-advisories" && find(both, "effective-sandbox").Voids
		if rank(both[i].Status) > rank(f.Status) && !off {
			t.Errorf("with %q alone %s is %s, with both %s", name, f.Check, f.Status, both[i].Status)
		}
		if f.Check != "policy-invariants" || f.Status == report.Pass {
			continue
		}
		for _, e := range f.Evidence {
			said := func(other report.Evidence) bool {
				return placeless(other.Text) == placeless(e.Text) && inFile(other.Where) == inFile(e.Where)
			}
			if !slices.ContainsFunc(both[i].Evidence, said) {
				t.Errorf("with %q alone it is said, with both not: %s: %s", name, e.Where, e.Text)
			}
		}
	}
}

func rank(s report.Status) int { return slices.Index(report.Statuses, s) }

// placeless is a text without the number that an element has in its array.
func placeless(text string) string { return elementNumber().ReplaceAllString(text, ". is") }

var elementNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\.\d+ is`) })

// inFile is a place without line and column.
func inFile(where string) string {
	file, _, _ := strings.Cut(where, ":")
	return file
}
