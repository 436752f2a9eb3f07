// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the rows below the picture have a word beside every sign,
// and a row of which nothing is known says so.

package tui

import (
	"cmp"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// states are the rows below the picture: the two ways to start, visibility,
// tools.
func (p *homePage) states(w int) []string {
	visibility := p.words(report.LayerVisibility)
	if n := p.h.Bypasses; n >= 0 {
		visibility = append(visibility, p.l.dim.Render(report.Counted(n, "1 bypass this week", "%d bypasses this week")))
	}
	tools := p.words(report.LayerTools)
	if p.h.Drift != "" {
		tools = append(tools, p.l.of(p.h.DriftStatus).Render(p.h.DriftStatus.Symbol())+" "+text.Line(p.h.Drift))
	}
	type labelled struct {
		label string
		words []string
	}
	list := []labelled{{"started as", p.launches()}, {"visibility", visibility}, {"tools", tools}}
	if p.h.Sync != "" {
		list = append(list, labelled{"sync", []string{p.l.of(p.h.SyncStatus).Render(p.h.SyncStatus.Symbol()) + " " +
			text.Line(p.h.Sync)}})
	}
	var rows []string
	for _, r := range list {
		if len(r.words) == 0 {
			r.words = []string{p.l.of(report.Unknown).Render("?") + " not checked"}
		}
		rows = append(rows, p.row(r.label, r.words, w)...)
	}
	return rows
}

// row is a label and what stands beside it, on as many rows as it takes.
func (p *homePage) row(label string, words []string, w int) []string {
	const column, gap = 13, "   "
	head := p.l.dim.Render(text.Pad(label, column))
	var rows []string
	row := ""
	for _, word := range words {
		word = text.Cut(word, w-column)
		if row != "" && text.Width(row)+len(gap)+text.Width(word) > w-column {
			rows = append(rows, head+row)
			head, row = text.Pad("", column), ""
		}
		if row != "" {
			row += gap
		}
		row += word
	}
	return append(rows, head+row)
}

// words are the checks of a layer, each with its sign.
func (p *homePage) words(layer report.Layer) []string {
	var words []string
	for _, f := range p.h.Findings {
		if f.Layer != layer {
			continue
		}
		name := cmp.Or(report.Info(f.Check).Short, text.Line(string(f.Check)))
		words = append(words, p.l.of(f.Status).Render(f.Status.Symbol())+" "+name)
	}
	return words
}

// launches are the ways to start the agent, with where each holds and what is
// wrong about it.
func (p *homePage) launches() []string {
	var words []string
	for _, launch := range bothLaunches {
		v, told := p.h.Judged.Launches[launch]
		if !told {
			continue
		}
		apart, why := p.launchWhy(launch)
		parts := text.Covered(launch, v, false, p.h.Judged.Covers, p.l.facts)
		// A protected launch may have a warning of its own, or a directory where it does not hold.
		s := report.Worse(report.Worse(v.Status(), apart), parts[0].Status)
		open := report.OpenSomewhere(p.h.Judged.Covers, launch)
		if open {
			why = parts[0].Text
		}
		why = strings.TrimPrefix(why, text.Launch(launch)+" ") // the launch is named once
		word := p.l.of(s).Render(s.Symbol()) + " " + text.Launch(launch)
		if why != "" && !p.l.narrow() {
			word += " " + p.l.dim.Render(why)
		}
		words = append(words, word)
		for _, part := range parts[1:] {
			if (open || part.Status == report.Unknown) && !p.l.narrow() {
				words = append(words, p.l.of(part.Status).Render(part.Status.Symbol())+" "+p.l.dim.Render(part.Text))
			}
		}
	}
	return words
}

// launchWhy is the worst status of all that is said of a launch, and the worst
// that sets it apart, "" if nothing does.
func (p *homePage) launchWhy(launch report.Launch) (status report.Status, why string) {
	status = report.Pass
	rank := func(s report.Status) int { return slices.Index(report.Statuses, s) }
	worst := rank(report.Skip)
	for _, f := range p.h.Findings {
		s, apart := f.In(launch)
		if rank(s.Status) < rank(report.Skip) && rank(s.Status) < rank(status) {
			status = s.Status
		}
		if apart && rank(s.Status) < worst {
			worst, why = rank(s.Status), text.Line(s.Summary)
		}
	}
	return status, why
}
