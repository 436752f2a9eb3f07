// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the wanted document follows from a base and the answers
// alone; every value in it has its reason, and what an answer left out is
// listed as left out. The same entries give the same bytes, keys in the order
// in which they first appear, and a reader sees one value a line.

package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/jsontext"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/templates"
)

// Base is what a document is built from: the policy of this version, or that
// of a framework.
type Base struct {
	policy  *Policy
	entries []Entry
}

// Wanted is the document that the answers ask for.
type Wanted struct {
	// Document is strict JSON, indented by two spaces, with a final newline.
	Document []byte
	// Entries are its values in order, and after them what was left out.
	Entries []report.Entry
	// Exposes names the price of what the answers added, one line each.
	Exposes []string
	// Findings are answers that the existing document contradicts.
	Findings []report.Finding
}

// Base returns the policy of this version: templates/settings.json with the
// reasons of templates/policy.toml. A value without one panics.
func (p *Policy) Base() Base {
	ls, err := leaves(templates.Settings, claude.SettingsFile)
	if err != nil {
		panic(err)
	}
	b := Base{policy: p}
	for _, l := range ls {
		e, ok := p.entry(l.ID())
		if !ok {
			panic(fmt.Sprintf("policy.toml: no reason for line %d of settings.json", l.Value.Line))
		}
		b.entries = append(b.entries, e)
	}
	return b
}

func (p *Policy) entry(id string) (Entry, bool) {
	i := slices.IndexFunc(p.entries, func(e Entry) bool { return e.ID() == id })
	if i < 0 {
		return Entry{}, false
	}
	return p.entries[i], true
}

// group finds a group by the question that offers it and its id.
func (p *Policy) group(kind report.ID, id string) (group, bool) {
	i := slices.IndexFunc(p.groups, func(g group) bool { return g.Kind == kind && g.ID == id })
	if i < 0 {
		return group{}, false
	}
	return p.groups[i], true
}

// Build returns the document that the answers ask for; what was not answered
// has its default. The error is a *report.Error that names the flag of the
// answer that is wrong.
func (b Base) Build(f Found, a report.Answers) (Wanted, error) {
	qs := map[report.ID]report.Question{}
	for _, q := range b.policy.Questions(f) {
		qs[q.ID] = q
		if v, ok := a[q.ID]; ok {
			if err := b.policy.Validate(q.ID, v); err != nil {
				return Wanted{}, err
			}
		}
	}
	yes := func(id report.ID) bool { return id != "" && a.Yes(qs[id]) }
	var wanted, dropped []Entry
	for _, e := range b.entries {
		if yes(e.Unless) {
			dropped = append(dropped, e)
		} else {
			wanted = append(wanted, e)
		}
	}
	added := b.answered(qs, a, yes)
	wanted = unique(append(wanted, added...))
	omit := a.Of(qs["omit"])
	for _, id := range omit {
		if !slices.ContainsFunc(wanted, func(e Entry) bool { return e.ID() == id }) {
			return Wanted{}, refuse("omit", id, "there is no such entry")
		}
	}
	w := assemble(wanted, f.Existing, omit)
	w.Exposes = prices(added, omit)
	w.Findings = contradicted(dropped, f)
	return w, nil
}

func (b Base) answered(qs map[report.ID]report.Question, a report.Answers, yes func(report.ID) bool) (added []Entry) {
	project := ""
	if v := a.Of(qs["project-name"]); len(v) > 0 {
		project = v[0]
	}
	for _, q := range b.policy.questions {
		values := a.Of(qs[q.ID])
		switch {
		case q.Kind == report.Multi:
			for _, v := range values {
				g, _ := b.policy.group(q.ID, v)
				added = append(added, g.Entries...)
			}
		case q.ID == "allow-host":
			for _, v := range values {
				added = append(added, Entry{Key: claude.KeyAllowedDomains.String(), Value: settings.String(v),
					Layer: report.LayerSandbox, Why: "You named this host.", Exposes: hostPrice(v)})
			}
		case q.ID == "ask":
			for _, v := range values {
				rule, _ := askRule(v) // Validate has seen it
				added = append(added, Entry{Key: claude.KeyAsk.String(), Value: settings.String(rule),
					Layer: report.LayerConfirmation, Why: "You want to be asked before this command."})
			}
		case q.Kind == report.Confirm && yes(q.ID), q.Kind == report.Text:
			for _, e := range q.Entries {
				if e, ok := fill(e, project); ok && !yes(e.Unless) {
					added = append(added, e)
				}
			}
		}
	}
	return added
}

// fill puts the project's name where an entry has the placeholder; without a
// name there is no such entry.
func fill(e Entry, project string) (Entry, bool) {
	put := func(s string) string { return strings.ReplaceAll(s, "<project>", project) }
	needs := strings.Contains(e.ID(), "<project>")
	switch e.Value.Kind {
	case settings.Str:
		e.Value = settings.String(put(e.Value.Text))
	case settings.Object:
		filled := settings.Dict()
		for _, m := range e.Value.Members {
			filled.Members = append(filled.Members, settings.Pair(m.Key, settings.String(put(m.Value.Text))))
		}
		e.Value = filled
	}
	return e, project != "" || !needs
}

// unique drops what stands there already.
func unique(entries []Entry) []Entry {
	seen := map[string]bool{}
	return slices.DeleteFunc(entries, func(e Entry) bool {
		id := e.ID()
		gone := seen[id]
		seen[id] = true
		return gone
	})
}

// assemble writes the document and lists its entries, with their state in the
// existing document.
func assemble(wanted []Entry, existing *settings.Value, omit []string) (w Wanted) {
	var left []report.Entry
	kept := wanted[:0:0]
	for _, e := range wanted {
		id := e.ID()
		if slices.Contains(omit, id) {
			left = append(left, report.Entry{Key: id, Layer: e.Layer, Why: e.Why, State: "omitted"})
			continue
		}
		kept = append(kept, e)
		if !e.empty() {
			w.Entries = append(w.Entries, report.Entry{Key: id, Layer: e.Layer, Why: e.Why, State: state(existing, e)})
		}
	}
	w.Entries = append(w.Entries, left...)
	w.Document = render(kept)
	return w
}

// state compares an entry with the document that it will be merged into.
func state(existing *settings.Value, e Entry) string {
	switch {
	case has(existing, e):
		return "present"
	case e.single() && at(existing, e.Key) != nil:
		return "conflict"
	}
	return "new"
}

// contradicted lists entries that an answer drops and the existing document
// has: a merge adds and never removes, so the answer would have no effect.
func contradicted(dropped []Entry, f Found) (findings []report.Finding) {
	for _, e := range dropped {
		if has(f.Existing, e) {
			findings = append(findings, report.Finding{Check: "answer-without-effect", Layer: e.Layer, Status: report.Warn,
				Decide: true, Summary: "--" + string(e.Unless) + "=yes has no effect while " + e.ID() +
					" stands: remove that entry, if you mean it",
				Evidence: []report.Evidence{report.FileEvidence(f.Where, e.ID())}})
		}
	}
	return findings
}

// named names an entry in a sentence: a value that says what it is by itself,
// a flag with its key.
func (e Entry) named() string {
	if e.single() {
		return e.Key + " is " + e.Value.Text
	}
	_, value, _ := strings.Cut(e.ID(), ":")
	return value
}

// prices lists the prices of what the answers added; values with the same
// price share a line.
func prices(added []Entry, omit []string) []string {
	var order []string
	values := map[string][]string{}
	for _, e := range added {
		if e.Exposes == "" || slices.Contains(omit, e.ID()) {
			continue
		}
		if values[e.Exposes] == nil {
			order = append(order, e.Exposes)
		}
		if v := e.named(); !slices.Contains(values[e.Exposes], v) {
			values[e.Exposes] = append(values[e.Exposes], v)
		}
	}
	lines := make([]string, 0, len(order))
	for _, price := range order {
		lines = append(lines, strings.Join(values[price], ", ")+": "+price)
	}
	return lines
}

// EntryIDs are the entries that may be left out, by the ids that omit takes.
func (p *Policy) EntryIDs() (ids []string) {
	for _, e := range p.entries {
		ids = append(ids, e.ID())
	}
	return ids
}

// render writes entries as a settings document.
func render(entries []Entry) []byte { return []byte(object(entries, "", "\n") + "\n") }

// object writes the entries whose keys begin with above, a key a line; newline is a line
// break with the indent of the object's own line.
func object(entries []Entry, above, newline string) string {
	var names, members []string
	below := map[string][]Entry{}
	for _, e := range entries {
		name, _, _ := strings.Cut(strings.TrimPrefix(e.Key, above), ".")
		if below[name] == nil {
			names = append(names, name)
		}
		below[name] = append(below[name], e)
	}
	for _, name := range names {
		of, text := below[name], ""
		switch last := of[len(of)-1]; {
		case last.Key != above+name:
			text = object(of, above+name+".", newline+"  ")
		case last.single():
			text = settings.Inline(last.Value)
		default:
			var items []string
			for _, e := range of {
				if !e.empty() {
					items = append(items, settings.Inline(e.Value))
				}
			}
			text = "[" + block(items, newline+"  ") + "]"
		}
		members = append(members, jsontext.Quote(name)+": "+text)
	}
	return "{" + block(members, newline) + "}"
}

// block is what stands between brackets, one value a line.
func block(values []string, newline string) string {
	if len(values) == 0 {
		return ""
	}
	return newline + "  " + strings.Join(values, ","+newline+"  ") + newline
}
