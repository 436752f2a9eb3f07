// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a pasted error names is looked at and nothing more:
// no file is opened, nothing is written or connected to.

package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/steps/doctor"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// ways are the steps that lead on from an answer, to which look adds what this
// machine says of it.
func (d *consultation) ways(ctx context.Context, found *catalog.Answer) []report.NextStep {
	steps, instead := d.look(ctx, found), found.Entry.Ways(d.a.sys.GOOS)
	switch probe := found.Entry.Probe; {
	case steps == nil && probe == "" && len(instead) > 0 &&
		slices.Contains([]catalog.Topic{"start", "rules"}, found.Entry.Topic):
		return stepsOf(instead[:1]) // it did not run, or not in the sandbox: nothing is to be compared
	case steps == nil && probe == "":
		return []report.NextStep{{Text: "run the command in a terminal of your own: if it fails there too, the sandbox is " +
			"not the cause"}}
	case found.Verdict != catalog.Ordinary && probe != "" && d.o.live == verify.Never:
		steps = append(steps, d.tests(probe))
	}
	return steps
}

// tests is the step that runs a probe.
func (d *consultation) tests(probe string) report.NextStep {
	c := d.called(report.Own("doctor "+probe, report.Command{Why: "test it on this machine"}))
	return report.NextStep{Command: &c}
}

// stepsOf are ways of the catalog as steps.
func stepsOf(ways []catalog.Way) (steps []report.NextStep) {
	for _, w := range ways {
		steps = append(steps, report.NextStep{Link: &report.DocLink{Title: w.Text, Line: w.Line}})
	}
	return steps
}

// look adds to an answer what this machine says of its fixes: what they would
// name, and which of them cannot help. It returns what to do where the sandbox is
// not the cause, else the line that tells more of the path or host, if there is
// one.
func (d *consultation) look(ctx context.Context, found *catalog.Answer) (steps []report.NextStep) {
	about := explainQuestion{Project: d.a.project}
	path, _ := namedPath(d.r, found.Paths)
	if found.Host == "" && found.Entry.Topic == "git" && found.Entry.Probe == "egress" { // ssh names no host
		found.Host = doctor.SSHHost(ctx, d.r, d.a.project)
	}
	_, inside := d.a.sys.Sandboxed() // in a sandboxed command a look tells of the inside
	switch {
	case found.Verdict == catalog.Ordinary:
		return stepsOf(found.Instead(d.a.sys.GOOS))
	case path != "" && strangePath(d.r, path) == "": // what another machine has is not opened here
		about.Kind, about.Subject = aboutPath, path
	case found.Host != "":
		about.Kind, about.Subject = aboutHost, found.Host
	}
	found.Entry.Fixes = slices.Clone(found.Entry.Fixes)
	for i, f := range found.Entry.Fixes {
		switch {
		case inside:
			found.Here = append(found.Here, catalog.Here{})
			continue
		case f.Proof[d.a.sys.GOOS] == catalog.Refuted:
			found.Here = append(found.Here, catalog.Here{Refuted: whyRefuted(ctx, d.r, f, about)})
			continue
		}
		fix, here := proposeFix(ctx, d.r, found.Entry.ID, f, about, makesDirectory(found.Line))
		found.Entry.Fixes[i], found.Here = fix, append(found.Here, d.pasted(here))
	}
	if steps = d.rehearse(ctx, found.Here); about.Subject == "" {
		return steps
	}
	c := d.called(report.Own("doctor --explain-"+string(about.Kind)+" "+
		scripts.Quote(about.Subject)+" --live", report.Command{}))
	return append(steps, report.NextStep{Command: &c})
}

// makesDirectory says whether an error is about a directory that was to be
// made.
func makesDirectory(line string) bool {
	line = strings.ToLower(line)
	return strings.Contains(line, "mkdir") || strings.Contains(line, "create directory") ||
		strings.Contains(line, "makedirs")
}

// pasted is what a fix comes to with lines that can be pasted.
func (d *consultation) pasted(h catalog.Here) catalog.Here {
	if h.Command != nil {
		c := d.called(*h.Command)
		h.Command = &c
	}
	return h
}

// rehearse asks the denials with each change in a rehearsal: what opens one is
// refused, and leads to verify where nothing can be told.
func (d *consultation) rehearse(ctx context.Context, fixes []catalog.Here) (steps []report.NextStep) {
	var changes []report.Change
	var of []*catalog.Here
	for i := range fixes {
		switch h := &fixes[i]; {
		case h.Change == nil || h.Untried != "":
		case d.o.live == verify.Never:
			h.Untried = "not tested (--live=never)"
		default:
			changes, of = append(changes, *h.Change), append(of, h)
		}
	}
	if changes == nil {
		return nil
	}
	for i, o := range doctor.Denials(ctx, d.r, d.a.consulting(), changes) {
		switch h := of[i]; {
		case errors.Is(o.Err, doctor.ErrOpen):
			*h = catalog.Here{Refused: o.Err.Error()}
			c := d.called(verify.Rehearse)
			steps = []report.NextStep{{Command: &c}}
		case o.Err != nil:
			h.Untried = "not tested: " + o.Err.Error()
		case o.Opened != nil:
			*h = catalog.Here{Refused: "tested on a copy of your setup: it opens " + strings.Join(o.Opened, "; ")}
		default:
			h.Held = o.Held
		}
	}
	return steps
}

// called is a command as it is called here.
func (d *consultation) called(c report.Command) report.Command { return d.a.called(d.a.self(d.h), c) }

// tries is the probe whose fixes a command tries.
func tries(c report.Command) (probe string, ok bool) { return strings.CutPrefix(string(c.ID), "try-") }

// together makes one line of those that try the fixes of one probe each.
func together(steps []report.NextStep) []report.NextStep {
	first, probes := -1, []string{}
	var rest []report.NextStep
	for _, s := range steps {
		if s.Command != nil {
			if probe, ok := tries(*s.Command); ok {
				probes = append(probes, probe)
				if first >= 0 {
					continue
				}
				first = len(rest)
			}
		}
		rest = append(rest, s)
	}
	if len(probes) > 1 {
		c := *rest[first].Command
		c = report.Own("doctor "+strings.Join(probes, " ")+" --try-fix", c)
		rest[first].Command = &c
	}
	return rest
}

// next are the steps that lead on, with this program called as it can be.
func (d *consultation) next(findings []report.Finding) []report.NextStep {
	steps := together(report.Steps(findings, nil))
	for i, s := range steps {
		switch {
		case s.Change != nil:
			steps[i].Text = "if it is worth its price, make the change shown above (" + s.Change.Why + ") in " + s.Change.Path +
				", then:  " + d.a.self(d.h) + " " + d.a.again("verify")
		default:
			steps[i] = d.a.calledStep(d.a.self(d.h), s)
		}
	}
	return steps
}
