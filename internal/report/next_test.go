// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: each step can be taken where the reader is.

package report_test

import (
	"slices"
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
)

// inWords are the steps as a reader sees them.
func inWords(findings []report.Finding, commands []report.Command) (lines []string) {
	for _, s := range report.Steps(findings, commands) {
		lines = append(lines, s.String())
	}
	return lines
}

func TestNextStepsAreWorstFirstOnceAndEndWithWhatIsOnlyOffered(t *testing.T) {
	commit := report.Command{Line: "git commit", Optional: true}
	rc := report.Command{Line: ". x", Where: "~/.bashrc"}
	again := report.Command{Line: "steward-setup install --take=x", Optional: true}
	got := inWords([]report.Finding{
		{Status: report.Warn, Remedies: []report.Remedy{again, report.DocLink{Title: "Pinned tools",
			Target: "docs/tools.md"}}},
		{Status: report.Fail, Remedies: []report.Remedy{report.DocLink{Title: "from upstream",
			Target: "https://example.invalid/"}, rc}},
		{Status: report.Pass, Remedies: []report.Remedy{report.Command{Line: "never"}}},
	}, []report.Command{commit, rc, again})
	want := []string{"add to ~/.bashrc:  . x", "from upstream:  https://example.invalid/",
		"run:  steward-setup install --take=x", "optional, run:  git commit"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestAnOldToolComesAfterWhatIsOpen(t *testing.T) {
	list := func(s report.Status) []report.Finding {
		return []report.Finding{
			{Check: "tools-pinned", Status: s, Remedies: []report.Remedy{report.Command{Line: "apt-get"}}},
			{Check: "denials", Status: s, Remedies: []report.Remedy{report.Command{Line: "git merge"}}}}
	}
	for status, want := range map[report.Status][]string{
		report.Warn: {"run:  git merge", "run:  apt-get"}, report.Fail: {"run:  apt-get", "run:  git merge"}} {
		if got := inWords(list(status), nil); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", status, got, want)
		}
	}
}

func TestADecisionThatNothingMendsIsAStep(t *testing.T) {
	got := inWords([]report.Finding{{Status: report.Fail, Decide: true, Summary: "no safe place"},
		{Status: report.Pass, Decide: true, Summary: "settled"}}, nil)
	if want := []string{"decide: no safe place"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestWhatIsUnknownIsRehearsedBeforeAnythingIsMendedOnAGuess(t *testing.T) {
	rehearse := report.Command{ID: report.Rehearse, Line: "steward-setup verify"}
	guess := report.Command{Line: "steward-setup install"}
	plan := report.Command{Line: "steward-setup install --plan", Optional: true}
	got := inWords([]report.Finding{{Status: report.Warn, Remedies: []report.Remedy{plan}},
		{Status: report.Unknown, Remedies: []report.Remedy{guess}},
		{Status: report.Unknown, Remedies: []report.Remedy{rehearse}},
		{Status: report.Fail, Remedies: []report.Remedy{report.Command{Line: "mend"}}}}, nil)
	if want := []string{"run:  mend", "run:  steward-setup verify", "run:  steward-setup install",
		"run:  steward-setup install --plan"}; !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestALineForTwoFindingsIsOneStepWithBothReasons(t *testing.T) {
	plan := func(why string) []report.Remedy {
		return []report.Remedy{report.Command{Line: "steward-setup install --plan", Why: why}}
	}
	steps := report.Steps([]report.Finding{{Status: report.Warn, Remedies: plan("list")},
		{Status: report.Warn, Remedies: plan("list the versions")},
		{Status: report.Warn, Remedies: plan("show the policy")},
		{Status: report.Warn, Remedies: plan("list the versions")},
		{Status: report.Warn, Remedies: plan("list the versions; show the policyholder")}}, nil)
	if len(steps) != 1 || steps[0].Command.Why != "show the policy; "+
		"list the versions; show the policyholder" { // the same beginning of a word is no same reason
		t.Errorf("got %+v", steps)
	}
}

func TestAStepWithoutAReasonTakesThatOfAnother(t *testing.T) {
	line := func(why string) report.Command { return report.Command{Line: "steward-setup verify", Why: why} }
	findings := []report.Finding{{Status: report.Warn, Remedies: []report.Remedy{line("test it")}},
		{Status: report.Warn, Remedies: []report.Remedy{line("")}}}
	steps := report.Steps(findings, []report.Command{line("")})
	if len(steps) != 1 || steps[0].Command.Why != "test it" {
		t.Errorf("got %+v", steps)
	}
}
