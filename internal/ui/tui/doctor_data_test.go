// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the doctor of the tests has every probe of the real one,
// in its order and with words as long as the real ones.

package tui

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
)

// probesOfTests are those of the doctor.
var probesOfTests = []engine.Check{
	{ID: "ssh-agent", Title: "the SSH agent can be used"},
	{ID: "localhost-bind", Title: "servers on this machine can be used"},
	{ID: "docker", Title: "Docker can be used"},
	{ID: "podman", Title: "Podman can be used"}, {ID: "unix-sockets", Title: "unix sockets can be used"},
	{ID: "userns", Title: "the sandbox can start here"},
	{ID: "gpg-sign", Title: "a commit can be signed"}, {ID: "git-worktree", Title: "git works in every worktree"},
	{ID: "egress", Title: "hosts can be reached"},
}

// sick is a machine with an SSH agent that the sandbox keeps commands from.
type sick struct {
	findings []report.Finding
	// runs counts runs, tried are the probes whose fixes were tried.
	runs  int
	tried [][]report.ID
}

// agentChange is the fix that works for the agent.
var agentChange = report.Change{ID: "doctor/ssh-agent", Path: project + "/.claude/settings.local.json",
	Target: project + "/.claude/settings.local.json",
	Why:    "Allow all unix sockets",
	Price:  "every socket that the file permissions of this machine allow can be reached: 7 of them",
	Before: []byte("{\n  \"model\": \"opus\"\n}\n"), After: []byte("{\n  \"model\": \"opus\",\n  \"sandbox\": {\n" +
		"    \"network\": {\n      \"allowAllUnixSockets\": true\n    }\n  }\n}\n"), Mode: 0o644}

var agentSays = refusals["ssh-agent"].String()

// refusals say who refused what inside.
var refusals = map[report.ID]engine.Refusal{
	"ssh-agent": {Layers: []catalog.Refuser{catalog.Seccomp},
		Said: "ssh-add -l: Error connecting to agent: Operation not permitted"},
	"localhost-bind": {Layers: []catalog.Refuser{catalog.Mount}, ByDesign: true,
		Said: "a server of the host: connection refused", Works: "1 of 2 calls work"},
}

func newSick() *sick {
	evidence := func(text string) []report.Evidence {
		return []report.Evidence{report.CommandEvidence("ssh-add -l", text)}
	}
	s := &sick{}
	for _, p := range probesOfTests {
		f := report.Finding{Check: p.ID, Layer: report.LayerSandbox, Status: report.Pass, Summary: "works inside as outside",
			Evidence: evidence("works inside"), Duration: 7700 * time.Millisecond}
		switch p.ID {
		case "ssh-agent":
			f.Status, f.Summary = report.Fail, agentSays
			f.Evidence = []report.Evidence{report.CommandEvidence("ssh-add -l", "2 identities"),
				report.CommandEvidence("ssh-add -l", "Error connecting to agent: Operation not permitted"),
				report.RefusalEvidence("seccomp"), report.CommandEvidence("a call that connects to the same socket",
					"refused by socket: operation not permitted (no socket of that family is made, whatever its path)")}
			f.Remedies = []report.Remedy{
				report.Command{ID: "try-ssh-agent", Line: "steward-setup doctor ssh-agent --try-fix", Optional: true,
					Why: "tries every known fix on a stage and says which works and what it costs; changes nothing"},
				report.DocLink{Title: "use an HTTPS remote: the proxy lets git through to the hosts of the policy",
					Target: "docs/troubleshooting.md#ssh-agent"}}
		case "localhost-bind":
			f.Status, f.Summary = report.Warn, refusals[p.ID].String()
			f.Remedies = []report.Remedy{report.Command{ID: "try-localhost-bind",
				Line: "steward-setup doctor localhost-bind --try-fix", Optional: true, Why: "tries every known fix on a stage"}}
		case "docker", "podman", "gpg-sign":
			f.Status, f.Summary = report.Skip, string(p.ID)+" is not installed"
		}
		s.findings = append(s.findings, f)
	}
	return s
}

func (s *sick) finding(id report.ID) *report.Finding {
	return &s.findings[slices.IndexFunc(s.findings, func(f report.Finding) bool { return f.Check == id })]
}

// play emits a run of some probes (nil: all) up to a point: "outside",
// "inside" or "" for its end.
func (s *sick) play(ids []report.ID, fixes bool, until string, emit engine.Sink) {
	var fs []report.Finding
	for _, f := range s.findings {
		if ids == nil || slices.Contains(ids, f.Check) {
			fs = append(fs, f)
			emit(engine.CheckStarted{ID: f.Check})
		}
	}
	for i, f := range fs {
		step := engine.ProbeStep{ID: f.Check, Column: engine.Outside, Status: report.Pass, Summary: "2 identities"}
		step.GoesOn = f.Status != report.Skip
		if f.Status == report.Skip {
			step.Status, step.Summary = report.Skip, f.Summary
		}
		if emit(step); until == "outside" && i == len(fs)/2 {
			return
		}
	}
	for _, f := range fs {
		step := engine.ProbeStep{ID: f.Check, Column: engine.Inside, Status: f.Status, Summary: f.Summary,
			Refusal: refusals[f.Check]}
		if f.Status == report.Skip {
			step.Summary = ""
		}
		emit(step)
	}
	if until == "inside" {
		return
	}
	for _, f := range fs {
		step := engine.ProbeStep{ID: f.Check, Column: engine.WithFix, Status: report.Skip}
		if fixes && f.Check == "ssh-agent" && f.Status == report.Fail && !f.Voids {
			step.Status, step.Summary = report.Warn, "“Allow all unix sockets” works, but lowers protection"
			f.Summary += "; with “Allow all unix sockets” it works, but protection is lower"
			f.Evidence = append(slices.Clone(f.Evidence), report.CommandEvidence("with the fix: Allow all unix sockets",
				"works, and not without it; every denial held"))
			f.Remedies = []report.Remedy{agentChange, f.Remedies[1]}
		}
		if fixes && f.Check == "localhost-bind" {
			step.Status, step.Summary = report.Fail, "not fixable by settings here"
			f.Summary, f.Remedies = f.Summary+"; not fixable by settings here (1 tried)", nil
		}
		emit(step)
		if step.Status == report.Warn { // a larger one works too; the table shows the smallest
			step.Summary = "“Run ssh outside the sandbox” works, but lowers protection"
			emit(step)
		}
		emit(engine.CheckDone{Finding: f})
	}
}

// run is the screen's.
func (s *sick) run(fixes bool) DoctorRun {
	return DoctorRun{Facts: facts, Probes: probesOfTests, FixesTried: fixes,
		Run: func(_ context.Context, emit engine.Sink) error {
			s.runs++
			s.play(nil, fixes, "", emit)
			return nil
		},
		TryFixes: func(_ context.Context, ids []report.ID, emit engine.Sink) error {
			s.tried = append(s.tried, ids)
			s.play(ids, true, "", emit)
			return nil
		},
		Fixable: func(f report.Finding) bool { return len(f.Remedies) > 0 },
	}
}

// consult opens the screen of a run.
func consult(t *testing.T, d DoctorRun, width, height int) (*driver, *doctorPage) {
	t.Helper()
	m, p := newDoctor(t.Context(), d)
	return lookAt(t, m, width, height), p
}

// midway is a run that has come to a point.
func midway(t *testing.T, until string, fixes bool, width, height int) (*driver, *doctorPage) {
	t.Helper()
	m, p := newDoctor(t.Context(), newSick().run(fixes))
	m.work = nil // the test plays it
	d := lookAt(t, m, width, height)
	newSick().play(nil, fixes, until, p.event)
	p.event(engine.Progress{Text: "trying inside: 2 sessions", Done: 1, Of: 2})
	d.send(nil)
	return d, p
}

func doctorScene(s *sick, fixes bool, keys string) func(*testing.T, [2]int) *driver {
	return func(t *testing.T, size [2]int) *driver {
		t.Helper()
		d, _ := consult(t, s.run(fixes), size[0], size[1])
		return d.press(keys)
	}
}

// nothingHere is a machine on which no probe applies.
func nothingHere() *sick {
	s := newSick()
	for i := range s.findings {
		f := &s.findings[i]
		f.Status, f.Summary, f.Remedies = report.Skip, string(f.Check)+" is not installed", nil
	}
	return s
}
