// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: every run is taken back, newest first, as far as each file
// still is what the runs left; a file that somebody edited since keeps every
// byte, and is named.

package engine

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
)

// Uninstall is what taking back everything would write.
type Uninstall struct {
	// Section has a change for each file that goes back, and a finding for
	// each that stays.
	Section report.Section
	// Runs are the receipts that nothing is left of.
	Runs []string
	// All counts the runs that are not taken back yet.
	All int
	// Lives says that a repository stays: the record of the runs holds the old
	// bytes of what its symlinks replaced.
	Lives bool
}

// back is one file on its way back through the runs.
type back struct {
	first     writtenFile // of the oldest run that is taken back
	now, then content
	moved     bool
	setMode   bool
	stays     bool   // a repository that lives on holds it, or needs it
	edited    bool   // somebody wrote it between two runs, or after the last
	kept      string // what it held before that run
}

// PlanUninstall computes it from what the receipts know.
func (a Applier) PlanUninstall(r host.Reader) (Uninstall, error) {
	receipts, err := a.History()
	if err != nil {
		return Uninstall{}, err
	}
	u := Uninstall{Section: report.Section{ID: "uninstall", Title: "Uninstall"}}
	files, order := map[string]*back{}, []string(nil)
	stays := map[string][]string{} // the targets of a run
	var runs []Receipt
	for _, receipt := range receipts {
		if _, undone := UndoneBy(receipts, receipt.ID); undone || receipt.Undoes != "" || receipt.UndoesAll != nil ||
			receipt.Arrived {
			continue
		}
		u.All++
		if u.stay(r, receipt) {
			continue
		}
		runs = append(runs, receipt)
		for _, f := range slices.Backward(written(receipt)) {
			b := files[f.Target]
			if b == nil {
				now, err := current(r, receipt, f.Target)
				if err != nil {
					return u, err
				}
				b = &back{now: now, then: now}
				files[f.Target], order = b, append(order, f.Target)
			}
			if err := a.stepBack(b, receipt, f); err != nil {
				return u, err
			}
			stays[receipt.ID] = append(stays[receipt.ID], f.Target)
		}
	}
	for _, b := range files {
		b.isBack()
	}
	living := stay(r, runs, func(path string) bool { b := files[path]; return b != nil && !b.edited })
	u.Lives = len(living.why) > 0
	for _, receipt := range runs {
		for _, target := range stays[receipt.ID] {
			files[target].stays = files[target].stays || living.keeps(receipt, target)
		}
	}
	for _, target := range order {
		if b := files[target]; b.stays {
			continue
		} else if b.edited {
			u.Section.Findings = append(u.Section.Findings, b.finding())
		} else if c, needed := b.change(); needed {
			u.Section.Items = append(u.Section.Items, c)
		}
	}
	for _, receipt := range receipts {
		targets, mine := stays[receipt.ID]
		if mine && !slices.ContainsFunc(targets, func(t string) bool { return files[t].edited || files[t].stays }) {
			u.Runs = append(u.Runs, receipt.ID)
		}
	}
	before := report.Counted(u.All, "before the run that is not undone yet",
		"before the first of the %d runs that are not undone yet")
	u.Section.Why = "Restores every file that steward-setup wrote to its bytes from " + before + "." +
		madeAgain(u.emptied(receipts))
	if u.All == 0 {
		u.Section.Why = "Every run is undone already: no file is restored."
	}
	if u.Section.Items == nil {
		u.Section.Removes = EmptyDirs(r, u.made(receipts))
	}
	u.Section.Findings = slices.Concat(a.Doubts(receipts), Running(r, u.Section), living.findings(), u.Section.Findings)
	return u, nil
}

// stepBack takes a file back over one run.
func (a Applier) stepBack(b *back, receipt Receipt, f writtenFile) error {
	b.first = f
	removed := b.now.bytes == nil && b.then.bytes == nil && f.states[len(f.states)-1].digest != report.Absent
	if b.edited || removed { // what the user removed is not brought back
		return nil
	}
	if !f.known(b.then.state()) {
		b.edited = true
		if f.Kept != "" {
			b.kept = filepath.Join(a.receiptDir(receipt.ID), filepath.Base(f.Kept))
		}
		return nil
	}
	b.setMode = b.setMode || b.now.bytes != nil && f.otherMode(b.now.mode)
	if b.then.state() == f.before() {
		return nil
	}
	b.moved = true
	var err error
	b.then, err = a.held(receipt, f.ReceiptChange)
	return err
}

// isBack says of a file that is what it was before the first run that it is nobody's
// edit: an uninstall that was stopped took it back.
func (b *back) isBack() {
	if b.edited && b.now.state() == b.first.before() {
		b.edited, b.moved, b.then = false, false, b.now
	}
}

// change is what takes the file all the way back.
func (b *back) change() (c report.Change, needed bool) {
	f := b.first
	c = f.back(b.now, b.then)
	c.ID, c.Why, c.SetMode = "uninstall/"+f.ID, "as it was before the first run", b.setMode
	return c, b.moved && b.now.state() != b.then.state() || b.setMode
}

// finding says that the file stays, and how to see what was edited.
func (b *back) finding() report.Finding {
	by := report.Command{ID: "uninstall/rm", Optional: true, Line: "rm " + scripts.Quote(b.first.Path),
		Why: "remove the file, which steward-setup made, with your edits"}
	if b.kept != "" {
		by = report.Command{ID: "uninstall/diff", Optional: true, Line: "diff -u " + scripts.Quote(b.kept) + " " +
			scripts.Quote(b.first.Path), Why: "see what differs from before the setup; remove by hand what you no longer want"}
	}
	return report.Finding{Check: "uninstall", Status: report.Warn, Decide: true,
		Summary:  b.first.Path + " stays as it is: it was edited after steward-setup wrote it",
		Evidence: []report.Evidence{report.FileEvidence(b.first.Path, "is not what a run left")},
		Remedies: []report.Remedy{by}}
}

// ApplyUninstall applies a plan of PlanUninstall.
func (a Applier) ApplyUninstall(ctx context.Context, u Uninstall, p report.Plan, approved report.PlanID,
	emit Sink) error {
	receipts, err := a.History()
	if err != nil {
		return err
	}
	dirs := p.Sections[0].Removes
	if len(p.Changes()) > 0 { // more are empty once their files are gone: the plan does not name them
		dirs = u.made(receipts)
	}
	_, err = a.apply(ctx, p, approved, Receipt{Command: "uninstall", UndoesAll: u.Runs, RemoveDirs: dirs,
		MakeDirs: u.emptied(receipts)}, emit)
	return err
}

// made lists the directories that the runs made, outermost first.
func (u Uninstall) made(receipts []Receipt) (dirs []string) {
	for _, r := range Unaltered(receipts) {
		if slices.Contains(u.Runs, r.ID) {
			dirs = append(dirs, r.Dirs...)
		}
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

// emptied lists the directories that gave way in the runs, as the oldest of them
// found them: it is gone back to.
func (u Uninstall) emptied(receipts []Receipt) (list []fs.DirMode) {
	for _, r := range receipts {
		if slices.Contains(u.Runs, r.ID) {
			list = append(slices.Clone(r.Emptied), list...)
		}
	}
	return list
}
