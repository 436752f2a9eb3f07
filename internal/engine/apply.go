// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: exactly the approved plan is written, under a lock, after
// every file was found to be what the plan was computed from, with the old
// bytes on disk first; at the first failure it stops and says what stands.

package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	iofs "io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
)

// Applier writes approved plans and keeps their receipts.
type Applier struct {
	// State is the program's state directory, Version what it is called in
	// receipts, Now the clock.
	State, Version string
	Now            func() time.Time
	// Self is how the user starts this program, for the lines that events
	// and errors name; "" is "steward-setup".
	Self string
	// Flags go into the receipt of Apply, for who makes the same plan again.
	Flags string
	// Project and Answers go into the receipt: what the plan was made for and
	// with.
	Project string
	Answers report.Answers
	// Arrived goes into the receipt: what is written is content of the user's
	// that came from another machine.
	Arrived bool
	// Step, if set, is told before each stage of keeping the old bytes and
	// of each write; the tests of law 3 stop the process there.
	Step func(stage string)
}

// Apply writes the changes of p if approved names exactly p. It emits
// ChangeDone for each and Applied at the end, and returns the receipt's id,
// which is "" when nothing was begun. command goes into the receipt.
func (a Applier) Apply(ctx context.Context, p report.Plan, approved report.PlanID, command string, emit Sink) (string,
	error) {
	return a.apply(ctx, p, approved, Receipt{Command: command, Flags: a.Flags, Project: a.Project, Answers: a.Answers,
		Arrived: a.Arrived}, emit)
}

// OnlyShown is why another plan than the one that was approved is refused.
const OnlyShown = "only what was shown may be written; nothing was changed"

func (a Applier) apply(ctx context.Context, p report.Plan, approved report.PlanID, r Receipt, emit Sink) (string,
	error) {
	if approved != p.ID {
		return "", &report.Error{Code: report.ExitStale, What: "the plan is no longer the one that was approved",
			Why: OnlyShown, Next: "review the new plan " + string(p.ID)}
	}
	changes := p.Changes()
	if len(changes) == 0 && r.Undoes == "" && len(r.RemoveDirs) == 0 {
		emit(Applied{Plan: p})
		return "", nil
	}
	unlock, err := fs.Lock(filepath.Join(a.State, "lock"))
	if err != nil {
		return "", err
	}
	defer unlock()
	a.sweep()
	if err := Writable(p); err != nil {
		return "", err
	}
	if err := verifyBases(changes); err != nil {
		return "", err
	}
	r = a.describe(r, p)
	if err := a.keep(r, changes); err != nil {
		_ = fs.Forget(a.receiptDir(r.ID)) // on a full disk, what was kept so far is in the way
		return "", &report.Error{Code: report.ExitLeft, Where: a.receiptDir(r.ID), What: "the old bytes could not be kept",
			Why:  "without them nothing could be undone, so nothing was changed",
			Next: "free some space or fix the directory, then try again", Err: err}
	}
	if err := madeDirs(fs.MakeDirs(r.MakeDirs)); err != nil { // what an undo that was killed made way for
		return "", errors.Join(err, fs.Forget(a.receiptDir(r.ID)))
	}
	count := counted(changes)
	for i, c := range changes {
		err := ctx.Err()
		if err != nil {
			err = &report.Error{Code: report.ExitInterrupted, What: "interrupted", Why: "it was stopped before " + c.Path,
				Next: "to go on:  " + a.line(r.Again())}
		} else {
			err = fs.Apply(c, r.ID, a.Step)
		}
		stands := fs.Stands(err)
		if err == nil && c.After == nil && c.WasLink() {
			err = madeDirs(fs.MakeDirs(r.MakeDirs))
		}
		done := count(i)
		done.Err = err
		emit(done)
		if err != nil {
			if stands {
				i++
			}
			if i > 0 {
				return r.ID, a.halfWay(err, r, changes[:i])
			}
			// Nothing stands: a receipt would describe nothing.
			removeEmpty(r.Dirs)
			return "", errors.Join(err, fs.Forget(a.receiptDir(r.ID)))
		}
	}
	removeEmpty(r.RemoveDirs)
	if err := madeDirs(errors.Join(fs.MakeDirs(r.MakeDirs), fs.CloseDirs(r.MakeDirs))); err != nil {
		return r.ID, a.halfWay(err, r, changes)
	}
	r.Finished = true
	if err := a.store(r); err != nil {
		return r.ID, &report.Error{Code: report.ExitLeft, Where: a.receiptDir(r.ID),
			What: "everything is written, but the receipt could not be closed", Err: err,
			Why: "history will show this run as interrupted", Next: "to undo it:  " + a.line("undo "+r.ID)}
	}
	emit(Applied{Plan: p, Receipt: r.ID, TakeBack: a.line("undo " + r.ID)})
	return r.ID, nil
}

// madeDirs says that a directory could not be made again.
func madeDirs(err error) error {
	if err == nil {
		return nil
	}
	return &report.Error{Code: report.ExitLeft, What: "a directory could not be made again", Err: err,
		Why: "its files cannot be restored", Next: "fix the cause, then undo again"}
}

// counted says of each change, by its index, which file it is of.
func counted(changes []report.Change) func(i int) ChangeDone {
	paths := report.Paths(changes)
	names, once := report.Known(paths), report.KnownOnce(paths)
	return func(i int) ChangeDone {
		return ChangeDone{Change: changes[i], Index: i + 1, File: names[i], Nth: slices.Index(once, names[i]) + 1,
			Files: len(once)}
	}
}

// halfWay adds to the error that stopped a run which files are written, and how
// that is taken back.
func (a Applier) halfWay(err error, r Receipt, written []report.Change) error {
	e := report.Error{Code: report.ExitLeft, What: err.Error()}
	if known, ok := errors.AsType[*report.Error](err); ok {
		e = *known
	}
	e.Why += fmt.Sprintf("; %d of the %d files are written", report.Files(written), len(report.KnownOnce(r.Paths())))
	e.Advise("; or undo what was written: " + a.line("undo "+r.ID))
	return &e
}

// Again is the command that makes the plan of r again, without the program's
// name.
func (r Receipt) Again() string {
	return strings.TrimSpace(r.Command + " " + strings.TrimSpace(r.Flags))
}

// line is a command of this program as the user would type it.
func (a Applier) line(args string) string { return cmp.Or(a.Self, "steward-setup") + " " + args }

// Writable finds a change of p that this process may not write. A plan can be
// shown all the same; Apply begins none of it. The error is that of fs.Denied.
func Writable(p report.Plan) error {
	for _, c := range p.Changes() {
		paths := []string{c.Path, c.Target}
		if c.Emptied {
			for _, d := range fs.DirModes(c.Target) {
				paths = append(paths, d.Path)
			}
		}
		for _, path := range paths {
			if !utf8.ValidString(path) {
				return &report.Error{Code: report.ExitLeft, Where: strings.ToValidUTF8(path, "\ufffd"),
					What: scripts.NotUTF8, Why: "receipts and approvals are JSON, which cannot hold it: the " +
						"change could not be undone; nothing was written", Next: "rename the directory, then make a new plan"}
			}
		}
		if err := fs.Denied(c); err != nil {
			return err
		}
	}
	return nil
}

// verifyBases finds a stale change before the first write. Where two changes
// touch one file, the second was computed from the first's result.
func verifyBases(changes []report.Change) error {
	seen := make(map[string]report.Digest)
	var unlinked []string // links that are gone by then: what lies below is not what they lead to
	for _, c := range changes {
		below := slices.ContainsFunc(unlinked, func(link string) bool {
			return c.Target != link && pathname.Within(c.Target, link)
		})
		if c.WasLink() && c.After == nil {
			unlinked = append(unlinked, c.Target)
		}
		if after, ok := seen[c.Target]; ok {
			if after != c.Base() {
				return &report.Error{Code: report.ExitInternal, Where: c.Path,
					What: "two changes of the plan contradict each other"}
			}
		} else if below && c.Before == nil {
			continue
		} else if err := fs.Differs(c); err != nil {
			return err
		}
		seen[c.Target] = c.Result()
	}
	return nil
}

// sweep removes what killed runs left behind: temporary files, and the old
// bytes that were kept for a run which had no receipt yet. It needs the lock.
func (a Applier) sweep() {
	receipts, begun, err := a.receipts()
	if err != nil {
		return
	}
	for _, id := range begun {
		_ = fs.Forget(a.receiptDir(id))
	}
	for _, r := range receipts {
		if r.Finished {
			continue
		}
		for _, c := range r.Changes {
			fs.RemoveTemp(c.Target, r.ID)
		}
	}
}

// removeEmpty removes those of dirs, which are given outermost first, that
// are empty.
func removeEmpty(dirs []string) {
	for _, dir := range slices.Backward(dirs) {
		fs.RemoveEmpty(dir)
	}
}

// EmptyDirs lists those of dirs that hold nothing, or nothing but others of them that
// hold nothing, outermost first.
func EmptyDirs(r host.Reader, dirs []string) (empty []string) {
	for _, dir := range slices.Backward(slices.Sorted(slices.Values(dirs))) {
		info, err := r.Lstat(dir)
		if err != nil || !info.IsDir() {
			continue
		}
		entries, err := r.ReadDir(dir)
		if err == nil && !slices.ContainsFunc(entries, func(e iofs.DirEntry) bool {
			return !slices.Contains(empty, filepath.Join(dir, e.Name()))
		}) {
			empty = append(empty, dir)
		}
	}
	slices.Reverse(empty)
	return empty
}

// Running warns of commands of an agent that run in a sandbox and lose their
// protection from the files of a section when these are replaced; nil if there
// are none.
func Running(r host.Reader, s report.Section) []report.Finding {
	var paths []string
	for _, i := range s.Items {
		if c, is := i.(report.Change); is {
			paths = append(paths, c.Target)
		}
	}
	pids := host.Masks(r, paths)
	if pids == nil {
		return nil
	}
	which := fmt.Sprint("process ", pids[0])
	if len(pids) > 1 {
		which += fmt.Sprintf(" and %d more", len(pids)-1)
	}
	return []report.Finding{{Check: "policy-invariants", Layer: report.LayerSandbox, Status: report.Warn,
		Summary: "a command of an agent is running (" + which + "): it can write these files once they are replaced",
		Evidence: []report.Evidence{report.EnvEvidence(which, "the sandbox keeps a command from the file that was there "+
			"when the command started, not from one that replaces it")}, Remedies: []report.Remedy{report.DocLink{
			Title: "end the agent's sessions in this project, best before applying", Target: which}}}}
}
