// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: one picture: the agent's hands on the left, what they must
// not reach on the right, and what stands between them in the middle. Where
// the window is too narrow for three columns, what stands between stays.

package tui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// stand is one row of the picture.
type stand struct {
	hands string // "" is the same as above
	layer report.Layer
	far   string
}

func (p *homePage) stands() []stand {
	hosts, files := "hosts not on the list", "credentials, its settings"
	if p.l.narrow() {
		hosts, files = "other hosts", "credentials"
	}
	switch n := p.h.Hosts; {
	case n == 0 && !p.h.Empty:
		hosts = "every host"
	case n > 0 && !p.h.Empty:
		hosts = fmt.Sprintf("all hosts but %d", n)
	}
	return []stand{
		{"bash, python, npm …", report.LayerCleanEnv, "credential variables"},
		{"", report.LayerSandbox, "~/, " + hosts},
		{"Read, Edit, Write", report.LayerPermissions, files},
		{"git push, gh pr …", report.LayerConfirmation, "what others can see"},
	}
}

// verdictRow stands under the header: the verdict, and how fresh it is.
func (p *homePage) verdictRow() string {
	w := p.l.bodyWidth()
	if p.h.Empty {
		if p.l.narrow() {
			return p.l.bold.Render("NOT SET UP") + "   nothing installed yet"
		}
		return p.l.bold.Render("NOT SET UP") + "   nothing is installed yet"
	}
	v := p.h.Judged.Verdict
	left := p.l.judged(p.h.Judged)
	if v == "" {
		left = p.l.bold.Render("NOT CHECKED")
	}
	proof := "not tested with this runtime"
	switch j := p.h.Judged; {
	case j.From != engine.FromStored && j.From != engine.FromRehearsal:
	case v == report.Protected:
		proof = "tested " + report.Ago(j.Age) + " with this runtime"
	default:
		proof = "tested " + report.Ago(j.Age)
	}
	if p.l.narrow() {
		proof = strings.TrimSuffix(proof, " with this runtime")
	}
	left += "   " + proof
	tally := tallyWords(p.h.Findings, p.l)
	if text.Width(left)+2+text.Width(tally) > w {
		signs := p.l
		signs.width = 0 // without words
		tally = strings.ReplaceAll(tallyWords(p.h.Findings, signs), "   ", "  ")
	}
	if text.Width(left)+2+text.Width(tally) > w {
		return text.Cut(left, w)
	}
	return text.Ends(left, tally, w)
}

func (p *homePage) view() []string {
	w, h := p.l.bodyWidth(), p.l.bodyHeight()
	blank := []string{""}
	picture, states := p.picture(w), p.states(w)
	if p.h.Empty {
		states = p.offer(w)
		if len(p.steps) > 0 {
			states = slices.Concat(p.next(w, h), blank, states)
		}
	}
	// Where it is tight the blank rows go first.
	var where []string
	if p.h.Judged.Verdict == report.Protected { // what each launch is stands below
		where = slices.DeleteFunc(p.l.rangeRows(p.h.Judged), func(row string) bool { return row == "" })
	}
	parts := [][]string{where, blank, picture, blank, states, blank}
	rows := slices.Concat(parts...)
	next := 3
	if p.h.Empty {
		next = 0
	}
	if len(rows)+next > h {
		rows = slices.Concat(where, picture, states)
	}
	if p.h.Empty {
		return rows
	}
	rows = append(rows, p.next(w, max(1, h-len(rows)))...)
	if room := h - len(rows) - 2; room > 1 {
		rows = append(rows, p.amiss(w, room)...)
	}
	return rows
}

// picture is what stands between the agent and the rest.
func (p *homePage) picture(w int) []string {
	const nameColumn, statusColumn = 15, 9
	var rows []string
	hands, between, far := "the agent uses", "layer", "which protects"
	if p.h.Empty {
		between, far = "layer (not set up)", "which will protect"
	}
	handColumn, arrow, gap := 20, "──▶  ", "  "
	if p.l.wide() {
		handColumn, arrow, gap = 28, "────▶   ", "      "
	}
	if p.l.narrow() {
		rows = append(rows, p.l.dim.Render(text.Cut("layer, and what it protects", w)))
		for _, s := range p.stands() {
			rows = append(rows, text.Cut(p.sign(s.layer)+" "+text.Pad(layerWord(s.layer), nameColumn)+p.l.dim.Render(s.far), w))
		}
		return rows
	}
	middle := nameColumn + statusColumn
	rows = append(rows, p.l.dim.Render(text.Cut(text.Pad(hands, handColumn+text.Width(arrow))+text.Pad(between,
		middle)+gap+far, w)))
	for _, s := range p.stands() {
		status := p.sign(s.layer)
		if !p.h.Empty {
			st := layerStatus(p.h.Findings, s.layer)
			status = p.l.of(st).Render(st.Symbol() + " " + string(st))
		}
		rows = append(rows, text.Cut(text.Pad(s.hands, handColumn)+p.l.line.Render(arrow)+
			p.l.bold.Render(text.Pad(layerWord(s.layer), nameColumn))+text.Pad(status, statusColumn)+gap+s.far, w))
	}
	return rows
}

// sign is the sign of a layer; one that is not set up has a dot.
func (p *homePage) sign(layer report.Layer) string {
	if p.h.Empty {
		return p.l.dim.Render("·")
	}
	s := layerStatus(p.h.Findings, layer)
	return p.l.of(s).Render(s.Symbol())
}

// next are the steps that are left, in at most h rows.
func (p *homePage) next(w, h int) []string {
	if len(p.steps) == 0 {
		if p.h.Judged.Verdict == report.Protected {
			return []string{p.l.dim.Render(text.Pad("next", 6)) + "nothing is left to do"}
		}
		return nil
	}
	var rows []string
	first := max(0, min(p.cur, len(p.steps)-1))
	for i := first; i < len(p.steps); i++ {
		s := p.steps[i]
		label, mark := "", " "
		if i == first {
			label = "next"
		}
		if i == p.cur && len(p.steps) > 1 {
			mark = p.l.bold.Render("▸")
		}
		head := p.l.dim.Render(text.Pad(label, 5)) + mark + p.l.dim.Render(fmt.Sprintf("%2d  ", i+1))
		lines := after(head, s.say, w)
		if i == first && len(lines) > h { // half a sentence looks like all of it
			lines = []string{head + text.Cut(s.say, w-10)}
		}
		if s.line != "" {
			folded, whole := foldCommand(s.line, w-11)
			if !whole || len(lines)+len(folded) > h { // half a command is worse than none
				folded = []string{"y copies its command"}
			}
			for _, line := range folded {
				lines = append(lines, text.Pad("", 10)+p.l.bold.Render(line))
			}
		}
		if len(rows) > 0 && len(rows)+len(lines) > h {
			break
		}
		rows = append(rows, lines...)
	}
	return rows[:min(h, len(rows))]
}

// amiss lists what is no pass, where the window has room for it.
func (p *homePage) amiss(w, h int) []string {
	var rows []string
	for _, s := range []report.Status{report.Fail, report.Unknown, report.Warn} {
		for _, f := range p.h.Findings {
			if f.Status == s {
				rows = append(rows, text.Cut(p.l.of(s).Render(s.Symbol())+" "+text.Pad(text.Line(string(f.Check)), idColumn)+"  "+
					text.Line(f.Summary), w))
			}
		}
	}
	if len(rows) == 0 {
		return nil
	}
	if len(rows) > h {
		left := len(rows) - h + 1
		rows = append(rows[:h-1], p.l.dim.Render(fmt.Sprintf("… and %d more", left)))
	}
	return append([]string{"", p.l.dim.Render("needs attention")}, rows...)
}

// offer says how to begin where nothing is set up.
func (p *homePage) offer(w int) []string {
	words := map[string]string{
		"install": "The wizard. It shows every change before writing it, runs nothing as root, and can undo everything.",
		"try":     "Try everything in a throwaway home: plan, apply, check, undo. Your files are not touched.",
		"verify":  "Show what protects you now.",
	}
	if p.l.narrow() {
		words["install"], words["try"] = "The wizard: shows changes before it writes.", "Try everything in a throwaway home."
	}
	var rows []string
	if !p.l.narrow() {
		rows = append(text.Wrap("steward-setup limits what Claude Code can read, change and reach on this machine.", w), "")
	}
	rows = append(rows, p.l.bold.Render("To begin"))
	for _, word := range []string{"install", "try", "verify"} {
		i := slices.IndexFunc(p.h.Actions, func(a Action) bool { return a.Word == word })
		if i < 0 {
			continue
		}
		head := p.l.bold.Render(text.Pad(text.Own(p.h.Actions[i].Key), 3)) + text.Pad(word, 9)
		rows = append(rows, after(head, words[word], w)...)
	}
	return rows
}
