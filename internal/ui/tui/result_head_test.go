// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: how many files were written is read whole, however long the
// line that undoes it is.

package tui

import (
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
)

func TestALongLineForUndoDoesNotCutTheCount(t *testing.T) {
	far := "/" + strings.Repeat("long/", 12)
	for _, undo := range []string{"steward-setup undo 1", far + "steward-setup undo 20261123-1"} {
		p := newResultPage(report.Plan{}, checkList{}, 12, undo, nil)
		p.l = look{width: 80, height: 24}
		head := strings.Join(p.head(), "\n")
		if !strings.Contains(head, "12 files changed") || !strings.Contains(head, "undo") {
			t.Errorf("%s: %s", undo, head)
		}
	}
}

// Of a throwaway home no step is named, whatever fails in it.
func TestNothingIsLeftToDoIsNotSaidOfAFailure(t *testing.T) {
	for status, left := range map[report.Status]bool{report.Pass: false, report.Warn: false, report.Fail: true} {
		c := checkList{l: look{width: 80, height: 24}}
		c.over, c.rows = true, []runRow{{done: true, finding: report.Finding{Status: status}}}
		said := ""
		for _, l := range c.listLines() {
			said += l.text
		}
		if strings.Contains(said, "Nothing") == left {
			t.Errorf("beside %s: %q", status, said)
		}
	}
}
