// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a fault turns exactly the check that is about it, to the
// status it deserves, with evidence that names the place; whatever else it
// turns is listed with the reason, and nothing healthy ever fails.

package checks_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// asked are what is held against the faults.
var asked = func(o verify.Options) []engine.Check { return verify.Checks(o) }

// Fault is one thing that is broken, and what the user is told.
type Fault struct {
	Name string
	// On is the machine that it is seeded into; nil is the usual one.
	On *setup
	// Breaks is the check that is about it, Want its answer.
	Breaks report.ID
	Want   report.Status
	// Voids says that nothing protects any more: the verdict is
	// unprotected.
	Voids bool
	// Where is what some evidence of the finding has to name: a part of its
	// words; or FILE#TEXT, the line of the file that holds the text
	// (FILE#TEXT#TEXT: the first behind another).
	Where string
	// Also are the other checks that answer differently, each with the
	// reason why it must.
	Also map[report.ID]Effect
	// Unseen says that the user has not looked at the project's policy
	// since. Otherwise it was approved for claude-iso as the fault left it:
	// what is approved is no less of a fault.
	Unseen bool
	Break  func(*Machine)
}

// Effect is what a fault does to a check that is not about it.
type Effect struct {
	Status report.Status
	Why    string
}

// faults are all that are seeded without a rehearsal.
func faults() []Fault {
	return slices.Concat(switchFaults, fileFaults, ruleFaults, unruledFaults, pathFaults, openingFaults, scriptFaults,
		wiringFaults,
		shellFaults, toolFaults, supportFaults, searchFaults, lastFaults, unaskedFaults, envrcFaults, peerFaults, rootFaults,
		scopeFaults,
		fetchFaults, projectFaults, serverFaults, overrideFaults, openFaults,
		outsideFaults, ownFaults, ownTextFaults, startedFaults, hookFaults, memoryFaults, replacedFaults, nestedFaults,
		answerFaults, managedFaults, missingFaults, carrierFaults,
		placeFaults,
		commandFaults, shimFaults, gitFaults, gitHookFaults, gitConfigFaults, gitBaseFaults, nestedGitFaults, otherVCSFaults,
		keyFaults,
		environmentFaults, networkFaults,
		modeFaults,
		stateFaults, stateFileFaults, wordFaults,
		rcFaults, promptFaults, shellFileFaults, rcNameFaults, otherShellFaults, passesFaults, definedFaults, laterFaults,
		linkFaults, textFaults, reopenedFaults, oddFaults,
		variableFaults, homeConfigFaults, mentionFaults, besideFaults,
		startFaults, causeFaults, doubtFaults, ownerFaults, moreOwnFaults, modFaults, hookWriteFaults,
		syncFaults)
}

func TestMatrix(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	list := faults()
	rows := make([]seen, len(list))
	healthyRows := make([]seen, len(healthy))
	stock := newStock(t, list)
	lines := testenv.NewLines(t)
	t.Run("fault", func(t *testing.T) {
		for i, f := range list {
			t.Run(f.Name, func(t *testing.T) {
				t.Parallel()
				rows[i] = f.try(t, stock, lines)
			})
		}
	})
	t.Run("healthy", func(t *testing.T) {
		for i, v := range healthy {
			t.Run(v.Name, func(t *testing.T) {
				t.Parallel()
				healthyRows[i] = v.try(t)
			})
		}
	})
	tried := func(r seen) bool { return r.name != "" }
	if t.Failed() || !slices.ContainsFunc(rows, tried) || slices.ContainsFunc(append(rows, healthyRows...),
		func(r seen) bool { return !tried(r) }) {
		return // a part of the tests alone says nothing of the page
	}
	testenv.GoldenPart(t, pageFile, "tables", faultTable(fmt.Sprintf("%d faults, seeded without a rehearsal", len(rows)),
		rows)+healthyTable(healthyRows))
}

// try seeds the fault into a copy of a healthy machine.
func (f Fault) try(t *testing.T, stock stock, lines *testenv.Lines) seen {
	healthy := stock[cmp.Or(f.On, &usualSetup)]
	m := copyOf(t, healthy.machine)
	f.Break(m)
	if !f.Unseen {
		m.approve()
	}
	after := m.verify()
	want := maps.Clone(healthy.statuses)
	want[f.Breaks] = f.Want
	for id, e := range f.Also {
		if e.Why == "" {
			t.Errorf("why %s answers differently is not said", id)
		}
		want[id] = e.Status
	}
	if diff := differences(want, statuses(after)); diff != "" {
		t.Errorf("the checks answer otherwise:\n%s%s", diff, told(m, after, healthy.statuses))
	}
	finding := find(after, f.Breaks)
	if !m.names(finding, f.Where) {
		t.Errorf("no evidence names %s:\n%s", m.place(f.Where), told(m, []report.Finding{finding}, nil))
	}
	for _, other := range after {
		if strings.Contains(other.Summary, "%!") { // fmt's mark of a wrong format
			t.Errorf("%s says %q", other.Check, other.Summary)
		}
	}
	leadsOn(t, m.dir, after, lines)
	defer m.mended(finding)
	verdict := report.Protected
	switch {
	case f.Voids:
		verdict = report.Unprotected
	case f.Want == report.Fail, f.Want == report.Unknown:
		verdict = report.Degraded
	}
	if got := report.Judge(after, false); got != verdict {
		t.Errorf("the verdict is %s, want %s", got, verdict)
	}
	return seen{f.Name, f.Breaks, f.Want, m.short(finding.Summary)}
}

// stock is one healthy machine of each kind that faults are seeded into, and
// what the checks say of it.
type stock map[*setup]healthyMachine

type healthyMachine struct {
	machine  *Machine
	statuses map[report.ID]report.Status
}

// newStock builds the machines and asks a copy of each, so that what the
// copying does is part of what counts as healthy.
func newStock(t *testing.T, list []Fault) stock {
	t.Helper()
	s := stock{}
	for _, f := range list {
		kind := cmp.Or(f.On, &usualSetup)
		if _, ok := s[kind]; ok {
			continue
		}
		m := build(t, *kind)
		asked := copyOf(t, m)
		asked.approve()
		findings := asked.verify()
		s[kind] = healthyMachine{m, statuses(findings)}
		for _, f := range findings {
			priced := f.Status == report.Warn && kind.answers["policy-to"] != nil && followsBelow[f.Check] != ""
			if f.Status != report.Pass && f.Status != report.Skip && !priced {
				t.Errorf("the machine is not healthy:\n%s", told(m, []report.Finding{f}, nil))
			}
		}
	}
	return s
}

func statuses(findings []report.Finding) map[report.ID]report.Status {
	m := map[report.ID]report.Status{}
	for _, f := range findings {
		m[f.Check] = f.Status
	}
	return m
}

// differences lists where two sets of answers differ, a line each.
func differences(want, got map[report.ID]report.Status) string {
	all := maps.Clone(want)
	maps.Copy(all, got)
	var b strings.Builder
	for _, id := range slices.Sorted(maps.Keys(all)) {
		if want[id] != got[id] {
			fmt.Fprintf(&b, "%s answers %q, want %q\n", id, got[id], want[id])
		}
	}
	return b.String()
}

func find(findings []report.Finding, id report.ID) report.Finding {
	for _, f := range findings {
		if f.Check == id {
			return f
		}
	}
	return report.Finding{}
}

// names says whether some evidence names the place.
func (m *Machine) names(f report.Finding, where string) bool {
	file, _, inFile := strings.Cut(where, "#")
	place := m.place(where)
	return slices.ContainsFunc(f.Evidence, func(e report.Evidence) bool {
		if !inFile {
			return strings.Contains(m.short(e.Where+" "+e.Text), place)
		}
		rest, ok := strings.CutPrefix(m.short(e.Where), place)
		return ok && file != "" && (rest == "" || rest[0] == ':')
	})
}

// place is where a fault was seeded, as evidence names it: the line of the
// last of the texts, each looked for behind the one before.
func (m *Machine) place(where string) string {
	file, texts, inFile := strings.Cut(where, "#")
	if !inFile {
		return where
	}
	content, at := m.read(file), 0
	for text := range strings.SplitSeq(texts, "#") {
		i := strings.Index(content[at:], text)
		if i < 0 {
			m.t.Fatalf("%s does not hold %q", file, text)
		}
		at += i + len(text)
	}
	return fmt.Sprintf("%s:%d", file, 1+strings.Count(content[:at], "\n"))
}

// told is what the user is told, but for what answers as it did before.
func told(m *Machine, findings []report.Finding, before map[report.ID]report.Status) string {
	var b strings.Builder
	for _, f := range findings {
		if before != nil && before[f.Check] == f.Status {
			continue
		}
		fmt.Fprintf(&b, "%s %s: %s\n", f.Status.Symbol(), f.Check, f.Summary)
		for _, e := range f.Evidence {
			fmt.Fprintf(&b, "    %s  %s\n", e.Where, e.Text)
		}
	}
	return m.short(b.String())
}
