// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: fixes are tried together only to see which of them do not
// help: what is refused with more entries allowed is refused with fewer. A fix
// that could have helped is tried alone.

package doctor

import (
	"context"
	"fmt"
	"slices"

	"github.com/steward-setup/steward-setup/internal/agent"
	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/trial"
)

// member is an attempt for an inquiry.
type member struct {
	c *inquiry
	a *attempt
}

// sieves plans a session with the attempts that only allow more. Those that are
// tried alone anyway are not among them.
func (b *bench) sieves(ctx context.Context, cases []*inquiry) *treatment {
	s := &treatment{}
	var alone []*treatment
	for _, c := range cases {
		for _, a := range c.tried {
			m := member{c, a}
			if a.treatment != nil && a.effect.Allows && !m.named() {
				s.members, alone = append(s.members, m), report.Union(alone, a.treatment)
			}
		}
	}
	if len(alone) < 2 || !b.plan(ctx, s, len(alone)) {
		return nil
	}
	return s
}

// named says whether an attempt allows the hosts that the proxy refused, by name.
// That helps nearly always, so that a session with others would play the calls once
// more and refute nothing.
func (m member) named() bool {
	return m.a.effect.Hosts && !slices.ContainsFunc(m.c.results, func(r result) bool {
		return m.a.helps(r) && (r.layer != catalog.Proxy || r.cause != nil)
	})
}

// plan makes a treatment of so many fixes. Where the changes cannot be put together,
// each is tried alone.
func (b *bench) plan(ctx context.Context, s *treatment, fixes int) bool {
	together := b.r
	for _, m := range s.members {
		change, err := b.o.Agent.Change(ctx, together, b.inputs.Root, m.a.entry.ID, m.a.fix.Setting(m.a.settings))
		if err != nil {
			return false
		}
		if change.After != nil {
			together = host.Changed(together, change)
		}
	}
	s.name, s.host, s.fixes = fmt.Sprintf("with %d fixes", fixes), together, fixes
	for _, m := range s.members {
		m.a.sieve = s
	}
	return true
}

// refuted says why an attempt does not help, "" if it has to be tried alone: also
// where the session with all of them could not run a command at all.
func (b *bench) refuted(ctx context.Context, m member) string {
	s := m.a.sieve
	if s == nil {
		return ""
	}
	s.play(ctx, b)
	for _, r := range m.c.results {
		t := s.trials[r.dir]
		// one fix may leave the sandbox of all unable to start
		if !m.a.helps(r) || t == nil || t.Err != nil || !t.Of(trial.ControlCommand).Through {
			continue
		}
		if seen := t.Of(r.id); !seen.Through && seen.Decision != agent.NotMade && seen.Decision != agent.Cut {
			return fmt.Sprintf("does not work, seen here: %s (tried together with %s)", trial.Line(seen.Text),
				report.Counted(s.fixes-1, "1 other fix", "%d other fixes"))
		}
	}
	return ""
}
