// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: which places settings open for writing is asked of every scope,
// as its files are and as this plan leaves them.

package setup

import (
	"context"
	"path/filepath"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host"
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

// Writable implements install.Writer: what the user's settings open in a start in dir, and
// those of each work tree. A file that is not understood is left to the section that it
// belongs to.
func (Settings) Writable(d install.Draft, dir string, trees []string) (open []string) {
	seen, places := d.Seen(), d.Host.Places()
	add := func(path, start string, scope settings.Scope) {
		b, err := seen.Read(path)
		if err != nil {
			return
		}
		doc, err := settings.Parse(path, b)
		if err != nil {
			return
		}
		entries := doc.Get(claude.KeyAllowWrite...)
		if entries == nil {
			return
		}
		dirs := settings.Dirs{Home: places.Home, Agent: places.AgentDir, Start: start}
		for _, v := range entries.Items {
			open = append(open, host.Real(d.Host, pathname.BeforeWildcard(dirs.Resolve(v.Text, scope))))
		}
	}
	add(places.UserSettings(), dir, settings.User)
	for _, root := range trees {
		add(filepath.Join(root, session.PolicyFile), root, settings.Project)
		add(filepath.Join(root, claude.LocalFile), root, settings.Local)
	}
	return open
}
