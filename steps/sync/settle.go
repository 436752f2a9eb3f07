// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: git learns of arrived files after they are written, the
// branch last. Killed in between, the next run finds the files in place and
// goes on from there.

package sync

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/report"
)

// indexFits asks git whether the index can follow: what is staged and arrives
// differently cannot.
func (e *Exchange) indexFits(ctx context.Context) error {
	if e.to == e.from {
		return nil
	}
	objects := filepath.Join(e.own.Dir, "objects")
	res := e.r.Run(ctx, proc.GitIndexTo(e.dir, objects, cmp.Or(e.from, e.emptyTree), e.to, true))
	switch {
	case res.OK():
	case strings.Contains(string(res.Stderr), "index.lock"):
		return e.failed(ctx, "git's index cannot be written", res, "make "+filepath.Join(e.dir, ".git")+" writable for you")
	default:
		return e.failed(ctx, "a file that arrives is staged here with another content", res,
			"unstage it:  "+e.git("restore --staged ."))
	}
	return nil
}

// moved is what git's record of a branch has of a move.
const moved = report.Program + " sync"

// tracking begins the refs that say what the remote had.
const tracking = "refs/remotes/origin/"

// goOn is what to do after a call of git that failed on the way, and pulls the
// line.
const goOn = "go on:  "

var pulls = report.Line{Words: "sync pull"}

// Note stores what the remote has as its branch, as git fetch does: status then
// knows what waits. No file and no branch of the user's changes.
func (e *Exchange) Note(ctx context.Context) error {
	if e.theirs == "" {
		return nil
	}
	noted := tracking + e.upstream
	known, _ := e.r.Run(ctx, proc.GitTracking(e.dir, e.upstream)).Answer()
	if known != e.theirs {
		if err := e.store(ctx, e.theirs, e.from); err != nil {
			return err
		}
		if res := e.r.Run(ctx, proc.GitMoveBranch(e.dir, noted, e.theirs, known, moved)); !res.OK() {
			return e.failed(ctx, "the commits that arrived cannot be noted", res, goOn, pulls)
		}
	}
	_ = e.r.Run(ctx, proc.GitNoteFetch(e.dir, noted)) // when the remote was asked is for status alone
	return nil
}

// store puts a commit of the program's own repository into the user's one, which
// has the commit have ("" for none).
func (e *Exchange) store(ctx context.Context, commit, have string) error {
	if commit == e.from || e.from != "" && e.ancestor(ctx, commit, e.from) {
		return nil
	}
	res := e.r.Run(ctx, e.own.Pack(commit, have))
	if errors.Is(res.Err, proc.ErrCut) {
		return &report.Error{Code: report.ExitLeft, Where: e.dir, What: "more than 512 MiB arrive at once",
			Why: unchanged, Next: "fetch them, then try again:  " + e.git("fetch")}
	}
	if res.OK() {
		res = e.r.Run(ctx, proc.GitUnpack(e.dir, res.Stdout))
	}
	if !res.OK() {
		return e.failed(ctx, "the commits that arrived cannot be stored", res, goOn, pulls)
	}
	return nil
}

// Behind says whether something arrives.
func (e *Exchange) Behind() bool { return e.to != e.from }

// Settle makes the branch and the index what was pulled, once the changes are
// written. The files are not touched.
func (e *Exchange) Settle(ctx context.Context) error {
	if e.theirs == "" {
		return nil
	}
	e.placed = len(e.Changes) > 0
	if err := e.Note(ctx); err != nil {
		return err
	}
	if e.to != e.theirs {
		if err := e.store(ctx, e.to, e.theirs); err != nil {
			return err
		}
	}
	if !e.Behind() {
		return nil
	}
	if res := e.r.Run(ctx, proc.GitIndexTo(e.dir, "", cmp.Or(e.from, e.emptyTree), e.to, false)); !res.OK() {
		return e.failed(ctx, "the files are in place, but git's index could not follow", res, goOn, pulls)
	}
	if res := e.r.Run(ctx, proc.GitMoveBranch(e.dir, "refs/heads/"+e.branch, e.to, e.from, moved)); !res.OK() {
		return e.failed(ctx, "the files are in place, but the branch could not follow", res, goOn, pulls)
	}
	e.from, e.placed = e.to, false
	return nil
}

// Section is what arrives, as a section of a plan.
func (e *Exchange) Section() report.Section {
	s := report.Section{ID: "pull",
		Title: "Arriving: " + report.Things(len(e.Arriving), "commit") + " from " + e.Address(),
		Why:   "Files that other machines changed. What you have not committed stays in your files."}
	for _, line := range e.Arriving {
		s.Note(said("arriving", line, e.dir))
	}
	for _, line := range e.Replayed {
		s.Note(said("rebased", "put on top: "+line, e.dir))
	}
	for _, c := range e.Changes {
		s.Items = append(s.Items, c)
	}
	return s
}

func said(check, line, where string) report.Finding {
	return report.Finding{Check: report.ID(check), Layer: report.LayerVisibility, Status: report.Pass, Summary: line,
		Evidence: []report.Evidence{report.FileEvidence(where, line)}}
}
