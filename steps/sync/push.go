// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: nothing leaves unseen. Each file and each commit that is
// not pushed yet is shown with its diff and scanned for secrets first; one hit
// stops the push, by file and line and never by value.

package sync

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/syncrepo"
)

// Outgoing is what would be committed and pushed.
type Outgoing struct {
	// Files are those that a new commit would hold, as changes from the last
	// commit; Earlier the commits that are not pushed, and what they change.
	Files   []report.Change
	Commits []string
	Earlier []report.Change
	Message string
	// To is the address that is pushed to, without a password. Stopped says that
	// something was found that must not leave.
	To       string
	Stopped  bool
	findings []report.Finding
	dir      string            // the repository
	modes    map[string]string // of Files, as git has them
	branch   string
	from     string
	// content says what is pushed, for the plan: from, or the tree of commits
	// that only exist once they are put on top.
	content string
}

// PushOptions are what the command line says.
type PushOptions struct {
	// Only, if not empty, are the files to commit, as paths in the repository.
	Only []string
	// Message is the commit's; "" drafts one.
	Message string
}

// Push computes what would leave, after what Pull computed was written.
func (e *Exchange) Push(ctx context.Context, o PushOptions) (*Outgoing, error) {
	if err := CheckMessage(ctx, o.Message); err != nil {
		return nil, err
	}
	to, err := e.pushesTo(ctx)
	if err != nil {
		return nil, err
	}
	out := &Outgoing{dir: e.dir, modes: map[string]string{}, To: to, branch: e.upstream, from: e.to, content: e.to}
	for _, f := range e.status.Forbidden {
		out.stop(filepath.Join(e.dir, f.Path), quoted(f.Path)+" is tracked and must not be: "+f.What,
			"it stays on the disk: "+syncrepo.Untrack(e.r.Places().SyncRepo, f.Path))
	}
	if err := e.earlier(ctx, out); err != nil {
		return nil, err
	}
	pulled := map[string]report.Change{}
	for _, c := range e.Changes {
		pulled[rel(c)] = c
	}
	missing := slices.Clone(o.Only)
	for _, f := range e.status.Changed {
		if len(o.Only) > 0 && !slices.Contains(o.Only, f.Path) {
			continue
		}
		missing = slices.DeleteFunc(missing, func(p string) bool { return p == f.Path })
		if err := e.candidate(ctx, out, f.Path, pulled); err != nil {
			return nil, err
		}
	}
	if len(missing) > 0 {
		return nil, &report.Error{Code: report.ExitUsage, Where: missing[0], What: "is no file that a commit would hold",
			Next: "list those:  ", Lines: []report.Line{{Words: "sync status"}}}
	}
	out.Message = cmp.Or(o.Message, draft(out.Files))
	return out, nil
}

// stop notes something that must not leave.
func (o *Outgoing) stop(where, summary, evidence string) {
	o.Stopped = true
	o.note(report.Fail, where, summary, evidence)
}

// leave notes something that stays here.
func (o *Outgoing) leave(where, summary string) { o.note(report.Warn, where, summary, "not committed") }

func (o *Outgoing) note(status report.Status, where, summary, evidence string) {
	o.findings = append(o.findings, report.Finding{Check: "push", Layer: report.LayerVisibility, Status: status,
		Summary: summary, Decide: true, Evidence: []report.Evidence{report.FileEvidence(where, evidence)}})
}

// candidate adds one file that differs from the last commit.
func (e *Exchange) candidate(ctx context.Context, out *Outgoing, rel string, pulled map[string]report.Change) error {
	full := filepath.Join(e.dir, rel)
	if why := named(rel); why != "" {
		out.leave(e.dir, quoted(rel)+": "+why)
		return nil
	}
	now, err := e.here(rel)
	if err != nil {
		out.leave(full, rel+" "+err.Error())
		return nil //nolint:nilerr // said, and the others go on
	}
	if c, ok := pulled[rel]; ok { // as it will be once what arrives is written
		now.bytes, now.mode = c.After, modeOf(c)
	}
	if now.mode == linkMode && leadsOut(rel, string(now.bytes)) {
		out.leave(full, rel+" is a symlink that leads out of the repository")
		return nil
	}
	mode, id, err := e.at(ctx, e.to, rel)
	if err == nil && mode == repoMode {
		out.leave(full, rel+" is a submodule, which is not synced")
		return nil
	}
	var before []byte
	if err == nil {
		before, err = e.blob(ctx, mode, id)
	}
	if err != nil {
		out.leave(full, rel+" "+err.Error())
		return nil //nolint:nilerr // likewise
	}
	if mode == now.mode && bytes.Equal(before, now.bytes) {
		return nil
	}
	what := map[bool]string{true: "changed", false: "new"}[before != nil]
	if now.bytes == nil {
		what = "deleted"
	}
	if now.bytes != nil && !out.scanName(ctx, rel) {
		return ctx.Err()
	}
	c := report.Change{ID: report.ID("push/" + rel), Why: what + ": the commit would hold this", Path: full, Target: full,
		Within: e.dir, Before: before, After: now.bytes}
	shape(&c, mode, now.mode)
	if out.scan(ctx, full, rel, now.bytes) {
		out.Files = append(out.Files, c)
		out.modes[rel] = now.mode
	}
	return ctx.Err()
}

// earlier lists the commits that are not pushed, and scans what they hold.
func (e *Exchange) earlier(ctx context.Context, out *Outgoing) error {
	if e.to == "" || e.to == e.theirs {
		return nil
	}
	list, err := e.commits(ctx, e.to, e.theirs)
	if err != nil {
		return err
	}
	out.Commits = subjects(list)
	if e.rebased { // a signature has a time: no two have the same name
		tree, ok := e.r.Run(ctx, e.own.Tree(e.to)).Answer()
		if !ok {
			return e.inGit(ctx, notListed, proc.Result{Err: errors.New("git rev-parse failed")})
		}
		out.content = tree
		for i, c := range list {
			out.Commits[i] = redact.Line(redact.Text(c.subject), 120)
		}
	}
	seen := map[string]bool{}
	for _, c := range list {
		if !out.scan(ctx, "message of commit "+short(c.id)+" in "+e.dir, "message", []byte(c.message)) {
			out.Stopped = true
		}
		e.readAhead(ctx, c.entries)
		for _, x := range c.entries {
			if x.newMode == noMode || seen[x.path+x.newID] {
				continue
			}
			seen[x.path+x.newID] = true
			if !out.scanName(ctx, x.path) {
				continue
			}
			where := filepath.Join(e.dir, quoted(x.path)) + " in commit " + short(c.id)
			if why, never := syncrepo.Ignored(x.path); never {
				out.stop(where, quoted(x.path)+" in commit "+short(c.id)+" must never be tracked: "+why,
					"rewrite the commit with git before it is pushed")
				continue
			}
			b, err := e.blob(ctx, x.newMode, x.newID)
			if err != nil {
				out.stop(where, quoted(x.path)+" in commit "+short(c.id)+" was not scanned for secrets: it "+err.Error(),
					"push it with git, if you know what it holds")
				continue
			}
			if !out.scan(ctx, where, x.path, b) {
				out.Stopped = true
			}
		}
	}
	entries, err := e.differences(ctx, cmp.Or(e.theirs, e.emptyTree), e.to)
	if err != nil {
		return err
	}
	e.readAhead(ctx, entries)
	for _, x := range entries {
		full := filepath.Join(e.dir, x.path)
		c := report.Change{ID: report.ID("committed/" + x.path), Why: "committed here, and not pushed", Path: full,
			Target: full, Within: e.dir}
		if c.Before, err = e.blob(ctx, x.oldMode, x.oldID); err == nil {
			c.After, err = e.blob(ctx, x.newMode, x.newID)
		}
		if err != nil {
			continue // earlier stopped for it
		}
		shape(&c, strings.TrimPrefix(x.oldMode, noMode), strings.TrimPrefix(x.newMode, noMode))
		out.Earlier = append(out.Earlier, c)
	}
	return ctx.Err()
}

// draft is a commit message that says which files changed.
func draft(files []report.Change) string {
	if len(files) == 0 {
		return ""
	}
	var lines []string
	for _, c := range files {
		verb := "Update"
		switch {
		case c.Before == nil:
			verb = "Add"
		case c.After == nil:
			verb = "Delete"
		}
		lines = append(lines, verb+" "+redact.Line(redact.Text(rel(c)), 200))
	}
	if len(lines) == 1 {
		return lines[0] + "\n"
	}
	return fmt.Sprintf("%s and %s\n\n%s\n", lines[0], report.Things(len(lines)-1, "more file"), strings.Join(lines, "\n"))
}

// Without returns what leaves when only the files that keep names are
// committed; message "" drafts one.
func (o *Outgoing) Without(message string, keep func(report.Change) bool) *Outgoing {
	less := *o
	less.Files = nil
	for _, c := range o.Files {
		if keep(c) {
			less.Files = append(less.Files, c)
		}
	}
	less.Message = cmp.Or(message, draft(less.Files))
	return &less
}

// Empty says whether nothing would leave.
func (o *Outgoing) Empty() bool { return len(o.Files) == 0 && len(o.Commits) == 0 }

// Section is what would leave, as a section of a plan. Where something must not
// leave, nothing does.
func (o *Outgoing) Section() report.Section {
	s := report.Section{ID: "push", Title: "Leaving for " + o.To, Findings: o.findings,
		Why: "Each file was scanned for secrets. Only the files that are named here are committed; nothing is forced, and " +
			"your git hooks run."}
	if o.Stopped {
		s.Why = "Nothing is committed or pushed: this must not leave this machine."
		return s
	}
	if o.Empty() {
		s.Why = "Nothing to commit or to push."
		return s
	}
	push := report.Push{ID: "push/push", Remote: o.To, Branch: o.branch, From: o.content, Message: o.Message,
		Commits: o.Commits,
		Why:     report.Things(len(o.Files), "file") + " to commit, " + report.Things(len(o.Commits), "commit") + " to push"}
	for _, c := range o.Earlier {
		s.Items = append(s.Items, c)
	}
	for _, c := range o.Files {
		s.Items = append(s.Items, c)
		push.Files = append(push.Files, rel(c))
	}
	s.Items = append(s.Items, push)
	return s
}
