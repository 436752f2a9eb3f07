// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the way through the wizard: what each key gets the user, and
// that nothing is written on the way.

package tui

import (
	"errors"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/steward-setup/steward-setup/internal/report"
)

func TestApprovingEverythingAppliesThePlanOfTheReview(t *testing.T) {
	b := &fake{}
	d := drive(t, b, Options{}, 80, 24)
	d.press(toReview).sees("10 files change, 3 commands are yours to run", "enter apply", "steward-setup undo")
	if n := b.writes(); n != 0 {
		t.Fatalf("%d files were written before the yes", n)
	}
	shown := d.m.proposal.Plan.ID
	d.sees("plan " + string(shown))
	d.press("enter")
	if got := b.applies(); !slices.Equal(got, []report.PlanID{shown}) {
		t.Fatalf("applied %v, shown was %s", got, shown)
	}
	d.sees("✓ 10 files changed", "steward-setup undo 20261120-1", "1 ✗ fail", "? clean-env", "Next")
	out := d.press("enter").outcome()
	if out.End != Applied || out.Written != 10 || len(out.Findings) != 6 || out.Left != 3 {
		t.Errorf("outcome %+v", out)
	}
}

func TestFirstProposalIsNotMadeTwice(t *testing.T) {
	b := &fake{}
	p := first(t, b)
	d := drive(t, b, Options{First: p}, 80, 24)
	d.sees("Pinned tools")
	if b.proposed != 1 {
		t.Errorf("proposed %d times", b.proposed)
	}
}

func TestAStepThatWasTakenStaysInTheRow(t *testing.T) {
	b := &fake{}
	d := drive(t, b, Options{}, 80, 24).press("a")
	d.sees("● tools", "◐ policy")
	b.toolsThere = true // nothing of it is left to decide in the next plan
	d.press("s").sees("● tools", "⊘ policy")
}

func TestSkippingIsAnAnswerAndANewPlan(t *testing.T) {
	b := &fake{}
	d := drive(t, b, Options{}, 80, 24).press("s a a s")
	d.sees("User wiring", "⊘ hooks")
	if got := d.m.answers["skip"]; !slices.Equal(got, []string{"hooks"}) {
		t.Fatalf("skip is %q", got)
	}
	d.press("a a").sees("left out  hooks", "5 files change")
	// Back on the page it can be taken in again.
	d.press("b b b").sees("Left out: none of it will be written.")
	d.press("a").sees("sandbox-bypass-warn.sh", "◐ hooks")
	d.press("enter enter enter").sees("10 files change")
}

func TestCommandsStayTheUsers(t *testing.T) {
	b := &fake{}
	d := drive(t, b, Options{}, 80, 24)
	d.sees("Run this in another terminal", "y copy", "r I ran it, check again", "s later")
	d.press("y")
	exact := "sudo apt-get install --no-install-recommends bubblewrap=0.11.2-1~bpo12+1 socat=1.8.1.3-1~bpo12+1"
	if !slices.Equal(d.copied, []string{exact}) {
		t.Errorf("copied %q", d.copied)
	}
	d.press("r").sees("checked: still missing")
	b.toolsThere = true
	d.press("r").sees("checked: nothing is left here", "Nothing to change here.", "bubblewrap 0.11.2, socat 1.8.1.3")
	// Leaving a page of commands for later keeps them on the list; x drops them.
	b.toolsThere = false
	d = drive(t, b, Options{}, 80, 24).press("x")
	d.sees("⊘ tools", "Project policy")
	d.press("a a a a a")
	d.seesNot("apt-get")
}

func TestALineForAFileIsNotRun(t *testing.T) {
	d := drive(t, &fake{}, Options{}, 80, 24).press("s a right")
	d.sees("Add this line to ~/.zshrc in your editor:", "a approve", "y copy")
	d.press("y")
	if len(d.copied) != 1 || !strings.HasPrefix(d.copied[0], `[ -f "$HOME/`) {
		t.Errorf("copied %q", d.copied)
	}
}

func TestAnApprovalHoldsForWhatWasShown(t *testing.T) {
	b := &fake{}
	d := drive(t, b, Options{}, 80, 24).press("s a a a a a")
	b.drift = true // the machine changes while the user walks on
	d.press("b s") // a new proposal, for another reason
	d.sees("not decided yet: policy", "enter go there")
	d.press("enter").sees("◐ policy")
	if len(b.applies()) != 0 {
		t.Fatal("a changed section was applied")
	}
}

func TestEntriesAreChosenOneByOne(t *testing.T) {
	b := &fake{}
	d := drive(t, b, Options{}, 80, 24).press("s c")
	d.sees("9 of 9 go in", "already there", "yours: it stays")
	d.press("space").sees("already in your file: kept")
	d.press("down down down").sees("downloads go through the proxy or not at all")
	d.press("space").sees("8 of 9 go in", "left out")
	d.press("enter").sees("8 added, 1 kept, 0 conflicts, 1 left out")
	if got := d.m.answers["omit"]; !slices.Equal(got, []string{"permissions.deny:Bash(curl *)"}) {
		t.Errorf("omit is %q", got)
	}
	// Esc leaves the choice as it was; what is out can come in again.
	d.press("c down space esc").sees("8 added")
	d.press("c A enter").sees("9 added")
}

func TestWhyFollowsTheLine(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {40, 24}, {120, 40}} {
		d := drive(t, &fake{}, Options{}, size[0], size[1]).press("s")
		if size[0] < wideFrom {
			d.press("w")
		}
		d.sees("why       the file")
		d.press("down down down down down down down")
		d.sees("why       sandbox.filesystem.denyRead", "the home directory is hidden")
	}
}

func TestQuestionsAreAskedOnceAndCanBeChanged(t *testing.T) {
	b := &fake{questions: true}
	d := drive(t, b, Options{Validate: func(q report.Question, a []string) error {
		if q.ID == "project-name" && a[0] == "" {
			return errors.New("a name is needed")
		}
		return nil
	}}, 80, 24).press("s")
	d.sees("question 1 of 3", "config directory", "suggested from the repository's name", "> tracker")
	// An empty answer is refused, and letters are letters here.
	d.press("ctrl+u enter").sees("✗ a name is needed")
	d.send(tea.PasteMsg{Content: "quiet"})
	d.press("enter").sees("question 2 of 3", "[✓] GitHub", "price     a host")
	d.press("down space enter").sees("question 3 of 3", "▸ no")
	d.press("y").sees("a command may ask to run outside the sandbox")
	want := report.Answers{"project-name": {"quiet"}, "domains": {"github", "apache", "go"}, "unsandboxed": {"yes"}}
	for id, v := range want {
		if !slices.Equal(d.m.answers[id], v) {
			t.Errorf("%s is %q, want %q", id, d.m.answers[id], v)
		}
	}
	// Changing one answer starts from what was answered; leaving half way
	// changes nothing.
	d.press("e enter enter n")
	d.seesNot("a command may ask to run outside the sandbox")
	d.press("e esc").sees("a approve")
	d.press("a").sees("Alias claude to claude-iso?")
	d.press("enter a a").sees("question 1 of 2", "status line of your own")
	d.press("down enter").sees("question 2 of 2", "ctrl-j new line")
	d.press("enter").sees("User wiring", "a approve")
	if got := d.m.answers["status-line"]; !slices.Equal(got, []string{"replace"}) {
		t.Errorf("status-line is %q", got)
	}
}

func TestGivenAnswersAreNotAsked(t *testing.T) {
	d := drive(t, &fake{questions: true}, Options{Given: report.Answers{
		"project-name": {"x"}, "domains": nil, "unsandboxed": {"no"}, "skip": {"tools"}}}, 80, 24)
	d.sees("Left out:", "◐ tools")
	d.press("enter").sees("Project policy", "a approve", "e answers")
}

func TestQuitAsksOnlyIfSomethingWasApproved(t *testing.T) {
	d := drive(t, &fake{}, Options{}, 80, 24).press("s q")
	if out := d.outcome(); out.End != Quit || out.Written != 0 {
		t.Errorf("outcome %+v", out)
	}
	d = drive(t, &fake{}, Options{}, 80, 24).press("s a q")
	d.sees("Quit without writing?", "steward-setup install --apply")
	d.press("n").sees("Clean-env wrapper")
	if out := d.press("q y").outcome(); out.End != Quit {
		t.Errorf("outcome %+v", out)
	}
	if words := strings.Join(d.m.lastWords(Outcome{End: Quit}), "\n"); !strings.Contains(words, "Nothing was written.") ||
		!strings.Contains(words, "steward-setup install --apply") {
		t.Errorf("last words: %s", words)
	}
}

func TestCtrlCWritesNothingOnAnyPage(t *testing.T) {
	for _, keys := range []string{"", "s", "s c", "s ?", "s n", "s a q", toReview, toReview + " down", "a question: s"} {
		keys, asked := strings.CutPrefix(keys, "a question: ")
		b := &fake{questions: asked}
		d := drive(t, b, Options{}, 80, 24).press(keys + " ctrl+c")
		if out := d.outcome(); out.End != Interrupted || out.Written != 0 || b.writes() != 0 {
			t.Errorf("after %q: %+v, %d writes", keys, out, b.writes())
		}
	}
}

func TestEndOfInputMeansNo(t *testing.T) {
	b := &fake{}
	d := drive(t, b, Options{}, 80, 24).press(toReview)
	d.send(inputEndedMsg{})
	if out := d.outcome(); out.End != Interrupted || b.writes() != 0 {
		t.Errorf("%+v, %d writes", out, b.writes())
	}
}

func TestNothingToChangeIsSaidAtOnce(t *testing.T) {
	b := &fake{done: true, questions: true}
	b.toolsThere = true
	d := drive(t, b, Options{}, 80, 24)
	d.sees("Nothing to change.", "enter check")
	d.press("enter").sees("Nothing had to be written.", "project-settings")
	if out := d.press("enter").outcome(); out.End != Applied || len(b.applies()) != 0 || len(out.Findings) != 6 {
		t.Errorf("%+v, applies %v", out, b.applies())
	}
}

func TestNoPlanSaysWhyAndTriesAgain(t *testing.T) {
	b := &fake{proposeErr: &report.Error{Code: report.ExitMalformed, Where: project + "/.claude/settings.json:14:3",
		What: "a comment", Why: "the runtime silently ignores the whole file", Next: "remove the comment"}}
	d := drive(t, b, Options{}, 80, 24)
	d.sees("No plan could be made. Nothing was written.", "a comment", project+"/.claude/settings.json:14:3",
		"the runtime silently ignores the whole file", "remove the comment")
	b.proposeErr = nil
	d.press("r").sees("Pinned tools")
	b.proposeErr = errors.New("gone")
	d.press("s s").sees("✗ failed  gone", "b back")
	b.proposeErr = nil
	d.press("b").sees("Project policy", "a approve")
	if got := d.m.answers["skip"]; len(got) != 0 {
		t.Errorf("the answer that made no plan stayed: %q", got)
	}
	b.proposeErr = &report.Error{Code: report.ExitMalformed, What: "again"}
	d.press("s q")
	if d.outcome(); d.m.end != Failed {
		t.Errorf("end %s", d.m.end)
	}
}
