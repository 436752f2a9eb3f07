// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a file goes back to what it was before some runs only if
// it still holds, byte for byte, what the last of them wrote, and nothing else
// wrote it in between.

package engine

import (
	"path/filepath"
	"slices"

	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/report"
)

// Runs is what the runs of an Applier did to the files of this machine.
type Runs struct {
	a Applier
	// Receipts are those of History.
	Receipts []Receipt
}

// Runs is what its runs did.
func (a Applier) Runs() (Runs, error) {
	receipts, err := a.History()
	return Runs{a, receipts}, err
}

// Doubts warns of those of its receipts that cannot be verified and that by accepts.
func (p Runs) Doubts(by func(Receipt) bool) []report.Finding {
	return p.a.Doubts(slices.DeleteFunc(slices.Clone(p.Receipts), func(r Receipt) bool { return !by(r) }))
}

// Stands says that a run was not undone, and undid none.
func (p Runs) Stands(r Receipt) bool {
	_, undone := UndoneBy(p.Receipts, r.ID)
	return !undone && r.Undoes == ""
}

// Origin is what the file at target held before the runs that by accepts: nil
// bytes for no file. ok is false where now, the file's bytes, is not what such
// a run left.
func (p Runs) Origin(target string, now []byte, by func(Receipt) bool) (before []byte, ok bool) {
	digest := report.DigestOf(now)
	was := func() ([]byte, bool) { return nil, false }
	for _, r := range p.Receipts { // newest first
		if !p.Stands(r) || !by(r) {
			continue
		}
		for _, f := range written(r) {
			if f.Target != target || !left(r, f.states, digest) {
				continue
			}
			digest, was = f.Before, func() ([]byte, bool) { return p.a.old(r, f.ReceiptChange) }
		}
	}
	return was()
}

// old is what a file held before the run r changed it, nil for no file. ok is false where those bytes are gone.
func (a Applier) old(r Receipt, f ReceiptChange) (before []byte, ok bool) {
	c, err := a.held(r, f)
	return c.bytes, err == nil
}

// left says whether the run r leaves a file in this state: the last of those it
// writes, or any, if it was stopped. states begin with that before the run.
func left(r Receipt, states []state, digest report.Digest) bool {
	return states[len(states)-1].digest == digest ||
		!r.Finished && slices.ContainsFunc(states[1:], func(s state) bool { return s.digest == digest })
}

// Replaced is what the file at target held before the run r, whatever became of
// it since: nil bytes for no file. ok is false where the run did not write it,
// or its old bytes are gone.
func (p Runs) Replaced(r Receipt, target string) (before []byte, ok bool) {
	for _, f := range written(r) {
		if f.Target == target {
			return p.a.old(r, f.ReceiptChange)
		}
	}
	return nil, false
}

// Left is what the run r left in the JSON document at target, whatever became of it
// since. ok is false where the run did not end, removed the file or did not write
// it, and where it is of an earlier version, unless a later run found the file so.
func (p Runs) Left(r Receipt, target string) (after []byte, ok bool) {
	digest, name := report.Absent, ""
	for i, rc := range r.Changes {
		if rc.Target == target {
			digest, name = rc.After, leftName(i)
		}
	}
	if !r.Finished || digest == report.Absent {
		return nil, false
	}
	after, err := fs.ReadAll(filepath.Join(p.a.receiptDir(r.ID), name))
	ok = err == nil && report.DigestOf(after) == digest
	for _, other := range p.Receipts {
		for _, rc := range other.Changes {
			if !ok && rc.Target == target && rc.Before == digest && rc.Kept != "" {
				after, ok = p.a.old(other, rc)
			}
		}
	}
	return after, ok
}
