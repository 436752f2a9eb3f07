// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: later items see what earlier items of the same plan would
// leave on disk, so that two changes to one file follow from each other and
// skipping one makes a new, correct plan.

package install

import (
	"errors"
	iofs "io/fs"

	"github.com/steward-setup/steward-setup/internal/approval"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
)

// Draft is a plan in the making: the disk, overlaid with the changes so far.
type Draft struct {
	Host    host.Reader
	pending map[string]host.Planned // by target
}

// NewDraft begins a plan.
func NewDraft(r host.Reader) Draft { return Draft{Host: r, pending: make(map[string]host.Planned)} }

// File is one file as the draft sees it.
type File struct {
	// Path is how the user knows the file, Target the real one.
	Path, Target, within string
	// Bytes is nil where there is none; Mode are the permission bits.
	Bytes []byte
	Mode  iofs.FileMode
}

// Open reads the file at path, following links to the real one. With within,
// a link that leads out of that directory is refused: it would let a foreign
// repository name any file of the user's. The error is a *report.Error.
func (d Draft) Open(path, within string) (File, error) { return d.openWith(d.Host.Read, path, within) }

// OpenAll is Open for a file of our own, of any size.
func (d Draft) OpenAll(path string) (File, error) { return d.openWith(d.Host.ReadAll, path, "") }

// openWith is Open with another way to read.
func (d Draft) openWith(read func(string) ([]byte, error), path, within string) (File, error) {
	f := File{Path: path, within: within}
	target, err := d.Host.Resolve(path)
	if to, e := d.Host.Readlink(path); err != nil && e == nil && errors.Is(err, iofs.ErrNotExist) {
		return f, &report.Error{Code: report.ExitMalformed, Where: path, What: pathname.BrokenLink(to),
			Why:  "the intended content is unknown",
			Next: "create its target, remove the symlink, or leave this part out with --skip"}
	}
	if err != nil {
		return f, Unreadable(path, err)
	}
	f.Target = target
	if within != "" {
		if f.within, err = d.Host.Resolve(within); err != nil {
			return f, Unreadable(within, err)
		}
		if !pathname.Within(target, f.within) {
			return f, &report.Error{Code: report.ExitLeft, Where: path,
				What: "is a symlink out of the repository, to " + target,
				Why:  "a repository must not name files outside itself for writing; nothing was changed",
				Next: "replace the symlink by a file, or leave this part out with --skip"}
		}
	}
	if p, ok := d.pending[target]; ok {
		f.Bytes, f.Mode = p.Bytes, p.Mode
		return f, nil
	}
	info, err := d.Host.Stat(target)
	if errors.Is(err, iofs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return f, Unreadable(path, err)
	}
	f.Mode = info.Mode().Perm()
	if f.Bytes, err = read(target); err != nil {
		return f, Unreadable(path, err)
	}
	return f, nil
}

// Change makes the change that leaves after in f, or removes it where after is
// nil, and records it for the items that follow; needed is false when the file
// already is so. mode is that of a new file.
func (d Draft) Change(id report.ID, why string, f File, after []byte, mode iofs.FileMode) (c report.Change,
	needed bool) {
	if (f.Bytes != nil || after == nil) && string(f.Bytes) == string(after) {
		return c, false
	}
	d.pending[f.Target] = host.Planned{Bytes: after, Mode: mode}
	return report.Change{ID: id, Why: why, Path: f.Path, Target: f.Target, Within: f.within,
		Before: f.Bytes, After: after, Mode: mode, ModeBefore: f.Mode}, true
}

// Write adds the change that leaves after in f to a section, if one is needed.
func (d Draft) Write(s *report.Section, id report.ID, why string, f File, after []byte, mode iofs.FileMode) {
	if c, needed := d.Change(id, why, f, after, mode); needed {
		s.Items = append(s.Items, c)
	}
}

// Unreadable is why a file is not changed that cannot be read.
func Unreadable(path string, err error) error {
	e := &report.Error{Code: report.ExitMalformed, Where: path, What: fs.NotRead,
		Why: "a file that cannot be read cannot be merged without loss", Next: "fix the file or its permissions, or leave " +
			"this part out with --skip", Err: err}
	if fs.BelowFile(err) {
		e.What, e.Next = "cannot be there: a file lies where one of its directories belongs",
			"move that file away, or leave this part out with --skip"
	}
	return e
}

// Approvals are the user's standing approvals, and their file.
func (d Draft) Approvals() (f File, set approval.Set, err error) {
	if f, err = d.Open(approval.Path(d.Host.Places().State), ""); err == nil {
		set, err = approval.Parse(f.Path, f.Bytes)
	}
	return f, set, err
}

// Seen is the machine as the draft leaves it.
func (d Draft) Seen() host.Reader { return host.With(d.Host, d.pending) }
