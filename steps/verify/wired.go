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

	"mvdan.cc/sh/v3/syntax"

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

// hookName is what the program calls a script's work: "hook NAME".
func hookName(script string) string {
	return strings.TrimSuffix(strings.TrimPrefix(script, "sandbox-"), ".sh")
}

// Wired returns the hook entry that runs the wire's script on Bash calls, or
// nil.
func Wired(d *settings.Doc, p env.Places, w Wire) *settings.Value {
	for _, h := range hooksOn(d, w.Event) {
		if matchesBash(h.matcher) && CallsScript(h.entry.Get("command"), p, w.Script) {
			return h.entry
		}
	}
	return nil
}

// wiredHook is one hook of an event with the matcher of its block.
type wiredHook struct{ entry, matcher *settings.Value }

// hooksOn lists the hooks of an event.
func hooksOn(d *settings.Doc, event string) []wiredHook {
	var list []wiredHook
	blocks := d.Get("hooks", event)
	if blocks == nil {
		return nil
	}
	for _, block := range blocks.Items {
		if hooks := block.Get("hooks"); hooks != nil {
			for _, hook := range hooks.Items {
				list = append(list, wiredHook{hook, block.Get("matcher")})
			}
		}
	}
	return list
}

// CallsScript says whether a command value runs the script of that name in
// the scripts directory. `"~/..."` in double quotes does not: the shell would
// not expand it, and the runtime ignores the failure (measured with 2.1.329).
func CallsScript(command *settings.Value, p env.Places, script string) bool {
	if command == nil || command.Kind != settings.Str {
		return false
	}
	words := commandWords(command.Text, p.Home)
	return len(words) > 0 && filepath.Clean(words[0]) == filepath.Join(p.Scripts(), script)
}

// maxCommand bounds a command that is taken apart, in bytes.
const maxCommand = 4 << 10

// commandWords takes a command of one program apart as the shell would; a
// shell in front of a script is left out. What only the running shell knows
// gives no words.
func commandWords(command, home string) []string {
	if len(command) > maxCommand {
		return nil
	}
	tree, err := syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).Parse(strings.NewReader(command), "")
	if err != nil || len(tree.Stmts) != 1 {
		return nil
	}
	call, ok := tree.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok || tree.Stmts[0].Background || tree.Stmts[0].Negated {
		return nil
	}
	var words []string
	for _, arg := range call.Args {
		word, ok := wordOf(arg, home)
		if !ok {
			return nil
		}
		words = append(words, word)
	}
	if len(words) > 1 && slices.Contains([]string{"sh", "bash", "dash", "zsh"}, filepath.Base(words[0])) {
		words = words[1:]
	}
	return words
}

// wordOf is a word after the expansions that need nothing but the home.
func wordOf(w *syntax.Word, home string) (string, bool) {
	var b strings.Builder
	for i, part := range w.Parts {
		text, ok := partOf(part, home)
		if lit, is := part.(*syntax.Lit); is && i == 0 && (lit.Value == "~" || strings.HasPrefix(lit.Value, "~/")) {
			text = home + strings.TrimPrefix(text, "~")
		}
		if !ok {
			return "", false
		}
		b.WriteString(text)
	}
	return b.String(), true
}

// unescape takes the backslashes off an unquoted literal.
var unescape = regexp.MustCompile(`\\(.)`)

func partOf(part syntax.WordPart, home string) (string, bool) {
	switch p := part.(type) {
	case *syntax.Lit:
		return unescape.ReplaceAllString(p.Value, "$1"), !strings.ContainsAny(p.Value, "*?[")
	case *syntax.SglQuoted:
		return p.Value, !p.Dollar
	case *syntax.DblQuoted:
		var b strings.Builder
		for _, inner := range p.Parts {
			text, ok := partOf(inner, home)
			if !ok {
				return "", false
			}
			b.WriteString(text)
		}
		return b.String(), true
	case *syntax.ParamExp:
		plain := p.Exp == nil && p.Repl == nil && p.Slice == nil && p.Index == nil && !p.Length && !p.Excl
		return home, plain && p.Param != nil && p.Param.Value == "HOME"
	}
	return "", false
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
		return slices.ContainsFunc(list, func(name string) bool { return strings.TrimSpace(name) == "Bash" })
	}
	re, err := regexp.Compile(matcher.Text)
	return err == nil && re.MatchString("Bash")
}
