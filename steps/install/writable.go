// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a place counts as the agent's as soon as any settings file
// of any scope lets a sandboxed command write there, now or after this plan.

package install

import (
	iofs "io/fs"
	"path/filepath"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/settings"
)

// gatherWritable collects what the settings of every scope open for writing:
// the user's, and those of each worktree, as the plan would leave them. A file
// that is not understood is left to the section that it belongs to.
func (p *proposer) gatherWritable() {
	seen := overlay{p.r, p.draft}
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
		dirs := settings.Dirs{Home: p.r.Places().Home, Agent: p.r.Places().AgentDir, Start: start}
		for _, v := range entries.Items {
			p.writable = append(p.writable, host.Real(p.r, pathname.BeforeWildcard(dirs.Resolve(v.Text, scope))))
		}
	}
	add(p.r.Places().UserSettings(), p.place, settings.User)
	for _, wt := range p.worktrees {
		add(filepath.Join(wt.Path, filepath.FromSlash(projectSettings)), wt.Path, settings.Project)
		add(filepath.Join(wt.Path, filepath.FromSlash(localSettings)), wt.Path, settings.Local)
	}
}

// agentWritable says why a file at path could be replaced by a sandboxed
// command or by what it builds.
func (p *proposer) agentWritable(path string) (why string, yes bool) {
	for _, path := range []string{path, host.Real(p.r, path)} {
		if why, yes := p.opened(path); yes {
			return why, true
		}
	}
	return "", false
}

func (p *proposer) opened(path string) (why string, yes bool) {
	for _, wt := range p.worktrees {
		if pathname.Within(path, wt.Path) {
			return "it is inside the project " + wt.Path, true
		}
	}
	for _, entry := range p.writable {
		if pathname.Within(path, entry) {
			return "the settings let the agent write below " + entry, true
		}
	}
	sys, home := p.r.System(), p.r.Places().Home
	const temporary, cached = "it is in a directory for temporary files", "it is in a build cache"
	for _, place := range []struct{ dir, why string }{
		{"/tmp", temporary},
		{"/var/tmp", temporary},
		{sys.Get("TMPDIR"), temporary},
		{sys.Get("GOCACHE"), cached},
		{filepath.Join(home, ".cache"), "it is in a cache directory"},
	} {
		dir := filepath.Clean(place.dir)
		// A whole home below /tmp is somebody's throwaway home.
		throwaway := pathname.Within(home, dir) && pathname.Within(path, home)
		if filepath.IsAbs(dir) && pathname.Within(path, dir) && !throwaway {
			return place.why, true
		}
	}
	if strings.Contains(path, "/go-build") {
		return cached, true
	}
	for dir := path; dir != "/"; dir = filepath.Dir(dir) {
		// In a sticky directory nobody can replace another's file.
		if info, err := p.r.Stat(dir); err == nil && info.Mode().Perm()&0o002 != 0 && info.Mode()&iofs.ModeSticky == 0 {
			return "everyone can write to " + dir, true
		}
	}
	return "", false
}

// guard refuses a place for what runs outside the sandbox, if the agent could
// write there; ok is false then, and the section has the reason.
func (p *proposer) guard(s *report.Section, check report.ID, what string, places ...string) (ok bool) {
	for _, place := range places {
		if why, bad := p.agentWritable(place); bad {
			s.Findings = append(s.Findings, report.Finding{Check: check, Layer: report.LayerVisibility, Status: report.Fail,
				Decide:   true,
				Summary:  what + " would be writable by the agent, and is left out: it runs outside the sandbox",
				Evidence: []report.Evidence{report.FileEvidence(place, why)},
				Remedies: []report.Remedy{report.DocLink{Title: "move it, or remove the setting that opens it",
					Target: place}}})
			return false
		}
	}
	return true
}
