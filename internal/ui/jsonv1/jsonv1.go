// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package jsonv1 renders events as one JSON document, schema version 1.
//
// Contract: one document a command, on one stream, also when the command
// fails; plan.items and findings are always arrays. The document changes only
// by additions; anything else is another package, jsonv2.
package jsonv1

import (
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/jsontext"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// Document is what `--json` prints.
type Document struct {
	SchemaVersion int            `json:"schema_version"`
	Command       string         `json:"command"`
	ToolVersion   string         `json:"tool_version"`
	Verdict       report.Verdict `json:"verdict,omitempty"`
	// Launches are the verdicts of the ways to start the agent that were
	// told apart.
	Launches map[report.Launch]report.Verdict `json:"launches,omitempty"`
	// Covers say of each launch where denied calls are blocked, and where
	// they get through: what the verdict covers.
	Covers   []report.Cover `json:"covers,omitempty"`
	Live     *live          `json:"live,omitempty"`
	Host     Host           `json:"host"`
	Findings []finding      `json:"findings"`
	Plan     *plan          `json:"plan,omitempty"`
	Receipt  string         `json:"receipt,omitempty"`
	Notes    []string       `json:"notes,omitempty"`
	// Probes are the parts of a doctor's probes: outside, inside, and each
	// fix that was tried.
	Probes map[report.ID]map[engine.Column][]column `json:"probes,omitempty"`
	Data   any                                      `json:"data,omitempty"`
	Error  *failure                                 `json:"error,omitempty"`
}

// live says when there was to be a rehearsal (mode), where the live findings
// are from, and how old they are; null where there are none.
type live struct {
	Mode       string          `json:"mode"`
	From       engine.LiveFrom `json:"from"`
	AgeSeconds *int64          `json:"age_seconds"`
}

// Host names the machine.
type Host struct {
	OS      string `json:"os"`
	Distro  string `json:"distro"`
	Runtime string `json:"runtime"`
}

type finding struct {
	report.Finding
	// RefusedBy are the layers that a doctor's probe found to refuse
	// something ("layer" is that of the report's four).
	RefusedBy  []string `json:"refused_by,omitempty"`
	Remedies   []any    `json:"remedies"`
	DurationMS int64    `json:"duration_ms"`
}

type plan struct {
	ID    report.PlanID `json:"id"`
	Items []any         `json:"items"`
	// Apply is the exact line that applies the plan.
	Apply string `json:"apply,omitempty"`
	// Opens and Exposes are what its sections say of their price, Answers what it
	// was made with.
	Opens   []string `json:"opens,omitempty"`
	Exposes []string `json:"exposes,omitempty"`
	Answers []answer `json:"answers,omitempty"`
}

// answer is one question by its flag, with its answer and why it has that; Decided
// says that there was nothing to choose.
type answer struct {
	Flag    report.ID `json:"flag"`
	Values  []string  `json:"values"`
	Why     string    `json:"why"`
	Decided bool      `json:"decided"`
}

type change struct {
	Kind string    `json:"kind"`
	ID   report.ID `json:"id,omitempty"`
	Path string    `json:"path"`
	Diff string    `json:"diff"`
	Why  string    `json:"why"`
}

type command struct {
	Kind       string    `json:"kind"`
	ID         report.ID `json:"id,omitempty"`
	Line       string    `json:"line"`
	Privileged bool      `json:"privileged"`
	Why        string    `json:"why"`
	AddTo      string    `json:"add_to,omitempty"`
	Optional   bool      `json:"optional,omitempty"`
}

type download struct {
	Kind      string    `json:"kind"`
	ID        report.ID `json:"id,omitempty"`
	Package   string    `json:"package"`
	Versions  []string  `json:"versions"`
	AtMost    int       `json:"at_most"`
	From      string    `json:"from,omitempty"`
	Integrity string    `json:"integrity,omitempty"`
	Bytes     int64     `json:"bytes,omitempty"`
	Into      string    `json:"into"`
	Why       string    `json:"why"`
}

type push struct {
	Kind    string    `json:"kind"`
	ID      report.ID `json:"id,omitempty"`
	Remote  string    `json:"remote"`
	Branch  string    `json:"branch"`
	Files   []string  `json:"files"`
	Message string    `json:"message,omitempty"`
	Commits []string  `json:"commits"`
	Why     string    `json:"why"`
}

type docLink struct {
	Kind   string `json:"kind"`
	Title  string `json:"title"`
	Target string `json:"target"`
}

type failure struct {
	Code  int    `json:"code"`
	What  string `json:"what"`
	Where string `json:"where,omitempty"`
	Why   string `json:"why,omitempty"`
	Next  string `json:"next,omitempty"`
}

// Collector gathers events for one document.
type Collector struct {
	doc    Document
	checks []report.Finding
	// begun are the checks in the order in which they began, which is that of
	// the contract; they end in any.
	begun []report.ID
	// closed says that the findings are those of a report, in its order.
	closed bool
}

// New begins a document.
func New(commandName, version string, facts report.Facts) *Collector {
	return &Collector{doc: Document{SchemaVersion: 1, Command: commandName, ToolVersion: version, Findings: []finding{},
		Host: Host{facts.OS, facts.Distro, facts.Runtime}}}
}

// Emit takes one event.
func (c *Collector) Emit(e engine.Event) {
	switch e := e.(type) {
	case engine.PlanReady:
		c.doc.Plan = planOf(e)
		for _, f := range e.Plan.Findings() {
			c.finding(f)
		}
		if e.Rest != "" {
			c.doc.Notes = append(c.doc.Notes, safe(e.Rest))
		}
	case engine.CheckDone:
		c.checks = append(c.checks, e.Finding)
		c.finding(e.Finding)
	case engine.Judged:
		c.judged(e)
	case engine.Applied:
		c.doc.Receipt = e.Receipt
	case engine.Note:
		if e.Text != "" { // an empty line of a text
			c.doc.Notes = append(c.doc.Notes, safe(e.Text))
		}
	case engine.ProbeStep:
		c.step(e)
	case engine.CheckStarted:
		c.begun = append(c.begun, e.ID)
	case engine.ChangeDone, engine.Progress:
	}
}

func planOf(e engine.PlanReady) *plan {
	p := &plan{ID: e.Plan.ID, Items: []any{}, Apply: e.Apply}
	for _, it := range e.Plan.Items() {
		p.Items = append(p.Items, item(it))
	}
	for _, s := range e.Plan.Sections {
		if !s.Skipped {
			p.Opens, p.Exposes = append(p.Opens, each(s.Opens)...), append(p.Exposes, each(s.Exposes)...)
		}
	}
	for _, a := range e.Answers {
		p.Answers = append(p.Answers, answer{a.Question.ID, each(a.Values), safe(a.Why), a.Decided()})
	}
	return p
}

// each are texts for people.
func each(texts []string) []string {
	list := make([]string, len(texts))
	for i, s := range texts {
		list[i] = safe(s)
	}
	return list
}

// judged closes a report: its findings are those of the checks, in the order
// of the contract.
func (c *Collector) judged(e engine.Judged) {
	c.doc.Verdict, c.doc.Launches = e.Verdict, e.Launches
	c.doc.Covers = report.CoversWith(e.Covers, redact.Text, safe)
	if e.Said != "" {
		c.doc.Verdict = report.Verdict(strings.ReplaceAll(e.Said, " ", "-"))
	} else {
		c.doc.Live = &live{Mode: e.Live, From: e.From}
	}
	if age := int64(e.Age.Seconds()); c.doc.Live != nil && e.From != "" && e.From != engine.FromNowhere {
		c.doc.Live.AgeSeconds = &age
	}
	c.doc.Findings, c.closed = []finding{}, true
	for _, f := range report.InOrder(c.checks) {
		c.finding(f)
	}
}

// Data adds what a listing command lists.
func (c *Collector) Data(v any) { c.doc.Data = v }

// Fail adds the failure that ended the command.
func (c *Collector) Fail(code int, err error) {
	c.doc.Error = &failure{Code: code, What: safe(err.Error())}
	if e, ok := errors.AsType[*report.Error](err); ok {
		c.doc.Error = &failure{Code: code, What: safe(e.Happened()), Where: safe(e.Where), Why: safe(e.Why),
			Next: safe(e.Advice())}
	}
}

// Flush writes the document, in which no character is left that a terminal
// would obey, hide or reorder, with the findings of checks in the order in which
// the checks began, after those of a plan. (Those of a report stand in their
// order already, whatever began first.)
func (c *Collector) Flush(w io.Writer) error {
	if !c.closed {
		slices.SortStableFunc(c.doc.Findings, func(a, b finding) int {
			return slices.Index(c.begun, a.Check) - slices.Index(c.begun, b.Check)
		})
	}
	doc, err := jsontext.Doc(c.doc)
	if err != nil {
		return err
	}
	_, err = w.Write(redact.JSON(doc))
	return err
}

func (c *Collector) finding(f report.Finding) {
	out := finding{Finding: f.With(redact.Text, safe), Remedies: []any{}, DurationMS: f.Duration.Milliseconds()}
	out.Evidence = append([]report.Evidence{}, out.Evidence...) // null would be no array
	for i := range out.Evidence {
		out.Evidence[i].Role = report.Seen
	}
	for _, layer := range f.Of(report.Refusal) {
		out.RefusedBy = append(out.RefusedBy, safe(layer))
	}
	for _, r := range f.Remedies {
		switch r := r.(type) {
		case report.Item:
			out.Remedies = append(out.Remedies, item(r))
		case report.DocLink:
			out.Remedies = append(out.Remedies, docLink{"link", safe(r.Text()), r.Target})
		}
	}
	c.doc.Findings = append(c.doc.Findings, out)
}

func item(it report.Item) any {
	switch it := it.(type) {
	case report.Change:
		return change{"change", it.ID, it.Path, text.Diff(it), it.Says()}
	case report.Command:
		return command{"command", it.ID, it.Line, it.Privileged, it.Why, it.Where, it.Optional}
	case report.Push:
		return push{"push", it.ID, safe(it.Remote), it.Branch, append([]string{}, it.Files...), safe(it.Message),
			append([]string{}, it.Commits...), it.Why}
	case report.Download:
		return download{"download", it.ID, it.Package, it.Versions, it.AtMost, safe(it.From), it.Integrity, it.Bytes, it.Into,
			it.Why}
	}
	return nil
}

// safe is a text for people; a path stays as it is, and is escaped by Flush.
func safe(s string) string { return redact.Block(redact.Text(s)) }
