// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a recording is never taken for a result: each of its lines
// says what it is, and no verdict follows from it.

package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/pins"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/trial"
	"github.com/steward-setup/steward-setup/internal/ui/text"
	"github.com/steward-setup/steward-setup/manifests"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// proof is what the rehearsal in the throwaway home came to, or what a
// recorded one came to.
type proof struct {
	// Recorded says that nothing of it was seen on this machine, and Why.
	Recorded bool   `json:"recorded"`
	Why      string `json:"why,omitempty"`
	// Runtime, Bubblewrap and Socat are the versions that it was seen with.
	Runtime    string      `json:"runtime"`
	Bubblewrap string      `json:"bubblewrap"`
	Socat      string      `json:"socat"`
	Calls      []proofCall `json:"calls"`
}

// proofCall is one call that the policy denies, made in a session of claude-iso
// in the project. A denial by the sandbox counts as blocked only if the same
// call got through without it (internal/trial).
type proofCall struct {
	ID     string `json:"id"`
	Says   string `json:"says"`
	Layer  string `json:"layer"`
	Result string `json:"result"`
}

// The results of a call.
const (
	blocked    = "blocked"
	gotThrough = "succeeded"
	notSeen    = "unknown"
)

// callsOf are the calls that were to be denied, with what became of them; the
// user's number in a path is no part of it.
func callsOf(outcomes []trial.Outcome, uid int) (calls []proofCall) {
	number := strconv.Itoa(uid)
	anyone := strings.NewReplacer("/run/user/"+number, "/run/user/UID", "krb5cc_"+number, "krb5cc_UID")
	for _, o := range outcomes {
		if o.Control || o.Exposed != "" {
			continue
		}
		c := proofCall{ID: anyone.Replace(o.ID), Says: anyone.Replace(o.Says()), Layer: string(o.Layer), Result: notSeen}
		switch o.Status {
		case report.Pass:
			c.Result = blocked
		case report.Fail:
			c.Result = gotThrough
		}
		calls = append(calls, c)
	}
	return calls
}

// prove plays the rehearsal in the throwaway home. Where there is none, the
// proof is the recorded one; the findings go to emit either way.
func (t *tryRun) prove(ctx context.Context, emit engine.Sink) (proof, error) {
	v := t.in.prove().v
	emit, clear := t.in.a.waiting(len(v.shown()), emit)
	rep, live, err := v.judge(ctx, emit)
	clear()
	if err != nil {
		return proof{}, stopped(ctx, err, "try")
	}
	if rep.From == engine.FromRehearsal && live != nil {
		p := proof{Calls: callsOf(live.Outcomes(verify.IsoRoot), t.in.a.sys.UID)}
		if p.count(blocked)+p.count(gotThrough) > 0 {
			p.Runtime, p.Bubblewrap, p.Socat = t.versions(ctx)
			return p, nil
		}
	}
	p, err := recordedProof()
	p.Why = t.unproved(rep.Findings)
	return p, err
}

// recordedProof is the recording that the program was built with.
func recordedProof() (p proof, err error) {
	if err := json.Unmarshal([]byte(manifests.RecordedRehearsal), &p); err != nil {
		return p, fmt.Errorf("the recorded rehearsal: %w", err)
	}
	p.Recorded = true
	return p, nil
}

// versions are those of the tools of a rehearsal.
func (t *tryRun) versions(ctx context.Context) (runtime, bubblewrap, socat string) {
	said := func(tool proc.Tool) string {
		v, _ := pins.Reported(string(tool), string(t.h.Run(ctx, proc.Version(tool)).Stdout))
		return v
	}
	return said(proc.Tool(t.h.Places().Agent.Tool())), said(proc.Bubblewrap), said(proc.Socat)
}

// unproved says why nothing was rehearsed here.
func (t *tryRun) unproved(findings []report.Finding) string {
	var missing []string
	program := t.h.Places().Agent.Program
	for _, tool := range []struct{ program, name string }{{program, program}, {"bwrap", "bubblewrap"},
		{"socat", "socat"}} {
		if _, err := t.h.Look(tool.program); err != nil {
			missing = append(missing, tool.name)
		}
	}
	switch {
	case len(missing) == 1:
		return missing[0] + " is not installed here"
	case missing != nil:
		return strings.Join(missing, ", ") + " are not installed here"
	case t.in.a.sys.UID == 0:
		return "root can read everything, so no denial can be tested as root"
	}
	for _, f := range findings {
		if f.Check == "denials" {
			return f.Summary
		}
	}
	return "the rehearsal gave no result here"
}

func (p proof) count(result string) (n int) {
	for _, c := range p.Calls {
		if c.Result == result {
			n++
		}
	}
	return n
}

// shownPerLayer bounds how many blocked calls of a layer are shown one by one.
const shownPerLayer = 4

func (p proof) title() string {
	if p.Recorded {
		return "A recorded test: nothing was tested on this machine"
	}
	return "Tested on this machine"
}

func (p proof) lines() []string {
	mark := "tested here"
	if p.Recorded {
		mark = "recording"
	}
	with := fmt.Sprintf("claude %s, bubblewrap %s, socat %s", p.Runtime, p.Bubblewrap, p.Socat)
	rows := []string{mark + "   with " + with}
	if p.Recorded {
		rows = []string{"Not tested on this machine: " + p.Why + ".", "What follows was recorded on another machine, with " +
			with + ".", ""}
	}
	seen := map[string]int{}
	for _, c := range p.Calls {
		if c.Result == blocked {
			if seen[c.Layer]++; seen[c.Layer] > shownPerLayer {
				continue
			}
		}
		rows = append(rows, fmt.Sprintf("%s   %-11s  %s  (%s)", mark, c.Result, c.Says, cmp.Or(c.Layer, "no layer")))
	}
	for _, layer := range slices.Sorted(maps.Keys(seen)) {
		if n := seen[layer] - shownPerLayer; n > 0 {
			rows = append(rows, fmt.Sprintf("%s   %-11s  %d more  (%s)", mark, blocked, n, layer))
		}
	}
	rows = append(rows, fmt.Sprintf("%s   %d of %d forbidden actions were blocked; those that the sandbox blocks "+
		"succeed without it", mark, p.count(blocked), len(p.Calls)))
	return rows
}

// real are the lines that bring what a rehearsal needs, and the one that plays
// it.
func (t *tryRun) real(p report.Plan) []string {
	var install []string
	for _, s := range p.Sections {
		if s.ID != "tools" {
			continue
		}
		for _, c := range (report.Plan{Sections: []report.Section{s}}).Commands() {
			if !c.Optional {
				install = append(install, c.Line)
			}
		}
	}
	if t.in.a.sys.UID == 0 {
		install = []string{"log in as an ordinary user, not root"}
	}
	if install == nil {
		return []string{t.own + " verify", t.own + " try"}
	}
	return []string{strings.Join(install, " && "), t.own + " try"}
}

func (t *tryRun) showProof(p proof) {
	if t.out.doc != nil {
		t.out.doc.Data(p)
		return
	}
	for _, line := range p.lines() {
		t.in.a.say("%s", text.Line(line))
	}
}

// makeReal ends with the two lines after which a recording is no longer needed.
func (t *tryRun) makeReal(p proof, plan report.Plan) {
	if !p.Recorded || t.out.doc != nil {
		return
	}
	t.title("To test it on this machine:")
	for _, line := range t.real(plan) {
		fmt.Fprintln(t.in.a.out, "  "+text.Line(line))
	}
}
