// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a hook is wired when some block that matches Bash calls
// the script, however its path is spelled; what counts is what the runtime
// would run, not how it was written.

package verify

import (
	"path/filepath"
	"regexp"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/settings"
)

// Wire is one hook of the setup: the event it belongs to and its script.
type Wire struct{ Event, Script string }

// Wires are the hooks of the setup. The error hint stands on both events: a
// command that fails fires PostToolUseFailure only (measured with 2.1.329).
var Wires = []Wire{
	{"PreToolUse", "sandbox-bypass-warn.sh"},
	{"PostToolUse", "sandbox-error-hint.sh"},
	{"PostToolUseFailure", "sandbox-error-hint.sh"},
}

// The status lines.
const (
	StatusLine     = "sandbox-status-line.sh"
	StatusLineRich = "sandbox-status-line-rich.sh"
)

// Wired returns the hook entry that runs the wire's script on Bash calls, or
// nil.
func Wired(d *settings.Doc, p env.Places, w Wire) *settings.Value {
	blocks := d.Get("hooks", w.Event)
	if blocks == nil {
		return nil
	}
	for _, block := range blocks.Items {
		hooks := block.Get("hooks")
		if hooks == nil || !matchesBash(block.Get("matcher")) {
			continue
		}
		for _, hook := range hooks.Items {
			if CallsScript(hook.Get("command"), p, w.Script) {
				return hook
			}
		}
	}
	return nil
}

// CallsScript says whether a command value runs the script of that name in
// the scripts directory. `"~/..."` in double quotes does not: the shell would
// not expand it, and the runtime ignores the failure (measured with 2.1.329).
func CallsScript(command *settings.Value, p env.Places, script string) bool {
	if command == nil || command.Kind != settings.Str {
		return false
	}
	word := strings.TrimSpace(command.Text)
	quoted := len(word) > 1 && (word[0] == '"' || word[0] == '\'') && word[len(word)-1] == word[0]
	if quoted {
		word = word[1 : len(word)-1]
	} else if rest, ok := strings.CutPrefix(word, "~/"); ok {
		word = filepath.Join(p.Home, rest)
	}
	for _, home := range []string{"$HOME/", "${HOME}/"} {
		if rest, ok := strings.CutPrefix(word, home); ok {
			word = filepath.Join(p.Home, rest)
		}
	}
	return filepath.Clean(word) == filepath.Join(p.Scripts(), script)
}

// matchesBash says whether a matcher covers the Bash tool: none and "*" match
// every tool, anything else is a pattern over the whole name.
func matchesBash(matcher *settings.Value) bool {
	if matcher == nil || matcher.Kind == settings.Str && (matcher.Text == "" || matcher.Text == "*") {
		return true
	}
	if matcher.Kind != settings.Str {
		return false
	}
	re, err := regexp.Compile("^(?:" + matcher.Text + ")$")
	return err == nil && re.MatchString("Bash")
}
