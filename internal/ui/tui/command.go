// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a command is the user's. It is shown on rows of its own,
// with nothing beside it, so that selecting the rows selects the command. A
// line that is longer than the window is broken only where a shell joins it
// again: at a blank outside quotes, with a backslash. A key copies the exact
// line.

package tui

import (
	"slices"

	"github.com/charmbracelet/x/ansi"

	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// commandPane draws a command in exactly h rows of w cells: why, what to do
// with the line, and the line. Where it is tight, first the blank rows go and
// then the reason; never the line.
func (l look) commandPane(c report.Command, w, h int) []string {
	why := styled(l.dim, text.Wrap(text.Own(c.Why), w))
	do := text.Wrap(instruction(c, l.facts.Home), w)
	lines, whole := foldCommand(text.Own(c.Line), w-1)
	if !whole || text.Own(c.Line) != c.Line {
		do = append(do, text.Wrap(tooLong, w)...)
	}
	styled(l.bold, lines)
	blank := []string{""}
	var rows []string
	for _, parts := range [][][]string{{blank, why, do, blank, lines}, {why, do, lines}, {do, lines}, {lines}} {
		if rows = slices.Concat(parts...); len(rows) <= h {
			break
		}
	}
	return exactly(rows, h)
}

// commandRows is a command line on rows of its own, below the words of a note.
func (l look) commandRows(line string, width int) []string {
	lines, _ := foldCommand(line, width-noteLabel-1)
	for i, row := range lines {
		lines[i] = text.Pad("", noteLabel) + l.bold.Render(row)
	}
	return lines
}

// instruction says what the user does with the line.
func instruction(c report.Command, home string) string {
	s := "Run this in another terminal"
	if c.Where != "" {
		s = "Add this line to " + text.Line(text.Home(c.Where, home)) + " in your editor"
	}
	switch {
	case c.Privileged && c.Optional:
		s += " (optional, as root)"
	case c.Privileged:
		s += " (it needs root)"
	case c.Optional:
		s += " (optional)"
	}
	return s + ":"
}

// foldCommand breaks line into rows of at most width cells that a shell reads
// as the same line. whole is false where it cannot.
func foldCommand(line string, width int) (rows []string, whole bool) {
	whole = true
	for text.Width(line) > width {
		at := foldAt(line, width-2)
		if at <= 0 {
			head := ansi.Truncate(line, max(1, width), "")
			rows, line, whole = append(rows, head), line[len(head):], false
			continue
		}
		rows, line = append(rows, line[:at]+` \`), line[at+1:]
	}
	return append(rows, line), whole
}

// foldAt finds the last blank outside quotes within the first width cells of
// line, -1 if there is none.
func foldAt(line string, width int) int {
	at, used := -1, 0
	var quote rune
	escaped := false
	for i, r := range line {
		if used > width {
			break
		}
		switch {
		case escaped:
			escaped = false
		case r == '\\' && quote != '\'':
			escaped = true
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '\'' || r == '"':
			quote = r
		case r == ' ' && i > 0:
			at = i
		}
		used += text.Width(string(r))
	}
	return at
}

// step is one thing to do: a sentence, and a command line if there is one.
// copy is the exact line, line what may be shown of it.
type step struct {
	say        string
	line, copy string
}

// AsCalled says a next step as it can be taken here, such as with the name
// that leads to this program; false leaves it out. nil changes nothing.
type AsCalled func(report.NextStep) (report.NextStep, bool)

// nextSteps are the steps that commands and findings leave.
func nextSteps(findings []report.Finding, commands []report.Command, as AsCalled, facts report.Facts) []step {
	var steps []step
	for _, s := range report.Steps(findings, commands) {
		steps = append(steps, as.steps(s, facts)...)
	}
	return steps
}

// steps is a step as it can be taken here, none if it cannot.
func (as AsCalled) steps(s report.NextStep, facts report.Facts) []step {
	if as != nil {
		called, keep := as(s)
		if !keep {
			return nil
		}
		s = called
	}
	return []step{stepOf(s, facts)}
}

// stepsOf makes steps ready to show.
func stepsOf(list []report.NextStep, facts report.Facts) (steps []step) {
	for _, s := range list {
		steps = append(steps, stepOf(s, facts))
	}
	return steps
}

func stepOf(s report.NextStep, facts report.Facts) step {
	c := s.Command
	if c == nil {
		return step{say: text.Own(redact.Text(text.Step(s.String(), facts.Home)))}
	}
	say := text.Own(c.Why)
	switch {
	case c.Where != "" && say == "":
		say = "add to " + text.Line(text.Home(c.Where, facts.Home))
	case c.Where != "":
		say += " (add to " + text.Line(text.Home(c.Where, facts.Home)) + ")"
	case say == "":
		say = "run"
	}
	if s.Text != "" {
		say = text.Own(s.Text) + ": " + say
	}
	return step{say: say, line: text.Own(c.Line), copy: c.Line}
}

// mends are what would mend one finding, pages of explanation included.
func mends(f report.Finding, as AsCalled, facts report.Facts) []step {
	var steps []step
	for _, r := range f.Remedies {
		switch r := r.(type) {
		case report.Command:
			steps = append(steps, as.steps(report.NextStep{Command: &r}, facts)...)
		case report.Change:
			steps = append(steps, step{say: text.Path(r.Path, facts) + ": " + text.Own(r.Says())})
		case report.DocLink:
			say := text.Own(r.Text())
			if r.Target != "" {
				say += ": " + text.Line(text.Home(r.Target, facts.Home))
			}
			steps = append(steps, step{say: say})
		}
	}
	return steps
}
