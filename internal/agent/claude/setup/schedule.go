// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a report that is made unasked is asked for by its flag alone, and
// changes nothing.

package setup

import (
	"context"
	"strings"
	"unicode"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/steps/install"
)

var scheduleQuestion = report.Question{
	ID: "schedule", Section: "schedule", Kind: report.Confirm,
	Title: "Look for drift once a week?",
	Help: "A timer of your own (systemd, or launchd on macOS) runs steward-setup update for this project. It changes " +
		"nothing; the home screen shows what it found.",
	Price:   "a rehearsal of some seconds when the runtime or your settings changed",
	Default: []string{"no"},
}

// schedule proposes the timer. It is asked for by its flag alone, so that the
// wizard is no longer for it.
func (p *proposer) schedule(context.Context) (report.Section, error) {
	if !p.answers.Yes(scheduleQuestion) {
		return report.Section{}, nil
	}
	p.ask(scheduleQuestion)
	s := report.Section{ID: "schedule",
		Why: "Runs steward-setup update for this project once a week. A report that finds a forbidden action that succeeds " +
			"ends with a failure, which the system shows."}
	switch {
	case p.Repo == nil || p.Repo.Root == "":
		s.Note(leftOut("there is no project here"))
		return s, nil
	case p.program.Path == "":
		s.Note(leftOut(noProgram))
		return s, nil
	case strings.ContainsFunc(p.Repo.Root+p.program.Path, unicode.IsControl):
		s.Note(leftOut("a path has a control character"))
		return s, nil
	}
	timer := p.timer()
	paths := timer.Paths(p.r)
	if !p.places.Guard(&s, "schedule", "the timer", paths...) {
		return s, nil
	}
	items, err := timer.Changes(p.draft, "schedule", p.program.Path)
	if s.Items = items; err == nil && items == nil {
		s.Note(install.TimerThere(paths[0]))
	}
	return s, err
}

// timer is the weekly one of this project.
func (p *proposer) timer() install.Timer {
	return install.Timer{Name: install.TimerPrefix + "update-" + report.DigestOf([]byte(p.Repo.Root)).Name(8),
		What: "drift report of one project", Args: []string{"update", "--plain", "--project", p.Repo.Root},
		Left: "# 1 is drift, for the home screen to show. 2, a forbidden action that succeeds,\n" +
			"# is a failed unit: systemctl --user --failed\nSuccessExitStatus=1\n"}
}
