// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whoever rehearses something else does so on the same
// stage, with the same canaries, and asks the machine the same questions.

package verify

import (
	"context"
	"errors"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/trial"
)

// Theatre is the theatre that a rehearsal of the project of o would play in,
// and the inputs of which its probes are made. The error says why there is
// none.
func Theatre(ctx context.Context, r host.Reader, o Options) (*rehearsal.Theatre, trial.Inputs, error) {
	p, err := plan(ctx, r, o)
	if err != nil {
		return nil, p.inputs, err
	}
	t, ok := p.player.(*rehearsal.Theatre)
	if !ok {
		return nil, p.inputs, errors.New("no rehearsal on this platform")
	}
	return t, p.inputs, nil
}

// Namespaces asks whether bwrap starts on this machine, and the runtime's
// helper in it: the part of the check sandbox-support that is about
// namespaces.
func Namespaces(ctx context.Context, r host.Reader) report.Finding {
	t := trials{nested: r.Run(ctx, proc.NestedTrial())}
	if t.sandbox = t.nested; !t.nested.OK() {
		t.sandbox = r.Run(ctx, proc.SandboxTrial())
	}
	s := support{Finding: report.Finding{Status: report.Pass, Summary: "the sandbox starts, and a namespace in it"}}
	s.namespaces(r, t)
	if s.wrong != nil {
		s.Summary = s.wrong[0]
	}
	return s.Finding
}
