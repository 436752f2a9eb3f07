// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a hook runs in the directory that the agent last changed
// to, and a sandboxed command can put anything there.

package verify

import (
	"fmt"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/settings"
	"github.com/steward-setup/steward-setup/internal/shell"
)

// moves says in which launch a command's working directory follows the agent's
// cd.
type moves int

const (
	stays moves = iota
	// plainMoves: claude-iso keeps it in the project.
	plainMoves
	bothMove
)

// wanders is the ground of a command that a session starts; event is that of a
// hook, "" for a status line or a helper. The runtime starts each of them in
// the agent's working directory; claude.StayVariable puts that back after every
// command, but a CwdChanged hook runs before (measured with 2.1.329).
func (g ground) wanders(event string) ground {
	value, set := "", false
	for _, launch := range []struct {
		moves moves
		of    func(settings.Scope) bool
	}{
		{bothMove, func(s settings.Scope) bool { return s != settings.Project && s != settings.Local }},
		{plainMoves, func(settings.Scope) bool { return true }},
	} {
		value, set = "", false
		for _, l := range g.s.Layers {
			if v := l.Doc.Get(claude.KeyEnv.Below(claude.StayVariable)...); v != nil && !set && launch.of(l.Scope) {
				value, set = v.Text, true
			}
		}
		if !set {
			value = map[moves]string{bothMove: "1", plainMoves: g.r.System().Get(claude.StayVariable)}[launch.moves]
		}
		if event == claude.CwdChanged || !claude.SwitchedOn(value) {
			g.moves = launch.moves
			return g
		}
	}
	g.moves = stays
	return g
}

// moving is the failure that commands choose where a command runs.
func (g ground) moving(u shell.Use, what, where string) (o opening, yes bool) {
	switch _, open := g.writable(u.Path); {
	case u.Kind == shell.Repository && u.Path == "":
		o = opening{status: report.Unknown, group: openUnresolved, where: where, what: u.By, remedy: inProject(where),
			opens: fmt.Sprintf("%s in %s runs what the repository there configures, and which directory that is, is unknown.",
				u.By, what)}
		return o, true
	case u.Moves && u.Kind == shell.Repository:
		o = o.repository(u, what, where, " there")
		o.opens += " It runs in the directory that the agent last changed to."
	case u.Moves && u.Kind == shell.Runs && !open:
		o = opening{status: report.Fail, voids: true, where: where, what: u.By, remedy: inProject(where),
			opens: fmt.Sprintf("%s in %s is relative to the directory that the agent last changed to, and commands can put a "+
				"file there.", u.By, what)}
	default:
		return o, false
	}
	o.plain = g.moves == plainMoves
	return o, true
}

// repository is the opening that a program runs what a repository configures
// which a command made; o says by which entry it may.
func (o opening) repository(u shell.Use, what, where, at string) opening {
	opens := fmt.Sprintf("%s in %s runs what the configuration of a repository%s names, outside the sandbox, and "+
		"commands can make one.", u.By, what, at)
	if u.By == shell.Agent {
		opens = fmt.Sprintf("%s in %s runs the hooks of the settings%s, outside the sandbox, and commands can write some.",
			u.By, what, at)
	}
	return opening{status: report.Fail, voids: true, plain: o.plain, where: where, what: u.By, remedy: inProject(where),
		opens: opens}
}

// inProject is the remedy for a command that depends on its directory.
func inProject(where string) report.Remedy {
	return report.DocLink{Title: `git: write GIT_COMMON_DIR="$CLAUDE_PROJECT_DIR/.git" git -C "$CLAUDE_PROJECT_DIR" and, for status and diff, --ignore-submodules; ` +
		`other files: write absolute paths; or set env.` + claude.StayVariable + ` to 1 in your settings`, Target: where}
}

// besideItsConfig is the warning that a command that keeps writing
// .git/commondir in the background puts another configuration in the place of
// the project's.
func besideItsConfig(u shell.Use, what, where string) opening {
	return opening{status: report.Warn, where: where, what: u.By,
		opens: fmt.Sprintf("%s in %s runs what the configuration of the repository names, and a command that runs in the "+
			"background can put another in its place (.git/commondir).", u.By, what),
		remedy: report.DocLink{Title: `write GIT_COMMON_DIR="$CLAUDE_PROJECT_DIR/.git" git -C "$CLAUDE_PROJECT_DIR", or ask for less: ` +
			"git branch --show-current and git rev-parse run nothing", Target: where}}
}
