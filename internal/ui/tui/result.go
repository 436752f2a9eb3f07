// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a report is one page, whether verify or the wizard asked
// for it: the same list, the same keys, the verdict above it. The wizard's
// says also what was written and how it is taken back.

package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// resultPage shows the checks, what each saw, and what is left to do.
type resultPage struct {
	l    look
	list checkList
	plan report.Plan
	// wizard is set on the wizard's last page; written counts the files
	// that are on disk, takeBack is the line that takes them back.
	wizard   bool
	written  int
	takeBack string
	actions  []Action
	next     func() []report.NextStep // nil: what plan and checks leave
}

// newResultPage is the page after p was applied.
func newResultPage(p report.Plan, list checkList, written int, takeBack string, actions []Action) *resultPage {
	return &resultPage{list: list, plan: p, wizard: true, written: written, takeBack: takeBack, actions: actions}
}

func (p *resultPage) event(e engine.Event) { p.list.event(e) }

// end says that every check has answered. The cursor goes to what matters
// most, unless the user has put it somewhere.
func (p *resultPage) end() {
	p.list.over = true
	p.list.steps = p.steps()
	if p.list.moved {
		return
	}
	if p.list.cur = p.list.worst(); p.wizard && len(p.list.steps) > 0 {
		p.list.cur = len(p.list.rows)
		p.list.top = len(p.list.listLines()) // the steps are in sight
	}
}

// steps are what the plan and the checks leave to the user.
func (p *resultPage) steps() []step {
	if p.next != nil {
		return stepsOf(p.next(), p.l.facts)
	}
	return nextSteps(append(p.plan.Findings(), p.list.findings()...), p.plan.Commands(), p.list.as, p.l.facts)
}

func (p *resultPage) update(msg tea.Msg) (ask, tea.Cmd) {
	key := pressed(msg)
	if p.list.move(key, len(p.list.rows)+len(p.list.steps), p.list.height) {
		return nil, nil
	}
	if leads(p.actions, key) {
		if p.list.over {
			return askPick{key}, nil
		}
		return askSay{"still checking; " + key + " works when that is done"}, nil
	}
	switch key {
	case "right", "l", "n":
		return p.list.read(), nil
	case "enter":
		if p.wizard {
			return askLeave{}, nil
		}
		return p.list.read(), nil
	case "v":
		return p.list.readAll(), nil
	case "y":
		return p.list.copyNext(p.list.lines(), "check or step"), nil
	case "r":
		if p.list.over {
			return askCheck{}, nil
		}
		return askSay{"still checking; r runs it again afterwards"}, nil
	case "q", "esc":
		return askLeave{}, nil
	}
	return nil, nil
}

func (p *resultPage) layout(l look) {
	p.l = l
	p.list.layout(l, l.bodyHeight()-len(p.head()))
}

// head says what was written.
func (p *resultPage) head() []string {
	if !p.wizard {
		return nil
	}
	w := p.l.bodyWidth()
	switch {
	case p.written > 0:
		done := p.l.of(report.Pass).Render("✓") + " " + report.Counted(p.written, "1 file changed", "%d files changed")
		undo := text.Line(p.takeBack)
		beside := p.l.dim.Render("undo  " + undo)
		switch {
		case undo == "":
			return []string{done}
		case p.l.narrow() || text.Width(done)+2+text.Width(beside) > w:
			return append([]string{done}, p.l.labelled("undo", undo, w)...)
		}
		return []string{text.Ends(done, beside, w)}
	case len(p.plan.Items()) == 0:
		return []string{nothingNeeded}
	}
	return text.Wrap("Nothing was written: the remaining steps are yours.", w)
}

func (p *resultPage) view() []string { return append(p.head(), p.list.view()...) }

func (p *resultPage) hints() []hint {
	leave, detail := hintQuit, hint{key: "enter", word: "details", keep: true, short: "all"}
	if p.wizard {
		leave, detail = hint{key: "enter", word: "leave", keep: true}, hint{key: "→", word: "details", short: "all"}
	}
	hs := []hint{{key: "↑ ↓", word: "select", keep: true}, detail}
	if len(p.list.lines()) > 0 {
		hs = append(hs, hint{key: "y", word: "copy", keep: true})
	}
	if p.list.over {
		hs = append(append(hs, actionHints(p.actions)...), hint{key: "r", word: "check again", short: "again"})
	}
	hs = append(hs, hint{key: "v", word: "all evidence", short: "evidence"}, hintHelp)
	if p.wizard {
		return append([]hint{leave}, hs...)
	}
	return append(hs, leave)
}

func (p *resultPage) help() []hint {
	hs := []hint{{key: "↑ ↓", word: "select a check, then the remaining steps"},
		{key: "→ n", word: "all details of the check"}, {key: "v",
			word: "the whole report, with the evidence of every check"},
		{key: "y", word: "copy a command of the check or step; again for its next one"}, {key: "r",
			word: "check again"}}
	hs = append(hs, actionHelp(p.actions)...)
	if p.wizard {
		return append(hs, hint{key: "enter", word: "leave"})
	}
	return append(hs, hint{key: "enter", word: "as →"})
}
