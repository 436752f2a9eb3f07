// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: nobody is blamed for what was cut off, for what another file
// lacks, or for sessions that were not played.

package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/fixes"
	"github.com/steward-setup/steward-setup/internal/agent/claude/play"
	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/trial"
)

// replied is a session in which the call of an ask got a reply.
func replied(a ask, reply string) *trial.Trial {
	t := trial.New(rehearsal.Session{}, []trial.Probe{a.probe()})
	t.Raw.Results = map[string]model.Result{}
	for turn, calls := range t.Session.Turns {
		for i := range calls {
			t.Raw.Results[model.ID(turn, i)] = model.Result{Text: reply}
		}
	}
	return t
}

func TestWhatWasCutOffIsNotCalledBlocked(t *testing.T) {
	a := ask{id: "a", call: bash("mvn"), through: trial.Through{Reply: "BUILD SUCCESS"},
		layer: always(catalog.Mount, "alone")}
	for reply, want := range map[string]report.Status{"Command timed out after 2m": report.Unknown,
		"no such file": report.Fail, "BUILD SUCCESS": report.Pass} {
		p := &pair{baseline: replied(a, reply), twin: replied(a, "BUILD SUCCESS")}
		p.outcomes = p.baseline.Judge(p.twin)
		b := &bench{r: plainHost(t, "linux"), o: Options{Agent: fixes.Claude{}}, trials: map[scene]*pair{root: p}}
		got := b.result(t.Context(), a)
		if got.status != want || want == report.Unknown && (got.layer != "" || got.why == "") {
			t.Errorf("%q: %s by %q (%s), want %s", reply, got.status, got.layer, got.why, want)
		}
	}
}

// TestWhoRefusedABrowserOfAStore: only where the browser itself is missing is it
// the hidden home.
func TestWhoRefusedABrowserOfAStore(t *testing.T) {
	br := browser{name: "Playwright's chrome", path: "/home/u/.cache/ms-playwright/c/chrome",
		store: "/home/u/.cache/ms-playwright"}
	a := ask{id: "a", call: bash("chrome")}
	const bus = "Failed to connect to the bus: /run/dbus/system_bus_socket: No such file or directory"
	for reply, want := range map[string]string{
		"/bin/bash: line 1: " + br.path + ": No such file or directory": "browser-missing",
		bus:                              "",
		bus + "\n" + lockWords[0] + ":1": "browser-profile",
		br.path + " is there\n" + bus:    "",
	} {
		if _, _, entry := br.refused(replied(a, reply), "a"); entry != want {
			t.Errorf("%q: %q, want %q", reply, entry, want)
		}
	}
}

func TestTheNewestBrowserOfAStore(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"chromium-999", "chromium-1200", "chromium-tip-of-tree-1300"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name, "chrome"), nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	got := newest(&bench{r: plainHost(t, "linux")}, dir, "chromium-*/chrome")
	if want := filepath.Join(dir, "chromium-1200", "chrome"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestATreatmentThatWasNotPlayedRefutesNothing: where playing it broke off for
// one probe, the others are not told that the fix does not work.
func TestATreatmentThatWasNotPlayedRefutesNothing(t *testing.T) {
	b := &bench{r: plainHost(t, "linux"), theatre: &rehearsal.Theatre{Agent: play.Claude{}},
		trials: map[scene]*pair{root: {}}}
	t1 := &treatment{members: []member{{c: &inquiry{results: []result{{}}}}}} // no attempt: it panics
	c := &inquiry{}
	c.guard(func() { t1.play(t.Context(), b) })
	if c.finding.Status != report.Unknown {
		t.Fatalf("it was played: %+v", c.finding)
	}
	t1.play(t.Context(), b)
	if o := b.outcome(&inquiry{}, &attempt{treatment: t1}); !o.untried || !strings.Contains(o.said, "not tested") {
		t.Errorf("%+v", o)
	}
}
