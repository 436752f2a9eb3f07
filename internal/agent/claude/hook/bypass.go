// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a call that asks to leave the sandbox is never passed
// over in silence because its event looks unfamiliar; text that merely speaks
// of leaving it is.

package hook

import (
	"cmp"
	"errors"
	"io"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/journal"
	"github.com/steward-setup/steward-setup/internal/jsontext"
	"github.com/steward-setup/steward-setup/internal/redact"
)

// flag asks for a bypass. The runtime takes the string "true" for true as well
// (measured with 2.1.329).
const flag = claude.BypassInput

// How much of a command and of a reason is shown, in characters.
const (
	maxShownCommand = 600
	maxShownReason  = 300
)

// request is a call that asks to leave the sandbox, as far as it is readable.
type request struct {
	command, reason  string
	session, project string
	// real says that the event is one of the runtime's, which reads an
	// answer.
	real bool
}

// bypassWarn warns of a call that asks to leave the sandbox.
func (h *hook) bypassWarn(e event) int {
	// A key can be written without its letters, as an escape.
	if !strings.Contains(e.text, flag) && !strings.Contains(e.text, `\u`) {
		return silent
	}
	r, found := findRequest(e)
	if !found {
		return silent
	}
	code := h.banner
	if r.real {
		code = h.ask
	}
	defer h.record(journal.Record{Kind: journal.Bypass, Session: r.session, Project: r.project, Command: r.command,
		Reason: r.reason})
	return code(r)
}

// findRequest looks for the flag anywhere in an event.
func findRequest(e event) (r request, found bool) {
	in := 0 // where the object with the flag begins
	first := request{}
	err := walk(e.text, func(v value) {
		if v.depth == 1 {
			switch {
			case is(v.key, claude.InputEvent):
				r.real = is(v.raw, claude.PreToolUse)
			case is(v.key, claude.InputSession):
				r.session = short(v.raw)
			case is(v.key, claude.InputCwd):
				r.project = short(v.raw)
			}
		}
		first.describe(v)
		if !found && is(v.key, flag) && affirms(v.raw) {
			found, in = true, v.container
		}
	})
	broken := err != nil && !(e.cut && errors.Is(err, errEnd))
	if !found {
		return request{command: e.text, reason: "unknown: the event is not readable"}, broken && mentions(e.text)
	}
	r.real = r.real && !broken
	// The flag's own object says what is to run; failing that, whatever
	// member of that name came first.
	_, _ = walkValue(e.text, in, func(v value) {
		if v.depth == 1 {
			r.describe(v)
		}
	})
	r.command = cmp.Or(r.command, first.command)
	r.reason = cmp.Or(r.reason, first.reason)
	return r, true
}

// describe takes over what v says of a call, if it is the first to say it.
func (r *request) describe(v value) {
	if v.raw[0] != '"' {
		return
	}
	if r.command == "" && is(v.key, "command") {
		r.command = short(v.raw)
	}
	if r.reason == "" && is(v.key, "description") {
		r.reason = short(v.raw)
	}
}

// affirms says whether a value of the flag asks for a bypass: true, in any
// form that a reader of JSON could take for it.
func affirms(raw string) bool {
	switch raw[0] {
	case '"':
		return claude.SwitchedOn(strings.TrimSpace(unquote(raw)))
	case 't':
		return true
	case 'f', 'n':
		return false
	}
	return strings.ContainsAny(raw, "123456789") // a number other than zero
}

// mentions says whether text that is no JSON has the flag followed by true.
func mentions(s string) bool {
	for {
		_, rest, ok := strings.Cut(s, flag)
		if !ok {
			return false
		}
		s = rest
		rest = strings.TrimLeft(rest, "\\\"' \t\r\n")
		if rest == "" || rest[0] != ':' && rest[0] != '=' {
			continue
		}
		rest = strings.TrimLeft(rest[1:], "\\\"' \t\r\n")
		if len(rest) >= 4 && strings.EqualFold(rest[:4], "true") || strings.HasPrefix(rest, "1") {
			return true
		}
	}
}

// ask answers the runtime so that it asks the user, and shows this in the
// question, even where a rule would have approved the call.
func (h *hook) ask(r request) int {
	return h.answer(claude.HookAnswer{Output: claude.HookOutput{Event: claude.PreToolUse, Decision: claude.Ask,
		Reason: "SANDBOX BYPASS: this call asks to run OUTSIDE the sandbox, where no file is hidden and no " +
			"host is blocked.\ncommand: " + stated(r.command, maxShownCommand) +
			"\nreason given: " + stated(r.reason, maxShownReason)}})
}

// answer prints an answer for the runtime. One that it cannot have, it does
// not get: the call then goes its ordinary way.
func (h *hook) answer(v any) int {
	if text, err := jsontext.Of(v); err == nil {
		_, _ = h.stdout.Write(redact.JSON(append(text, '\n')))
	}
	return silent
}

// banner shows the request to the user: four lines, bold and red.
func (h *hook) banner(r request) int {
	var b strings.Builder
	for _, line := range []string{
		"SANDBOX BYPASS: this call asks to run OUTSIDE the sandbox, where no file is hidden and no host is blocked.",
		"  command: " + stated(r.command, maxShownCommand),
		"  reason given: " + stated(r.reason, maxShownReason),
		"  Approve it only if you would run that command yourself.",
	} {
		b.WriteString(h.coloured(boldRed, line) + "\n")
	}
	_, _ = io.WriteString(h.stderr, b.String())
	return shown
}

func stated(s string, limit int) string {
	if strings.TrimSpace(s) == "" {
		return "(not stated)"
	}
	return redact.Short(s, limit)
}

// SGR sequences (ECMA-48).
const (
	boldRed = "\x1b[1;31m"
	yellow  = "\x1b[33m"
	plain   = "\x1b[0m"
)

// coloured honours NO_COLOR (no-color.org). Whether the stream is a terminal
// says nothing: the runtime shows what it reads from a pipe.
func (h *hook) coloured(colour, line string) string {
	if h.Get("NO_COLOR") != "" {
		return line
	}
	return colour + line + plain
}
