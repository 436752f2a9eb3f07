// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: PATH decides which programs run outside the sandbox, and
// which one the sandbox is. They are looked up as the runtime would, and what
// an agent could have put there, or could put there yet, is named.

package outsiders

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/commandline"
	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/shell"
)

// Started are the programs that a session starts by name, outside the sandbox:
// the agent, and what it was seen to start itself, with 2.1.329, 2.1.224 or
// 2.1.141 (measured, with every program of the system watched).
var Started = []string{"bwrap", "socat", claude.Program, "git", "bash", "env", "grep", "ps"}

// startedAtTimes are those that a session may start: rg where
// USE_BUILTIN_RIPGREP is 0, zsh where $SHELL is neither it nor bash, npm now
// and then, pdfinfo and pdftoppm where the agent reads pages of a PDF (measured).
// Packages bring rg and npm along.
var startedAtTimes = []string{"rg", "zsh", "npm", "pdfinfo", "pdftoppm"}

// onDemand are those that the agent has started whenever it wants to.
var onDemand = []string{"pdfinfo", "pdftoppm"}

// PathOpenings lists what the user's own PATH lets an agent at work on the
// project run outside the sandbox: programs of the project, and directories
// that it could put one into; claude-iso leaves directories of the project out.
// And shims that files of the project lead to another program, in both launches.
func PathOpenings(r host.Reader, s session.Settings) []opening.Opening {
	needed, start := slices.Clone(Started), s.Dirs.Start
	if s.InForce().Scalar(claude.KeyEnv.Below("PATH")...).Value != nil {
		needed = []string{claude.Program} // all else is found by that PATH: OtherSandbox
	} else if r.System().GOOS != "linux" {
		needed = needed[2:] // its sandbox is part of the system
	}
	path, dirs := r.System().Get("PATH"), host.Written(r, start)
	var found []opening.Opening
	filled := map[string]bool{}
	for _, name := range slices.Concat(needed, startedAtTimes) {
		at := host.LookUp(r, path, start, name)
		if at == "" || !r.Through(at, dirs) {
			continue
		}
		dir := filepath.Dir(at)
		o := opening.Opening{Status: report.Fail, Voids: true, Plain: r.Through(dir, dirs), Where: at, What: "PATH",
			Remedy: offPath(dir),
			Opens:  "Commands can change which " + name + " runs outside the sandbox: " + at + " is the first on PATH."}
		if slices.Contains(startedAtTimes, name) {
			o.Status, o.Voids = report.Warn, false
		}
		found, filled[dir] = append(found, o), true
	}
	g, asked := grants.Of(r, s), slices.Clone(onDemand)
	for _, name := range needed {
		at := host.LookUp(r, path, start, name)
		if o, yes := commandline.Chosen(g, shell.Use{Path: start, By: commandline.Shim(g, at)}, "every session", at); yes {
			found = append(found, o)
		}
	}
	entries := host.Entries(path, start)
	for _, dir := range entries {
		asked = slices.DeleteFunc(asked, func(name string) bool { return host.Program(r, filepath.Join(dir, name)) })
		needed = slices.DeleteFunc(needed, func(name string) bool { return host.Program(r, filepath.Join(dir, name)) })
		dir = filepath.Clean(dir)
		if filled[dir] || !g.Leads(dir) {
			continue
		}
		filled[dir] = true
		o := opening.Opening{Status: report.Warn, Plain: r.Through(dir, dirs), Where: dir, What: "PATH", Remedy: offPath(dir),
			Opens: "An agent at work on the project may put a program that runs outside the sandbox (" +
				report.Few(needed) + ") into " + dir + ": PATH leads there first."}
		if len(needed) == 0 {
			o.Opens = "PATH includes " + dir + ". Commands can put a program there, and it runs outside the sandbox wherever " +
				"that name is not installed."
			if len(asked) > 0 {
				o.Opens = "PATH includes " + dir + ". Commands can put " + asked[len(asked)-1] +
					" there, which is not installed: the Read tool starts it outside the sandbox for a PDF."
			}
		}
		found = append(found, o)
	}
	return append(found, linksOnPath(g, entries)...)
}

// linksOnPath names the symlinks in directories of the user's own, on PATH or where start
// files usually add one, that lead to what commands may write.
func linksOnPath(g grants.Ground, dirs []string) (found []opening.Opening) {
	home := g.Session.Dirs.Home
	var seen []string
	for _, dir := range append(slices.Clone(dirs), filepath.Join(home, "bin"), filepath.Join(home, ".local", "bin")) {
		dir = filepath.Clean(dir)
		real := grants.RealPath(g.Host, dir)
		if slices.Contains(seen, real) {
			continue
		}
		seen = append(seen, real)
		for _, at := range ledInto(g, dir) {
			found = append(found, opening.Opening{Status: report.Warn, Where: at, What: at,
				Opens: "Commands can change what " + at + " leads to, " + grants.RealPath(g.Host, at) + ". It runs outside the " +
					"sandbox when you, or a program of yours, call " + filepath.Base(at) + ".",
				Step: "replace the symlink by a copy, or add its target to " + claude.KeyDenyWrite.String()})
		}
	}
	return found
}

// maxOnPath bounds how many entries of a directory on PATH are looked at.
const maxOnPath = 1000

// ledInto lists the symlinks in one of the user's own directories on PATH that lead to where
// commands may write, unless the directory itself does.
func ledInto(g grants.Ground, dir string) (links []string) {
	if home := g.Session.Dirs.Home; !pathname.Within(dir, home) && !pathname.Within(dir, "/usr/local") || g.Leads(dir) {
		return nil
	}
	entries, _ := g.Host.ReadDir(dir)
	for _, e := range entries[:min(len(entries), maxOnPath)] {
		if at := filepath.Join(dir, e.Name()); e.Type()&fs.ModeSymlink != 0 && g.Leads(at) {
			links = append(links, at)
		}
	}
	return links
}

// offPath is the remedy for a directory on PATH.
func offPath(dir string) report.Remedy {
	return report.DocLink{Title: "remove it from PATH where you start claude, or start claude-iso, which drops PATH " +
		"entries in the project", Target: filepath.Clean(dir)}
}

// OtherSandbox says how PATH in settings puts another program in the place of
// the sandbox's, "" if it does not. Values are not shown.
func OtherSandbox(r host.Reader, s session.Settings) string {
	if r.System().GOOS != "linux" {
		return ""
	}
	path := s.InForce().Scalar(claude.KeyEnv.Below("PATH")...)
	if path.Value == nil || path.Value.Kind != settings.Str {
		return ""
	}
	open := grants.Of(r, s).Places()
	for _, program := range []string{"bwrap", "socat"} {
		outside, err := r.Look(program)
		if err != nil {
			continue // another check says that it is missing
		}
		want := grants.RealPath(r, outside)
		if why := foundOn(r, path.Value.Text, program, want, open); why != "" {
			return "PATH decides which program sandboxes commands: " + why
		}
	}
	return ""
}

// foundOn looks a program up on a PATH and says why it is not the one at want,
// or may become another.
func foundOn(r host.Reader, path, program, want string, open []string) string {
	for dir := range strings.SplitSeq(path, ":") {
		if !filepath.IsAbs(dir) {
			return program + " is searched first in a relative directory."
		}
		real := grants.RealPath(r, dir)
		if grants.Under(real, open) || r.Through(dir, open) {
			return program + " is looked for in " + real + ", which sandboxed commands can write, before it is found."
		}
		at := filepath.Join(dir, program)
		if !host.Program(r, at) {
			continue
		}
		if found := grants.RealPath(r, at); found != want {
			return at + " is run in place of " + want + "."
		}
		return ""
	}
	return program + " is not found on it, so that the sandbox does not start."
}
