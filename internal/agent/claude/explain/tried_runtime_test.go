// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: where the settings of the pinned version answer a question, a
// session of the runtime answers it the same, in both launches.

package explain

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/agent/claude/access"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/sessions"
)

func TestEveryKindOfQuestionIsTried(t *testing.T) {
	testenv.AsUser(t)
	testenv.Need(t, "bwrap", "socat")
	t.Parallel()
	l := newLab(t)
	l.put("p/.claude/settings.json", `{"sandbox": {"enabled": true, "failIfUnavailable": true,
		"filesystem": {"denyRead": ["~/"], "allowRead": ["."]}, "network": {"allowedDomains": ["allowed.example"]},
		"credentials": {"envVars": [{"name": "SOME_TOKEN", "mode": "deny"}]}},
		"permissions": {"deny": ["Read(secret/**)"], "ask": ["Bash(git push *)"]}}`)
	l.put("p/secret/key", "k\n")
	l.put("p/README.md", "README\n")
	l.put("secret.txt", "SECRET\n")
	old := time.Now().Add(-time.Hour) // what has just come into being is no file that the sandbox hid
	testenv.OK(t, os.Chtimes(l.path("secret.txt"), old, old))
	bin := l.path("bin")
	testenv.OK(t, os.MkdirAll(bin, 0o755))
	testenv.OK(t, os.Symlink(testenv.Claude(t), filepath.Join(bin, "claude")))
	program := filepath.Join(bin, "steward-setup")
	testenv.Build(t, program)
	h := testenv.Must(host.New(env.System{Env: env.New(testenv.Env(t, l.home, "PATH="+bin+":/usr/bin:/bin")),
		GOOS: "linux", GOARCH: runtime.GOARCH, UID: os.Getuid(), GID: os.Getgid(), Cwd: l.project, Executable: program,
		Now: time.Now}))(t)
	r := sessions.Counted(t, h)
	type row struct {
		who, does string
		want      report.Answer
	}
	for _, c := range []struct {
		kind    Kind
		subject string
		rows    []row
	}{
		{AboutPath, "~/secret.txt", []row{{access.WhoCommand, access.DoesRead, report.Denied},
			{access.WhoCommand, access.DoesWrite, report.Denied}}},
		{AboutPath, "README.md", []row{{access.WhoCommand, access.DoesWrite, report.Allowed}}},
		{AboutPath, "secret/key", []row{{access.WhoRead, access.DoesRead, report.Denied}}},
		{AboutHost, "allowed.example", []row{{access.WhoCommand, "reaches it through the proxy", report.Allowed},
			{access.WhoCommand, "reaches it past the proxy", report.Denied}}},
		{AboutCommand, "git push origin", []row{{access.WhoBash, access.DoesRun, report.Asks}}},
		{AboutEnv, "SOME_TOKEN", []row{{access.WhoCommand, access.DoesSee, report.Denied}}},
	} {
		x, err := Explain(t.Context(), r, Question{Kind: c.kind, Subject: c.subject, Project: l.project, Live: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range c.rows {
			for _, launch := range []report.Launch{report.Plain, report.Iso} {
				i := slices.IndexFunc(x.Rulings, func(r report.Ruling) bool {
					return r.Who == row.who && r.Does == row.does && slices.Contains(r.Launches, launch)
				})
				if i < 0 {
					t.Fatalf("nothing is said of %s: %s %s\n%+v", launch, row.who, row.does, x)
				}
				got := x.Rulings[i]
				if got.Answer != row.want || got.Tried == nil || got.Tried.Answer != row.want || got.Tried.Expected != "" {
					t.Errorf("%s: %s, %s %s: %+v, tried %+v", c.subject, launch, row.who, row.does, got, got.Tried)
				}
			}
		}
	}
}
