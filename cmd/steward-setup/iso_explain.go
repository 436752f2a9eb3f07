// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what would be started is said without starting anything, and
// lines and JSON say the same. Names of variables are shown, values never.

package main

import (
	"cmp"
	"fmt"

	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/plain"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// launchData is what `iso --explain` says, as data. Policy is "" and Items is null
// where the launch could not be worked out.
type launchData struct {
	Environment []explainedVariable `json:"environment"`
	Starts      string              `json:"starts"`
	Also        []explainedStart    `json:"also"`
	Policy      string              `json:"policy,omitempty"`
	Notes       []string            `json:"notes"`
	NotInForce  []string            `json:"not_in_force"`
	Items       []explainedItem     `json:"items"`
}

type explainedVariable struct {
	Name string `json:"name"`
	Kept bool   `json:"kept"`
	Why  string `json:"why"`
}

type explainedStart struct {
	Path string `json:"path"`
	From string `json:"from"`
}

type explainedItem struct {
	Kind    iso.Kind `json:"kind"`
	Name    string   `json:"name"`
	Loaded  bool     `json:"loaded"`
	Refused string   `json:"refused,omitempty"`
}

// isoExplained is l as data; whole says that all of it was worked out.
func isoExplained(h *host.Host, l iso.Launch, other []iso.Found, whole bool) launchData {
	home := h.Places().Home
	x := launchData{Environment: []explainedVariable{}, Starts: l.Runtime.Path, Also: []explainedStart{},
		Notes: []string{}, NotInForce: []string{}}
	for _, v := range l.Vars {
		x.Environment = append(x.Environment, explainedVariable{text.Line(v.Name), v.Kept, text.Line(v.Why)})
	}
	for _, f := range other {
		x.Also = append(x.Also, explainedStart{f.Path, f.From})
	}
	if !whole {
		return x
	}
	x.Policy = text.Line(pathname.TildeIn(isoPolicy(l), home))
	for _, note := range []string{isoInner(l), isoAdded(l, home), isoStarted(l, home), isoWithheld(l), isoUnseen(l)} {
		if note != "" {
			x.Notes = append(x.Notes, text.Line(pathname.TildeIn(note, home)))
		}
	}
	for _, r := range l.State.Broken {
		x.NotInForce = append(x.NotInForce, text.Line(r.What+" ("+text.Home(r.Where, home)+")"))
	}
	x.Items = []explainedItem{}
	for _, i := range l.Items {
		x.Items = append(x.Items, explainedItem{i.Kind, text.Line(i.Name), i.Allowed, text.Line(i.Refused)})
	}
	return x
}

// isoExplain shows what would be started and why. err is what would keep it from
// that; whole says that the launch was worked out all the same.
func (a *app) isoExplain(h *host.Host, l iso.Launch, other []iso.Found, err error, whole bool) error {
	x, out := isoExplained(h, l, other, whole), a.output("iso", a.facts(h))
	switch {
	case len(l.Vars) == 0:
	case out.doc != nil:
		out.doc.Data(x)
	default:
		a.isoExplainLines(h, x)
	}
	return out.end(report.ExitOK, err)
}

func (a *app) isoExplainLines(h *host.Host, x launchData) {
	home, lines := h.Places().Home, plain.New(a.out, a.sys.List(), a.facts(h), a.columns())
	fmt.Fprintln(a.out, "environment")
	for _, v := range x.Environment {
		what := "dropped"
		if v.Kept {
			what = "kept"
		}
		lines.Row(fmt.Sprintf("  %-8s %-28s ", what, v.Name), v.Why)
	}
	fmt.Fprintln(a.out, "agent")
	lines.Row("  starts   ", cmp.Or(text.Home(x.Starts, home), "nothing"))
	for _, f := range x.Also {
		lines.Row("  also     ", text.Home(f.Path, home)+" ("+f.From+"): it starts without a clean environment")
	}
	if x.Policy == "" {
		return
	}
	fmt.Fprintln(a.out, "policy")
	lines.Row("  ", x.Policy)
	for _, note := range x.Notes {
		lines.Row("  ", note)
	}
	for _, r := range x.NotInForce {
		lines.Row("  not in force: ", r)
	}
	for _, i := range x.Items {
		what := "not loaded"
		if i.Loaded {
			what = "loaded"
		}
		lines.Row(fmt.Sprintf("  %-10s ", what), string(i.Kind)+" "+i.Name)
		if i.Refused != "" {
			lines.Row(fmt.Sprintf("  %-10s ", ""), "cannot be approved: "+i.Refused)
		}
	}
}
