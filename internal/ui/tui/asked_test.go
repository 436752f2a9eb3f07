// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a page that only asks writes nothing; its yes names the plan
// and the answers that were shown.

package tui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/steward-setup/steward-setup/internal/report"
)

// pushPage asks for a push of files, with what arrives before it.
func pushPage() Confirmation {
	change := func(section, rel, before, after string) report.Change {
		path := home + "/.claude-config/" + rel
		c := report.Change{ID: report.ID(section + "/" + rel), Path: path, Target: path, After: []byte(after), Mode: 0o644}
		if before != "" {
			c.Before = []byte(before)
		}
		return c
	}
	names := []string{"CLAUDE.md", "memory/p/notes.md"}
	propose := func(a report.Answers) (report.Proposal, error) {
		files := report.Question{ID: "only", Section: "push", Kind: report.Multi, Title: "Which files are committed?",
			Help: "The others stay as they are, uncommitted.", Reason: "all that differ", Default: names,
			Options: []report.Option{{Value: names[0], Label: names[0], Note: "changed"},
				{Value: names[1], Label: names[1], Note: "new"}}}
		message := report.Question{ID: "message", Section: "push", Kind: report.Text, Title: "Commit message",
			Help: "It is pushed with the commit.", Default: []string{"Update CLAUDE.md and 1 more file"}, Reason: "drafted"}
		all := []report.Change{change("push", names[0], "be kind\n", "be kind\nand brief\n"),
			change("push", names[1], "", "a note\n")}
		items := []report.Item{}
		for i, c := range all {
			if slices.Contains(a.Of(files), names[i]) {
				items = append(items, c)
			}
		}
		items = append(items, report.Push{ID: "push/push", Remote: "git@example.invalid:ada/config.git", Branch: "main",
			Message: a.Of(message)[0] + "\n", Commits: []string{"abc1234567 A hook of mine"},
			Why: "2 files to commit, 1 commit to push"})
		return report.Proposal{Facts: facts, Questions: []report.Question{files, message},
			Plan: report.NewPlan([]report.Section{
				{ID: "pull", Items: []report.Item{change("pull", "commands/deploy.md", "", "deploy it\n")}},
				{ID: "push", Items: items}})}, nil
	}
	p, _ := propose(nil)
	return Confirmation{Command: "sync push", Title: "Push to git@example.invalid:ada/config.git", Yes: "push",
		Plan: p.Plan, Facts: facts,
		Why:     "Also arrives, and runs outside the sandbox or is read as instructions: commands/deploy.md.",
		Propose: propose, Questions: p.Questions}
}

func asked(t *testing.T, width, height int) *driver {
	t.Helper()
	return confirming(t, pushPage(), width, height)
}

// confirming drives the page of a ready-made plan.
func confirming(t *testing.T, c Confirmation, width, height int) *driver {
	t.Helper()
	m := newWizard(t.Context(), confirmed{c}, Options{Command: c.Command})
	m.confirm(&c)
	d := &driver{t: t, m: m, msgs: make(chan tea.Msg), cancel: func() {}}
	d.start(width, height)
	return d
}

func TestAPageThatOnlyAsks(t *testing.T) {
	d := asked(t, 80, 24)
	first := d.m.proposal.Plan.ID
	d.sees("Push to git@example.invalid", "⇡ push to main", "Which files are committed?", "enter push")
	d.press("down down down down down enter") // the files
	d.sees("[✓] CLAUDE.md")
	d.press("space enter").sees("your answer", "memory/p/notes.md")
	if rows := d.frame(); strings.Contains(rows, ".claude-config/CLAUDE.md") {
		t.Errorf("a file that was left out is shown:\n%s", rows)
	}
	out := d.press("esc enter").outcome()
	if out.End != Applied || out.Written != 0 || out.Approved == first || out.Approved != d.m.proposal.Plan.ID ||
		!slices.Equal(out.Answers["only"], []string{"memory/p/notes.md"}) {
		t.Errorf("%+v", out)
	}
	if said := d.m.lastWords(out); len(said) > 0 {
		t.Errorf("says %q before who asked has done it", said)
	}
	d = asked(t, 80, 24)
	if out := d.press("q").outcome(); out.End != Quit || !slices.Contains(d.m.lastWords(out), "Nothing was written.") {
		t.Errorf("%+v", out)
	}
}

func TestPushFrames(t *testing.T) {
	for name, keys := range map[string]string{"push": "", "push-message": "down down down down",
		"push-files": "down down down down down enter"} {
		var b strings.Builder
		for _, size := range sizes {
			d := asked(t, size[0], size[1])
			d.press(keys)
			fmt.Fprintf(&b, "%dx%d\n%s\n\n", size[0], size[1], checkedFrame(t, d, size))
		}
		compareFile(t, "sync-"+name, b.String())
	}
}
