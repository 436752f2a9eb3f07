// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the home screen says what was found and nothing more: a
// layer is as good as the worst that was found about it, and a layer of
// which nothing is known has a question mark. Only keys that lead somewhere
// are shown. The rows below the picture have a word beside every sign, and a
// row of which nothing is known says so.

package tui

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// Action is a key of the home screen and the word for what it leads to.
type Action struct{ Key, Word string }

// HomeData is what the home screen shows; all of it was computed before.
type HomeData struct {
	Facts report.Facts
	// Findings and Judged are those of the checks that need no rehearsal,
	// with the stored result of the last one where it still holds
	// (Judged.From and Judged.Age say so).
	Findings []report.Finding
	Judged   engine.Judged
	// Empty says that nothing of the setup is here yet.
	Empty bool
	// Hosts counts the hosts that the policy in force allows, -1 if that
	// is unknown.
	Hosts int
	// Bypasses counts the commands that asked to leave the sandbox in the
	// last seven days, -1 if there is no record.
	Bypasses int
	// Drift says what the last drift report came to, "" where nobody looked.
	Drift       string
	DriftStatus report.Status
	// Sync says how the sync repository is, "" where there is none.
	Sync       string
	SyncStatus report.Status
	// Left are commands that are left from an earlier run: the first next steps.
	Left []report.Command
	// Actions are the commands that exist, in the order of the bottom row.
	// The keys ?, q, y, r, j, k and the arrows are taken.
	Actions []Action
	// AsCalled, if set, says the next steps as they can be taken here.
	AsCalled AsCalled
}

// Choice is what the user wants next.
type Choice struct {
	// Key is the key of an Action, "" if the user left.
	Key string
	// End is Quit, Interrupted or Failed.
	End End
}

// Home shows the home screen until a key is pressed that leads somewhere. ctx
// must end with the signals that end the process. The error is a *report.Error
// with ExitInternal for a screen that failed.
func Home(ctx context.Context, t Terminal, h HomeData) (Choice, error) {
	return newViewer(ctx, "", h.Facts, newHomePage(h)).choice(t)
}

type homePage struct {
	l     look
	h     HomeData
	steps []step
	cur   int // of the steps
}

func newHomePage(h HomeData) *homePage {
	h.Findings = text.Said(h.Findings, h.Facts.Home)
	findings := h.Findings
	if h.Empty { // everything is left
		findings = nil
	}
	return &homePage{h: h, steps: nextSteps(findings, h.Left, h.AsCalled, h.Facts)}
}

func (p *homePage) layout(l look) { p.l = l }

func (p *homePage) keys() []binding {
	line := ""
	if p.cur < len(p.steps) {
		line = p.steps[p.cur].copy
	}
	some := len(p.steps) > 0
	aside := "try" // at 80 columns the row has room for one of both; the help has both
	if p.h.Empty {
		aside = "history"
	}
	actions := actionKeys(p.h.Actions, true, picked)
	for i, a := range p.h.Actions {
		actions[i].word = when(a.Word != aside, actions[i].word)
	}
	return append(actions,
		binding{on: moveKeys, key: "↑ ↓", help: when(some, "select a next step"),
			move: func(key string) { p.cur = moved(key, p.cur, len(p.steps), len(p.steps)) }},
		binding{on: "y", word: "copy", help: when(some, "copy the command of the step"), off: line == "",
			do: does(askCopy{line: line})}, forHelp, quits("q esc", askLeave{}))
}

// picked leaves by an action.
func picked(key string) ask { return askPick{key} }

// actionKeys are the keys of actions, with what each does for the help; row says that
// they stand in the bottom row.
func actionKeys(actions []Action, row bool, pick func(key string) ask) (keys []binding) {
	for _, a := range actions {
		word := a.Word
		if long, ok := actionWords[word]; ok {
			word += ": " + long
		}
		keys = append(keys, binding{on: a.Key, word: when(row, text.Own(a.Word)), keep: true, help: text.Own(word),
			do: func() ask { return pick(a.Key) }})
	}
	return keys
}

var actionWords = map[string]string{
	"verify": "test the setup with the installed runtime; show the evidence of every check",
	"doctor": "why something does not work, and how to fix it",
	"update": "what has drifted, and new versions", "install": "the wizard: nothing is written before you see it",
	"scope": "set up one project, or all your repositories", "history": "what was applied, newest first",
	"undo": "undo the last run",
	"try":  "try everything in a throwaway home; yours is not touched",
}

// layerStatus is the worst that was found about a layer; unknown if nothing
// was. What does not apply says nothing.
func layerStatus(findings []report.Finding, layer report.Layer) report.Status {
	var worst report.Status
	for _, f := range findings {
		if f.Status != report.Skip && (f.Layer == layer || slices.Contains(report.Info(f.Check).Also, layer)) {
			worst = report.Worse(cmp.Or(worst, f.Status), f.Status)
		}
	}
	if !slices.Contains(report.Statuses, worst) {
		return report.Unknown
	}
	return worst
}

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
		if parts[0].Status == report.Skip { // it does not start, so that nothing is open
			s, open = report.Skip, true
		}
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
	worst := report.Skip
	for _, f := range p.h.Findings {
		s, apart := f.In(launch)
		if s.Status != report.Skip {
			status = report.Worse(status, s.Status)
		}
		if apart && report.Worse(worst, s.Status) != worst {
			worst, why = s.Status, text.Line(s.Summary)
		}
	}
	return status, why
}
