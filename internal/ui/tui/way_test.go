// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the recommended way is short and hides nothing: what was
// not asked stands on the review, and can be changed there.

package tui

import (
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
)

func TestTheRecommendedWayAsksOnlyWhatNobodyCanDecide(t *testing.T) {
	b := &fake{questions: true}
	d := setOut(t, b, Options{}, 80, 24)
	d.sees("Recommended setup, or step by step?")
	d.press("enter").sees("question 1 of 2", "Which hosts")
	d.press("enter").sees("question 2 of 2", "Alias claude")
	d.press("enter").sees("10 files change", "enter apply", "answers")
	d.seesNot("not settled")
	if n := b.writes(); n != 0 {
		t.Fatalf("%d files were written before the yes", n)
	}
	shown := d.m.proposal.Plan.ID
	d.press("enter")
	if got := b.applies(); !slices.Equal(got, []report.PlanID{shown}) {
		t.Errorf("applied %v, shown was %s", got, shown)
	}
}

// toAnswer puts the cursor of the review on the answer to a question.
func (d *driver) toAnswer(id report.ID) {
	d.t.Helper()
	if r := d.m.page.(*reviewPage); r.cur >= 0 {
		d.press("esc")
	}
	for range 40 {
		if r, ok := d.m.page.(*reviewPage); ok && r.answer() != nil && r.answer().Question.ID == id {
			return
		}
		d.press("down")
	}
	d.t.Fatalf("no answer %s on the review:\n%s", id, d.frame())
}

func TestEveryAnswerStandsOnTheReviewAndCanBeChangedThere(t *testing.T) {
	b := &fake{questions: true}
	d := setOut(t, b, Options{}, 80, 24).press("enter enter enter")
	for _, q := range questions() {
		d.toAnswer(q.ID)
		if q.Decided != "" {
			d.press("enter").sees("nothing to choose: " + q.Decided)
		}
	}
	d.toAnswer("unsandboxed")
	d.sees("the policy's own rules ask", "enter change")
	d.press("enter").sees("May the agent ask")
	d.press("esc").sees("▸ May the agent ask")
	d.press("enter y").sees("▸ May the agent ask", "your answer", "10 files change")
	if got := d.m.answers["unsandboxed"]; !slices.Equal(got, []string{"yes"}) || b.writes() != 0 {
		t.Errorf("answered %q, %d writes", got, b.writes())
	}
	d.press("esc enter")
	if got := b.applies(); len(got) != 1 || got[0] != d.m.proposal.Plan.ID {
		t.Errorf("applied %v", got)
	}
}

// TestEnterReadsWhatTheUserMovedTo: on a selected row enter opens it, however often, and a applies the plan.
func TestEnterReadsWhatTheUserMovedTo(t *testing.T) {
	for _, width := range []int{40, 80, 120} {
		b := &fake{questions: true}
		d := setOut(t, b, Options{}, width, 24).press("enter enter enter")
		d.sees("enter apply")
		d.seesNot("a apply")
		d.press("a down down" + when(width < wideFrom, " down")) // a wide window has a cursor already
		d.sees("enter read", "a apply")
		d.press("?").sees("read the item", "applies the")
		d.press("esc enter").sees("enter close", "─ .claude/settings.json", "line 1 of")
		d.press("down down").sees("line 3 of")
		d.press("enter").sees("enter read", "files change")
		d.press("enter esc").sees("enter read") // esc closes what enter opened
		d.press("down down enter").sees("Add this line to ~/.zshrc", "y copy")
		d.press("enter")
		if n := b.writes(); n != 0 {
			t.Fatalf("%d columns: enter wrote %d files", width, n)
		}
		shown := d.m.proposal.Plan.ID
		d.press("esc").sees("enter apply")
		d.press("down a")
		if got := b.applies(); !slices.Equal(got, []report.PlanID{shown}) {
			t.Errorf("%d columns: applied %v, shown was %s", width, got, shown)
		}
	}
	// On an answer a applies, too: enter changes it.
	b := &fake{questions: true}
	d := setOut(t, b, Options{}, 80, 24).press("enter enter enter")
	d.toAnswer("unsandboxed")
	d.sees("enter change", "a apply")
	d.press("a")
	if len(b.applies()) != 1 {
		t.Error("a did not apply")
	}
	// Of one row there is nothing to select; of several enter undoes nothing.
	c := undoPage(&fake{})
	confirming(t, c, 80, 24).press("down").sees("enter undo", "exec steward-setup")
	d = asked(t, 80, 24).press("down")
	d.sees("enter read", "a push")
	d.press("enter").sees("deploy it")
	if out := d.press("a").outcome(); out.End != Applied {
		t.Errorf("%+v", out)
	}
}

func TestWhatIsDecidedIsNeverAsked(t *testing.T) {
	for _, step := range []bool{true, false} {
		d := setOut(t, &fake{questions: true}, Options{StepByStep: step}, 80, 24)
		for range 30 {
			if _, ok := d.m.page.(*reviewPage); ok {
				break
			}
			d.seesNot("allowWrite, too?")
			key := "enter"
			if strings.Contains(d.frame(), "s later") {
				key = "s"
			}
			d.press(key)
		}
		d.sees("files change")
	}
}

func TestTheWayBackLeadsThroughEveryPage(t *testing.T) {
	d := setOut(t, &fake{questions: true}, Options{}, 80, 24).press("enter enter enter")
	d.press("b").sees("question 2 of 2")
	d.press("esc esc").sees("Recommended setup, or step by step?")
	d.press("down enter").sees("Pinned tools")
	d.press("b").sees("Recommended setup, or step by step?")
	// From the review the pages are one key away, and lead back to it.
	d.press("enter enter enter s").sees("Pinned tools", "◐ tools")
	if out := d.press("ctrl+c").outcome(); out.End != Interrupted || out.Written != 0 {
		t.Errorf("%+v", out)
	}
}

func TestAnswersGivenByFlagsAreNotAsked(t *testing.T) {
	given := report.Answers{"domains": {"go"}, "alias": {"yes"}}
	d := setOut(t, &fake{questions: true}, Options{Given: given}, 80, 24).press("enter")
	d.sees("10 files change", "enter apply")
}

func TestNothingToDoAsksNothing(t *testing.T) {
	d := setOut(t, &fake{done: true, toolsThere: true}, Options{}, 80, 24)
	d.sees("Nothing to change.", "enter check")
}

func TestASectionThatDecidesNothingIsNoPage(t *testing.T) {
	d := setOut(t, &fake{questions: true, toolsThere: true, wrapped: true}, Options{StepByStep: true}, 80, 24)
	for range 10 {
		if strings.Contains(d.frame(), "Alias claude") {
			break
		}
		d.press("enter")
	}
	d.press("enter")
	d.seesNot("Nothing to change here.")
	d.sees("Hook scripts")
	d.press("b") // its answer can still be changed
	d.sees("Clean-env wrapper", "Nothing to change here.", "e answers")
	d.press("e y").sees("Hook scripts")
	if got := d.m.answers["alias"]; !slices.Equal(got, []string{"yes"}) {
		t.Errorf("answered %q", got)
	}
}

// TestTheReviewNamesTheAnswerThatDecides: two findings that one answer settles name its question once.
func TestTheReviewNamesTheAnswerThatDecides(t *testing.T) {
	q := report.Question{ID: "distro", Section: "tools", Kind: report.Confirm, Title: "Use the distribution's versions?"}
	s := report.Section{ID: "tools", Title: "Tools"}
	for _, tool := range []string{"bubblewrap", "socat"} {
		s.Findings = append(s.Findings, report.Finding{Status: report.Warn, Decide: true, Summary: tool + " is older",
			Remedies: []report.Remedy{report.DocLink{Title: "upstream"},
				report.Own("install --distro", report.Command{ID: "tools/distro"})}})
	}
	p := newReviewPage(prepared{Plan: report.NewPlan([]report.Section{s})}, report.Facts{},
		[]report.Answered{{Question: q}})
	for _, width := range []int{40, 80} {
		p.layout(look{width: width, height: 24})
		foot := strings.Join(p.foot(), "\n")
		said := strings.Join(strings.Fields(foot), " ")
		if n := strings.Count(said, `press enter on "Use the distribution's versions?" in the list`); n != 1 {
			t.Errorf("%d columns: the answer is named %d times:\n%s", width, n, foot)
		}
	}
}
