// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what could not be looked up is not called drift, and what
// was not compared is not called the same.

package update_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/steps/update"
)

func TestWhatIsUnknownIsNotCalledDrift(t *testing.T) {
	testenv.AsUser(t)
	r := newMachine(t).reader()
	for want, found := range map[string][]report.Status{"no drift": {report.Pass}, "drift": {report.Warn, report.Unknown},
		"drift unknown": {report.Unknown, report.Pass}} {
		var checks []engine.Check
		for _, s := range found {
			checks = append(checks, engine.CheckOf(update.Tools, func(context.Context, host.Reader) report.Finding {
				return report.Finding{Status: s, Summary: "x", Evidence: []report.Evidence{report.FileEvidence("x", "x")}}
			}))
		}
		var said engine.Judged
		if _, err := update.Run(t.Context(), r, checks, func(e engine.Event) {
			if j, ok := e.(engine.Judged); ok {
				said = j
			}
		}); err != nil || said.Said != want {
			t.Errorf("%v: %q, want %q: %v", found, said.Said, want, err)
		}
	}
}

func TestABuildWithoutAVersionIsNotCalledTheSame(t *testing.T) {
	testenv.AsUser(t)
	m := newMachine(t)
	m.opts.Version, m.now = update.NoVersion, m.now.Add(time.Minute)
	m.remove(".claude/scripts/sandbox-error-hint.sh")
	m.install()
	if f := find(m.report(), update.Framework); f.Status != report.Skip {
		t.Error(told([]report.Finding{f}))
	}
}

func TestPinsThatAreNotUnderstoodLeadToTheirFile(t *testing.T) {
	testenv.AsUser(t)
	m := newMachine(t)
	m.put(m.localPins(), "[tools.bubblewrap]\nversoin = 1\n", 0o644)
	f := find(m.report(), update.Tools)
	if len(f.Remedies) == 0 {
		t.Fatal("no step")
	}
	if link, _ := f.Remedies[0].(report.DocLink); !strings.HasPrefix(link.Target, m.at(m.localPins())+":2:") {
		t.Errorf("%+v", link)
	}
}
