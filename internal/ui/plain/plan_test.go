// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a plan is whole at every width: no word of it is cut or
// broken, and what is pasted is one line.

package plain_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/plain"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// apply and add are lines of a plan that somebody pastes.
const (
	apply = "steward-setup install --apply 7f3a-91c2-0b5d-e6a8 --project /home/ada/code/tracker --domains=github,go"
	add   = `[ -f "$HOME/.claude/agent-isolation/claude-iso.sh" ] && . "$HOME/.claude/agent-isolation/claude-iso.sh"`
)

// everything is a plan with each kind of item.
func everything() (report.Plan, []report.Answered) {
	scope := report.Question{ID: "project-reads", Default: []string{"no"}}
	return report.NewPlan([]report.Section{
			{ID: "policy", Title: "Policy of the project, for everyone who works on it",
				Why: "Sandboxes every command, names the hosts it may reach, and denies reading credentials.",
				Findings: []report.Finding{{Check: "project-settings", Layer: report.LayerSandbox, Status: report.Warn,
					Summary: "2 entries of your own are kept beside those of the policy",
					Evidence: []report.Evidence{report.FileEvidence("/home/ada/code/tracker/.claude/settings.json:14:3",
						"permissions.allow Bash(npm run lint:*)")}}},
				Opens:   []string{"raw.githubusercontent.com serves what anyone uploads, to every sandboxed command"},
				Exposes: []string{"the names of the hosts that the lock files use"},
				Items: []report.Item{report.Change{ID: "policy/settings", Why: "the policy, merged into what is there",
					Path:   "/home/ada/code/tracker/.claude/settings.json",
					Target: "/home/ada/dotfiles/claude/tracker/settings.json", Before: []byte("{}\n"),
					After: []byte("{\"sandbox\": {\"enabled\": true, \"failIfUnavailable\": true}}\n")}}},
			{ID: "tools", Title: "Tools", Why: "Three programs.", Items: []report.Item{
				report.Command{ID: "w", Line: add, Where: "/home/ada/.zshrc", Why: "define claude-iso in every new shell"},
				report.Command{ID: "r", Line: "sudo apt-get install --no-install-recommends bubblewrap socat", Privileged: true,
					Why: "the sandbox's programs"},
				report.Download{ID: "d", Package: "@anthropic-ai/claude-code-linux-x64", Versions: []string{"2.1.330"}, AtMost: 1,
					Bytes: 378e6, Why: "the runtime that the policy was tested with", Into: "/home/ada/.cache/steward-setup/runtimes",
					From: "https://registry.example/@anthropic-ai/claude-code-linux-x64/-/2.1.330.tgz", Integrity: "sha512-abc="},
				report.Push{ID: "p", Remote: "git@example.invalid:ada/claude-config.git", Branch: "main", Why: "what changed here",
					Message: "Update CLAUDE.md and the notes of the tracker",
					Commits: []string{"1a2b3c4 Add a note on the tracker"}}}},
			{ID: "roots", Title: "Roots", Skipped: true},
		}), []report.Answered{{Question: scope, Values: []string{"no"}, Why: "the home directory is hidden from commands; " +
			"the agent's own tools ask before they read outside the project"}}
}

func planned(width int) string {
	var out strings.Builder
	p := plain.New(&out, nil, facts, width)
	plan, answers := everything()
	p.Emit(engine.PlanReady{Plan: plan, Apply: apply, Answers: answers})
	p.Emit(engine.ChangeDone{Change: plan.Changes()[0], Index: 1, File: plan.Changes()[0].Path, Nth: 1, Files: 1})
	p.Emit(engine.Applied{Plan: plan, TakeBack: "steward-setup undo 20261120-101112-1"})
	p.Emit(engine.Note{Text: "  the record of the runs, with the old bytes of every file; undo fails after this " +
		"command:  rm -r ~/.local/state/steward-setup ~/.cache/steward-setup"})
	p.Row(fmt.Sprintf("  %-8s %-28s ", "kept", "PATH"), "finds programs; entries that lead into the project are removed")
	return out.String()
}

// toPaste are the first words of rows that may be as long as they are: a line
// to paste, and one of a diff.
var toPaste = []string{"steward-setup ", "sudo ", "rm ", "[ ", "run: ", "add to ", "+", "-", "@@", "{"}

// tooWide complains about a row that is wider than the terminal and could have
// been broken: it is no line to paste, and more than a label and one word.
func tooWide(t *testing.T, name, row string, width int) {
	t.Helper()
	const label = 26 // the deepest indent of a frame
	words := strings.Fields(strings.TrimLeft(row, " 123456789"))
	if width == 0 || text.Width(row) <= width ||
		text.Width(row)-text.Width(words[len(words)-1]) <= label {
		return
	}
	line := strings.Join(words, " ")
	if !slices.ContainsFunc(toPaste, func(p string) bool { return strings.HasPrefix(line, p) }) {
		t.Errorf("%s: %d columns: %q has %d", name, width, row, text.Width(row))
	}
}

func TestPlanFrames(t *testing.T) {
	var b strings.Builder
	whole := strings.Fields(planned(0))
	for _, width := range []int{40, 80, 120, 0} {
		got := planned(width)
		fmt.Fprintf(&b, "%d columns\n%s\n", width, got)
		if words := strings.Fields(got); strings.Join(words, " ") != strings.Join(whole, " ") {
			t.Errorf("%d columns: a word is cut or broken", width)
		}
		for _, line := range []string{apply, add, "steward-setup undo 20261120-101112-1",
			"rm -r ~/.local/state/steward-setup ~/.cache/steward-setup"} {
			if !strings.Contains(got, line+"\n") {
				t.Errorf("%d columns: %q cannot be pasted", width, line)
			}
		}
		for line := range strings.Lines(got) {
			tooWide(t, "plan", strings.TrimSuffix(line, "\n"), width)
		}
	}
	compare(t, "plan", b.String())
}

// TestAPlanSaysWhatItsFindingsLeave: a line that leads on is in the plan, not only behind
// what was applied.
func TestAPlanSaysWhatItsFindingsLeave(t *testing.T) {
	var out strings.Builder
	line := "steward-setup install --use-distro-versions --project /home/ada/code/a-long-name"
	p := plain.New(&out, nil, facts, 40)
	p.Emit(engine.PlanReady{Plan: report.NewPlan([]report.Section{{ID: "tools", Title: "Tools",
		Findings: []report.Finding{{Check: "tools-pinned", Status: report.Warn, Summary: "older", Remedies: []report.Remedy{
			report.Command{Line: line}, report.DocLink{Title: "or from upstream", Target: "https://example.org"}}},
			{Check: "c", Status: report.Fail, Summary: "decided", Decide: true}}}})})
	if got := out.String(); !strings.Contains(got, "  next  run:  "+line+"\n") ||
		!strings.Contains(got, "  next  or from upstream") || strings.Contains(got, "decide: decided") {
		t.Error(got)
	}
}
