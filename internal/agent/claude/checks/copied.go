// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what commands can write must not be put by a hook where it
// later runs, or is read as configuration, outside the sandbox.

package checks

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/sensitive"
	"github.com/steward-setup/steward-setup/internal/shell"
)

// copiedBy is the failure that a command of the user's own writes what commands
// decide to a place that runs. What is written is theirs if it is a copy of a
// file that they may write, or not known: a hook is given the agent's words.
func copiedBy(g ground, u shell.Use, what, where string) (o opening, yes bool) {
	if u.Path == "" {
		return copiedSomewhere(g, u.By, what, where)
	}
	if _, open := g.writable(u.Path); open {
		return ledAway(u, what, where), true
	}
	to, yes := runsLater(g, u.Path)
	if !yes || u.Fixed {
		return o, false
	}
	from := "what commands decide"
	if u.By != "" {
		if _, open := g.writable(u.By); !open {
			return o, false
		}
		from = "a file that commands can change"
	}
	return opening{status: report.Fail, voids: true, where: where, what: u.Path,
		opens: fmt.Sprintf("%s writes %s to %s, and that place holds %s, outside the sandbox.", what, from, u.Path, to),
		remedy: report.DocLink{Title: "do not copy from the project to " + filepath.Dir(u.Path) + " in a hook",
			Target: where}}, true
}

// copiedSomewhere is the warning about a copy that goes where only the running
// shell knows.
func copiedSomewhere(g ground, from, what, where string) (o opening, yes bool) {
	if _, open := g.writable(from); from == "" || !open {
		return o, false
	}
	return opening{status: report.Warn, group: openUnresolved, where: where, what: from,
		opens: fmt.Sprintf("%s copies %s, which commands can change, to a place that is unknown here. If that place holds "+
			"what runs, they run it outside the sandbox.", what, from),
		remedy: report.DocLink{Title: "write out where the copy goes", Target: where}}, true
}

// runsLater says what a place holds that runs, or is read as configuration,
// outside the sandbox. In the agent's directory that are the names that the
// runtime loads, and the scripts that settings call: a log there is a log.
func runsLater(g ground, path string) (which string, yes bool) {
	for _, at := range slices.Compact([]string{path, realPath(g.r, path)}) {
		for _, dir := range host.Entries(g.r.System().Get("PATH"), g.s.dirs.Start) {
			if pathname.Within(at, filepath.Clean(dir)) || pathname.Within(at, realPath(g.r, dir)) {
				return sensitive.OnPath, true
			}
		}
		for _, dir := range []string{g.s.dirs.Agent, filepath.Join(g.s.dirs.Home, claude.Dir)} {
			if !pathname.Within(at, dir) {
				continue
			}
			for _, name := range append(claude.KeptNames(), "scripts", "agent-isolation", claude.LocalSettingsFile,
				claude.StateFile, ".config.json") {
				if pathname.Within(at, filepath.Join(dir, name)) {
					return "what the agent loads and runs", true
				}
			}
			return "", at == dir
		}
		if which, yes := sensitive.RunsOutside(at, g.s.dirs.Home); yes {
			return which, true
		}
	}
	return "", false
}

// ledAway is the failure that a command of the user's own writes where commands
// may put a symlink (measured with 2.1.329). It warns where what is written is
// in the line: they choose the file alone.
func ledAway(u shell.Use, what, where string) opening {
	o := opening{status: report.Fail, voids: true, where: where, what: u.Path,
		opens: fmt.Sprintf("%s writes %s outside the sandbox. Commands can replace that path by a symlink to any file of "+
			"yours, such as ~/.bashrc.", what, u.Path),
		remedy: report.DocLink{Title: "write to a file outside the project, e.g. ~/.claude/audit.jsonl", Target: where}}
	if u.Fixed {
		o.status, o.voids = report.Warn, false
		o.opens = fmt.Sprintf("%s creates or changes %s outside the sandbox. Commands can replace that path by a symlink "+
			"to another file of yours.", what, u.Path)
	}
	return o
}

// toldBy is the warning that the model is told a file which commands may replace
// by a symlink. A word that is no file yet counts if it is named like one.
func toldBy(g ground, u shell.Use, what, where string) (o opening, yes bool) {
	if _, open := g.writable(u.Path); !g.tells || u.By == "" || !open || !g.exists(u.Path) && filepath.Ext(u.Path) == "" {
		return o, false
	}
	return opening{status: report.Warn, where: where, what: u.Path,
		opens: fmt.Sprintf("%s gives the model what %s prints of %s. Commands can replace that path by a symlink to any "+
			"file of yours.", what, u.By, u.Path),
		remedy: report.DocLink{Title: "print a file outside the project, or name the file in CLAUDE.md so that the agent " +
			"reads it with its Read tool", Target: where}}, true
}
