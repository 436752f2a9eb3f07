// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what was not tried is never left without its reason, and
// of what was not started nobody says that it works.

package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/fixes"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestAPackageManagerInTheHomeIsNotTried(t *testing.T) {
	for uses, want := range map[string]string{"": "not tested: npm, cargo", "Cargo.toml": "not tested: cargo"} {
		h := plainHost(t, "linux")
		home := h.Places().Home
		for name, text := range map[string]string{"bin/cargo": "#!/bin/sh\n", "bin/npm": "#!/bin/sh\n", uses: ""} {
			if name == "" {
				continue
			}
			path := filepath.Join(home, name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o755)); err != nil {
				t.Fatal(err)
			}
		}
		var steps []report.Status
		b := &bench{r: h, o: Options{Agent: fixes.Claude{}, Project: home}, emit: func(e engine.Event) {
			if s, ok := e.(engine.ProbeStep); ok {
				steps = append(steps, s.Status)
			}
		}}
		c := &inquiry{probe: testenv.Must(choose([]report.ID{"package-managers"}))(t)[0]}
		c.control = c.outside(t.Context(), b)
		c.asked = c.asks(b, c.control)
		b.judge(t.Context(), c)
		f := c.finding
		if f.Status != report.Unknown || f.Summary != want || fmt.Sprint(steps) != "[unknown]" {
			t.Errorf("with %q: %s: %s; steps %v", uses, f.Status, f.Summary, steps)
		}
		if last := f.Evidence[len(f.Evidence)-1]; !strings.Contains(last.Text, "bin/cargo lies in the home directory") {
			t.Errorf("with %q: %+v", uses, f.Evidence)
		}
	}
}

func TestARemoteAtANumberIsNotTried(t *testing.T) {
	const number = "not tested: the remote is at a number, and only a name can be tried"
	for address, want := range map[string]string{"ssh://git@10.9.8.7:2222/x.git": number,
		"https://[2001:db8::1]/x.git": number,
		"/srv/x.git":                  "no remote on another machine"} {
		addresses := []string{"../x", address}
		if got := noRemote("/r", addresses).summary; got != want || remotesOf(addresses) != nil {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
}

func TestWhatWasNotStartedOutsideIsNotSaidToWorkThere(t *testing.T) {
	for unstarted, want := range map[bool]string{true: "not tested: no rehearsal",
		false: "works outside; not tested inside: no rehearsal"} {
		b := &bench{r: plainHost(t, "darwin"), o: Options{Agent: fixes.Claude{}}, noStage: errors.New("no rehearsal"),
			emit: func(engine.Event) {}}
		c := &inquiry{probe: probe{id: "x"}, control: control{status: report.Pass, unstarted: unstarted}}
		b.judge(t.Context(), c)
		if c.finding.Summary != want {
			t.Errorf("%q, want %q", c.finding.Summary, want)
		}
		b.conclude(t.Context(), c)
		if strings.Contains(c.finding.Summary, "outside") == unstarted {
			t.Errorf("started: %v, %q", !unstarted, c.finding.Summary)
		}
	}
	h := plainHost(t, "linux")
	steps := map[report.ID]report.Status{}
	_, err := Run(context.Background(), h, Options{Agent: fixes.Claude{},
		Probes: []report.ID{"egress", "ipc-sockets", "localhost-bind"}},
		func(e engine.Event) {
			if s, ok := e.(engine.ProbeStep); ok && s.Column == engine.Outside {
				steps[s.ID] = s.Status
			}
		})
	if err != nil || steps["egress"] != report.Skip || steps["ipc-sockets"] != report.Skip ||
		steps["localhost-bind"] != report.Pass {
		t.Errorf("%v, %v", steps, err)
	}
}
