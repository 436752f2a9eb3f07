// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a hint is given when the catalog knows the error and
// nothing speaks for an ordinary cause; anything else is silence. The hint is
// text of ours, and at most a plain path, host or port of the event
// (nextstep.go).

package hook

import (
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/journal"
)

// call is a Bash call that has ended, as the runtime reports it.
type call struct {
	// event is PostToolUse or PostToolUseFailure, "" for a text that
	// somebody tries out by hand.
	event                 string
	session, cwd, command string
	// unsandboxed says that the call asked to run outside the sandbox.
	unsandboxed bool
	duration    time.Duration
	// output is what the call printed, as far as it can hold a symptom.
	output string
}

// errorHint adds a hint to the result of a call that the sandbox made fail.
func (h *hook) errorHint(e event) int {
	if !catalog.Possible(e.text) {
		return silent
	}
	c, ok := readCall(e)
	if !ok {
		return silent
	}
	var found catalog.Found
	var next string
	err := within(func() error {
		var ok bool
		found, ok = catalog.Cause(c.output, c.command, func(f catalog.Found) bool { return h.accept(c, f) })
		if !ok {
			return errors.New("no entry")
		}
		next = h.next(c, found)
		return nil
	})
	if err != nil {
		return silent // found may still be written to: it is not looked at
	}
	line := "[sandbox-hint] " + found.Hint.ID + ": " + found.Hint.Text + " " + next
	defer h.record(journal.Record{Kind: journal.Denial, Session: c.session, Project: c.cwd, Entry: found.Hint.ID,
		Command: c.command})
	if c.event == "" {
		_, _ = io.WriteString(h.stderr, h.coloured(yellow, line)+"\n")
		return shown
	}
	return h.answer(claude.HookAnswer{Message: line, Output: claude.HookOutput{Event: c.event,
		Context: line + " (for the user to run). This is the policy at work, not a defect of the command:" +
			" do not repeat it outside the sandbox, and tell the user."}})
}

// readCall takes an event apart; ok is false for any shape but that of a Bash
// call that has ended.
func readCall(e event) (c call, ok bool) {
	known := true
	var stdout, stderr, failure string
	err := walk(e.text, func(v value) {
		quoted := v.raw[0] == '"'
		switch {
		case v.depth == 1 && is(v.key, claude.InputEvent):
			c.event = short(v.raw)
			known = known && quoted && (c.event == claude.PostToolUse || c.event == claude.PostToolUseFailure)
		case v.depth == 1 && is(v.key, claude.InputTool):
			known = known && is(v.raw, claude.ToolBash)
		case v.depth == 1 && is(v.key, claude.InputSession) && quoted:
			c.session = short(v.raw)
		case v.depth == 1 && is(v.key, claude.InputCwd) && quoted:
			c.cwd = short(v.raw)
		case v.depth == 1 && is(v.key, claude.InputDuration):
			if ms, err := strconv.ParseFloat(v.raw, 64); err == nil && ms > 0 && ms < 1e9 {
				c.duration = time.Duration(ms) * time.Millisecond
			}
		case v.depth == 1 && is(v.key, claude.InputError) && quoted:
			failure = unquote(v.raw)
		case v.depth == 2 && is(v.top, claude.InputResponse) && is(v.key, "stdout") && quoted:
			stdout = unquote(v.raw)
		case v.depth == 2 && is(v.top, claude.InputResponse) && is(v.key, "stderr") && quoted:
			stderr = unquote(v.raw)
		case v.depth == 2 && is(v.top, claude.InputCall) && is(v.key, "command") && quoted:
			c.command = short(v.raw)
		case v.depth == 2 && is(v.top, claude.InputCall) && is(v.key, flag):
			c.unsandboxed = affirms(v.raw)
		}
	})
	if err != nil && !(e.cut && errors.Is(err, errEnd)) || !known {
		return call{}, false
	}
	// The runtime merges a command's standard error into stdout and leaves
	// stderr to itself (measured with 2.1.329).
	if c.event != "" {
		stdout = strings.ReplaceAll(stdout, violations, "")
	}
	parts := []string{stdout, ownBlock(stderr), ownBlock(failure)}
	c.output = strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "\n")
	return c, true
}

// violations begins the block in which the runtime says what it refused.
const violations = "<sandbox_violations>"

// ownBlock takes the beginnings of such blocks out of a text but for that of
// the runtime's own, which stands at the end: a command can print anything.
func ownBlock(s string) string {
	at := strings.LastIndex(s, violations)
	if at < 0 {
		return s
	}
	rest := s[at:]
	if !strings.HasSuffix(strings.TrimSpace(rest), "</sandbox_violations>") {
		rest = strings.TrimPrefix(rest, violations)
	}
	return strings.ReplaceAll(s[:at], violations, "") + rest
}

// accept says whether a symptom counts in this call. Somebody who tries the
// hook out by hand has no call behind the text whose circumstances could be
// looked at; there the text decides, but for the errors of every day.
func (h *hook) accept(c call, f catalog.Found) bool {
	byHand := c.event == ""
	everyDay := slices.Contains([]catalog.Confirm{catalog.Exists, catalog.Allowed, catalog.Writable, catalog.Temporary},
		f.Confirm)
	switch {
	case !catalog.Hinted(f.Confirm) || !byHand && !slices.Contains(f.Hint.Platforms, h.GOOS):
		return false
	case byHand && !everyDay:
		return true
	case f.Confirm == catalog.Sandbox && c.unsandboxed && elsewhere(c.command):
		return false // a sandbox that the command made
	case f.Confirm == catalog.Sandbox:
		return !quotes(c.command) || leads(c.output, f.Text)
	case c.unsandboxed:
		return false
	case everyDay:
		return !elsewhere(c.command) && h.confirmed(c, f)
	case f.Confirm == catalog.Program:
		return !elsewhere(c.command) && h.confirmed(c, f)
	case f.Confirm == catalog.Repository:
		return h.confirmed(c, f)
	case f.Confirm == catalog.Listener && elsewhere(c.command) || quotes(c.command):
		return false
	}
	return f.Confirm == catalog.Nothing || f.Confirm == catalog.Inside || h.confirmed(c, f)
}

// leads says whether an output begins with these lines, but for the exit code
// that the runtime puts first: a sandbox that cannot start lets nothing be
// printed before.
func leads(output, lines string) bool {
	if first, rest, ok := strings.Cut(output, "\n"); ok && strings.HasPrefix(first, "Exit code ") {
		output = rest
	}
	return strings.HasPrefix(output, lines)
}
