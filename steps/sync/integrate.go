// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: commits and changes of this machine are put on top of what
// arrives in a scratch directory. A conflict ends there: nothing of it reaches
// the repository, and nothing is stashed.

package sync

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
)

// uncommitted is the subject of the commit that holds, in the scratch directory
// alone, what is not committed here.
const uncommitted = "steward-setup: changes that are not committed"

// object is one file of a commit.
type object struct{ mode, id string }

// integrate sets e.to, and returns for each file that is changed here, is not
// committed and arrives, the object that holds both changes. list are the files
// that the remote and this machine have different.
func (e *Exchange) integrate(ctx context.Context, list []treeEntry) (merged map[string]object, err error) {
	if e.from == "" {
		e.to = e.theirs
		return nil, nil
	}
	base, ok := e.r.Run(ctx, e.own.MergeBase(e.from, e.theirs)).Answer()
	if !ok {
		return nil, &report.Error{Code: report.ExitLeft, Where: e.dir,
			What: "the remote has another history: no commit is shared",
			Why:  "nothing was changed", Next: e.compare("; is origin the right repository?")}
	}
	if base != e.from {
		replayed, err := e.commits(ctx, e.from, base)
		if err != nil {
			return nil, err
		}
		e.Replayed, e.rebased = subjects(replayed), true
	}
	arrives := map[string]bool{}
	theirs, err := e.differences(ctx, base, e.theirs)
	if err != nil {
		return nil, err
	}
	for _, x := range theirs {
		arrives[x.path] = true
	}
	both, err := e.both(ctx, list, arrives)
	if err != nil {
		return nil, err
	}
	if base == e.from && len(both) == 0 {
		e.to = e.theirs
		return nil, nil
	}
	if err := e.replayable(ctx, base); err != nil {
		return nil, err
	}
	tip, err := e.withChanges(ctx, both)
	if err != nil {
		return nil, err
	}
	if merged, err = e.rebase(ctx, base, tip, both); err != nil {
		return nil, err
	}
	return merged, e.onlyArrives(ctx, arrives)
}

// replayable refuses merges among the commits that are put on top: git rebase
// drops a merge, and what the merge alone holds (git-rebase(1), "--rebase-merges").
func (e *Exchange) replayable(ctx context.Context, base string) error {
	merge, ok := e.r.Run(ctx, e.own.Merges(base, e.from)).Answer()
	if !ok {
		return e.inGit(ctx, "the commits here cannot be listed", proc.Result{Err: errors.New("git rev-list failed")})
	}
	if merge == "" {
		return nil
	}
	return &report.Error{Code: report.ExitLeft, Where: e.dir, What: "commit " + short(merge) +
		", which is not pushed, is a merge",
		Why:  "a rebase onto the remote's commits would drop it, with what it changed; nothing was changed",
		Next: mergeFirst + e.mergeLine()}
}

const mergeFirst = "merge the remote's commits, then try again:  "

func (e *Exchange) mergeLine() string { return e.git("pull --no-rebase") }

// onlyArrives holds that the branch changes no file but those that the remote
// changed: whatever git made of the commits here, none of their files is lost.
func (e *Exchange) onlyArrives(ctx context.Context, arrives map[string]bool) error {
	list, err := e.differences(ctx, e.from, e.to)
	if err != nil {
		return err
	}
	for _, x := range list {
		if !arrives[x.path] {
			return &report.Error{Code: report.ExitLeft, Where: filepath.Join(e.dir, quoted(x.path)),
				What: "would be changed by the rebase, and the remote did not change it",
				Why:  "a file that was moved or committed here could be lost; nothing was changed",
				Next: mergeFirst + e.mergeLine()}
		}
	}
	return nil
}

// changed is a tracked file that is changed here and arrives.
type changed struct{ path, mode, id string }

// both lists the files that are changed here, and not committed, and arrive.
func (e *Exchange) both(ctx context.Context, list []treeEntry, arrives map[string]bool) (both []changed, err error) {
	for _, x := range list {
		if !arrives[x.path] || x.oldMode != fileMode && x.oldMode != execMode || x.newMode == linkMode {
			continue
		}
		now, err := e.here(x.path)
		if err != nil || now.mode != fileMode && now.mode != execMode || now.is(x.oldMode, x.oldID) ||
			now.is(x.newMode, x.newID) {
			continue // change says why, or that nothing is to be done
		}
		id, ok := e.r.Run(ctx, e.own.StoreBlob(now.bytes)).Answer()
		if !ok {
			return nil, e.unusable(nil)
		}
		both = append(both, changed{x.path, now.mode, id})
	}
	return both, nil
}

// withChanges is the commit that is checked out, or one on top of it that holds
// the changes, in the program's own repository.
func (e *Exchange) withChanges(ctx context.Context, both []changed) (string, error) {
	if len(both) == 0 {
		return e.from, nil
	}
	index := filepath.Join(e.own.Dir, "steward-index")
	steps := []proc.Spec{e.own.ReadTree(index, e.from)}
	for _, c := range both {
		steps = append(steps, e.own.SetEntry(index, c.mode, c.id, c.path))
	}
	const notRead = "the changes here cannot be read"
	for _, s := range steps {
		if res := e.r.Run(ctx, s); !res.OK() {
			return "", e.failed(ctx, notRead, res, "remove "+e.own.Dir+" and try again")
		}
	}
	tree, ok := e.r.Run(ctx, e.own.WriteTree(index)).Answer()
	if !ok {
		return "", e.failed(ctx, notRead, proc.Result{Err: errors.New("no tree was written")}, "try again")
	}
	res := e.r.Run(ctx, e.own.CommitTree(tree, e.from, uncommitted,
		proc.Identity{Name: "steward-setup", Email: "steward-setup@localhost"}))
	if !res.OK() {
		return "", e.failed(ctx, notRead, res, "try again")
	}
	return strings.TrimSpace(string(res.Stdout)), nil
}

// rebase puts what is between base and tip on top of the remote's commit.
func (e *Exchange) rebase(ctx context.Context, base, tip string, both []changed) (map[string]object, error) {
	who, err := e.identity(ctx)
	if err != nil {
		return nil, err
	}
	e.sweep(ctx)
	defer e.sweep(context.WithoutCancel(ctx))
	if res := e.r.Run(ctx, e.own.Scratch(e.scratch, tip)); !res.OK() {
		return nil, e.failed(ctx, "no scratch directory can be made", res, "remove "+filepath.Dir(e.scratch)+" and try again")
	}
	res := e.r.Run(ctx, e.own.Rebase(e.scratch, base, e.theirs, gitrepo.Signing(ctx, e.r, e.dir), who))
	if !res.OK() {
		return nil, e.conflict(ctx, res)
	}
	head := e.r.Run(ctx, e.own.ScratchHead(e.scratch))
	lines := strings.SplitN(strings.TrimSuffix(string(head.Stdout), "\n"), "\n", 3)
	if !head.OK() || len(lines) != 3 {
		return nil, e.failed(ctx, "the rebase left nothing", head, "try again")
	}
	e.to = lines[0]
	if lines[2] != uncommitted || len(both) == 0 {
		return nil, nil
	}
	e.to = lines[1]
	merged := map[string]object{}
	for _, c := range both {
		if mode, id, err := e.at(ctx, lines[0], c.path); err == nil && (mode == fileMode || mode == execMode) {
			merged[c.path] = object{mode, id}
		}
	}
	return merged, nil
}

// conflict says which files two machines changed at the same place.
func (e *Exchange) conflict(ctx context.Context, res proc.Result) error {
	out := e.r.Run(ctx, e.own.Unmerged(e.scratch))
	names := out.Records()
	if ctx.Err() != nil || !out.OK() || len(names) == 0 {
		return e.failed(ctx, "the commits here cannot be put on top of the remote's", res, e.compare(""))
	}
	for i, n := range names {
		names[i] = quoted(redact.Line(n, 200))
	}
	next := e.git("pull --rebase   shows the conflict; resolve it there, git rebase --continue, then try again")
	if len(e.status.Changed) > 0 { // git does not rebase onto changes, nor over untracked files
		next = "commit what " + e.git("status lists (git add, git commit), then ") + next
	}
	return &report.Error{Code: report.ExitLeft, Where: filepath.Join(e.dir, names[0]),
		What: "conflict: this machine and the remote changed the same lines of " + strings.Join(names, ", "),
		Why:  "nothing was changed: commits and files here are as they were", Next: next}
}

// identity is who commits in the repository.
func (e *Exchange) identity(ctx context.Context) (proc.Identity, error) {
	res := e.r.Run(ctx, proc.GitIdentity(e.dir))
	name, rest, ok := strings.Cut(string(res.Stdout), " <")
	email, _, closed := strings.Cut(rest, ">")
	if !res.OK() || !ok || !closed {
		return proc.Identity{}, e.failed(ctx, "git does not know who commits", res,
			"git config --global user.name NAME; git config --global user.email EMAIL")
	}
	return proc.Identity{Name: name, Email: email}, nil
}

// sweep removes the scratch directory, also that of a run that was killed.
func (e *Exchange) sweep(ctx context.Context) {
	if host.There(e.r, e.scratch) {
		_ = engine.ForgetCached(e.r.Places().Cache, e.scratch)
	}
	_ = e.r.Run(ctx, e.own.ForgetScratch())
}
