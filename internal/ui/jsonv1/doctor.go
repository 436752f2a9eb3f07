// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a person is told of a trouble or of a ruling, a
// program is told too, under "data".

package jsonv1

import (
	"slices"

	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// Advice is the data of `doctor --explain`. Entry is null where nothing
// matches; Nearest is then what comes nearest. Looked is what became of If on
// this machine and Holds whether it is so, null where nobody looked; Next are
// lines that tell more of what the text names.
type Advice struct {
	Entry *Entry `json:"entry"`
	Line  string `json:"line,omitempty"`
	If    string `json:"if,omitempty"`
	Holds *bool  `json:"holds,omitempty"`
	// Verdict says whether the sandbox made the error; "" for an id.
	Verdict catalog.Verdict `json:"verdict,omitempty"`
	Looked  string          `json:"looked,omitempty"`
	Nearest []string        `json:"nearest"`
	Next    []string        `json:"next,omitempty"`
}

// Entry is a trouble of the catalog.
type Entry struct {
	ID           string   `json:"id"`
	Title        string   `json:"title"`
	Layer        string   `json:"layer"`
	Probe        string   `json:"probe,omitempty"`
	Platforms    []string `json:"platforms"`
	Since        string   `json:"since"`
	Until        string   `json:"until,omitempty"`
	Cause        string   `json:"cause"`
	Fixes        []Fix    `json:"fixes"`
	Alternatives []string `json:"alternatives"`
	Sources      []string `json:"sources"`
}

// Fix is a change of settings that is said to help; Proof says what is known
// of it, by platform, Refuted why it does not help on this machine, and Refused
// what it would open that verify fails: then Settings is empty. Diff is what it
// would write to File, Line what brings the same about, First what is to be run
// before; Held counts the denials that held with it in a rehearsal.
type Fix struct {
	Title    string                   `json:"title"`
	Settings string                   `json:"settings"`
	Scope    string                   `json:"scope"`
	Price    string                   `json:"price"`
	Proof    map[string]catalog.Proof `json:"proof"`
	Refuted  string                   `json:"refuted_here,omitempty"`
	Refused  string                   `json:"refused_here,omitempty"`
	First    string                   `json:"first,omitempty"`
	Line     string                   `json:"line,omitempty"`
	File     string                   `json:"file,omitempty"`
	Diff     string                   `json:"diff,omitempty"`
	Held     int                      `json:"denials_held,omitempty"`
	Untried  string                   `json:"untried,omitempty"`
}

// AdviceOf is the data for an answer of the catalog.
func AdviceOf(a catalog.Answer, known bool, nearest []string, next []report.NextStep) Advice {
	out := Advice{Nearest: append([]string{}, nearest...)}
	if !known {
		return out
	}
	e := a.Entry
	out.Line, out.If, out.Looked = safe(a.Line), safe(a.If), safe(a.Looked)
	out.Verdict = a.Verdict
	if a.Looked != "" && a.Verdict != catalog.Undecided {
		holds := a.Verdict == catalog.Sandboxed || a.Entry.Layer == catalog.None
		out.Holds = &holds
	}
	for _, s := range next {
		line := s.Text
		switch {
		case s.Command != nil:
			line = s.Command.Line
		case s.Link != nil:
			line = s.Link.Text()
		}
		out.Next = append(out.Next, safe(line))
	}
	out.Entry = &Entry{ID: e.ID, Title: e.Title, Layer: string(e.Layer), Probe: e.Probe, Platforms: e.Platforms,
		Since: e.Since, Until: e.Until, Cause: e.Cause, Fixes: []Fix{}, Alternatives: []string{}, Sources: e.Sources}
	for _, way := range e.Alternatives {
		out.Entry.Alternatives = append(out.Entry.Alternatives, way.String())
	}
	for i, f := range e.Fixes {
		fix := Fix{Title: f.Title, Settings: safe(f.Settings), Scope: string(f.Scope), Price: f.Price, Proof: f.Proof}
		if i < len(a.Here) {
			fix.here(a.Here[i])
		}
		out.Entry.Fixes = append(out.Entry.Fixes, fix)
	}
	return out
}

// here adds what a fix comes to on the machine.
func (f *Fix) here(h catalog.Here) {
	f.Refuted, f.Refused, f.Held, f.Untried = safe(h.Refuted), safe(h.Refused), h.Held, safe(h.Untried)
	if h.Refused != "" {
		f.Settings = ""
	}
	if h.First != nil {
		f.First = safe(h.First.Line)
	}
	switch {
	case h.Command != nil:
		f.Line = safe(h.Command.Line)
	case h.Change != nil:
		f.File, f.Diff = safe(h.Change.Path), text.Diff(*h.Change)
	}
}

// ExplanationOf is the data of `doctor --explain-path` and its like.
func ExplanationOf(x report.Explanation) report.Explanation {
	x.Subject = safe(x.Subject)
	x.Notes = slices.Clone(x.Notes)
	for i, n := range x.Notes {
		x.Notes[i] = report.Note{Text: safe(n.Text + n.Line.String()), Where: safe(n.Where)}
	}
	x.Rulings = slices.Clone(x.Rulings)
	for i, r := range x.Rulings {
		r.Why = safe(r.Why)
		r.By = slices.Clone(r.By)
		for j, e := range r.By {
			r.By[j] = report.Evidence{Kind: e.Kind, Where: safe(e.Where), Text: safe(e.Text)}
		}
		if r.Tried != nil {
			t := *r.Tried
			t.Said = safe(t.Said)
			r.Tried = &t
		}
		x.Rulings[i] = r
	}
	return x
}

// column is what a probe's part came to, the last that was told.
type column struct {
	Status  report.Status `json:"status"`
	Summary string        `json:"summary"`
}

// step keeps a part of a probe; one that does not apply and says nothing is
// left out.
func (c *Collector) step(e engine.ProbeStep) {
	if e.Status == report.Skip && e.Summary == "" {
		return
	}
	if c.doc.Probes == nil {
		c.doc.Probes = map[report.ID]map[engine.Column][]column{}
	}
	if c.doc.Probes[e.ID] == nil {
		c.doc.Probes[e.ID] = map[engine.Column][]column{}
	}
	steps := c.doc.Probes[e.ID][e.Column]
	if e.Column != engine.WithFix {
		steps = nil
	}
	c.doc.Probes[e.ID][e.Column] = append(steps, column{e.Status, safe(e.Summary)})
}
