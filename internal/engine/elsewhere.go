// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a run names absolute paths. What it wrote and is below another
// directory now was moved there, not removed, and goes back only by its old path.

package engine

import (
	"path/filepath"
	"slices"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
)

// movedFrom is the directory that is gone, "" if none is, and what a run wrote below it
// that lies below the home now: the home was moved.
func movedFrom(r host.Reader, run Receipt) (from string, seen []report.Evidence) {
	home := r.Places().Home
	for _, f := range written(run) {
		gone := missing(r, f.Target)
		switch {
		case gone == "" && pathname.Within(f.Target, home):
			return "", nil // the run is of this home
		case f.Within != "" && pathname.Within(gone, f.Within):
			continue // a project is gone: what lies as it did in a home is another's
		}
		if rest, err := filepath.Rel(gone, f.Target); err == nil && rest != "." {
			if now := filepath.Join(home, rest); !pathname.Within(gone, home) && host.There(r, now) {
				from, seen = gone, append(seen, report.FileEvidence(now, "was written as "+f.Target))
			}
		}
	}
	return from, seen
}

// leadBack is the user's line that makes the paths of such a run lead to its files.
func leadBack(r host.Reader, from string) report.Command {
	c := report.Command{ID: "undo/moved", Line: "ln -s " + scripts.Quote(r.Places().Home) + " " + scripts.Quote(from),
		Privileged: !fs.Accessible(filepath.Dir(from), true),
		Why:        "lead the old paths to the moved files, then undo; remove the symlink afterwards"}
	if c.Privileged {
		c.Line = "sudo " + c.Line
	}
	return c
}

// notMoved refuses a run that would go back to nothing.
func notMoved(r host.Reader, run Receipt) error {
	from, seen := movedFrom(r, run)
	if from == "" {
		return nil
	}
	c := leadBack(r, from)
	return &report.Error{Code: report.ExitStale, Where: from, What: homeMoved,
		Why: report.Counted(len(seen), "1 file of this run lies", "%d files of this run lie") +
			" below your home now; nothing was changed", Next: c.Why + ": " + c.Line}
}

const homeMoved = "is gone: your home was moved"

// stay takes those runs out of an uninstall, and says so once for each such home.
func (u *Uninstall) stay(r host.Reader, run Receipt) bool {
	from, seen := movedFrom(r, run)
	if from == "" {
		return false
	}
	u.Section.Findings = append(u.Section.Findings, report.Finding{Check: "uninstall", Status: report.Warn, Decide: true,
		Summary: from + " " + homeMoved + ": " + run.ID + " is not undone", Evidence: seen})
	line := leadBack(r, from)
	if !slices.ContainsFunc(u.Section.Items, func(i report.Item) bool { return i == report.Item(line) }) {
		u.Section.Items = append(u.Section.Items, line)
	}
	return true
}

// missing is the outermost part of path that is not there, "" if all of it is.
func missing(r host.Reader, path string) (gone string) {
	for ; !host.There(r, path) && path != filepath.Dir(path); path = filepath.Dir(path) {
		gone = path
	}
	return gone
}
