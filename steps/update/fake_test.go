// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what has drifted of another agent's setup, and what an upgrade of it
// takes away, is said in that agent's words.

package update_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/regress"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv/fakeagent"
	"github.com/steward-setup/steward-setup/steps/update"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// fake has rules, whose text decides.
type fake struct {
	fakeagent.Agent
	unasked
	*state
}

// unasked is what a report asks of no agent.
type unasked struct{ update.Agent }

type state struct{ version string }

func (f fake) Version(context.Context, host.Reader) string { return f.version }
func (f fake) Decides(_ context.Context, _, _ string, k *verify.Keyer) {
	k.Add("fake", f.version)
}
func (fake) Forgeable(context.Context, host.Reader, string) []report.Evidence { return nil }

func (f fake) Decisive(_ context.Context, r host.Reader, project string) map[string]string {
	b, _ := r.Read(filepath.Join(project, ".fake", "rules"))
	return map[string]string{"fake": f.version, ".fake/rules": string(b)}
}

func (fake) NotStarting(host.Reader, proc.Result) string { return "" }

func (fake) Mends(context.Context, host.Reader, string) (report.Command, bool) {
	return report.Command{ID: "mend", Line: "get fake"}, true
}

func (fake) Idle(host.Reader, string) bool { return false }

func (fake) Copy(_ host.Reader, path, _ string, _ bool) (report.Status, string, []report.Evidence) {
	if filepath.Base(path) != "sandbox-error-hint.sh" {
		return report.Pass, "", nil
	}
	return report.Warn, "speaks of another agent", []report.Evidence{report.FileEvidence(path, "not for fake")}
}

func (fake) Copies(_ context.Context, r host.Reader, _, _ string) ([]report.Change, error) {
	dir := r.Places().Scripts()
	return []report.Change{{ID: "a", Path: filepath.Join(dir, "sandbox-error-hint.sh"), After: []byte("for fake")},
		{ID: "b", Path: filepath.Join(dir, "sandbox-bypass-warn.sh")}}, nil
}

func (fake) Shape(_ context.Context, _ host.Reader, project, _ string) report.Finding {
	return report.Finding{Status: report.Warn, Summary: "rules lack the wall",
		Evidence: []report.Evidence{report.FileEvidence(filepath.Join(project, ".fake", "rules"), "no wall")}}
}

func (fake) Weaknesses(context.Context, host.Reader, verify.Options, string) ([]regress.Weakness, error) {
	return nil, nil
}

func TestAnUpgradeOfAnotherAgent(t *testing.T) {
	m := newMachine(t)
	m.remove(".cache")
	agent := fake{state: &state{version: "1.0"}}
	m.opts.Agent, m.opts.Offline, m.played = agent, true, rehearsal("1.0", regress.Held)
	first := m.report()
	if f := find(first, update.Denials); f.Status != report.Unknown || f.Evidence[0].Where != "fake" {
		t.Error(told([]report.Finding{f}))
	}
	if f := find(first, update.Settings); f.Status != report.Warn || f.Summary != "rules lack the wall" {
		t.Error(told([]report.Finding{f}))
	}
	f := find(first, update.Scripts)
	if _, own := f.Remedies[0].(report.Change); !own || len(f.Remedies) != 2 ||
		!strings.HasSuffix(f.Summary, "sandbox-error-hint.sh speaks of another agent") {
		t.Error(told([]report.Finding{f}))
	}
	begun := update.Begin(t.Context(), host.Once(m.reader()), m.opts)
	begun.Keep(t.Context(), host.Once(m.reader()), m.opts, []report.Finding{{Check: update.Denials, Status: report.Pass}})

	m.now = m.now.Add(time.Minute)
	agent.version, m.played = "1.1", rehearsal("1.1", regress.Through)
	m.put("code/tracker/.fake/rules", "save /\n", 0o644)
	s := update.LookSince(t.Context(), host.Once(m.reader()), m.opts)
	if !slices.Equal(s.Changed, []string{".fake/rules", "fake"}) {
		t.Errorf("changed: %q", s.Changed)
	}
	f = find(m.report(), update.Denials)
	if f.Status != report.Fail || !f.Voids || !strings.Contains(f.Summary, "blocked with fake 1.0, not with 1.1") {
		t.Error(told([]report.Finding{f}))
	}

	m.played, agent.version = regress.Record{}, "1.2"
	if f = find(m.report(), update.Denials); f.Status != report.Unknown {
		t.Error(told([]report.Finding{f}))
	}
	if c, ok := f.Remedies[0].(report.Command); !ok || c.Line != "get fake" {
		t.Errorf("it is not mended: %+v", f.Remedies)
	}
}
