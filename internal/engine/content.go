// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a path holds is its bytes and its kind: a regular file
// with the text of a link is not that link.

package engine

import (
	"errors"
	iofs "io/fs"
	"slices"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
)

// state is what a path held or holds, without its bytes. Nothing is no link.
type state struct {
	digest report.Digest
	link   bool
}

func (rc ReceiptChange) before() state {
	link := report.Change{Mode: rc.Mode}.Link() != rc.Turns
	return state{rc.Before, link && rc.Before != report.Absent}
}

// content is what a path holds: nil bytes for nothing, the target for a link.
type content struct {
	bytes []byte
	link  bool
	mode  iofs.FileMode // the permission bits
}

func (c content) state() state { return state{report.DigestOf(c.bytes), c.link && c.bytes != nil} }

// known says whether the run could have left the file in this state, or whether the
// program that keeps it up to date did since.
func (f writtenFile) known(s state) bool {
	return slices.Contains(f.states, s) || f.Derived && !s.link && s.digest != report.Absent
}

// back is the change from now to then of a file that a run wrote, which had the
// permissions of f before.
func (f writtenFile) back(now, then content) report.Change {
	c := report.Change{Path: f.Path, Target: f.Target, Within: f.Within, Before: now.bytes, After: then.bytes,
		Mode: f.ModeBefore, ModeBefore: now.mode, Turns: now.bytes != nil && then.bytes != nil && now.link != then.link}
	if then.bytes != nil && then.link || then.bytes == nil && now.link {
		c.Mode = iofs.ModeSymlink | 0o777
	}
	return c
}

// current returns what is at target now. A directory that the run would put a
// link in the place of is nothing; where the link is there, what lies below it is
// not target's.
func current(r host.Reader, receipt Receipt, target string) (content, error) {
	if slices.ContainsFunc(receipt.Changes, func(rc ReceiptChange) bool {
		if !rc.Emptied || !pathname.Within(target, rc.Target) {
			return false
		}
		info, err := r.Lstat(rc.Target)
		return err == nil && (target == rc.Target && info.IsDir() || target != rc.Target && info.Mode()&iofs.ModeSymlink != 0)
	}) {
		return content{}, nil
	}
	info, err := r.Lstat(target)
	switch {
	case errors.Is(err, iofs.ErrNotExist):
		return content{}, nil
	case err != nil:
		return content{}, &report.Error{Code: report.ExitLeft, Where: target, What: fs.NotInspected, Err: err}
	case info.Mode()&iofs.ModeSymlink != 0:
		to, err := r.Readlink(target)
		return content{[]byte(to), true, info.Mode().Perm()}, err
	case !info.Mode().IsRegular() || info.Size() > fs.MaxOwn:
		return content{bytes: []byte("of another type")}, nil // no digest of ours: it has moved on
	}
	b, err := fs.ReadAll(target)
	if err != nil {
		err = &report.Error{Code: report.ExitLeft, Where: target, What: fs.NotRead, Err: err,
			Why:  "nobody knows whether it still is what a run left; nothing was changed",
			Next: "make it readable, then run this again"}
	}
	return content{b, false, info.Mode().Perm()}, err
}
