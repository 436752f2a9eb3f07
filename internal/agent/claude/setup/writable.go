// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: which places settings open for writing is asked of every scope,
// as its files are and as this plan leaves them.

package setup

import (
	"context"

	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/steps/install"
)

// binary decides which file hooks and wrapper will call.
func (p *proposer) binary(context.Context) (s report.Section, err error) {
	p.gatherWritable() // the policy is in the draft now
	p.program, s, err = p.places.Program()
	return s, err
}

// keepBinary is the same where no copy may be made.
func (p *proposer) keepBinary() {
	p.gatherWritable()
	p.program = p.places.Kept()
}

// gatherWritable collects what the settings open for writing, as the plan would leave
// them.
func (p *proposer) gatherWritable() {
	p.places = install.Places{Draft: p.draft, Trees: p.Roots(), Open: Settings{}.Writable(p.draft, p.Place, p.Roots())}
}

// Writable implements install.Writer: what every entry in force opens in a start in dir, and in
// each of trees. A file that is not understood is left to the section that it belongs to.
func (Settings) Writable(d install.Draft, dir string, trees []string) (open []string) {
	seen := d.Seen()
	for _, start := range append([]string{dir}, trees...) {
		for _, e := range grants.Writes(seen, session.At(seen, start)) {
			open = report.Union(open, pathname.BeforeWildcard(e.Real))
		}
	}
	return open
}
