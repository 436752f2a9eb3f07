// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what commands can write must not be put by a hook where it
// later runs, or is read as configuration, outside the sandbox.

package commandline

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/sensitive"
	"github.com/steward-setup/steward-setup/internal/shell"
)

// copiedBy is the failure that a command of the user's own writes what commands
// decide to a place that runs. What is written is theirs if it is a copy of a
// file that they may write, or not known: a hook is given the agent's words.
func copiedBy(g grants.Ground, u shell.Use, what, where string) (o opening.Opening, yes bool) {
	if u.Path == "" {
		return copiedSomewhere(g, u.By, what, where)
	}
	if _, open := g.Writable(u.Path); open {
		return ledAway(u, what, where), true
	}
	to, yes := runsLater(g, u.Path)
	if !yes || u.Fixed {
		return o, false
	}
	from := "what commands decide"
	if u.By != "" {
		if _, open := g.Writable(u.By); !open {
			return o, false
		}
		from = "a file that commands can change"
	}
	return opening.Opening{Status: report.Fail, Voids: true, Where: where, What: u.Path,
		Opens: fmt.Sprintf("%s writes %s to %s, and that place holds %s, outside the sandbox.", what, from, u.Path, to),
		Step:  "do not write to " + u.Path + " in a hook"}, true
}

// Copied is the failure that a line of a start file copies what commands may write to a place
// that runs. What is redirected there counts where the line reads such a file.
func Copied(g grants.Ground, u shell.Use, in shell.Reach, where string) (o opening.Opening, yes bool) {
	from := u.By
	if from == "" && u.Path != "" {
		for _, read := range in.Uses {
			if read.Kind == shell.Reads && g.Leads(read.Path) {
				from = read.Path
			}
		}
	}
	if to, runs := runsLater(g, u.Path); runs && !u.Fixed && from != "" && g.Leads(from) {
		return opening.Opening{Status: report.Fail, Voids: true, Where: where, What: u.Path,
			Opens: fmt.Sprintf("Your shell copies %s, which commands can change, to %s, and that place holds %s, outside the "+
				"sandbox.", from, u.Path, to), Step: "copy it by hand, once you have looked at it"}, true
	}
	return o, false
}

// copiedSomewhere is the warning about a copy that goes where only the running
// shell knows.
func copiedSomewhere(g grants.Ground, from, what, where string) (o opening.Opening, yes bool) {
	if _, open := g.Writable(from); from == "" || !open {
		return o, false
	}
	return opening.Opening{Status: report.Warn, Group: opening.Unresolved, Where: where, What: from,
		Opens: fmt.Sprintf("%s copies %s, which commands can change, to a place that is unknown here. If that place holds "+
			"what runs, they run it outside the sandbox.", what, from), Step: "write out where the copy goes"}, true
}

// runsLater says what a place holds that runs, or is read as configuration,
// outside the sandbox. In the agent's directory that are the names that the
// runtime loads, and the scripts that settings call: a log there is a log.
func runsLater(g grants.Ground, path string) (which string, yes bool) {
	for _, at := range slices.Compact([]string{path, grants.RealPath(g.Host, path)}) {
		for _, dir := range host.Entries(g.Host.System().Get("PATH"), g.Session.Dirs.Start) {
			if pathname.Within(at, filepath.Clean(dir)) || pathname.Within(at, grants.RealPath(g.Host, dir)) {
				return sensitive.OnPath, true
			}
		}
		for _, dir := range []string{g.Session.Dirs.Agent, filepath.Join(g.Session.Dirs.Home, claude.Dir)} {
			if !pathname.Within(at, dir) {
				continue
			}
			for _, name := range append(claude.KeptNames(), "scripts", "agent-isolation", claude.LocalSettingsFile,
				claude.StateFile, claude.OtherStateFile) {
				if pathname.Within(at, filepath.Join(dir, name)) {
					return "what the agent loads and runs", true
				}
			}
			return "", at == dir
		}
		if which, yes := sensitive.RunsOutside(at, g.Session.Dirs.Home); yes {
			return which, true
		}
	}
	return "", false
}

// ledAway is the failure that a command of the user's own writes where commands
// may put a symlink (measured with 2.1.329). It warns where what is written is
// in the line: they choose the file alone.
func ledAway(u shell.Use, what, where string) opening.Opening {
	o := opening.Opening{Status: report.Fail, Voids: true, Where: where, What: u.Path,
		Opens: fmt.Sprintf("%s writes %s outside the sandbox. Commands can replace that path by a symlink to any file of "+
			"yours, such as ~/.bashrc.", what, u.Path),
		Step: "write to a file outside the project, e.g. ~/.claude/audit.jsonl"}
	if u.Fixed {
		o.Status, o.Voids = report.Warn, false
		o.Opens = fmt.Sprintf("%s creates or changes %s outside the sandbox. Commands can replace that path by a symlink "+
			"to another file of yours.", what, u.Path)
	}
	return o
}

// toldBy is the warning that the model is told a file which commands may replace
// by a symlink. A word that is no file yet counts if it is named like one.
func toldBy(g grants.Ground, u shell.Use, what, where string) (o opening.Opening, yes bool) {
	if _, open := g.Writable(u.Path); !g.Tells || u.By == "" || !open || !g.Exists(u.Path) && filepath.Ext(u.Path) == "" {
		return o, false
	}
	return opening.Opening{Status: report.Warn, Where: where, What: u.Path,
		Opens: fmt.Sprintf("The model is told what %s prints of %s (%s). Commands can replace that path by a symlink to "+
			"any file of yours.", u.By, u.Path, what),
		Step: "print a file outside the project, or name the file in CLAUDE.md so that the agent " +
			"reads it with its Read tool"}, true
}
