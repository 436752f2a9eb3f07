// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the last words are what the user needs once the screen is
// gone: what was written, how to take it back, and every command that is left
// on a line of its own, whole.

package tui

import (
	"fmt"
	"strings"

	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// lastWords are lines of plain text, for any terminal.
func (m *wizard) lastWords(out Outcome) []string {
	var lines []string
	undo := "steward-setup undo"
	if m.single != nil {
		undo = m.single.TakeBack
	}
	undo = strings.TrimSpace(undo + " " + text.Line(out.Receipt))
	switch {
	case out.Written > 0:
		lines = append(lines, text.Counted(out.Written, "%d file written.", "%d files written."))
		if m.single == nil || m.single.TakeBack != "" {
			lines = append(lines, "To take it back:  "+undo)
		}
	case out.End == Applied && len(m.proposal.Plan.Items()) == 0:
		return append(lines, "Nothing had to be written.")
	default:
		lines = append(lines, "Nothing was written.")
	}
	switch out.End {
	case Quit, Interrupted:
		if out.Written > 0 || m.single != nil || m.sections() == nil {
			return lines
		}
		if line := m.backend.ApplyLine(m.answers); line != "" {
			lines = append(lines, "", "The same answers without the wizard:", "", "  "+redact.Line(line, maxCommand))
		}
	case Applied:
		steps := nextSteps(m.proposal.Plan, out.Findings, m.facts)
		if len(steps) > 0 {
			lines = append(lines, "", "Next:")
		}
		for i, s := range steps {
			lines = append(lines, fmt.Sprintf("%2d  %s", i+1, s.say))
			if s.line != "" {
				lines = append(lines, "", "    "+s.line, "")
			}
		}
	case Failed: // the caller prints the error
	}
	return lines
}
