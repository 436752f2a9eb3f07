// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a plan costs grows with the number of rules and no
// faster; the floor is the same machine without rules, in the same run.

package setup

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/steps/install"
)

// BenchmarkAllowRules prints the time of a plan as its ratio to the floor, and
// what a rule adds: the latter is the same for any number of them where the
// time is linear.
func BenchmarkAllowRules(b *testing.B) {
	testenv.Need(b, "git")
	plan := func(rules int) func() {
		home := testenv.Home(b)
		project := filepath.Join(home, "project")
		environ := testenv.Env(b, home, "SHELL=/bin/bash")
		cmd := exec.Command("git", "init", "-q", project)
		cmd.Env = environ
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
		list := make([]string, rules)
		for i := range list {
			list[i] = fmt.Sprintf("Bash(npm run task%d:*)", i)
		}
		text, err := json.Marshal(map[string]any{"permissions": map[string]any{"allow": list}})
		if err != nil {
			b.Fatal(err)
		}
		dir := filepath.Join(project, ".claude")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "settings.json"), text, 0o600); err != nil {
			b.Fatal(err)
		}
		h, err := host.New(env.System{Env: env.New(environ), GOOS: "linux", Cwd: project, Executable: "/opt/steward-setup",
			Now: time.Now})
		if err != nil {
			b.Fatal(err)
		}
		return func() {
			if _, err := install.NewDialogue(h, &Claude{}).Propose(context.Background(), report.Answers{}); err != nil {
				b.Fatal(err)
			}
		}
	}
	floor := plan(0)
	for _, n := range []int{1000, 10000} {
		with := plan(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var least, most time.Duration
			for b.Loop() {
				start := time.Now()
				floor()
				least += time.Since(start)
				start = time.Now()
				with()
				most += time.Since(start)
			}
			b.ReportMetric(float64(most)/float64(least), "x-floor")
			b.ReportMetric(float64((most-least).Microseconds())/float64(b.N*n), "µs/rule")
		})
	}
}
