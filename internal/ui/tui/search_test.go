// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a plan that takes a search is shown on the way, stops on a
// key, and is approved only after what was found was seen and what it costs
// was acknowledged by typing.

package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
)

// finder is a backend that searches for repositories.
type finder struct {
	fake
	asks bool // where to search is asked first
	none bool // the search finds nothing to write
	warn string
	// until, if set, is received from before the search ends; told is closed
	// when it has said how far it is, ended takes why it stopped.
	until chan struct{}
	told  chan struct{}
	ended chan error
}

func (f *finder) Propose(ctx context.Context, a report.Answers, tell func(engine.Progress)) (report.Proposal, error) {
	where := report.Question{ID: "root", Section: "roots", Kind: report.List, Title: "Where are your repositories?",
		Default: []string{"~/code"}}
	if _, ok := a["root"]; f.asks && !ok {
		return report.Proposal{Facts: facts, Questions: []report.Question{where}, Unfinished: true,
			Plan: report.NewPlan([]report.Section{{ID: "roots", Title: "Repositories"}})}, nil
	}
	for i := range 3 { // nobody waits for what is told
		tell(engine.Progress{Text: "checking repositories", Done: 4*i + 2, Of: 20})
	}
	if f.until != nil {
		close(f.told)
		select {
		case <-f.until:
		case <-ctx.Done():
			f.ended <- ctx.Err()
			return report.Proposal{}, ctx.Err()
		}
	}
	root := roots()
	shared := report.Section{ID: "hooks", Title: "core.hooksPath: read this first",
		Why: "core.hooksPath in your global git configuration applies to all your repositories, now and later.",
		Exposes: []string{"if the shared directory is deleted or damaged, git runs no hooks in any of these repositories, " +
			"and says nothing; verify reports it"},
		Findings: []report.Finding{{Check: "scope", Layer: report.LayerSandbox, Status: report.Warn,
			Summary: "1 of 5 repositories have hooks of their own" + f.warn,
			Evidence: []report.Evidence{report.FileEvidence(home+"/code/api/.git/hooks",
				"pre-commit: still run, started by the shared directory")}}},
		Items: []report.Item{report.Change{ID: "scope/hooks-path", Why: "git looks for every repository's hooks there",
			Path: home + "/.gitconfig", Target: home + "/.gitconfig", Before: []byte("[user]\n"),
			After: []byte("[user]\n[core]\n\thooksPath = /home/ada/.claude/git-hooks\n"), Mode: 0o644}}}
	floor := report.Section{ID: "floor", Title: "Policy in your user settings",
		Why: "Holds wherever plain claude starts.", Skipped: slices.Contains(a["skip"], "floor")}
	if !floor.Skipped {
		floor.Entries = []report.Entry{{Key: "k", Layer: report.LayerSandbox, Why: "why", State: "new"}}
		floor.Items = []report.Item{report.Change{ID: "floor/settings", Why: "the policy for every start", Path: home +
			"/.claude/settings.json", Target: home + "/.claude/settings.json", After: []byte("{}\n"), Mode: 0o600}}
	}
	if f.none {
		root.Items, floor.Items, shared.Items = nil, nil, nil
	}
	p := report.Proposal{Plan: report.NewPlan([]report.Section{root, floor, shared}), Facts: facts, Table: foundTable()}
	if f.asks {
		p.Questions = []report.Question{where}
	}
	return p, nil
}

func foundTable() *report.Table {
	t := &report.Table{Section: "roots", Title: "Repositories", Summary: "repositories: 40, worktrees: 42; roots: 30 to " +
		"write, 1 covered, 1 refused, 8 without .claude",
		Rest: "not listed: worktrees without .claude and without hooks: 8"}
	t.Rows = append(t.Rows, report.Row{Mark: "✗", Status: report.Warn, Path: home + "/code/leaky", State: "refused",
		Details: []report.Detail{
			{Label: "why", Text: ".claude/settings.local.json: git does not ignore it"},
			{Label: "next", Text: "add .claude/settings.local.json to .gitignore"}}})
	for i := range 30 {
		t.Rows = append(t.Rows, report.Row{Mark: "+", Path: fmt.Sprintf("%s/code/a-group-of-repositories/service-%02d", home,
			i), State: "to be written"})
	}
	return &report.Table{Section: t.Section, Title: t.Title, Summary: t.Summary, Rest: t.Rest, Rows: append(t.Rows,
		report.Row{Mark: "✓", Status: report.Pass, Path: project, State: "covered",
			Details: []report.Detail{{Label: "hooks", Text: "pre-commit: still run, started by the shared directory"}}})}
}

var scopeOptions = Options{Command: "scope whole-user", Waiting: "Looking for repositories.", AllEntries: true,
	Acknowledge: &Acknowledgement{Section: "hooks", Words: "core.hooksPath"}, Fixed: func(id report.ID) bool {
		return id != "floor"
	}}

func scopeScene(asks bool, keys string) func(*testing.T, [2]int) *driver {
	return func(t *testing.T, s [2]int) *driver {
		t.Helper()
		return drive(t, &finder{asks: asks}, scopeOptions, s[0], s[1]).press(keys)
	}
}

// searching is a search that is under way.
func searching(t *testing.T, size [2]int) (*driver, *finder) {
	t.Helper()
	f := &finder{until: make(chan struct{}), told: make(chan struct{}), ended: make(chan error, 1)}
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	d := &driver{t: t, m: newWizard(ctx, f, scopeOptions), msgs: make(chan tea.Msg), cancel: cancel}
	d.begin(d.model().Init())
	for d.m.far.Done != 10 {
		d.take(<-d.msgs)
	}
	d.begin(func() tea.Msg { return tea.WindowSizeMsg{Width: size[0], Height: size[1]} })
	for d.m.width == 0 {
		d.take(<-d.msgs)
	}
	t.Cleanup(func() { // what still runs ends with the context
		cancel()
		for d.pending > 0 {
			<-d.msgs
			d.pending--
		}
	})
	return d, f
}

const typed = "c o r e . h o o k s P a t h"

func init() {
	screens = append(screens, []struct {
		name string
		open func(*testing.T, [2]int) *driver
	}{
		{"scope-search", func(t *testing.T, s [2]int) *driver { t.Helper(); d, _ := searching(t, s); return d }},
		{"scope-where", scopeScene(true, "")},
		{"scope-found", scopeScene(false, "")},
		{"scope-found-last", scopeScene(false, "end")},
		{"scope-roots", scopeScene(false, "enter")},
		{"scope-acknowledge", scopeScene(false, "enter a a c o r e enter")},
		{"scope-hooks", scopeScene(false, "enter a a end "+typed+" enter")},
		{"scope-review", scopeScene(false, "enter a a end "+typed+" enter a")},
		{"scope-overview", overviewScene},
	}...)
}

func overviewScene(t *testing.T, s [2]int) *driver {
	t.Helper()
	return lookAt(t, newViewer(context.Background(), "scope", facts, newOverviewPage(overviewOf())), s[0], s[1])
}

func overviewOf() OverviewData {
	return OverviewData{Command: "scope", Title: "Scope: whole-user",
		Actions: []Action{{"w", "whole-user"}, {"p", "per-project"}}, Lines: []string{
			"  every repository of yours uses the shared hooks", "", "Shared hooks directory: ~/.claude/git-hooks",
			"  27 hooks, unchanged", "",
			"  ✗ claude     a subdirectory         the sandbox is off: the project's settings are read only by a session that " +
				"starts in their directory"}}
}

func TestASearchIsShownAndStopsOnAKey(t *testing.T) {
	for key, end := range map[string]End{"q": Quit, "ctrl+c": Interrupted} {
		d, f := searching(t, [2]int{80, 24})
		d.sees("Looking for repositories.", "checking repositories: 10 of 20", "q quit")
		_, cmd := d.m.Update(keyMsg(key))
		d.begin(cmd)
		for !d.quit {
			d.take(<-d.msgs)
		}
		if d.m.end != end {
			t.Errorf("%s: %s", key, d.m.end)
		}
		d.cancel() // as runOn does
		if err := <-f.ended; err == nil {
			t.Error("the search went on")
		}
	}
}

func TestWhatWasFoundIsSeenBeforeAnythingElse(t *testing.T) {
	d := drive(t, &finder{asks: true}, scopeOptions, 80, 24)
	d.sees("Where are your repositories?", "~/code")
	d.press("enter")
	d.sees("1 to ", "▸ ✗ ~/code/leaky", "refused", "add .claude/settings.local.json to .gitignore", "not listed")
	d.press("end").sees("▸ ✓ ~/code/tracker", "covered", "hooks     pre-commit: still run")
	d.press("enter").sees("Project roots", "a approve", "e answers")
	d.seesNot("s skip")
	d.press("s").sees("this part cannot be left out")
	d.press("b").sees("▸ ✗ ~/code/leaky")
	d.press("b").sees("this is the first page")
	if d.press("enter a"); strings.Contains(d.frame(), "choose entries") {
		t.Error("entries can be chosen, and the command line has no flag for that")
	}
	d.sees("Policy in your user settings", "s skip")
	d.press("b").sees("Project roots")
}

func TestOnlyTheTypedWordsAcknowledge(t *testing.T) {
	for _, wrong := range []string{"", "c o r e", "C O R E . h o o k s P a t h", typed + " x", "y e s"} {
		f := &finder{}
		d := drive(t, f, scopeOptions, 80, 24).press("enter a a " + wrong + " enter")
		d.sees("type core.hooksPath, then press enter")
		d.seesNot("a approve")
		d.press("q a s ? enter") // text here
		d.sees("> " + strings.ReplaceAll(wrong, " ", "") + "qas?")
		if d.quit || f.writes() != 0 {
			t.Errorf("%q: quit %v, %d writes", wrong, d.quit, f.writes())
		}
		d.press("ctrl+u " + typed)
		d.send(keyMsg("enter"))
		d.sees("a approve", "hooksPath")
	}
	d := drive(t, &finder{}, scopeOptions, 80, 24).press("enter a a esc")
	d.sees("Policy in your user settings")
	d.press("a " + typed[:len(typed)-2])
	d.send(tea.PasteMsg{Content: "h\x1b[2J\n"}) // no control character gets in
	d.press("enter").sees("To continue, type")
	given := scopeOptions
	given.Acknowledge = &Acknowledgement{Section: "hooks", Words: "core.hooksPath", Given: true}
	drive(t, &finder{}, given, 80, 24).press("enter a a").sees("a approve", "core.hooksPath: read this first")
}

// TestWhatWasNotReadToTheEndIsNotAcknowledged: where the text does not fit, the
// words count only once its end was on the screen.
func TestWhatWasNotReadToTheEndIsNotAcknowledged(t *testing.T) {
	for _, scroll := range []string{"end", "pgdown pgdown pgdown pgdown"} {
		f := &finder{}
		d := drive(t, f, scopeOptions, 40, 24).press("enter a a")
		d.sees("Read to the end first")
		d.seesNot("To continue, type")
		d.press(typed+" enter enter").sees("scroll to the end of the text", "> core.hooksPath")
		d.seesNot("a approve")
		d.press(scroll).sees("To continue, type")
		d.press("home enter").sees("a approve")
		if f.writes() != 0 {
			t.Errorf("%d writes", f.writes())
		}
	}
}

func TestAnotherTextIsAcknowledgedAnew(t *testing.T) {
	f := &finder{}
	d := drive(t, f, scopeOptions, 80, 24).press("enter a a " + typed + " enter")
	d.sees("a approve")
	f.warn = ", and one more"
	d.press("b b b").sees("▸ ✗ ~/code/leaky")
	d.press("r enter a a").sees("To continue, type core.hooksPath")
}

func TestWholeUserScopeFromStartToEnd(t *testing.T) {
	f := &finder{}
	d := drive(t, f, scopeOptions, 80, 24).press("enter a s")
	d.sees("To continue, type core.hooksPath")
	if f.writes() != 0 {
		t.Fatal("something is written")
	}
	d.press(typed+" enter a").sees("left out", "floor", "enter apply")
	plan := d.m.proposal.Plan
	d.press("enter")
	if got := f.applies(); len(got) != 1 || got[0] != plan.ID || f.writes() != len(plan.Changes()) {
		t.Errorf("applied %v with %d writes, want %s with %d", got, f.writes(), plan.ID, len(plan.Changes()))
	}
	d = drive(t, &finder{none: true}, scopeOptions, 80, 24)
	d.sees("Nothing to change.")
	d.seesNot("To continue")
}

func TestAnOverviewLeadsOn(t *testing.T) {
	d := overviewScene(t, [2]int{80, 24})
	d.press("x enter down")
	if d.quit {
		t.Fatal("a key without a command ended the screen")
	}
	if d.press("p"); !d.quit || d.v.pick != "p" || d.v.end != Quit {
		t.Errorf("pick %q, %s", d.v.pick, d.v.end)
	}
	if d = overviewScene(t, [2]int{80, 24}).press("q"); d.v.pick != "" || d.v.end != Quit {
		t.Errorf("pick %q, %s", d.v.pick, d.v.end)
	}
}

func TestASectionLeadsOnAfterTheRun(t *testing.T) {
	o := Options{Leads: map[report.ID]Action{"scope": {"w", "whole-user"}}}
	for keys, want := range map[string]string{"w": "w", "w w": "", "": ""} {
		d := drive(t, &fake{}, o, 80, 24).press("s a a a a a")
		d.sees("w whole-user after this")
		d.press(keys + " enter enter")
		if d.press("q"); !d.quit {
			t.Fatalf("%q:\n%s", keys, d.frame())
		}
		if out := d.outcome(); out.End != Applied || out.Key != want {
			t.Errorf("%q: %s, key %q", keys, out.End, out.Key)
		}
	}
	d := drive(t, &fake{}, o, 80, 24).press("s a a a a a w q y")
	if out := d.outcome(); out.Key != "" || out.End != Quit {
		t.Errorf("left without writing: %s, key %q", out.End, out.Key)
	}
}

// TestAnOverviewKeepsItsColumns: a row that is wrapped goes on under its last column.
func TestAnOverviewKeepsItsColumns(t *testing.T) {
	line := "  ✓ claude     a subdirectory         sandboxed, by the approved policy of this project"
	for width, want := range map[int][]string{
		100: {line},
		80: {"  ✓ claude     a subdirectory         sandboxed, by the approved policy of this",
			"                                      project"},
		40: {"  ✓ claude  a subdirectory", "    sandboxed, by the approved policy of", "    this project"},
	} {
		if got := hung(line, width); !slices.Equal(got, want) {
			t.Errorf("at %d\n%s\nnot\n%s", width, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}
