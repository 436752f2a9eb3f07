// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package policy knows what a safe project policy is: what install proposes
// and why (templates/settings.json and templates/policy.toml), what it asks,
// what a framework's policy has to lose before it is written anywhere, and
// what in a document that exists already takes protection away.
//
// Contract: pure. Bytes and settings in, bytes and sentences out;
// nothing here reads a disk, an environment or a clock, and no path is
// resolved through links: the caller does that first. What is said of the
// runtime was measured with Claude Code 2.1.329 on Linux (docs/policy.md).
package policy

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/strict"
	"github.com/steward-setup/steward-setup/templates"
)

// Policy is templates/policy.toml.
type Policy struct {
	entries   []Entry
	groups    []group
	questions []question
}

// Entry is one value of a policy document with its reason.
type Entry struct {
	// Key is the dotted path of the value; the key of an array stands for
	// one element of it.
	Key string `toml:"key"`
	// Value is a bool, a string, a table of strings, or an empty array for
	// an array that is there before anything is in it; Stated is that of
	// policy.toml.
	Value  *settings.Value `toml:"-"`
	Stated any             `toml:"value"`
	Layer  report.Layer    `toml:"layer"`
	// Why, Deviation (what the source document has instead) and Exposes
	// (the price) are sentences for the user.
	Why       string `toml:"why"`
	Deviation string `toml:"deviation"`
	Exposes   string `toml:"exposes"`
	// Required entries are those without which a policy does not protect.
	Required bool `toml:"required"`
	// Unless names the question whose yes leaves the entry out.
	Unless report.ID `toml:"unless"`
}

// group is a set of entries that one answer adds: the hosts of an ecosystem,
// or a cache.
type group struct {
	ID string `toml:"id"`
	// Kind is the question that offers the group: "domains" or "caches".
	Kind    report.ID `toml:"kind"`
	Title   string    `toml:"title"`
	Why     string    `toml:"why"`
	Exposes string    `toml:"exposes"`
	// Detect, Remotes and Home say when the group is a default; see
	// Found.
	Detect  []string `toml:"detect"`
	Remotes []string `toml:"remotes"`
	Home    []string `toml:"home"`
	Entries []Entry  `toml:"entry"`
}

// question is a report.Question as policy.toml states it, with the entries
// that a yes (or a name) adds.
type question struct {
	ID      report.ID           `toml:"id"`
	Kind    report.QuestionKind `toml:"kind"`
	Title   string              `toml:"title"`
	Help    string              `toml:"help"`
	Price   string              `toml:"price"`
	Entries []Entry             `toml:"entry"`
}

// ID names the entry for flags and lists: "permissions.deny:Bash(curl *)".
func (e Entry) ID() string {
	if e.single() || !e.known() {
		return e.Key
	}
	for _, v := range []*settings.Value{e.Value, e.Value.Get("path"), e.Value.Get("name")} {
		if v != nil && v.Kind == settings.Str {
			return e.Key + ":" + v.Text
		}
	}
	return e.Key
}

// Embedded returns the policy that this version proposes. A file that is compiled
// in and not understood is a defect of the build: to decode it panics.
var Embedded = sync.OnceValue(func() *Policy {
	p, err := decode(templates.Policy)
	if err != nil {
		panic(err)
	}
	return p
})

func decode(data []byte) (*Policy, error) {
	var file struct {
		Entries   []Entry    `toml:"entry"`
		Groups    []group    `toml:"group"`
		Questions []question `toml:"question"`
	}
	if err := strict.TOML("policy.toml", string(data), "", &file); err != nil {
		return nil, err // it is a *report.Error
	}
	p := Policy{file.Entries, file.Groups, file.Questions}
	valued(p.entries)
	for _, q := range p.questions {
		valued(q.Entries)
	}
	for i := range p.groups {
		g := &p.groups[i]
		valued(g.Entries)
		for j := range g.Entries {
			e := &g.Entries[j]
			e.Layer = report.LayerSandbox
			e.Why = g.Why
			e.Exposes = cmp.Or(e.Exposes, g.Exposes)
		}
	}
	return &p, nil
}

// valued gives entries of policy.toml their values. A table has its path or its name
// before the mode.
func valued(entries []Entry) {
	for i, e := range entries {
		switch v := e.Stated.(type) {
		case bool:
			entries[i].Value = settings.Boolean(v)
		case string:
			entries[i].Value = settings.String(v)
		case map[string]any:
			entries[i].Value = settings.Dict()
			for _, name := range slices.Backward(slices.Sorted(maps.Keys(v))) {
				text, _ := v[name].(string)
				entries[i].Value.Members = append(entries[i].Value.Members, settings.Pair(name, settings.String(text)))
			}
		default:
			entries[i].Value = settings.List()
		}
	}
}
