// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: git commits and pushes as the user would, with the user's
// hooks. What it committed is compared with what was approved before it is
// pushed, and a push that is refused is not tried again. Files, and the
// messages of commits, are scanned alike. A hit is named by file, line and
// rule, never by value.

package sync

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/secretscan"
)

// Send commits and pushes what was approved. The error is a *report.Error that
// says what stands.
func (e *Exchange) Send(ctx context.Context, o *Outgoing) error {
	if o.Stopped || o.Empty() {
		return nil
	}
	head, _ := e.r.Run(ctx, proc.GitHead(e.dir)).Answer()
	if head != o.from {
		return stale(e.dir, "has another commit checked out than when this was shown")
	}
	if to, err := e.pushesTo(ctx); err != nil {
		return err
	} else if to != o.To {
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
	res := e.r.Run(ctx, proc.GitSyncPush(e.dir, e.ssh, e.branch, e.upstream))
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
			return e.failed(ctx, "git does not add the files", res, e.git("status says more; then try again"))
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
	head, ok := e.r.Run(ctx, proc.GitHead(e.dir)).Answer()
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
			" is not what was approved", Why: "a git hook or another program changed a file meanwhile; nothing was pushed",
			Next: "see that commit, and be asked again:  ", Lines: []report.Line{{Words: "sync push"}}}
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
			"are not here", Why: why, Next: "fetch them and go on:  ", Lines: []report.Line{{Words: "sync push"}}}
	case strings.Contains(all, "[remote rejected]"):
		line := all[strings.Index(all, "[remote rejected]"):]
		line, _, _ = strings.Cut(line, "\n")
		return &report.Error{Code: report.ExitLeft, Where: e.Address(), What: "push refused by the remote: " +
			redact.Line(redact.Text(line), 200), Why: why,
			Next: "change what it refuses, then:  ", Lines: []report.Line{{Words: "sync push"}}}
	}
	err := e.failed(ctx, "git did not push", res, "fix the cause, then:  ", report.Line{Words: "sync push"})
	err.Why = why
	return err
}

// The questions about a push.
const (
	questionFiles   = report.ID("only")
	questionMessage = report.ID("message")
)

// rel is the file of a change of a pull or a push, as a path in the repository.
func rel(c report.Change) string {
	_, path, _ := strings.Cut(string(c.ID), "/")
	return path
}

// Chosen is what leaves by answers to Questions; message is the one that was
// given before, "" for a draft. The error is a *report.Error: the message looks
// like a secret.
func (o *Outgoing) Chosen(ctx context.Context, a report.Answers, message string) (*Outgoing, error) {
	files, some := a[questionFiles]
	if said := a[questionMessage]; len(said) == 1 && strings.TrimSpace(said[0]) != "" {
		message = said[0] + "\n"
		if err := CheckMessage(ctx, message); err != nil {
			return nil, err
		}
	}
	return o.Without(message, func(c report.Change) bool { return !some || slices.Contains(files, rel(c)) }), nil
}

// Questions are what is asked about the files of a push: which, and by which
// message. chosen is what Chosen made of the answers.
func (o *Outgoing) Questions(chosen *Outgoing) []report.Question {
	if len(o.Files) == 0 {
		return nil
	}
	files := report.Question{ID: questionFiles, Section: "push", Kind: report.Multi, Title: "Which files are committed?",
		Help: "The others stay as they are, uncommitted.", Reason: "all that differ"}
	for _, c := range o.Files {
		what, _, _ := strings.Cut(c.Why, ":")
		files.Options = append(files.Options, report.Option{Value: rel(c), Label: rel(c), Note: what})
		files.Default = append(files.Default, rel(c))
	}
	list := []report.Question{files}
	if len(chosen.Files) > 0 {
		first, _, _ := strings.Cut(chosen.Message, "\n")
		list = append(list, report.Question{ID: questionMessage, Section: "push", Kind: report.Text, Title: "Commit message",
			Help: "It is pushed with the commit.", Default: []string{first}, Reason: "drafted"})
	}
	return list
}

// scan looks for secrets in what would leave; false means that it stays.
func (o *Outgoing) scan(ctx context.Context, where, rel string, b []byte) bool {
	if b == nil {
		return true
	}
	res := secretscan.Scan(ctx, rel, b)
	for _, h := range res.Hits {
		at, line, next := where, "", "; take it out of the file"
		if h.Line > 0 {
			at, line = fmt.Sprintf("%s:%d", where, h.Line), fmt.Sprintf(", line %d,", h.Line)
			next = "; if it is none, put " + secretscan.AllowMark + " on that line"
		}
		name := where
		if rel, below := pathname.Below(where, o.dir); below {
			name = rel
		}
		o.stop(at, name+line+secretLike, "rule "+h.Rule+next)
	}
	for _, h := range res.Allowed {
		o.findings = append(o.findings, report.Finding{Check: "push", Layer: report.LayerVisibility, Status: report.Warn,
			Summary:  fmt.Sprintf("%s:%d is marked as no secret (%s)", rel, h.Line, secretscan.AllowMark),
			Evidence: []report.Evidence{report.FileEvidence(fmt.Sprintf("%s:%d", where, h.Line), "rule "+h.Rule)}})
	}
	if res.Unread != "" {
		o.leave(where, rel+" was not scanned for secrets: it is "+res.Unread)
		return false
	}
	return len(res.Hits) == 0
}

// scanName looks through the name of a file, which is pushed with it. What is
// said of it has the directory alone.
func (o *Outgoing) scanName(ctx context.Context, rel string) bool {
	res := secretscan.Scan(ctx, "name", []byte(rel))
	if len(res.Hits) == 0 && res.Unread == "" {
		return true
	}
	rule := "it was not scanned: " + res.Unread
	if len(res.Hits) > 0 {
		rule = "rule " + res.Hits[0].Rule
	}
	at := path.Dir(rel)
	if res := secretscan.Scan(ctx, "name", []byte(at)); len(res.Hits) > 0 {
		at = "."
	}
	o.stop(filepath.Join(o.dir, at), "the name of a file in "+at+secretLike,
		rule+"; rename the file, also in commits that are not pushed")
	return false
}

// CheckMessage refuses a message for a commit that holds a secret. The error is
// a *report.Error.
func CheckMessage(ctx context.Context, message string) error {
	res := secretscan.Scan(ctx, "message", []byte(message))
	why := res.Unread
	if len(res.Hits) > 0 {
		why = "rule " + res.Hits[0].Rule
	}
	if why == "" {
		return nil
	}
	return &report.Error{Code: report.ExitUsage, Where: "--message", What: "looks like a secret, or was not scanned: " +
		why, Why: "the message of a commit is pushed with it; nothing was committed", Next: "write another message"}
}
