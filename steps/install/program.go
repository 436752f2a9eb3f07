// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what runs outside the sandbox must not be writable from
// inside it. A program that the agent could replace is never
// wired: a copy in a safe place is proposed first, or nothing that calls it. A
// place counts as the agent's as soon as any settings file of any scope lets a
// sandboxed command write there, now or after this plan.

package install

import (
	"context"
	"fmt"
	iofs "io/fs"
	"path/filepath"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
)

// BinaryTitle is the title of the section that copies the program.
const BinaryTitle = "A safe place for steward-setup itself"

// Places are where a command of the agent could write.
type Places struct {
	Draft Draft
	// Trees are the work trees that a session may start in, Open the directories that
	// settings let commands write, links resolved.
	Trees, Open []string
}

// Program is the program that hooks, wrapper and git call, and the small one for
// hooks beside it (cmd/steward-hook); "" where there is no safe one.
type Program struct{ Path, Hook string }

// Program decides which file they call, and proposes a copy where this one is not
// safe. The section has no ID where there is nothing to say.
func (p Places) Program() (Program, report.Section, error) {
	s := report.Section{ID: "binary"}
	exe := p.Draft.Host.System().Executable
	if exe == "" {
		return Program{}, s, &report.Error{Code: report.ExitInternal,
			What: "the system does not say where this program's file is",
			Why:  "the hooks have to call it by its absolute path"}
	}
	why, unsafe := p.Writable(exe)
	if !unsafe {
		return p.call(exe), report.Section{}, nil
	}
	home := p.safe()
	if also, bad := p.Writable(home); bad {
		s.Note(report.Finding{Check: "binary", Status: report.Fail, Decide: true, Layer: report.LayerTools,
			Summary:  "there is no safe place for the program: hooks and wrapper are left out",
			Evidence: []report.Evidence{report.FileEvidence(exe, why), report.FileEvidence(home, also)}})
		return Program{}, s, nil
	}
	s.Why = fmt.Sprintf("Hooks and wrapper run this program outside the sandbox, and its current place is not safe for "+
		"that: %s. Anyone who can write there could change what the hooks do. It is copied to %s, "+
		"and the hooks call that copy.", why, filepath.Dir(home))
	f, err := p.Draft.OpenAll(home)
	if err != nil {
		return Program{}, s, err
	}
	own, err := p.Draft.Host.ReadAll(exe)
	if err != nil {
		return Program{}, s, Unreadable(exe, err)
	}
	called := p.call(home)
	c, needed := p.Draft.Change("binary/copy", "the program that hooks and wrapper call", f, own, 0o755)
	if !needed {
		return called, report.Section{}, nil
	}
	s.Items = append(s.Items, c)
	return called, s, nil
}

// Kept is the program when no copy may be made: this one if it is safe, else an
// earlier copy, else none.
func (p Places) Kept() Program {
	exe := p.Draft.Host.System().Executable
	if _, unsafe := p.Writable(exe); exe != "" && !unsafe {
		return p.call(exe)
	}
	if _, unsafe := p.Writable(p.safe()); !unsafe && host.Program(p.Draft.Host, p.safe()) {
		return p.call(p.safe())
	}
	return Program{}
}

// call is the program at path, and the small one where it is beside it, as safe. That
// is not copied from a place that commands may write: this program was started by the
// user, that one was not.
func (p Places) call(path string) Program {
	small := filepath.Join(filepath.Dir(path), "steward-hook")
	if _, unsafe := p.Writable(small); unsafe || !host.Program(p.Draft.Host, small) {
		small = ""
	}
	return Program{path, small}
}

// safe is where the copy lies.
func (p Places) safe() string { return filepath.Join(p.Draft.Host.Places().UserBin, "steward-setup") }

// Writable says why a file at path could be replaced by a sandboxed command or by what
// it builds.
func (p Places) Writable(path string) (why string, yes bool) {
	for _, path := range []string{path, host.Real(p.Draft.Host, path)} {
		if why, yes := p.opened(path); yes {
			return why, true
		}
	}
	return "", false
}

func (p Places) opened(path string) (why string, yes bool) {
	r := p.Draft.Host
	for _, tree := range p.Trees {
		if pathname.Within(path, tree) {
			return "it is inside the project " + tree, true
		}
	}
	for _, entry := range p.Open {
		if pathname.Within(path, entry) {
			return "the settings let the agent write below " + entry, true
		}
	}
	sys, home := r.System(), r.Places().Home
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
		if info, err := r.Stat(dir); err == nil && info.Mode().Perm()&0o002 != 0 && info.Mode()&iofs.ModeSticky == 0 {
			return "everyone can write to " + dir, true
		}
	}
	return "", false
}

// Guard refuses a place for what runs outside the sandbox, if the agent could
// write there; ok is false then, and the section has the reason.
func (p Places) Guard(s *report.Section, check report.ID, what string, places ...string) (ok bool) {
	for _, place := range places {
		if why, bad := p.Writable(place); bad {
			s.Note(report.Finding{Check: check, Layer: report.LayerVisibility, Status: report.Fail, Decide: true,
				Summary:  what + " would be writable by the agent, and is left out: it runs outside the sandbox",
				Evidence: []report.Evidence{report.FileEvidence(place, why)},
				Remedies: []report.Remedy{report.DocLink{Title: "move it, or remove the setting that opens it", Target: place}}})
			return false
		}
	}
	return true
}

// Writer says what the settings of an agent let commands write: directories, links
// resolved, in a start in dir, and in each of trees.
type Writer interface {
	Writable(d Draft, dir string, trees []string) []string
}

// Called is the program that another step has something call, where no sandboxed command
// can replace it, and the section that copies it there, if it has an ID. A session may
// start in each of trees: what lies in one, or where its settings open, is its to write.
// The error is a *report.Error, also where one of places is so.
func Called(ctx context.Context, d Draft, a Writer, trees []string, places ...string) (path string, s report.Section,
	err error) {
	project, err := FindProject(ctx, d.Host, d.Host.System().Cwd, false)
	if err != nil {
		return "", s, err
	}
	trees = append(project.Roots(), trees...)
	p := Places{Draft: d, Trees: trees, Open: a.Writable(d, project.Place, trees)}
	for _, place := range places {
		if why, bad := p.Writable(place); bad {
			return "", s, &report.Error{Code: report.ExitLeft, Where: place, What: "is writable by the agent: " + why,
				Why: "its content runs outside the sandbox", Next: "move it, or remove the setting that lets the agent write " +
					"there, then run this again"}
		}
	}
	called, s, err := p.Program()
	s.Title = BinaryTitle
	if err == nil && called.Path == "" {
		f := s.Findings[0]
		return "", s, &report.Error{Code: report.ExitLeft, Where: f.Evidence[0].Where, What: f.Summary + " (" +
			f.Evidence[0].Text + ")", Why: "a command of the agent could replace what git's hooks run outside the sandbox",
			Next: "remove the setting that lets the agent write there, then run this again"}
	}
	return called.Path, s, err
}
