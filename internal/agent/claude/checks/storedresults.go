// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a stored result counts only where no command of the agent
// could have written it, nor read or replaced the key that it is signed with,
// under the settings in force in any launch of the project.

package checks

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// Forgeable implements verify.Agent.
func (Claude) Forgeable(ctx context.Context, r host.Reader, project string) []report.Evidence {
	r = host.Still(host.Once(r)) // all sessions are judged by the same machine
	cache, key := r.Places().Cache, engine.ResultKey(r.Places().State)
	sessions := sessionsOf(ctx, r, project)
	for _, s := range sessions {
		there := ""
		if s.Dirs.Start != sessions[0].Dirs.Start {
			there = ", in a session that starts in " + s.Dirs.Start
		}
		for _, place := range []string{cache, key} {
			if e, can := writableBy(r, s, place); can {
				e.Text += " could change " + place + there
				return []report.Evidence{e}
			}
		}
		if e, can := readableBy(r, s, key); can {
			e.Text += " can read " + key + ", which stored results are signed with" + there
			return []report.Evidence{e}
		}
	}
	return nil
}

// sessionsOf are those of every launch of the project: in its root, in its other
// worktrees, and by claude-iso. There is none where the place cannot be judged,
// which other checks say.
func sessionsOf(ctx context.Context, r host.Reader, project string) []session.Settings {
	plain, err := session.In(ctx, r, project)
	if err != nil {
		return nil
	}
	sessions := []session.Settings{plain}
	if _, worktrees, err := gitrepo.Around(ctx, r, project); err == nil && len(worktrees) <= verify.MaxListed {
		for _, wt := range worktrees {
			if wt.State == gitrepo.Usable && wt.Path != plain.Dirs.Start {
				sessions = append(sessions, session.At(r, wt.Path))
			}
		}
	}
	if _, in, err := iso.Outlook(r, plain.Dirs.Start); err == nil {
		sessions = append(sessions, session.Settings{Layers: in.Layers, Dirs: in.Dirs})
	}
	return sessions
}

// writableBy says what lets the agent change path in a session: its sandboxed
// commands, or its tools without a prompt. The evidence's text begins a
// sentence. A path changes hands as well by a rename above it, or by a link on
// the way to it.
func writableBy(r host.Reader, s session.Settings, path string) (report.Evidence, bool) {
	g := grants.Of(r, s)
	real := grants.RealPath(r, path)
	always := slices.Clone(g.Project)
	for _, e := range g.Openers() {
		dir := e.Dir()
		switch {
		case e.Place != grants.BySetting:
			always = append(always, dir)
		case (real != filepath.Clean(path) || !grants.Under(real, g.Kept)) &&
			(r.Through(path, []string{dir}) || pathname.Within(dir, real)):
			return report.FileEvidence(e.Where, e.Key+" is "+e.Text+": sandboxed commands"), true
		}
	}
	for _, dir := range always {
		if r.Through(path, []string{dir}) {
			return report.FileEvidence(path, "lies in "+dir+", where the agent writes: it"), true
		}
	}
	for _, rule := range s.InForce().RulesIn(claude.Allow) {
		if toolWrites(r, s, rule, path) {
			return report.FileEvidence(rule.Where(), grants.AllowKey+" is "+rule.Value.Text+": the agent's tools"), true
		}
	}
	return report.Evidence{}, false
}

// toolWrites says whether a rule of permissions.allow lets a tool write path,
// or something in it, without a prompt. What stands behind a wildcard counts
// as matched.
func toolWrites(r host.Reader, s session.Settings, rule settings.Rule, path string) bool {
	tool, content, _, _ := claude.SplitRule(rule.Value.Text)
	pattern, means := settings.RulePattern(content, rule.Scope, s.Dirs)
	if !means || !slices.Contains([]string{claude.ToolEdit, claude.ToolWrite, claude.ToolMultiEdit}, tool) {
		return false
	}
	dir := grants.RealPath(r, pathname.BeforeWildcard(pattern.Text()))
	return r.Through(path, []string{dir}) || pathname.Within(dir, grants.RealPath(r, path))
}

// readableBy says what lets sandboxed commands read path in a session: an
// entry that opens it, or that none hides it.
func readableBy(r host.Reader, s session.Settings, path string) (report.Evidence, bool) {
	ruling := grants.Of(r, s).Read(grants.RealPath(r, path))
	if ruling.Why == grants.Reopened {
		e := ruling.By[0]
		return report.FileEvidence(e.Where, e.Key+" is "+e.Text+": sandboxed commands"), true
	}
	return report.FileEvidence(path, "no denyRead covers it: commands"), ruling.Allowed
}
