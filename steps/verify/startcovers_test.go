// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a start is covered only where everything that was asked
// there was answered.

package verify

import (
	"errors"
	"testing"

	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/trial"
)

func TestWhatASessionSaysOfItsStart(t *testing.T) {
	for _, c := range []struct {
		name      string
		tally     tally
		fails     bool
		want      report.Status
		rehearsed bool
	}{
		{"everything held", tally{status: report.Pass, denied: 9}, false, report.Pass, true},
		{"exposed on purpose", tally{status: report.Warn, denied: 9}, false, report.Pass, true},
		{"something got through", tally{status: report.Fail, denied: 9, through: 1}, false, report.Fail, true},
		{"blocked by a prompt only", tally{status: report.Fail, denied: 9}, false, report.Unknown, true},
		{"kept by a prompt alone, and something not judged", tally{status: report.Fail, denied: 9, doubt: true}, false,
			report.Unknown, true},
		{"something not judged", tally{status: report.Unknown, denied: 9, doubt: true}, false, report.Unknown, true},
		{"no command starts", tally{status: report.Warn, denied: 9, idle: true}, false, report.Unknown, true},
		{"it did not play", tally{status: report.Unknown}, true, report.Unknown, false},
	} {
		root := trial.New(rehearsal.Session{Name: PlainRoot}, nil)
		if c.fails {
			root.Err = errors.New("no")
		}
		l := &Rehearsal{plan: sessionPlan{root: "/p", trials: []*trial.Trial{root}}}
		got := l.cover(place{session: PlainRoot, launch: report.Plain, at: report.AtRoot}, c.tally)
		if got.Status != c.want || got.Rehearsed != c.rehearsed {
			t.Errorf("%s: %s, rehearsed %v, want %s, %v", c.name, got.Status, got.Rehearsed, c.want, c.rehearsed)
		}
	}
}
