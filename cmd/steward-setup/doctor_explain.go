// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is pasted is data of unknown origin: bounded, shown
// without secrets and controls, and believed in nothing.

package main

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/jsonv1"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// maxPasted bounds what is read from standard input, in bytes.
const maxPasted = 1 << 20

// maxNearest is how many ids are offered where nothing matches.
const maxNearest = 3

// explainText says what is known of a text, and whether this machine shows it.
func (d *consultation) explainText(ctx context.Context) error {
	text := d.o.text
	noText := &report.Error{Code: report.ExitUsage, Where: "standard input",
		What: "is empty: there is nothing to explain", Next: "paste the text as the argument of --explain"}
	if text == "-" {
		d.a.wait.Pause() // somebody may be typing
		b, err := io.ReadAll(io.LimitReader(d.a.in, maxPasted))
		d.a.wait.Resume()
		if err != nil {
			noText.What, noText.Err = "cannot be read", err
			return d.out.end(0, noText)
		}
		text = string(b)
	}
	text = strings.ToValidUTF8(text[:min(len(text), maxPasted)], "\ufffd")
	if strings.TrimSpace(text) == "" {
		return d.out.end(0, noText)
	}
	entries, err := catalog.Load(agent.Catalog())
	if err != nil {
		return d.out.end(0, err)
	}
	found, known := catalog.Recognise(entries, text, d.a.sys.GOOS, lookFor(ctx, d.r, d.a.project))
	found.Entry.Alternatives = slices.Clone(found.Entry.Alternatives)
	for i, way := range found.Entry.Alternatives {
		found.Entry.Alternatives[i].Line = d.a.calledLine(d.a.self(d.h), way.Line)
	}
	var (
		next    []report.NextStep
		nearest []string
	)
	switch {
	case !known:
		near := catalog.Nearest(entries, text, d.a.sys.GOOS, maxNearest)
		for _, e := range near {
			nearest = append(nearest, e.ID)
		}
		next = d.lookAt(near)
	case known && found.Elsewhere:
		next = stepsOf(found.Instead(d.a.sys.GOOS))
		if found.Entry.Probe != "" {
			next = append(next, d.tests(found.Entry.Probe))
		}
	default:
		next = d.ways(ctx, &found)
	}
	if d.out.doc != nil {
		d.out.doc.Data(jsonv1.AdviceOf(found, known, nearest, next))
	}
	if !known {
		if d.lines != nil {
			d.lines.Unknown(nearest)
			d.lines.Next(next)
		}
		return d.out.end(report.ExitLeft, nil)
	}
	if d.lines != nil {
		d.lines.Advice(found, d.a.sys.GOOS, fixWhere)
	}
	return d.here(ctx, found, next)
}

// pasteMore is what a text lacks that names an error, and not what it happened to.
const pasteMore = "paste all lines of the error: the path, host or command in them shows the cause; a code such as " +
	"EPERM does not"

// lookAt are the steps where nothing matches: to give more of the text, and to look at what comes nearest.
func (d *consultation) lookAt(near []catalog.Entry) []report.NextStep {
	steps := []report.NextStep{{Text: pasteMore}}
	for _, e := range near {
		steps = append(steps, report.NextStep{Command: &report.Command{Why: e.Title,
			Line: d.a.self(d.h) + " doctor --explain " + e.ID}})
	}
	return append(steps, report.NextStep{Command: &report.Command{Line: d.a.self(d.h) + " " + d.a.again("doctor")}})
}

// here runs the probe of an entry, says what it saw, and what leads on.
func (d *consultation) here(ctx context.Context, found catalog.Answer, next []report.NextStep) error {
	say := func(words string) {
		if d.lines != nil {
			d.lines.Here(words)
		}
	}
	end := func(code int) error {
		if d.lines != nil {
			d.lines.Next(next)
		}
		return d.out.end(code, nil)
	}
	id := report.ID(found.Entry.Probe)
	switch {
	case found.Entry.Layer == catalog.None && found.Verdict == catalog.Ordinary:
		return end(report.ExitOK)
	case found.Verdict == catalog.Ordinary:
		say("not reproduced on this machine: the error has an ordinary cause")
		return end(report.ExitOK)
	case id == "":
		say("no probe tests this")
		return end(report.ExitOK)
	case found.Elsewhere:
		say("not tested: it does not occur on this platform")
		return end(report.ExitOK)
	case d.o.live == verify.Never:
		say("not tested (--live=never)")
		return end(report.ExitOK)
	}
	findings, err := d.probe(ctx, []report.ID{id}, 1)
	if err != nil {
		return d.out.end(0, err)
	}
	shows := "the probe " + string(id) + " finds nothing blocked: not reproduced on this machine"
	for _, f := range findings {
		switch f.Status {
		case report.Fail:
			shows = "reproduced on this machine: the probe " + string(id) + " is blocked"
			if f.Voids {
				shows = "not judged: " + f.Summary
			}
		case report.Warn:
			shows = "the probe " + string(id) + " is blocked by design: the policy intends it"
			if f.Of(report.Refusal) == nil {
				shows = "not reproduced on this machine: the probe " + string(id) + " works, but lowers protection"
			}
		case report.Skip:
			shows = "the probe " + string(id) + " does not apply here"
		case report.Unknown:
			shows = "the probe " + string(id) + " gave no result"
		}
	}
	say(shows)
	next = append(d.next(findings), next...)
	if d.lines != nil {
		d.lines.End()
	}
	return end(report.Judge(findings, false).Exit())
}

// explain says what decides about one thing.
func (d *consultation) explain(ctx context.Context) error {
	q := d.o.question
	q.Project = d.a.project
	x, err := explainSubject(ctx, d.r, q)
	if err != nil {
		return d.out.end(0, err)
	}
	for i, n := range x.Notes {
		x.Notes[i].Line = d.a.calledLine(d.a.self(d.h), n.Line)
	}
	if d.out.doc != nil {
		d.out.doc.Data(jsonv1.ExplanationOf(x))
	} else {
		d.lines.Explain(x)
	}
	return d.out.end(explained(x, q.Live), nil)
}

// explained is the exit code of an explanation: 2 if something got through
// that the settings deny, 1 if the runtime did otherwise in another way or what
// was to be tried could not be, else 0.
func explained(x report.Explanation, live bool) int {
	code, tried := report.ExitOK, false
	for _, r := range x.Rulings {
		if r.Tried == nil {
			continue
		}
		tried = tried || r.Tried.Answer != report.Unclear
		switch {
		case r.Tried.Expected == report.Denied && r.Tried.Answer == report.Allowed:
			return report.ExitUnprotected
		case r.Tried.Expected != "":
			code = report.ExitLeft
		}
	}
	if live && !tried {
		return report.ExitLeft
	}
	return code
}
