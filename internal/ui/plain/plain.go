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
	"github.com/steward-setup/steward-setup/internal/redact"
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
}

// New returns a Printer. environ decides about colour, with what w is.
func New(w io.Writer, environ []string, facts report.Facts) *Printer {
	return &Printer{w: colorprofile.NewWriter(w, environ), facts: facts}
}

func (p *Printer) linef(format string, a ...any) { fmt.Fprintf(p.w, format+"\n", a...) }

// Emit prints one event.
func (p *Printer) Emit(e engine.Event) {
	switch e := e.(type) {
	case engine.PlanReady:
		p.plan(e)
	case engine.ChangeDone:
		p.change(e)
	case engine.Applied:
		if e.Receipt != "" {
			p.linef("\nDone. To undo it:  steward-setup undo %s", e.Receipt)
		}
	case engine.CheckDone:
		p.finding(e.Finding, " ")
	case engine.Note:
		p.linef("%s", text.Line(e.Text))
	case engine.CheckStarted, engine.Progress, engine.Judged:
	}
}

func (p *Printer) plan(e engine.PlanReady) {
	for i, s := range e.Plan.Sections {
		p.section(i+1, s)
	}
	p.answers(e.Answers)
	if len(e.Plan.Items()) == 0 {
		words := "Nothing to change: everything is already in place."
		if slices.ContainsFunc(e.Plan.Findings(), func(f report.Finding) bool {
			return f.Status != report.Pass && f.Status != report.Skip
		}) {
			words = "Nothing is proposed: see above."
		}
		p.linef("\n%s", bold.Render(words))
		return
	}
	p.linef("\n%s   plan %s", bold.Render(text.Summary(e.Plan)), e.Plan.ID)
	if len(e.Plan.Changes())+len(e.Plan.Downloads()) == 0 || e.Apply == "" {
		return
	}
	p.linef("Nothing has been written. To apply exactly this:\n\n%s", e.Apply)
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
				p.linef("\n%s", bold.Render(title))
				title = ""
			}
			p.linef("   %s  %s   %s", text.Pad(string(a.Question.ID), 19), text.Line(a.Value()), faint.Render(text.Line(a.Why)))
		}
	}
}

func (p *Printer) section(n int, s report.Section) {
	title := s.Title
	if s.Skipped {
		title += " (left out)"
	}
	p.linef("\n%s", bold.Render(fmt.Sprintf("%d  %s", n, title)))
	if s.Skipped {
		return
	}
	for _, line := range wrap(s.Why, 76) {
		p.linef("   %s", faint.Render(line))
	}
	for _, f := range s.Findings {
		p.finding(f, "   ")
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
		p.linef("   opens    %s", text.Line(o))
	}
	for _, x := range s.Exposes {
		p.linef("   exposes  %s", text.Line(x))
	}
}

// preview shows a change. A new file with the bytes of one that was shown is
// said to be the same.
func (p *Printer) preview(c report.Change, shown map[string]string) {
	where := text.Path(c.Path, p.facts)
	if c.Target != c.Path {
		where += " -> " + text.Path(c.Target, p.facts) + " (a symlink: its target is written)"
	}
	p.linef("   ✎ %s   %s", bold.Render(where), text.Stat(c))
	p.linef("     %s", faint.Render(text.Line(c.Why)))
	if c.Before == nil && c.After != nil && !c.Link() {
		if first := shown[string(c.After)]; first != "" {
			p.linef("     %s", faint.Render("the same as "+text.Path(first, p.facts)))
			return
		}
		shown[string(c.After)] = c.Path
	}
	body := false // an added line may look like one of the header's
	for line := range strings.Lines(text.Diff(c)) {
		line = strings.TrimSuffix(line, "\n")
		body = body || strings.HasPrefix(line, "@@")
		p.linef("     %s", colourDiff(line, body))
	}
}

// diffs shows the changes that would mend a finding.
func (p *Printer) diffs(f report.Finding) {
	shown := map[string]string{}
	for _, remedy := range f.Remedies {
		if c, ok := remedy.(report.Change); ok {
			p.preview(c, shown)
		}
	}
}

func colourDiff(line string, body bool) string {
	switch {
	case !body && (strings.HasPrefix(line, "+++") || strings.HasPrefix(line, "---")), strings.HasPrefix(line, "@@"):
		return faint.Render(line)
	case strings.HasPrefix(line, "+"):
		return green.Render(line)
	case strings.HasPrefix(line, "-"):
		return red.Render(line)
	}
	return line
}

// download shows what would be fetched.
func (p *Printer) download(d report.Download) {
	what := d.Package + "@" + d.Versions[0]
	if n := len(d.Versions); n > 1 {
		what = fmt.Sprintf("%s, at most %d of %d versions from %s to %s", d.Package, d.AtMost, n, d.Versions[0],
			d.Versions[n-1])
	}
	p.linef("   ⇣ %s   %s", bold.Render(text.Line(what)), text.Size(d))
	p.linef("     %s", faint.Render(text.Line(d.Why)))
	if d.From != "" {
		p.linef("     from       %s", text.Line(d.From))
	}
	if d.Integrity != "" {
		p.linef("     integrity  %s", text.Line(d.Integrity))
	}
	p.linef("     into       %s", text.Line(text.Path(d.Into, p.facts)))
}

// push shows what would leave the machine.
func (p *Printer) push(it report.Push) {
	p.linef("   ⇡ %s", bold.Render(text.Line("push to "+it.Branch+" of "+it.Remote)))
	p.linef("     %s", faint.Render(text.Line(it.Why)))
	label := "message"
	for line := range strings.Lines(strings.TrimSpace(it.Message)) {
		p.linef("     %s    %s", text.Pad(label, 7), text.Line(strings.TrimSuffix(line, "\n")))
		label = ""
	}
	for _, c := range it.Commits {
		p.linef("     commit     %s", text.Line(c))
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
	p.linef("   $ %s: %s", note, text.Line(c.Why))
	p.linef("     %s", redact.Line(c.Line, 4000))
}

// plannedSeen is how much evidence of one finding a plan shows.
const plannedSeen = 6

func (p *Printer) finding(f report.Finding, indent string) {
	name := ""
	if f.Check != "" {
		name = fmt.Sprintf("%-18s ", f.Check)
	}
	p.linef("%s%s %s%s", indent, Mark(f.Status), name, text.Line(f.Summary))
	if f.Status == report.Pass {
		return
	}
	for i, e := range f.Evidence {
		if i == plannedSeen && len(f.Evidence) > plannedSeen+1 {
			p.linef("%s    %s", indent, faint.Render(fmt.Sprintf("and %d more", len(f.Evidence)-i)))
			return
		}
		p.linef("%s    %s", indent, faint.Render(text.Seen(text.Home(e.Where, p.facts.Home), e.Text, maxError)))
	}
}

// Mark is a status as a coloured sign.
func Mark(s report.Status) string { return style(s).Render(s.Symbol()) }

// style is the colour of a status.
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

func (p *Printer) change(e engine.ChangeDone) {
	mark := green.Render("✓")
	if e.Err != nil {
		mark = red.Render("✗")
	}
	p.linef(" %s %d/%d  %s", mark, e.Index, e.Of, text.Path(e.Change.Path, p.facts))
}

// Next prints the numbered next steps, if there are any.
func (p *Printer) Next(steps []string) {
	if len(steps) == 0 {
		return
	}
	p.linef("\n%s", bold.Render("next"))
	for i, s := range steps {
		p.linef(" %2d  %s", i+1, redact.Line(s, 4000))
	}
}

// maxError bounds a part of an error, or of what was seen, in runes.
const maxError = 400

// Error prints a failure in the user's words: what, where, why, what next. Rows
// are at most width cells wide, where that is not 0; what is next is a line to
// paste, and stays whole.
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
	if e.Next != "" {
		fmt.Fprintf(out, "  next  %s\n", redact.Line(e.Next, 4000))
	}
}

// wrap breaks prose at spaces; our own words only, so a rune is a cell.
func wrap(s string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		if line != "" && len([]rune(line))+1+len([]rune(word)) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
