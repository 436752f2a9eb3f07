// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whatever a screen can ask, a flag can answer.

package setup

import (
	"context"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/steps/install"
)

// What recommended asks, and what one may answer by pressing enter, says what that costs.
func TestWhatRecommendedAsksHasItsPrice(t *testing.T) {
	for _, q := range Questions() {
		if q.Ask && (q.Kind == report.Choice || q.Kind == report.Confirm) && q.Price == "" {
			t.Errorf("%s has none", q.ID)
		}
	}
}

func TestEveryQuestionHasAFlagAndADefault(t *testing.T) {
	testenv.AsUser(t)
	testenv.Need(t, "git")
	home := testenv.Home(t)
	project := filepath.Join(home, "project")
	environ := testenv.Env(t, home, "SHELL=/bin/bash")
	cmd := exec.Command("git", "init", "-q", project)
	cmd.Env = environ
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	h, err := host.New(env.System{Env: env.New(environ), GOOS: "linux", Cwd: project, Executable: "/opt/steward-setup",
		Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	proposal, err := install.NewDialogue(h, &Claude{}).Propose(context.Background(), report.Answers{})
	if err != nil {
		t.Fatal(err)
	}
	listed := Questions()
	for _, q := range proposal.Questions {
		if !slices.ContainsFunc(listed, func(l report.Question) bool {
			return l.ID == q.ID && l.Kind == q.Kind && l.Section == q.Section
		}) {
			t.Errorf("the question %q has no flag, or one of another kind", q.ID)
		}
		if (q.Kind == report.Confirm || q.Kind == report.Choice) && len(q.Default) != 1 {
			t.Errorf("the question %q has no default", q.ID)
		}
	}
	if len(proposal.Questions) < 12 {
		t.Errorf("only %d questions were asked of a new user", len(proposal.Questions))
	}
	seen := map[report.ID]bool{}
	for _, q := range listed {
		if seen[q.ID] {
			t.Errorf("two questions are called %q", q.ID)
		}
		seen[q.ID] = true
	}
}

func TestEveryFixedDefaultHasAReason(t *testing.T) {
	for _, q := range Questions() {
		if reasons[q.ID] == "" {
			t.Errorf("the default of %q has no reason", q.ID)
		}
	}
}

func TestEarlierAnswersTakeThePlaceOfFixedDefaultsOnly(t *testing.T) {
	at := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	run := func(id, project string, a report.Answers) engine.Receipt {
		return engine.Receipt{ID: id, Project: project, Answers: a, StartedAt: at, Finished: true}
	}
	receipts := []engine.Receipt{
		{ID: "6", Undoes: "3", Finished: true, Altered: true, Answers: report.Answers{"strict-allowlist": {"no"}}},
		{ID: "5", Undoes: "4", Finished: true},
		run("4", "/p", report.Answers{"alias": {"yes"}}),
		run("3", "/p", report.Answers{"policy-to": {"local"}, "skip": {"hooks"}, "status-line": {"gone"}}),
		run("2", "/other", report.Answers{"policy-to": {"user"}, "strict-allowlist": {"yes"}}),
	}
	p := &proposer{opts: Options{Earlier: EarlierAnswers(receipts, "/p")}}
	for _, q := range []report.Question{aliasQuestion, policyToQuestion, skipQuestion, statusLineQuestion,
		strictAllowlistQuestion,
		allowWriteQuestion.DecidedBy("Linux", "no")} {
		p.ask(q)
	}
	for id, want := range map[report.ID]string{
		"alias":            "no",    // that run was taken back
		"policy-to":        "local", // the other answer is another project's
		"skip":             "",      // holds for one run
		"status-line":      "plain", // is no answer any more
		"strict-allowlist": "yes",   // is about every project
		"allow-write":      "no",
	} {
		if got := p.answers.Of(p.asked(id)); len(got) > 0 && got[0] != want || len(got) == 0 && want != "" {
			t.Errorf("%s begins from %q, want %q", id, got, want)
		}
	}
	given := &proposer{opts: p.opts, answers: report.Answers{"policy-to": {"user"}}}
	given.ask(policyToQuestion)
	if got := given.answers.Of(policyToQuestion); got[0] != "user" {
		t.Errorf("an earlier answer took the place of the one given: %q", got)
	}
}
