// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package plain renders events as lines: what a pipe, a dumb terminal and a
// log get.
//
// Contract: one Printer for one command; foreign text is made safe; colour
// carries status only, never alone, and goes away with NO_COLOR or a pipe.
package plain

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/charmbracelet/colorprofile"

	"charm.land/lipgloss/v2"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

var (
	bold  = lipgloss.NewStyle().Bold(true)
	faint = lipgloss.NewStyle().Faint(true)
	green = lipgloss.NewStyle().Foreground(lipgloss.Green)
	red   = lipgloss.NewStyle().Foreground(lipgloss.Red)
	amber = lipgloss.NewStyle().Foreground(lipgloss.Yellow)
)

// Printer writes events to one stream as they come.
type Printer struct {
	w     io.Writer
	facts report.Facts
	width int
	// written are the files that were said to be written, as they are counted.
	written int
}

// New returns a Printer. environ decides about colour, with what w is. width is
// that of the terminal in cells, 0 where there is none.
func New(w io.Writer, environ []string, facts report.Facts, width int) *Printer {
	return &Printer{w: colorprofile.NewWriter(w, environ), facts: facts, width: min(width, maxWidth)}
}

// Emit prints one event.
func (p *Printer) Emit(e engine.Event) {
	switch e := e.(type) {
	case engine.PlanReady:
		e.Plan.Sections = text.SaidIn(e.Plan.Sections, p.facts.Home)
		p.plan(e)
	case engine.ChangeDone:
		p.change(e)
	case engine.Applied:
		p.written = 0
		if e.TakeBack != "" {
			p.linef("")
			p.note("Done. To undo it:  " + e.TakeBack)
		}
	case engine.CheckDone:
		for _, f := range text.Said([]report.Finding{e.Finding}, p.facts.Home) {
			p.finding(f, " ")
		}
	case engine.Note:
		p.note(e.Text)
	case engine.CheckStarted, engine.Progress, engine.Judged:
	}
}

// note prints a line of words, which may have an indent.
func (p *Printer) note(s string) {
	for _, row := range text.Fold(text.Line(s), p.width) {
		p.linef("%s", row)
	}
}

func (p *Printer) plan(e engine.PlanReady) {
	for i, s := range e.Plan.Sections {
		p.section(i+1, s)
	}
	p.answers(e.Answers)
	if e.Rest != "" {
		p.linef("")
		p.folded("", "", text.Line(e.Rest), bold.Render)
	} else if len(e.Plan.Items()) == 0 {
		words := "Nothing to change: everything is already in place."
		if slices.ContainsFunc(e.Plan.Findings(), func(f report.Finding) bool {
			return f.Status != report.Pass && f.Status != report.Skip
		}) {
			words = "Nothing is proposed: see above."
		}
		p.linef("")
		p.folded("", "", words, bold.Render)
		return
	}
	p.linef("")
	p.beside("", text.Summary(e.Plan), "plan "+string(e.Plan.ID), asIs)
	if len(e.Plan.Changes())+len(e.Plan.Downloads()) == 0 && e.Rest == "" || e.Apply == "" {
		return
	}
	p.fold("", "", "Nothing has been written. To apply exactly this:")
	p.linef("\n%s", e.Apply)
}

// answers lists what the plan was made with: what was answered or suggested,
// then what nobody has to decide.
func (p *Printer) answers(list []report.Answered) {
	for _, decided := range []bool{false, true} {
		title := "Answers   change one with its flag, such as --domains=go"
		if decided {
			title = "Decided   nothing to choose here"
		}
		for _, a := range list {
			if a.Decided() != decided {
				continue
			}
			if title != "" {
				p.linef("")
				p.folded("", "", title, bold.Render)
				title = ""
			}
			p.answer(string(a.Question.ID), text.Line(a.Value()), text.Line(a.Why))
		}
	}
}

// answer prints an answer and its reason beside the question's id, or under it
// where there is no room.
func (p *Printer) answer(id, value, why string) {
	const column = 19
	first, next := "   "+pad(id, column)+"  ", strings.Repeat(" ", 3+column+2)
	whole := first + value + "   "
	switch {
	case p.width == 0 || text.Width(whole+why) <= p.width:
		p.linef("%s%s", whole, faint.Render(why))
		return
	case p.stacks():
		p.linef("   %s", id)
		first, next = "     ", "     "
	}
	p.fold(first, next, value)
	p.folded(next, next, why, faint.Render)
}

// beside prints a name and what belongs to it, painted, in one row or in two.
func (p *Printer) beside(indent, name, more string, paint func(...string) string) {
	if p.width == 0 || text.Width(indent+name)+3+text.Width(more) <= p.width {
		p.linef("%s%s   %s", indent, bold.Render(name), paint(more))
		return
	}
	under := strings.Repeat(" ", max(2, text.Width(indent)))
	p.folded(indent, under, name, bold.Render)
	p.folded(under, under, more, paint)
}

func (p *Printer) section(n int, s report.Section) {
	title := s.Title
	if s.Skipped {
		title += " (left out)"
	}
	p.linef("")
	p.folded("", "   ", fmt.Sprintf("%d  %s", n, title), bold.Render)
	if s.Skipped {
		return
	}
	if s.Why != "" {
		p.folded("   ", "   ", s.Why, faint.Render)
	}
	for _, f := range s.Findings {
		p.finding(f, "   ")
		p.leads(f)
	}
	shown := map[string]string{} // the first new file with these bytes
	for _, it := range s.Items {
		switch it := it.(type) {
		case report.Change:
			p.preview(it, shown)
		case report.Command:
			p.command(it)
		case report.Download:
			p.download(it)
		case report.Push:
			p.push(it)
		}
	}
	for _, o := range s.Opens {
		p.fold("   opens    ", "            ", o)
	}
	for _, x := range s.Exposes {
		p.fold("   exposes  ", "            ", x)
	}
}

// leads are the steps that a finding of a plan leaves: the plan does not take them.
func (p *Printer) leads(f report.Finding) {
	if len(f.Remedies) > 0 { // a decision without one is the finding itself
		p.steps(report.Steps([]report.Finding{f}, nil), "       ", func(int) string { return "next" }, false)
	}
}

// preview shows a change. A new file with the bytes of one that was shown is
// said to be the same.
func (p *Printer) preview(c report.Change, shown map[string]string) {
	where := text.Path(c.Path, p.facts)
	if c.Target != c.Path {
		where += " -> " + text.Path(c.Target, p.facts) + " (a symlink: its target is written)"
	}
	p.beside("   ✎ ", where, text.Stat(c), asIs)
	p.reason(c.Says())
	if c.Before == nil && c.After != nil && !c.Link() {
		if first := shown[string(c.After)]; first != "" {
			p.reason("the same as " + text.Path(first, p.facts))
			return
		}
		shown[string(c.After)] = c.Path
	}
	p.diff("     ", c, true)
}

// reason says under an item what it is for.
func (p *Printer) reason(why string) { p.folded("     ", "     ", text.Line(why), faint.Render) }

// diffs shows the changes that would mend a finding.
func (p *Printer) diffs(f report.Finding) {
	shown := map[string]string{}
	for _, remedy := range f.Remedies {
		if c, ok := remedy.(report.Change); ok {
			p.preview(c, shown)
		}
	}
}

// download shows what would be fetched.
func (p *Printer) download(d report.Download) {
	what := d.Package + "@" + d.Versions[0]
	if n := len(d.Versions); n > 1 {
		what = fmt.Sprintf("%s, at most %d of %d versions from %s to %s", d.Package, d.AtMost, n, d.Versions[0],
			d.Versions[n-1])
	}
	p.beside("   ⇣ ", text.Line(what), text.Size(d), asIs)
	p.reason(d.Why)
	const under = "                "
	if d.From != "" {
		p.fold("     from       ", under, d.From)
	}
	if d.Integrity != "" {
		p.fold("     integrity  ", under, d.Integrity)
	}
	p.fold("     into       ", under, text.Path(d.Into, p.facts))
}

func (p *Printer) push(it report.Push) {
	p.folded("   ⇡ ", "     ", text.Line("push to "+it.Branch+" of "+it.Remote), bold.Render)
	p.reason(it.Why)
	label := "message"
	for line := range strings.Lines(strings.TrimSpace(it.Message)) {
		p.fold("     "+pad(label, 7)+"    ", "                ", strings.TrimSuffix(line, "\n"))
		label = ""
	}
	for _, c := range it.Commits {
		p.fold("     commit     ", "                ", c)
	}
}

func (p *Printer) command(c report.Command) {
	note := "yours to run"
	switch {
	case c.Where != "":
		note = "yours to add to " + text.Home(c.Where, p.facts.Home)
	case c.Privileged:
		note = "yours to run, as root"
	}
	if c.Optional {
		note += " (optional)"
	}
	p.fold("   $ ", "     ", note+": "+text.Line(c.Why))
	p.linef("     %s", text.Own(c.Line))
}

// plannedSeen is how much evidence of one finding a plan shows.
const plannedSeen = 6

func (p *Printer) finding(f report.Finding, indent string) {
	first, next := indent+Mark(f.Status)+" ", indent+"  "
	switch {
	case f.Check == "":
	case p.stacks():
		p.linef("%s%s", first, f.Check)
		first = next
	default:
		first += fmt.Sprintf("%-*s ", idWidth, f.Check)
		next += strings.Repeat(" ", idWidth+1)
	}
	p.fold(first, next, f.Summary)
	if f.Status == report.Pass {
		return
	}
	under := indent + "    "
	seen := slices.DeleteFunc(slices.Clone(f.Evidence), func(e report.Evidence) bool { return text.Repeats(f, e) })
	for i, e := range seen {
		if i == plannedSeen && len(seen) > plannedSeen+1 {
			p.folded(under, under, fmt.Sprintf("and %d more", len(seen)-i), faint.Render)
			return
		}
		p.folded(under, under, text.Seen(text.Home(e.Where, p.facts.Home), e.Text, maxError), faint.Render)
	}
}

// Mark is a status as a coloured sign.
func Mark(s report.Status) string { return style(s).Render(s.Symbol()) }

func style(s report.Status) lipgloss.Style {
	switch s {
	case report.Pass:
		return green
	case report.Fail:
		return red
	case report.Skip:
		return lipgloss.NewStyle()
	default:
		return amber
	}
}

// change prints a file once, with its first change, and what failed.
func (p *Printer) change(e engine.ChangeDone) {
	if e.Err == nil && e.Nth <= p.written {
		return
	}
	p.written = e.Nth
	mark := green.Render("✓")
	if e.Err != nil {
		mark = red.Render("✗")
	}
	const under = "     "
	path, column := text.Path(e.File, p.facts), fmt.Sprintf(" %s %d/%d  ", mark, e.Nth, e.Files)
	if p.width > 0 && text.Width(column+path) > p.width { // a path stays whole as long as it can
		p.linef("%s", strings.TrimRight(column, " "))
		column = under
	}
	p.fold(column, under, path)
}

// Next prints the numbered next steps, if there are any. The reasons of commands stand in the plan.
func (p *Printer) Next(steps []report.NextStep) { p.next(steps, false) }

// next prints steps; a command stays whole, to be copied.
func (p *Printer) next(steps []report.NextStep, why bool) {
	if len(steps) > 0 {
		p.linef("\n%s", bold.Render("next"))
	}
	p.steps(steps, "", func(i int) string { return fmt.Sprintf(" %2d", i+1) }, why)
}

// maxError bounds a part of an error, or of what was seen, in runes.
const maxError = 400

// Error prints a failure in the user's words: what, where, why, what next. Rows
// are at most width cells wide, where that is not 0; what is next may be a line
// to paste, and stays whole.
func Error(w io.Writer, environ []string, width int, err error) {
	out := colorprofile.NewWriter(w, environ)
	var e *report.Error
	if !errors.As(err, &e) {
		e = &report.Error{What: err.Error()}
	}
	const name = "steward-setup:"
	for i, row := range text.Fold(name+" "+text.Seen(e.Where, e.Happened(), maxError), width) {
		if i == 0 {
			row = red.Render(name) + strings.TrimPrefix(row, name)
		}
		fmt.Fprintln(out, row)
	}
	if e.Why != "" {
		for _, row := range text.Fold("  why   "+text.Line(e.Why), width) {
			fmt.Fprintln(out, row)
		}
	}
	if advice := e.Advice(); advice != "" {
		next := "  next  " + text.Own(advice)
		rows := []string{next}
		if strings.Contains(advice, text.Pasted) {
			rows = text.Fold(next, width)
		}
		fmt.Fprintln(out, strings.Join(rows, "\n"))
	}
}
