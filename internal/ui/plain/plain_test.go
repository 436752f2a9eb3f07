// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a pipe gets is readable without colour, and nothing
// that comes from outside can steer a terminal.

package plain_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/plain"
)

const hostile = "/home/u/a\x1b[2Jb\nc\u202e"

func hostilePlan() report.Plan {
	return report.NewPlan([]report.Section{{ID: "s", Title: "Section", Why: "Because.", Opens: []string{"opens\x1b[31m"},
		Items: []report.Item{
			report.Change{ID: "c", Why: "why", Path: hostile, Target: hostile,
				Before: []byte("token = ghp_0123456789abcdef0123456789abcdef0123\nold\x1b]0;x\a\n"), After: []byte("new\n")},
			report.Command{ID: "r", Line: "sudo apt-get install bubblewrap", Privileged: true, Why: "the sandbox"},
			report.Command{ID: "w", Line: ". ~/x.sh", Where: "/home/u/.bashrc", Why: "defines it"},
		},
		Findings: []report.Finding{{Check: "x", Status: report.Warn, Summary: "a \x1b[1mwarning",
			Evidence: []report.Evidence{report.FileEvidence(hostile, "seen\r")}}}}})
}

func render(environ []string, events ...engine.Event) string {
	var out strings.Builder
	p := plain.New(&out, environ, report.Facts{Home: "/home/u"}, 0)
	for _, e := range events {
		p.Emit(e)
	}
	p.Next([]report.NextStep{{Command: &report.Command{Line: "true\x1b[2J"}}})
	return out.String()
}

func TestALinePrinterNeverPassesControlCharactersOn(t *testing.T) {
	plan := hostilePlan()
	got := render([]string{"TERM=xterm"}, engine.PlanReady{Plan: plan, Apply: "steward-setup install --apply " +
		string(plan.ID)},
		engine.ChangeDone{Change: plan.Changes()[0], Index: 1, File: plan.Changes()[0].Path, Nth: 1, Files: 1,
			Err: errors.New("x")}, engine.Note{Text: "note\x1b[2J"},
		engine.CheckDone{Finding: plan.Findings()[0]}, engine.Applied{Plan: plan, TakeBack: "steward-setup undo r1"})
	for _, r := range got {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r == '\u202e' {
			t.Fatalf("%q is in the output:\n%q", r, got)
		}
	}
	for _, want := range []string{"yours to run, as root", "sudo apt-get install bubblewrap", "yours to add to ~/.bashrc",
		"opens", "1 file changes, 2 commands are yours to run", string(plan.ID), "steward-setup undo r1", "✗ 1/1", "⚠"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in:\n%s", want, got)
		}
	}
	if strings.Contains(got, "ghp_") {
		t.Error("a secret of the user's file is shown")
	}
	if !strings.HasSuffix(strings.TrimSpace(strings.Split(got, "\n ✗ 1/1")[0]), "--apply "+string(plan.ID)) {
		t.Error("the plan does not end with the line that applies it")
	}
}

func TestOfHundredsOfPlacesAPlanShowsTheFirst(t *testing.T) {
	f := report.Finding{Check: "policy-invariants", Status: report.Warn, Summary: "400 rules"}
	for i := range 400 {
		f.Evidence = append(f.Evidence, report.FileEvidence("/home/u/settings.json", fmt.Sprintf("rule %d.", i)))
	}
	got := render(nil, engine.CheckDone{Finding: f})
	if !strings.Contains(got, "rule 5.") || strings.Contains(got, "rule 6.") || !strings.Contains(got, "and 394 more") {
		t.Error(got)
	}
}

func TestOnlyAPassIsShownWithoutItsEvidence(t *testing.T) {
	for _, status := range report.Statuses {
		f := report.Finding{Check: "project-root", Status: status, Summary: "this worktree is left out",
			Evidence: []report.Evidence{report.FileEvidence("/home/u/wt", "it is gone")}}
		got := render(nil, engine.CheckDone{Finding: f})
		if shown := strings.Contains(got, "~/wt: it is gone"); shown != (status != report.Pass) {
			t.Errorf("%s: %q", status, got)
		}
	}
}

func TestAnAddedLineIsGreenWhateverItHolds(t *testing.T) {
	plan := report.NewPlan([]report.Section{{ID: "s", Items: []report.Item{report.Change{ID: "c", Path: "/p", Target: "/p",
		After: []byte("++ TOKEN=`id`\n")}}}})
	got := render([]string{"TERM=xterm", "CLICOLOR_FORCE=1"}, engine.PlanReady{Plan: plan})
	if want := "\x1b[32m+++ TOKEN=`id`\x1b[m"; !strings.Contains(got, want) {
		t.Errorf("%q is missing in %q", want, got)
	}
}

func TestAnEmptyPlanSaysSo(t *testing.T) {
	got := render(nil, engine.PlanReady{Plan: report.NewPlan(nil)})
	if !strings.Contains(got, "Nothing to change") || strings.Contains(got, "apply") {
		t.Errorf("got %q", got)
	}
}

func TestAnErrorSaysWhatWhereWhyAndWhatNext(t *testing.T) {
	var out strings.Builder
	plain.Error(&out, nil, 0, &report.Error{What: "a comment", Where: "settings.json:3:1", Why: "dropped whole",
		Next: "remove it"})
	if got := out.String(); got != "steward-setup: settings.json:3:1: a comment\n  why   dropped whole\n"+
		"  next  remove it\n" {
		t.Errorf("got %q", got)
	}
}

// TestAnErrorAboutACredentialFileIsNoCredential: the name of a file and what is
// said of it are no name and value; a secret in either is none to show.
func TestAnErrorAboutACredentialFileIsNoCredential(t *testing.T) {
	var out strings.Builder
	plain.Error(&out, nil, 0, &report.Error{What: "is not an executable file", Where: "/etc/passwd",
		Err: errors.New("GH_TOKEN=ghp_" + strings.Repeat("a1", 18))})
	if got := out.String(); got != "steward-setup: /etc/passwd: is not an executable file: GH_TOKEN=[redacted]\n" {
		t.Errorf("got %q", got)
	}
}

func TestAnErrorFitsANarrowTerminal(t *testing.T) {
	var out strings.Builder
	const next = "steward-setup install --plan --allow-host=registry.example"
	plain.Error(&out, nil, 40, &report.Error{What: "a comment that is longer than a row", Where: "settings.json:3:1",
		Why: "the runtime drops a file with a comment as a whole", Next: next})
	for line := range strings.Lines(out.String()) {
		if line = strings.TrimSuffix(line, "\n"); len(line) > 40 && !strings.HasSuffix(line, next) {
			t.Errorf("%d cells: %q", len(line), line)
		}
	}
	if !strings.Contains(out.String(), next) {
		t.Errorf("the line to paste is broken: %q", out.String())
	}
}

func TestNewFilesWithTheSameBytesAreShownOnce(t *testing.T) {
	file := func(name string) report.Change {
		return report.Change{ID: report.ID(name), Why: "why", Path: "/home/u/" + name, Target: "/home/u/" + name,
			After: []byte("the bytes\n")}
	}
	other := file("c")
	other.Before = []byte("old\n")
	got := render(nil, engine.PlanReady{Plan: report.NewPlan([]report.Section{{ID: "s", Title: "S",
		Items: []report.Item{file("a"), file("b"), other}}})})
	if strings.Count(got, "+the bytes") != 2 || strings.Count(got, "the same as ~/a") != 1 {
		t.Errorf("got\n%s", got)
	}
}

func TestALongPathStandsUnderItsCount(t *testing.T) {
	var out strings.Builder
	p := plain.New(&out, nil, report.Facts{Home: "/home/u"}, 40)
	for i, path := range []string{"/home/u/.zshrc", "/home/u/.claude/git-hooks/post-checkout"} {
		p.Emit(engine.ChangeDone{Change: report.Change{Path: path}, Index: i + 1, File: path, Nth: i + 1, Files: 12})
	}
	const want = " ✓ 1/12  ~/.zshrc\n ✓ 2/12\n     ~/.claude/git-hooks/post-checkout\n"
	if out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}
