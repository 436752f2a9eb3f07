// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package rehearsal

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/report"
)

// answering is a machine on whose stages each session has the next answer.
type answering struct {
	host.Reader
	answers []string
	played  int
}

func (a *answering) Run(ctx context.Context, s proc.Spec) proc.Result {
	if !strings.Contains(s.String(), " stage enter ") {
		return a.Reader.Run(ctx, s)
	}
	a.played++
	out, err := json.Marshal(Raw{Results: map[string]model.Result{model.ID(0, 0): {Text: a.answers[a.played-1]}}})
	return proc.Result{Stdout: out, Err: err}
}

func TestALateSessionIsPlayedAgain(t *testing.T) {
	const late = "Sandbox is required but failed to initialize: Failed to create bridge sockets after 5 attempts. " +
		"Restart to retry."
	for _, c := range []struct {
		answers []string
		played  int
	}{{[]string{"ok", "never"}, 1}, {[]string{late, "ok", "never"}, 2}, {[]string{late, late, "ok"}, 3},
		{[]string{late, late, late, "never"}, 3}} {
		l := newLab(t)
		th := l.theatre("/bin/true")
		a := &answering{Reader: th.Host, answers: c.answers}
		th.Host = a
		raw, err := th.Play(t.Context(), Session{Name: "s", Launch: report.Plain, Mode: Policy, Dir: l.project,
			Turns: calls("true")})
		if got := raw.Results[model.ID(0, 0)].Text; err != nil || a.played != c.played || got != c.answers[c.played-1] {
			t.Errorf("%q: played %d times, %q counts: %v", c.answers, a.played, got, err)
		}
	}
}
