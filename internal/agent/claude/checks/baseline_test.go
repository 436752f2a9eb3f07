// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: an installed machine is not weaker than its own policy,
// and what is taken from it or added to it is named with its line.

package checks_test

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/agent/claude/checks"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/steps/verify"
)

func TestABaselineNamesWhatIsWeaker(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	m := build(t, usualSetup)
	m.write("~/magpie/.claude/settings.json", m.read(projectFile), 0o644)
	judge := func() report.Finding {
		t.Helper()
		base, err := checks.ReadBaseline(m.host(), m.at("~/magpie"))
		if err != nil {
			t.Fatal(err)
		}
		list := verify.Checks(verify.Options{Agent: checks.Claude{}, Project: m.Project, Baseline: base})
		i := slices.IndexFunc(list, func(c engine.Check) bool { return c.ID == "baseline" })
		return list[i].Run(t.Context(), m.host())
	}
	if f := judge(); f.Status != report.Pass {
		t.Errorf("against its own policy: %s %s %v", f.Status, f.Summary, f.Evidence)
	}
	m.add("~/magpie/.claude/settings.json", "permissions.deny", "Bash(nc *)")
	m.add(projectFile, "sandbox.network.allowedDomains", "paste.example")
	m.add(projectFile, "permissions.ask", "Bash(terraform apply *)")
	f := judge()
	var seen []string
	for _, e := range f.Evidence {
		seen = append(seen, e.Where+" "+e.Text)
	}
	all := strings.Join(seen, "\n")
	for _, want := range []string{"magpie/.claude/settings.json:", "weaker: permissions.deny lacks Bash(nc *)",
		"weaker: sandbox.network.allowedDomains has paste.example", "stronger: permissions.ask has Bash(terraform apply *)"} {
		if f.Status != report.Fail || !strings.Contains(all, want) {
			t.Errorf("%s: not said: %s\n%s", f.Status, want, all)
		}
	}
}

// TestABaselineThatIsNotUnderstood: the runtime ignores no file that it does not read.
func TestABaselineThatIsNotUnderstood(t *testing.T) {
	home := testenv.Home(t)
	h, err := host.New(env.System{Env: env.New(testenv.Env(t, home)), UID: 1000, Root: home, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	bad := filepath.Join(home, "bad.json")
	testenv.Write(t, bad, "{\n", 0o644)
	_, err = checks.ReadBaseline(h, bad)
	e, ok := errors.AsType[*report.Error](err)
	if !ok || e.Code != report.ExitMalformed || strings.Contains(e.Why, "runtime") {
		t.Errorf("%#v", err)
	}
}
