// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a hook is wired when some block that matches Bash calls
// the script, however its path is spelled; what counts is what the runtime
// would run, not how it was written.

package verify

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/settings"
	"github.com/steward-setup/steward-setup/internal/shell"
)

// Wire is one hook of the setup: the event it belongs to and its script.
type Wire struct{ Event, Script string }

// Wires are the hooks of the setup. The error hint stands on both events: a
// command that fails fires PostToolUseFailure only (measured with 2.1.329).
var Wires = []Wire{
	{claude.PreToolUse, "sandbox-bypass-warn.sh"},
	{claude.PostToolUse, "sandbox-error-hint.sh"},
	{claude.PostToolUseFailure, "sandbox-error-hint.sh"},
}

// The status lines.
const (
	StatusLine     = "sandbox-status-line.sh"
	StatusLineRich = "sandbox-status-line-rich.sh"
)

// hookName is what the program calls a script's work: "hook NAME".
func hookName(script string) string {
	return strings.TrimSuffix(strings.TrimPrefix(script, "sandbox-"), ".sh")
}

// Wired returns the hook entry that runs the wire's script on Bash calls, or
// nil.
func Wired(d *settings.Doc, p env.Places, w Wire) *settings.Value {
	for _, h := range d.HooksOn(w.Event) {
		if matchesBash(h.Matcher()) && CallsScript(h.Entry, p, w.Script) {
			return h.Entry
		}
	}
	return nil
}

// CallsScript says whether a hook, or a status line, runs the script of that
// name in the scripts directory. `"~/..."` in double quotes does not: the shell
// would not expand it, and the runtime ignores the failure (measured with 2.1.329).
func CallsScript(entry *settings.Value, p env.Places, script string) bool {
	words := startWords(entry, p.Home)
	return len(words) > 0 && filepath.Clean(words[0]) == filepath.Join(p.Scripts(), script)
}

// startWords are the words by which a hook or a status line is started: with
// args without a shell, so that nothing is expanded.
func startWords(entry *settings.Value, home string) []string {
	command, args := entry.Command()
	if command == nil || command.Kind != settings.Str {
		return nil
	}
	if args == nil {
		return shell.Words(command.Text, home)
	}
	words := []string{command.Text}
	for _, a := range args.Items {
		words = append(words, a.Text)
	}
	return words
}

// listing are matchers that list names; any other is a pattern.
var listing = regexp.MustCompile(`^[A-Za-z0-9_|, ]*$`)

// matchesBash says whether a matcher covers the Bash tool: none and "*" match
// every tool; names with "|" or a comma between have to be the tool's whole
// name (a comma counts since 2.1.191); anything else is a pattern that matches
// anywhere in it (measured with 2.1.329).
func matchesBash(matcher *settings.Value) bool {
	switch {
	case matcher == nil || matcher.Kind == settings.Str && (matcher.Text == "" || matcher.Text == "*"):
		return true
	case matcher.Kind != settings.Str:
		return false
	case listing.MatchString(matcher.Text):
		list := strings.FieldsFunc(matcher.Text, func(r rune) bool { return r == '|' || r == ',' })
		return slices.ContainsFunc(list, func(name string) bool { return strings.TrimSpace(name) == claude.ToolBash })
	}
	re, err := regexp.Compile(matcher.Text)
	return err == nil && re.MatchString(claude.ToolBash)
}
