// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a change is judged by what it opens, which nothing shows
// where everything is open.

package doctor_test

import (
	"errors"
	"os"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/fixes"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv/sessions"
	"github.com/steward-setup/steward-setup/steps/doctor"
)

func TestAChangeIsJudgedOnlyWhereDenialsHoldWithoutIt(t *testing.T) {
	m := newMachine(t)
	file := m.path("home/code/p/.claude/settings.local.json")
	sockets := []report.Change{{ID: "sockets", Path: file, Target: file,
		After: []byte(`{"sandbox":{"network":{"allowAllUnixSockets":true}}}`), Mode: 0o600}}
	o := doctor.Options{Agent: fixes.Claude{}, Project: m.project}
	if got := doctor.Denials(t.Context(), sessions.Counted(t, m.host()), o, sockets)[0]; got.Err != nil || got.Held == 0 {
		t.Errorf("with the policy: %+v", got)
	}
	if err := os.Remove(m.path("home/code/p/.claude/settings.json")); err != nil {
		t.Fatal(err)
	}
	got := doctor.Denials(t.Context(), sessions.Counted(t, m.host()), o, sockets)[0]
	if !errors.Is(got.Err, doctor.ErrOpen) || got.Opened != nil {
		t.Errorf("without any: %+v", got)
	}
}
