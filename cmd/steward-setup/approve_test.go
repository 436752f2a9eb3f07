// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: an approval that lacks a flag is answered with that flag, also
// where a command of the plan was run since.

package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestAShorterPlanLacksItsFlagAndIsNotStale(t *testing.T) {
	home := t.TempDir()
	a := &app{sys: env.System{Env: env.New([]string{"HOME=" + home, "PATH=/nowhere"}), Cwd: home, UID: os.Getuid()},
		out: &bytes.Buffer{}, errw: &bytes.Buffer{}}
	h := testenv.Must(a.host())(t)
	write := report.Change{ID: "a", Path: filepath.Join(home, "a"), Target: filepath.Join(home, "a"), After: []byte("x")}
	of := func(items ...report.Item) report.Plan { return report.NewPlan([]report.Section{{Items: items}}) }
	shown, now := of(report.Command{ID: "b", Line: "true"}, write), of(write)
	engine.Remember(h.Places().Cache, time.Now(), "scope", shown)
	missing := errors.New("add the flag")
	for _, c := range []struct {
		approved      report.PlanID
		lacks, answer error
		yes           bool
	}{
		{shown.ID, missing, missing, false},
		{now.ID, missing, missing, false},
		{shown.ID, nil, nil, true},
	} {
		approving := a.change(h, planFlags{apply: string(c.approved)}, "scope", writeFiles)
		approving.missing = c.lacks
		yes, err := approving.decide(a.output("scope", a.facts(h)), now)
		if yes != c.yes || !errors.Is(err, c.answer) {
			t.Errorf("%s, lacking %v: %v, %v", c.approved, c.lacks, yes, err)
		}
	}
}
