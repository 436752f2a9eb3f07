// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: files, and the messages of commits, are scanned alike. A hit
// is named by file, line and rule, never by value.

package sync

import (
	"context"
	"fmt"
	"path"
	"path/filepath"

	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/secretscan"
)

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
func (o *Outgoing) scanName(ctx context.Context, dir, rel string) bool {
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
	o.stop(filepath.Join(dir, filepath.FromSlash(at)), "the name of a file in "+at+secretLike,
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
		why,
		Why: "the message of a commit is pushed with it; nothing was committed", Next: "write another message"}
}

// scanMessage looks for secrets in the message of a commit that is not pushed.
func (o *Outgoing) scanMessage(ctx context.Context, dir string, c commit) {
	if !o.scan(ctx, "message of commit "+short(c.id)+" in "+dir, "message", []byte(c.message)) {
		o.stopped = true
	}
}
