// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package document renders the events of verify as one file for readers that are
// neither a terminal nor a script: a ticket, a browser, code scanning, a CI server.
//
// Contract: one walk makes the report safe and short, once, for every format; a
// renderer only puts it into its own syntax, where foreign text stays text. A run
// that has no verdict has no document. The same events make the same bytes.
package document

import (
	"strings"
	"time"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// Format is how a document is written.
type Format string

// The formats, and all of them.
const (
	Markdown Format = "markdown"
	HTML     Format = "html"
	SARIF    Format = "sarif"
	JUnit    Format = "junit"
)

// Formats lists every format.
var Formats = []Format{Markdown, HTML, SARIF, JUnit}

var renderers = map[Format]func(page) ([]byte, error){Markdown: markdown, HTML: html, SARIF: sarif, JUnit: junit}

// Report collects events until the verdict.
type Report struct {
	version  string
	facts    report.Facts
	strict   bool
	findings []report.Finding
	judged   engine.Judged
}

// New begins a report of this version of the program; strict says that a warning
// degrades.
func New(version string, facts report.Facts, strict bool) *Report {
	return &Report{version: version, facts: facts, strict: strict}
}

// Emit takes one event.
func (r *Report) Emit(e engine.Event) {
	switch e := e.(type) {
	case engine.CheckDone:
		r.findings = append(r.findings, e.Finding)
	case engine.Judged:
		r.judged = e
	}
}

// In is the report in one format, which ends with a newline.
func (r *Report) In(f Format) ([]byte, error) { return renderers[f](r.page()) }

// page is a report as every format shows it: all of its texts are safe lines.
type page struct {
	Version, Project, Runtime string
	Strict                    bool
	Verdict                   report.Verdict
	Status                    report.Status
	Where, Tally, Rehearsed   string
	Elapsed                   time.Duration
	Launches                  []launch
	Findings                  []finding
	root, home                string // for places of files
}

// launch is what holds for one way to start the agent.
type launch struct {
	Name    string
	Verdict report.Verdict
	Parts   []text.Part
}

type finding struct {
	report.CheckInfo
	Status   report.Status
	Summary  string
	Launches []said
	Seen     []seen // without what only repeats the summary
	Steps    []step
	Took     time.Duration
}

// said is what a finding says of one launch.
type said struct {
	Launch  string
	Status  report.Status
	Summary string
}

type seen struct {
	Where, Text string
	at          string // the place as it is, of a file: not safe
}

// step is what to do next; Line is what is typed, opened or added for it.
type step struct{ Text, Line, Why string }

func (r *Report) page() page {
	j, f := r.judged, r.facts
	findings := text.Said(report.InOrder(r.findings), f.Home)
	p := page{Version: text.Line(r.version), Project: text.Line(text.Home(f.Project, f.Home)), Strict: r.strict,
		Verdict: j.Verdict, Status: text.VerdictStatus(j.Verdict, j.Covers), Where: text.Range(j.Verdict, j.Covers, f),
		Tally: text.Tally(findings), Rehearsed: text.Rehearsed(j), Elapsed: j.Elapsed, root: f.Project, home: f.Home}
	if f.Runtime != "" {
		p.Runtime = text.Line(f.Program + " " + f.Runtime)
	}
	for _, l := range []report.Launch{report.Iso, report.Plain} {
		if v, ok := j.Launches[l]; ok {
			parts := text.Covered(l, v, text.Warned(findings, l), j.Covers, f)
			for i := range parts {
				parts[i].More = text.Line(parts[i].More)
			}
			p.Launches = append(p.Launches, launch{text.Launch(l), v, parts})
		}
	}
	for _, f := range findings {
		p.Findings = append(p.Findings, r.finding(f))
	}
	return p
}

func (r *Report) finding(f report.Finding) finding {
	out := finding{CheckInfo: report.Info(f.Check), Status: f.Status, Summary: text.Line(f.Summary), Took: f.Duration}
	out.ID, out.Layer = report.ID(text.Line(string(f.Check))), f.Layer
	if text.Differ(f) {
		for _, l := range f.Launches {
			if !text.RepeatsLaunch(f, l) {
				out.Launches = append(out.Launches, said{text.Launch(l.Launch), l.Status, text.Line(text.OfLaunch(l))})
			}
		}
	}
	for _, e := range f.Evidence {
		s := seen{Where: text.Line(text.Where(e, r.facts)), Text: text.Line(e.Text)}
		if e.Kind == "file" {
			s.at = e.Where
		}
		if !text.Repeats(f, e) || s.at != "" {
			out.Seen = append(out.Seen, s)
		}
	}
	for _, s := range report.Steps([]report.Finding{f}, nil) {
		said := text.Step(s.String(), r.facts.Home)
		next := step{Text: text.Line(said)}
		if i := strings.LastIndex(said, text.Pasted); i >= 0 && s.Command == nil {
			next = step{Text: text.Line(said[:i]), Line: text.Own(said[i+len(text.Pasted):])}
		}
		if c := s.Command; c != nil {
			words, _, _ := strings.Cut(said, text.Pasted)
			next = step{Text: text.Line(pathname.TildeIn(words, r.facts.Home)), Line: text.Own(c.Line), Why: text.Line(c.Why)}
		}
		out.Steps = append(out.Steps, next)
	}
	return out
}

// Open says whether the finding asks for something.
func (f finding) Open() bool { return f.Status != report.Pass && f.Status != report.Skip }

// listed says whether its evidence is the answer.
func (f finding) listed() bool { return report.Info(f.ID).Listed }

// sorted are the findings, the worst first.
func (p page) sorted() (list []finding) {
	for _, s := range report.Statuses {
		for _, f := range p.Findings {
			if f.Status == s {
				list = append(list, f)
			}
		}
	}
	return list
}

// lines are what was seen and what to do, for a format that has no more structure.
func (f finding) lines() string {
	var b strings.Builder
	for _, l := range f.Launches {
		b.WriteString(l.Launch + " " + string(l.Status) + ": " + l.Summary + "\n")
	}
	for _, s := range f.Seen {
		b.WriteString(s.String() + "\n")
	}
	for _, s := range f.Steps {
		b.WriteString("next: " + s.String() + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (s seen) String() string { return join(s.Where, s.Text) }

// join is a place and what is said of it; either may be "".
func join(where, words string) string {
	if where == "" || words == "" {
		return where + words
	}
	return where + ": " + words
}

func (s step) String() string {
	said := s.Text
	if s.Line != "" {
		said += text.Pasted + s.Line
	}
	if s.Why != "" {
		said += "  (" + s.Why + ")"
	}
	return said
}
