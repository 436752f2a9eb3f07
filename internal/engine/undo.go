// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: undo is a plan like any other: shown, approved, applied
// and receipted. It restores byte for byte or not at all: where one file has
// moved on since, it names it and changes nothing.

package engine

import (
	"context"
	"errors"
	"fmt"
	iofs "io/fs"
	"path/filepath"
	"slices"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/report"
)

// ErrNothingToUndo says that no run is left that could be taken back.
var ErrNothingToUndo = errors.New("there is nothing to undo")

// UndoPlan computes what taking back receipt id would write; "" means the
// newest run that was not itself an undo and was not taken back yet.
func (a Applier) UndoPlan(r host.Reader, id string) (Receipt, report.Plan, error) {
	receipts, err := a.History()
	if err != nil {
		return Receipt{}, report.Plan{}, err
	}
	receipt, err := a.choose(receipts, id)
	if err != nil {
		return Receipt{}, report.Plan{}, err
	}
	if err := errors.Join(notMoved(r, receipt), lives(r, receipt)); err != nil {
		return Receipt{}, report.Plan{}, err
	}
	section := report.Section{ID: "undo", Title: "Undo " + receipt.ID,
		Why: fmt.Sprintf("Restores every file that `steward-setup %s` wrote on %s to the bytes it had before.",
			receipt.Command, receipt.StartedAt.Format("2006-01-02 15:04 MST")) + madeAgain(receipt.Emptied)}
	for _, f := range slices.Backward(ownFiles(receipts, receipt)) {
		c, needed, err := a.reverse(r, receipt, f)
		if err != nil {
			return Receipt{}, report.Plan{}, err
		}
		if needed {
			section.Items = append(section.Items, c)
		}
	}
	if section.Items == nil && !receipt.Altered {
		section.Removes = EmptyDirs(r, receipt.Dirs)
	}
	section.Findings = append(a.Doubts(since(receipts, receipt.ID)), Running(r, section)...)
	return receipt, report.NewPlan([]report.Section{section}), nil
}

// Undo applies a plan that UndoPlan made for receipt.
func (a Applier) Undo(ctx context.Context, receipt Receipt, p report.Plan, approved report.PlanID, emit Sink) error {
	undo := Receipt{Command: "undo " + receipt.ID, Undoes: receipt.ID, MakeDirs: receipt.Emptied}
	if !receipt.Altered { // more may be empty once its files are gone: the plan does not name those
		undo.RemoveDirs = receipt.Dirs
	}
	_, err := a.apply(ctx, p, approved, undo, emit)
	return err
}

// since are the receipts that are no older than id.
func since(receipts []Receipt, id string) []Receipt {
	return receipts[:1+slices.IndexFunc(receipts, func(r Receipt) bool { return r.ID == id })]
}

func (a Applier) choose(receipts []Receipt, id string) (Receipt, error) {
	for _, r := range receipts {
		_, undone := UndoneBy(receipts, r.ID)
		switch {
		case id == "" && (undone || r.Undoes != "" || r.Arrived):
		case id == r.ID && undone:
			return Receipt{}, &report.Error{Code: report.ExitUsage, Where: id, What: "is already undone",
				Next: a.line("history") + " lists what was applied"}
		case id == "" || id == r.ID:
			return r, nil
		}
	}
	if id == "" {
		return Receipt{}, ErrNothingToUndo
	}
	return Receipt{}, &report.Error{Code: report.ExitUsage, Where: id, What: "no receipt has this id",
		Next: "list them:  " + a.line("history")}
}

// writtenFile is one file that a run wrote, perhaps in several changes: the
// first of them, and every digest that the file may have had on the way.
type writtenFile struct {
	ReceiptChange
	states []state
}

// written groups a receipt's changes by file, in the order in which the files
// were first written.
func written(r Receipt) (files []writtenFile) {
	for _, rc := range r.Changes {
		i := slices.IndexFunc(files, func(f writtenFile) bool { return f.Target == rc.Target })
		if i < 0 {
			files = append(files, writtenFile{rc, []state{rc.before()}})
			i = len(files) - 1
		}
		link := report.Change{Mode: rc.Mode}.Link() && rc.After != report.Absent
		files[i].states = append(files[i].states, state{rc.After, link})
		files[i].SetMode = files[i].SetMode || rc.SetMode
	}
	return files
}

// ownFiles are the files that a run wrote, as far as receipts say: of one that was
// stopped not those that a later run found as they had been before it, and wrote itself.
func ownFiles(receipts []Receipt, r Receipt) []writtenFile {
	files := written(r)
	if r.Finished {
		return files
	}
	for _, later := range since(receipts, r.ID) {
		if later.ID == r.ID {
			continue
		}
		for _, f := range written(later) {
			files = slices.DeleteFunc(files, func(own writtenFile) bool {
				return own.Target == f.Target && own.before() == f.before()
			})
		}
	}
	return files
}

// Paths lists the files of a run, each once.
func (r Receipt) Paths() (paths []string) {
	for _, f := range written(r) {
		paths = append(paths, f.Path)
	}
	return paths
}

// Standing lists the files that one of the receipts, which are newest first, wrote and
// that still hold what it wrote, by path: of a run that was stopped half way, those that
// undo would restore. A file that cannot be read, or has moved on since, is not among
// them.
func Standing(r host.Reader, receipts []Receipt, receipt Receipt) (paths []string) {
	for _, f := range ownFiles(receipts, receipt) {
		b, err := current(r, receipt, f.Target)
		if err != nil {
			continue
		}
		now := b.state()
		if now != f.before() && slices.Contains(f.states, now) || now == f.before() && f.otherMode(b.mode) {
			paths = append(paths, f.Path)
		}
	}
	return paths
}

// otherMode says whether the run changed the mode of the file that was there,
// and mode is not the old one.
func (f writtenFile) otherMode(mode iofs.FileMode) bool {
	return f.SetMode && mode != f.ModeBefore && f.Before != report.Absent
}

// reverse makes the change that takes a file back; needed is false where it
// already is what it was, because the run was stopped before it.
func (a Applier) reverse(r host.Reader, receipt Receipt, f writtenFile) (c report.Change, needed bool, err error) {
	now, err := current(r, receipt, f.Target)
	if err != nil {
		return c, false, err
	}
	modeOnly := f.otherMode(now.mode)
	switch {
	case !f.known(now.state()):
		why := "restoring the old bytes would lose what came after; nothing was changed"
		if receipt.Altered {
			why += "; the receipt itself cannot be verified: it may name other files than steward-setup wrote"
		}
		return c, false, &report.Error{Code: report.ExitStale, Where: f.Path,
			What: "has changed since this run wrote it", Why: why,
			Next: "undo what was applied later first, or fix the file by hand: the old bytes are in " +
				a.receiptDir(receipt.ID) + "; uninstall undoes all runs, and keeps your edits of this file"}
	case now.state() == f.before() && !modeOnly:
		return c, false, nil
	}
	then, err := a.held(receipt, f.ReceiptChange)
	if err != nil {
		return c, false, err
	}
	c = f.back(now, then)
	c.ID, c.Why, c.SetMode = "undo/"+f.ID, "as it was before "+receipt.ID, modeOnly
	return c, true, nil
}

// held is what a file held before a run, by what the run kept. The error is a
// *report.Error.
func (a Applier) held(receipt Receipt, f ReceiptChange) (content, error) {
	if f.Kept == "" {
		return content{}, nil
	}
	kept := filepath.Join(a.receiptDir(receipt.ID), filepath.Base(f.Kept))
	b, err := fs.ReadAll(kept)
	if err != nil {
		return content{}, &report.Error{Code: report.ExitMalformed, Where: kept,
			What: "the old bytes of " + f.Path + " are missing", Err: err, Why: "nothing was changed", Next: withoutIt}
	}
	if report.DigestOf(b) != f.Before {
		return content{}, &report.Error{Code: report.ExitMalformed, Where: kept, What: "these are not the bytes that " +
			f.Path + " had", Why: "restoring them would write something unknown; nothing was changed", Next: withoutIt}
	}
	return content{bytes: b, link: f.before().link}, nil
}
