// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the check of the denials asks another agent what it asks the
// first one, in every session that this agent has, and counts what came of it.

package verify

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/fakeagent"
	"github.com/steward-setup/steward-setup/internal/trial"
)

func TestTheDenialsOfAnotherAgent(t *testing.T) {
	t.Parallel()
	testenv.Need(t, "bwrap", "git")
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]struct {
		forget, more string // a path that no rule names, and another rule
		status       report.Status
		summary      string
		through      int // in the project
	}{
		"every credential has its rules": {"", "", report.Warn, "allowed by the settings: a command makes a unix socket", 0},
		"one was forgotten":              {".netrc", "", report.Fail, "a command reads ~/.netrc", 2},
		"it does not start":              {"", "stop\n", report.Unknown, "never asked the model", 0},
	} {
		t.Run(name, func(t *testing.T) {
			home := testenv.Home(t)
			project := filepath.Join(home, "p")
			testenv.Write(t, filepath.Join(project, "README.md"), "hello\n", 0o644)
			h, err := host.New(env.System{Env: env.New(testenv.Env(t, home)), GOOS: "linux", UID: os.Getuid(), GID: os.Getgid(),
				Cwd: project, Executable: exe, Now: time.Now})
			if err != nil {
				t.Fatal(err)
			}
			theatre := &rehearsal.Theatre{Host: h, Agent: fakeagent.Agent{}, Run: "run", Runtime: exe,
				Trees: []host.Tree{{Root: project}}, Names: []string{trial.Denied}}
			layout, err := theatre.Layout(rehearsal.Session{Dir: project})
			if err != nil {
				t.Fatal(err)
			}
			s := SessionAt(h, project)
			l := NewRehearsal()
			l.host = h
			l.plan = sessionPlan{player: theatre, root: project, openers: openersAt(h, s)}
			f := &l.plan.inputs
			*f = inputsOf(h, l.plan.openers.e, s.dirs, theatre.Run)
			f.Runtime, f.Layout = theatre.Agent, theatre.Agent.Layout(h.Places())
			f.Root, f.Elsewhere, f.Canaries, f.Withheld = project, "/var/tmp", layout.Canaries, []string{"GH_TOKEN"}
			f.Sockets = "it has no filter of system calls"
			rules := "wall\ndrop GH_TOKEN\nnever save .fake/rules\nnever open notes/private.txt\n" + want.more
			for _, c := range layout.Canaries {
				if want.forget == "" || !strings.HasSuffix(c.Path, want.forget) {
					rules += "hide " + c.Path + "\nnever open " + c.Path + "\n"
				}
			}
			testenv.Write(t, filepath.Join(home, ".fake", "rules"), rules, 0o644)
			l.plan.cast()
			l.play(t.Context())
			close(l.steps)
			close(l.done)
			got := l.denials()
			if got.Status != want.status || !strings.Contains(got.Summary, want.summary) {
				t.Errorf("%s: %s", got.Status, got.Summary)
			}
			for _, c := range got.Covers {
				if c.Start == report.AtRoot && (c.Through != want.through || c.Denied < 40 != (want.more != "")) {
					t.Errorf("%+v", c)
				}
			}
		})
	}
}
