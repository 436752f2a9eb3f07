// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: git commits and pushes as the user would, with the user's
// hooks. What it committed is compared with what was approved before it is
// pushed, and a push that is refused is not tried again.

package sync

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
)

// Send commits and pushes what was approved. The error is a *report.Error that
// says what stands.
func (e *Exchange) Send(ctx context.Context, o *Outgoing) error {
	if o.stopped || o.Empty() {
		return nil
	}
	head, _ := e.one(ctx, proc.GitHead(e.dir))
	if head != o.from {
		return stale(e.dir, "has another commit checked out than when this was shown")
	}
	if to, err := e.pushesTo(ctx); err != nil {
		return err
	} else if to != o.remote {
		return stale(e.dir, "pushes to another address than when this was shown")
	}
	if len(o.Files) > 0 {
		if _, err := e.identity(ctx); err != nil {
			return err
		}
		if err := e.commit(ctx, o); err != nil {
			return err
		}
	}
	res := e.r.Run(ctx, proc.BySSH(proc.GitSyncPush(e.dir, e.branch, e.upstream), e.ssh))
	if !res.OK() {
		return e.notPushed(ctx, res)
	}
	return nil
}

func stale(where, what string) error {
	return &report.Error{Code: report.ExitStale, Where: where, What: what,
		Why: "only what was shown may leave; nothing was committed", Next: fs.NewPlan}
}

func (e *Exchange) commit(ctx context.Context, o *Outgoing) error {
	var files, added []string
	for _, c := range o.Files {
		rel := rel(c)
		now, err := e.here(rel)
		if err != nil || now.mode != o.modes[rel] || !bytes.Equal(now.bytes, c.After) {
			return stale(c.Path, "changed since it was shown")
		}
		files = append(files, rel)
		if c.Before == nil {
			added = append(added, rel)
		}
	}
	if len(added) > 0 {
		if res := e.r.Run(ctx, proc.GitSyncAdd(e.dir, added)); !res.OK() {
			return e.failed(ctx, "git does not add the files", res, "git -C "+e.dir+" status says more; then try again")
		}
	}
	res := e.r.Run(ctx, proc.GitSyncCommit(e.dir, o.Message, files))
	if !res.OK() {
		return e.failed(ctx, "git did not commit", res, "a hook may have refused; mend that, then try again. Your files "+
			"are as they were")
	}
	return e.asApproved(ctx, o, files)
}

// asApproved compares the new commit with what was approved: a hook may have
// changed a file on the way, or an editor.
func (e *Exchange) asApproved(ctx context.Context, o *Outgoing, files []string) error {
	head, ok := e.one(ctx, proc.GitHead(e.dir))
	list, err := e.differences(ctx, cmp.Or(o.from, e.emptyTree), head)
	if !ok || err != nil {
		return e.failed(ctx, "the commit cannot be read", proc.Result{Err: errors.Join(errors.New("not pushed"), err)},
			e.git("show --stat"))
	}
	wrong := ""
	for _, x := range list {
		i := slices.Index(files, x.path)
		if i < 0 || x.newMode != cmp.Or(o.modes[x.path], noMode) || o.Files[i].After != nil &&
			blobName(o.Files[i].After, x.newID) != x.newID {
			wrong = cmp.Or(wrong, x.path)
		}
	}
	if wrong != "" || len(list) != len(files) {
		return &report.Error{Code: report.ExitLeft, Where: filepath.Join(e.dir, wrong), What: "the commit " + short(head) +
			" is not what was approved",
			Why:  "a git hook or another program changed a file meanwhile; nothing was pushed",
			Next: "steward-setup sync push   # shows that commit and asks again"}
	}
	return nil
}

// notPushed explains a refused push.
func (e *Exchange) notPushed(ctx context.Context, res proc.Result) error {
	all := string(res.Stdout) + string(res.Stderr)
	why := "the commits are here and not on the remote; no file was changed"
	switch {
	case strings.Contains(all, "[rejected]"):
		return &report.Error{Code: report.ExitLeft, Where: e.Address(), What: "push rejected: the remote has commits that " +
			"are not here", Why: why,
			Next: "steward-setup sync push   # fetches them and goes on"}
	case strings.Contains(all, "[remote rejected]"):
		line := all[strings.Index(all, "[remote rejected]"):]
		line, _, _ = strings.Cut(line, "\n")
		return &report.Error{Code: report.ExitLeft, Where: e.Address(), What: "push refused by the remote: " +
			redact.Line(redact.Text(line), 200), Why: why,
			Next: "change what it refuses, then: steward-setup sync push"}
	}
	err := e.failed(ctx, "git did not push", res, "fix the cause, then: steward-setup sync push")
	if known, ok := errors.AsType[*report.Error](err); ok {
		known.Why = why
	}
	return err
}
