// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a report is one page, whether verify or the wizard asked
// for it: the same list, the same keys, the verdict above it. The wizard's
// says also what was written and how it is taken back. The exit code of
// verify's screen is the verdict that stood on it; a run that was left
// before its verdict has none.

package tui

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// resultPage shows the checks, what each saw, and what is left to do.
type resultPage struct {
	checkList
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
	return &resultPage{checkList: list, plan: p, wizard: true, written: written, takeBack: takeBack, actions: actions}
}

// end says that every check has answered. The cursor goes to what matters
// most, unless the user has put it somewhere.
func (p *resultPage) end() {
	p.over = true
	p.steps = p.left()
	if p.moved {
		return
	}
	if p.cur = p.worst(); p.wizard && len(p.steps) > 0 {
		p.cur = len(p.rows)
		p.top = len(p.listLines()) // the steps are in sight
	}
}

// left are the steps that the plan and the checks leave to the user.
func (p *resultPage) left() []step {
	if p.next != nil {
		return stepsOf(p.next(), p.l.facts)
	}
	return nextSteps(append(p.plan.Findings(), p.findings()...), p.plan.Commands(), p.as, p.l.facts)
}

func (p *resultPage) layout(l look) {
	p.l = l
	p.checkList.layout(l, l.bodyHeight()-len(p.head()))
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

func (p *resultPage) view() []string {
	return slices.Concat(p.head(), p.l.rangeRows(p.judged), p.both())
}

func (p *resultPage) keys() []binding {
	over, lines := p.over, p.lines()
	leave, enter := quits("q esc", askLeave{}), binding{key: "enter", help: "as →"}
	keys := []binding{
		{on: moveKeys, key: "↑ ↓", word: "select", keep: true, help: "select a check, then the remaining steps",
			move: func(key string) { p.move(key, len(p.rows)+len(p.steps), p.height) }},
		{on: "enter", word: "details", short: "all", keep: true, off: p.wizard, do: p.read},
		{on: "right l n", key: "→", as: "→ n", word: when(p.wizard, "details"), short: "all",
			help: "all details of the check", do: p.read},
		{key: "v", help: "the whole report, with the evidence of every check"},
		{on: "y", word: when(len(lines) > 0, "copy"), keep: true,
			help: "copy a command of the check or step; again for its next one",
			do:   func() ask { return p.copyNext(lines, "check or step") }},
		{key: "r", help: "check again"},
	}
	if p.wizard {
		leave.word, enter.help = "", "leave"
		keys = append([]binding{{on: "enter", word: "leave", keep: true, do: does(askLeave{})}}, keys...)
	}
	keys = append(keys, actionKeys(p.actions, over, func(key string) ask {
		if over {
			return askPick{key}
		}
		return askSay{"still checking; " + key + " works when that is done"}
	})...)
	return append(keys, binding{on: "r", word: when(over, "check again"), short: "again", do: func() ask {
		if over {
			return askCheck{}
		}
		return askSay{"still checking; r runs it again afterwards"}
	}}, binding{on: "v", word: "all evidence", short: "evidence", do: p.readAll}, forHelp, leave, enter)
}

// VerifyRun is what verify's screen shows, and how it comes to it.
type VerifyRun struct {
	// Name is the command's, "" is verify.
	Name  string
	Facts report.Facts
	// Checks are all checks in the order in which they are shown; of each
	// ID, Title and Layer are used.
	Checks []engine.Check
	// Run runs them and emits CheckStarted, CheckDone, Progress and, last,
	// Judged. It runs outside the screen's own goroutine, ends soon when
	// ctx ends, and is called again when the user asks for it.
	Run func(ctx context.Context, emit engine.Sink) error
	// AsCalled, if set, says the next steps as they can be taken here. Next, if
	// set, says which they are; nil are those of the findings.
	AsCalled AsCalled
	Next     func() []report.NextStep
}

// Verified is what is left of a run of verify's screen.
type Verified struct {
	// End is Quit after a verdict, Interrupted before one, or Failed.
	End End
	// Findings and Judged are those of the last run; both are empty unless
	// End is Quit.
	Findings []report.Finding
	Judged   engine.Judged
}

// Exit is the exit code of the run.
func (v Verified) Exit() int {
	switch v.End {
	case Quit:
		return v.Judged.Verdict.Exit()
	case Failed:
		return report.ExitInternal
	}
	return report.ExitInterrupted
}

// Verify runs the checks on a full screen until the user leaves it, and then
// says on the terminal's own screen what they said. When it returns, Run has
// returned. ctx must end with the signals that end the process. The error is
// Run's own, or a *report.Error with ExitInternal for the screen's.
func Verify(ctx context.Context, t Terminal, v VerifyRun) (Verified, error) {
	m := newVerify(ctx, v)
	_, err := m.runOn(m, t)
	out := m.verified()
	for _, line := range m.lastWords(out) {
		fmt.Fprintln(t.Out, line)
	}
	return out, err
}

func newVerify(ctx context.Context, v VerifyRun) *viewer {
	m := newViewer(ctx, cmp.Or(v.Name, "verify"), v.Facts, &resultPage{checkList: newCheckList(v.Checks, v.AsCalled),
		next: v.Next})
	m.work, m.quits = v.Run, "quit; before the verdict it ends the run"
	m.page.layout(m.look)
	return m
}

// verified sums up the run.
func (m *viewer) verified() Verified {
	out := Verified{End: m.end}
	if p, ok := m.page.(*resultPage); ok && m.end == Quit {
		out.Findings, out.Judged = p.findings(), p.judged
	}
	return out
}

// lastWords are lines of plain text, for any terminal: the verdict, what is
// no pass, and every step with its line, whole.
func (m *viewer) lastWords(out Verified) []string {
	p, ok := m.page.(*resultPage)
	switch {
	case !ok || out.End == Failed:
		return nil
	case out.End == Interrupted:
		return []string{"Stopped before the verdict; nothing was changed."}
	}
	lines := []string{strings.ToUpper(out.Judged.Word()) + "   " + text.Tally(out.Findings)}
	if where := rangeWords(out.Judged, m.facts); where != "" {
		lines = append(lines, hang("", where, m.width)...)
	}
	for _, f := range out.Findings {
		if f.Status != report.Pass && f.Status != report.Skip {
			lines = append(lines, hang(fmt.Sprintf("  %s %-*s  ", f.Status.Symbol(), idColumn, text.Line(string(f.Check))),
				text.Line(f.Summary), m.width)...)
		}
	}
	return append(lines, stepWords(p.steps, m.width)...)
}

// stepWords are the numbered next steps as lines of plain text for a terminal of
// width cells; a command is never broken.
func stepWords(steps []step, width int) []string {
	if len(steps) == 0 {
		return nil
	}
	lines := []string{"", "Next:"}
	for i, s := range steps {
		lines = append(lines, hang(fmt.Sprintf("%2d  ", i+1), s.say, width)...)
		if s.line != "" {
			lines = append(lines, "    "+s.line)
		}
	}
	return lines
}

// finished takes the end of a run, which has a verdict.
func (p *resultPage) finished() error {
	if p.judged.Verdict == "" {
		return noResult("", "the checks ended without a verdict")
	}
	p.end()
	return nil
}

func (p *resultPage) progress() (filled float64, said string, over bool) {
	return p.filled, p.running(), p.over
}
