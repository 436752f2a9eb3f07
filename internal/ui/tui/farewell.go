// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the last words are what the user needs once the screen is
// gone: what was written, how to take it back, and every command that is left
// on a line of its own, whole.

package tui

import (
	"cmp"
	"strings"

	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// lastWords are lines of plain text, for any terminal.
func (m *wizard) lastWords(out Outcome) []string {
	var lines []string
	if m.single != nil && m.single.Apply == nil && out.End == Applied {
		return nil // who asked goes on
	}
	undo, advice := m.ledger.way()
	switch {
	case out.Written > 0:
		lines = append(lines, text.Counted(out.Written, "%d file changed.", "%d files changed."))
		switch {
		case undo != "":
			lines = append(lines, "To undo it:  "+redact.Line(undo, maxCommand))
		case advice != "" && out.End == Interrupted: // of End Failed the caller prints the error
			lines = append(lines, "Next:  "+redact.Line(advice, maxCommand))
		}
	case out.End == Applied && len(m.proposal.Plan.Items()) == 0:
		return append(lines, nothingNeeded)
	default:
		lines = append(lines, "Nothing was written.")
	}
	switch out.End {
	case Quit, Interrupted:
		if out.Written > 0 || m.single != nil || m.sections() == nil {
			return lines
		}
		if line := m.backend.ApplyLine(m.answers); line != "" {
			lines = append(lines, "", sameAnswers, "", "  "+redact.Line(line, maxCommand))
		}
	case Applied:
		steps := nextSteps(append(m.plan.Findings(), out.Findings...), m.plan.Commands(), m.o.AsCalled,
			m.facts)
		lines = append(lines, stepWords(steps, m.width)...)
	case Failed: // the caller prints the error
	}
	return lines
}

// hang is a line of words for a terminal of width cells (0 if nobody knows),
// broken between words; what follows begins below the first of them.
func hang(head, words string, width int) []string {
	rows := text.Wrap(words, max(minWidth, cmp.Or(width, 80))-text.Width(head))
	if len(rows) == 0 {
		return []string{strings.TrimRight(head, " ")}
	}
	for i, row := range rows {
		rows[i] = head + row
		head = text.Pad("", text.Width(head))
	}
	return rows
}
