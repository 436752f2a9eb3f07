// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package hook is what the agent's runtime runs on every Bash call: the
// warning before a call that asks to leave the sandbox, and the hint after
// one that the sandbox made fail.
//
// Contract: a hook reads its event from standard input and judges at most the
// first MaxInput bytes; it answers within its budget, whatever a disk does,
// and never with an exit code of 2, which would block the call. What it
// prints holds no secret and no control character of the event's. The shape
// of the events and of the answers is that of Claude Code 2.1.141 to 2.1.329,
// measured.
package hook

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/journal"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
)

// MaxInput bounds how much of an event is judged, in bytes.
const MaxInput = 8 << 20

// budget is what a hook may take for looking around, and again for its
// journal line: far more than either needs on a busy machine. A file system
// that hangs costs the hint or the line, not the call.
const budget = 2 * time.Second

// Exit codes to the runtime: 1 shows what is on standard error to the user
// and lets the call proceed.
const (
	silent = 0
	shown  = 1
)

// Run runs one hook and returns its exit code: 0 with nothing printed or with
// an answer for the runtime on stdout, 1 with a text for the user on stderr,
// or report.ExitUsage for a name that is no hook. It runs outside the sandbox:
// what it finds on this machine is what the sandbox withheld. A home that cannot
// be named leaves hints without paths and the journal unwritten, and nothing worse.
func Run(name string, stdin io.Reader, stdout, stderr io.Writer, sys env.System) (code int) {
	h := hook{System: sys, stdout: stdout, stderr: stderr}
	if p, err := sys.Places(); err == nil {
		h.home, h.state, h.settings = p.Home, p.State, p.UserSettings()
	}
	switch name {
	case "bypass-warn":
		// A panic would end the process with 2, which blocks the call,
		// and silence would hide a bypass: a defect of ours warns.
		defer func() {
			if recover() != nil {
				code = h.banner(request{reason: "unknown: the hook itself failed"})
			}
		}()
		return h.bypassWarn(read(stdin))
	case "error-hint":
		defer func() {
			if recover() != nil {
				code = silent
			}
		}()
		return h.errorHint(read(stdin))
	}
	io.WriteString(stderr, "steward-setup hook: there is no hook "+redact.Short(name, 40)+
		"; known are bypass-warn and error-hint\n")
	return report.ExitUsage
}

type hook struct {
	env.System
	home, state, settings string // "" where there is no home
	stdout, stderr        io.Writer
}

// event is the input of a hook.
type event struct {
	text string
	// cut says that the text is only the first part of it.
	cut bool
}

func read(r io.Reader) event {
	var b strings.Builder
	chunk := make([]byte, 32<<10)
	for b.Len() <= MaxInput {
		n, err := r.Read(chunk)
		if b.Cap()-b.Len() < n {
			b.Grow(3 * b.Cap()) // fewer copies than the builder's own growth
		}
		b.Write(chunk[:n])
		if err != nil {
			break // what was read is judged, whatever ended it
		}
	}
	if b.Len() > MaxInput {
		return event{b.String()[:MaxInput], true}
	}
	return event{b.String(), false}
}

// maxRaw bounds what of a text is redacted at all, in bytes. It is far more
// than what is shown, so that a secret is not cut in two before it is seen.
const maxRaw = 16 << 10

// short reads as much of a string value, as written, as is ever looked at of
// a text that is only shown.
func short(raw string) string { return unquote(raw[:min(len(raw), maxRaw)]) }

// record appends to the journal. That it cannot is no reason to fail.
func (h *hook) record(r journal.Record) {
	if h.state == "" {
		return
	}
	_ = within(func() error {
		r.Time = h.Now()
		return fs.AppendLine(journal.Path(h.state), r.Line(), journal.MaxFile)
	})
}

// within runs f for at most the budget and returns its error, or that it did
// not end. An f that hangs is left behind; it ends with the process. A panic
// of f is its error, since no other goroutine could recover it.
func within(f func() error) error {
	ctx, cancel := context.WithTimeout(context.Background(), budget)
	defer cancel()
	done := make(chan error, 1)
	go func() {
		defer func() {
			if recover() != nil {
				done <- errors.New("panic")
			}
		}()
		done <- f()
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
