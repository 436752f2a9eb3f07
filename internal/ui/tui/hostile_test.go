// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whatever a repository, a settings file or a tool is
// called, the terminal gets text and our own styles, nothing else.

package tui

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
)

// evil clears the screen, rings, sets a title and turns text around.
const evil = "\x1b[2J\x07\x1b]0;t\x1b\\\u202e\x9b31m\r"

// hostile is a machine on which everything has such a name.
type hostile struct{ fake }

func (h *hostile) Propose(ctx context.Context, a report.Answers, tell func(engine.Progress)) (report.Proposal, error) {
	p, err := h.fake.Propose(ctx, a, tell)
	if e, ok := errors.AsType[*report.Error](err); ok {
		return p, &report.Error{What: e.What + evil, Where: e.Where + evil, Why: e.Why + evil, Next: e.Next + evil,
			Err: errors.New(evil)}
	}
	f := &p.Facts
	f.Project, f.Branch, f.Runtime = f.Project+evil, evil, evil
	for i := range p.Plan.Sections {
		s := &p.Plan.Sections[i]
		s.Title, s.Why = s.Title+evil, s.Why+evil
		s.Opens, s.Exposes = append(s.Opens, evil), append(s.Exposes, evil)
		s.Findings = append(s.Findings, evilFinding("x"))
		for j := range s.Entries {
			s.Entries[j].Key += evil
			s.Entries[j].Why += evil
		}
		for j, it := range s.Items {
			switch it := it.(type) {
			case report.Change:
				it.Why, it.Path, it.Target, it.After = it.Why+evil, it.Path+evil, it.Target+"/x"+evil, append(it.After, evil...)
				s.Items[j] = it
			case report.Command:
				it.Why, it.Line, it.Where = it.Why+evil, it.Line+evil, it.Where+evil
				s.Items[j] = it
			}
		}
	}
	p.Plan = report.NewPlan(p.Plan.Sections)
	for i := range p.Questions {
		q := &p.Questions[i]
		q.Title, q.Help, q.Price, q.DefaultFrom = q.Title+evil, q.Help+evil, q.Price+evil, q.DefaultFrom+evil
		if q.Kind == report.Text || q.Kind == report.List {
			q.Default = []string{evil}
		}
		for j := range q.Options {
			q.Options[j].Label += evil
			q.Options[j].Note += evil
		}
	}
	return p, nil
}

func evilFinding(id report.ID) report.Finding {
	return report.Finding{Check: id, Status: report.Fail, Summary: evil,
		Evidence: []report.Evidence{report.FileEvidence(evil, evil)},
		Remedies: []report.Remedy{report.Command{Why: evil, Line: evil, Where: evil},
			report.DocLink{Title: evil, Target: evil}, report.Change{Path: evil, Why: evil}}}
}

func (h *hostile) Recheck(_ context.Context, emit engine.Sink) {
	emit(engine.CheckStarted{ID: report.ID(evil), Title: evil})
	emit(engine.CheckDone{Finding: evilFinding(report.ID(evil))})
	emit(engine.Progress{Text: evil, Done: 1, Of: 2})
	emit(engine.Note{Text: evil})
}

func (h *hostile) ApplyLine(report.Answers) string { return "x" + evil }

var styleCode = regexp.MustCompile(`\x1b\[[0-9;:]*m`)

func TestNothingForeignReachesTheTerminalAsAControl(t *testing.T) {
	check := func(what, out string) {
		t.Helper()
		out = styleCode.ReplaceAllString(out, "")
		if i := strings.IndexFunc(out, func(r rune) bool {
			return r != '\n' && unicode.IsControl(r) ||
				r == '\u202e'
		}); i >= 0 {
			t.Errorf("%s: a control character reaches the terminal: %q", what, out[max(0, i-60):min(len(out), i+20)])
		}
	}
	for i := range scenes {
		s := &scenes[i]
		for _, size := range sizes {
			b := &hostile{fake{}}
			b.questions, b.proposeErr, b.applyErr, b.failAt = s.b.questions, s.b.proposeErr, s.b.applyErr, s.b.failAt
			d := drive(t, b, Options{Command: "install"}, size[0], size[1]).press(s.keys)
			check(s.name, d.m.View().Content)
			check(s.name+", read", d.press("n").m.View().Content)
			check(s.name+", last words", strings.Join(d.m.lastWords(Outcome{End: Quit}), "\n"))
			d.m.ledger.note(engine.Applied{TakeBack: evil})
			check(s.name+", last words", strings.Join(d.m.lastWords(Outcome{End: Applied, Written: 1,
				Findings: []report.Finding{evilFinding("x")}}), "\n"))
		}
	}
	for _, size := range sizes {
		f := evilFinding(report.ID(evil))
		f.Layer, f.Launches = report.Layer(evil), []report.LaunchStatus{{Launch: report.Iso, Status: report.Fail,
			Summary: evil}}
		again := f
		again.Check, again.Layer = "clean-env", report.LayerTools
		fs := []report.Finding{f, again}
		bad := report.Facts{Project: project + evil, Branch: evil, Home: home, Runtime: evil}
		v := verifying(func() []report.Finding { return fs })
		v.Facts = bad
		for _, keys := range []string{"", "home", "home right", "end", "end right", "v", "y"} {
			check("verify "+keys, lookAt(t, newVerify(t.Context(), v), size[0], size[1]).press(keys).v.View().Content)
		}
		d := lookAt(t, newVerify(t.Context(), v), size[0], size[1]).press("q")
		check("verify, last words", strings.Join(d.v.lastWords(d.v.verified()), "\n"))
		m := newVerify(t.Context(), v)
		m.work = nil
		d = lookAt(t, m, size[0], size[1])
		m.page.(*resultPage).event(engine.CheckStarted{ID: report.ID(evil), Title: evil})
		m.page.(*resultPage).event(engine.Progress{Text: evil, Done: -1, Of: 2})
		d.send(nil)
		check("verify, running", m.View().Content)
		h := homeOf(fs, 0)
		h.Facts, h.Actions = bad, []Action{{Key: "v", Word: "verify" + evil}}
		check("home", openHome(t, h, size[0], size[1]).v.View().Content)
		check("home, help", openHome(t, h, size[0], size[1]).press("?").v.View().Content)
	}
}
