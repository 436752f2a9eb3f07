// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what runs outside the sandbox must not be writable from
// inside it (DESIGN, law 7). A program that the agent could replace is never
// wired: a copy in a safe place is proposed first, or nothing that calls it. A
// place counts as the agent's as soon as any settings file of any scope lets a
// sandboxed command write there, now or after this plan.

package setup

import (
	"context"
	"fmt"
	iofs "io/fs"
	"path/filepath"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/steps/install"
)

const binaryTitle = "A safe place for steward-setup itself"

// binary decides which file hooks and wrapper will call, and proposes a copy
// where this one is not safe. The section has no ID where there is nothing to
// say.
func (p *proposer) binary(context.Context) (report.Section, error) {
	p.gatherWritable() // the policy is in the draft now
	s := report.Section{ID: "binary"}
	exe := p.r.System().Executable
	if exe == "" {
		return s, &report.Error{Code: report.ExitInternal, What: "the system does not say where this program's file is",
			Why: "the hooks have to call it by its absolute path"}
	}
	why, unsafe := p.agentWritable(exe)
	if !unsafe {
		p.call(exe)
		return report.Section{}, nil
	}
	home := p.safeBinary()
	if also, bad := p.agentWritable(home); bad {
		s.Note(report.Finding{Check: "binary", Status: report.Fail, Decide: true, Layer: report.LayerTools,
			Summary:  "there is no safe place for the program: hooks and wrapper are left out",
			Evidence: []report.Evidence{report.FileEvidence(exe, why), report.FileEvidence(home, also)}})
		return s, nil
	}
	s.Why = fmt.Sprintf("Hooks and wrapper run this program outside the sandbox, and its current place is not safe for "+
		"that: %s. Anyone who can write there could change what the hooks do. It is copied to %s, "+
		"and the hooks call that copy.",
		why, filepath.Dir(home))
	f, err := p.draft.OpenWith(p.r.ReadAll, home, "")
	if err != nil {
		return s, err
	}
	own, err := p.r.ReadAll(exe)
	if err != nil {
		return s, install.Unreadable(exe, err)
	}
	p.call(home)
	c, needed := p.draft.Change("binary/copy", "the program that hooks and wrapper call", f, own, 0o755)
	if !needed {
		return report.Section{}, nil
	}
	s.Items = append(s.Items, c)
	return s, nil
}

// hookProgram is where the small program for hooks lies (cmd/steward-hook), if
// it is there: beside the program itself. It is not copied from a place that
// commands may write: this program was started by the user, that one was not.
func hookProgram(binary string) string { return filepath.Join(filepath.Dir(binary), "steward-hook") }

// call has wrapper and hooks call the program at path, and the hooks the small
// one where it is beside it, as safe.
func (p *proposer) call(path string) {
	p.binaryPath = path
	if small := hookProgram(path); p.program(small) {
		if _, unsafe := p.agentWritable(small); !unsafe {
			p.hookPath = small
		}
	}
}

// program says whether there is a program at path.
func (p *proposer) program(path string) bool {
	info, err := p.r.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o100 != 0
}

// safeBinary is where the copy lies.
func (p *proposer) safeBinary() string {
	return filepath.Join(p.r.Places().UserBin, "steward-setup")
}

// keepBinary chooses the program when no copy may be made: this one if it is
// safe, else an earlier copy, else none.
func (p *proposer) keepBinary() {
	p.gatherWritable()
	exe := p.r.System().Executable
	if _, unsafe := p.agentWritable(exe); exe != "" && !unsafe {
		p.call(exe)
		return
	}
	if _, unsafe := p.agentWritable(p.safeBinary()); unsafe {
		return
	}
	if p.program(p.safeBinary()) {
		p.call(p.safeBinary())
	}
}

// gatherWritable collects what the settings of every scope open for writing:
// the user's, and those of each worktree, as the plan would leave them. A file
// that is not understood is left to the section that it belongs to.
func (p *proposer) gatherWritable() {
	seen := p.draft.Seen()
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
	var roots []string
	if p.repo != nil && p.repo.Root != "" { // git's list does not name the work tree of a submodule
		roots = append(roots, p.repo.Root)
	}
	for _, wt := range p.worktrees {
		roots = append(roots, wt.Path)
	}
	for _, root := range roots {
		add(filepath.Join(root, filepath.FromSlash(projectSettings)), root, settings.Project)
		add(filepath.Join(root, filepath.FromSlash(LocalSettings)), root, settings.Local)
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
			s.Note(report.Finding{Check: check, Layer: report.LayerVisibility, Status: report.Fail, Decide: true,
				Summary:  what + " would be writable by the agent, and is left out: it runs outside the sandbox",
				Evidence: []report.Evidence{report.FileEvidence(place, why)},
				Remedies: []report.Remedy{report.DocLink{Title: "move it, or remove the setting that opens it", Target: place}}})
			return false
		}
	}
	return true
}
