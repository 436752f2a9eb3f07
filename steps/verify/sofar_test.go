// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is told before the end is what the root and its twin
// have shown, and nothing before both.

package verify

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/agent/claude/play"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/trial"
)

// replies plays sessions by what each call gets back.
type replies map[string]string

func (r replies) Play(_ context.Context, s rehearsal.Session) (rehearsal.Raw, error) {
	raw := rehearsal.Raw{Session: s.Name, Asked: true, Stream: `{"type":"result"}`, Results: map[string]model.Result{}}
	for t, turn := range s.Turns {
		for i := range turn {
			raw.Results[model.ID(t, i)] = model.Result{Text: []string{"works", r[s.Name]}[i]}
		}
	}
	return raw, nil
}

func TestTheRootIsToldWhileOthersPlay(t *testing.T) {
	for secret, want := range map[string]string{"no such file": "1 of 1 forbidden actions were blocked",
		"the nonce": "1 of 1 forbidden actions succeeded"} {
		h, err := host.New(env.System{Env: env.New([]string{"HOME=" + t.TempDir()}), GOOS: "linux", Root: t.TempDir(),
			Cores: 1, UID: 1000, Now: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		l := NewRehearsal()
		l.host = h
		l.plan = sessionPlan{inputs: trial.Inputs{Runtime: play.Claude{}},
			force:  silent{},
			player: replies{PlainRoot: secret, Twin: "the nonce", IsoRoot: secret}}
		probes := []trial.Probe{{ID: trial.ControlCommand, Call: model.Bash("echo"), Control: true,
			Through: trial.Through{Reply: "works"}},
			{ID: "secret", Title: "reads it", Call: model.Bash("cat"), Below: trial.Filesystem,
				Through: trial.Through{Reply: "the nonce"}, Neighbour: trial.ControlCommand}}
		for _, name := range []string{PlainRoot, Twin, IsoRoot} {
			l.plan.session(rehearsal.Session{Name: name, Mode: rehearsal.Policy, Terminal: true}, probes)
		}
		l.play(t.Context())
		close(l.steps)
		var told []string
		for step := range l.steps {
			told = append(told, step.Text)
		}
		if len(told) != 4 || told[1] != PlainRoot || !strings.HasSuffix(told[2], want) || !strings.HasSuffix(told[3], want) {
			t.Errorf("%s: %q", secret, told)
		}
	}
}
