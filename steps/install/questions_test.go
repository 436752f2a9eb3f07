// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whatever a screen can ask, a flag can answer.

package install

import (
	"context"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestEveryQuestionHasAFlagAndADefault(t *testing.T) {
	testenv.Need(t, "git")
	home := testenv.Home(t)
	project := filepath.Join(home, "project")
	environ := testenv.Env(t, home, "SHELL=/bin/bash")
	cmd := exec.Command("git", "init", "-q", project)
	cmd.Env = environ
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	h, err := host.New(env.System{Env: env.New(environ), GOOS: "linux", Cwd: project, Executable: "/opt/steward-setup", Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	proposal, err := NewSession(h, Options{}).Propose(context.Background(), report.Answers{})
	if err != nil {
		t.Fatal(err)
	}
	listed := Questions()
	for _, q := range proposal.Questions {
		if !slices.ContainsFunc(listed, func(l report.Question) bool { return l.ID == q.ID && l.Kind == q.Kind && l.Section == q.Section }) {
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
