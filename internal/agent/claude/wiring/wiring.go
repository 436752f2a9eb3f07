// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a hook is wired when some block that matches Bash calls
// the script, however its path is spelled, and the runtime would start it; if
// it would not, it is said where exactly it goes wrong.

// Package wiring says which hook or status line calls a script of the setup, and would be started
// by the runtime.
//
// Contract: a script that is named is wired only if the runtime would start it on such a call.
package wiring

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
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
	return append([]string{command.Text}, settings.TextsOf(args)...)
}

// Listing are matchers that list names; any other is a pattern.
var Listing = regexp.MustCompile(`^[A-Za-z0-9_|, ]*$`)

// matchesBash says whether a matcher covers the Bash tool.
func matchesBash(matcher *settings.Value) bool {
	switch {
	case matcher == nil:
		return true
	case matcher.Kind != settings.Str:
		return false
	}
	return MatchesTool(matcher.Text, claude.ToolBash)
}

// MatchesTool says whether a matcher covers a tool: none and "*" match every tool;
// names with "|" or a comma between have to be the tool's whole name (a comma
// counts since 2.1.191); anything else is a pattern that matches anywhere in it
// (measured with 2.1.329).
func MatchesTool(matcher, tool string) bool {
	switch {
	case matcher == "" || matcher == "*":
		return true
	case Listing.MatchString(matcher):
		list := strings.FieldsFunc(matcher, func(r rune) bool { return r == '|' || r == ',' })
		return slices.ContainsFunc(list, func(name string) bool { return strings.TrimSpace(name) == tool })
	}
	re, err := regexp.Compile(matcher)
	return err == nil && re.MatchString(tool)
}

// Judge says whether a document wires the wire: the hook that does is the
// evidence, or else what is wrong with the one that is meant to.
func Judge(r host.Reader, d *settings.Doc, w Wire) (wired bool, e report.Evidence) {
	meant := false
	for _, h := range d.HooksOn(w.Event) {
		leads, at, wrong := LeadsTo(r, h.Entry, w.Script)
		switch {
		case !leads:
			continue
		case wrong == "" && !matchesBash(h.Matcher()):
			at, wrong = h.Matcher(), "the matcher "+settings.Shown(h.Matcher())+" does not match Bash"
		case wrong == "" && h.Entry.Get("if") != nil:
			at, wrong = h.Entry.Get("if"), "it runs only where "+settings.Shown(h.Entry.Get("if"))+" matches"
		case wrong == "" && h.Entry.Get("async").True() && w.Event == claude.PreToolUse:
			at, wrong = h.Entry.Get("async"), "it is not waited for, so the call is decided before it answers"
		}
		if wrong == "" {
			return true, report.FileEvidence(d.Where(h.Entry), w.Event+" calls "+w.Script)
		}
		if !meant {
			meant, e = true, report.FileEvidence(d.Where(at), w.Event+" does not call "+w.Script+": "+wrong)
		}
	}
	if !meant {
		at := d.Path
		if blocks := d.Get(claude.KeyHooks.Below(w.Event)...); blocks != nil {
			at = d.Where(blocks)
		}
		e = report.FileEvidence(at, w.Event+" does not call "+w.Script)
	}
	return false, e
}

// LeadsTo says whether a hook, or a status line, is meant to run our script or
// the program's own hook of that name, and at which value it goes wrong, ""
// if it does not.
func LeadsTo(r host.Reader, entry *settings.Value, script string) (leads bool, at *settings.Value, wrong string) {
	command, _ := entry.Command()
	words := startWords(entry, r.Places().Home)
	if len(words) == 0 {
		return false, nil, ""
	}
	program := slices.Contains([]string{"steward-setup", filepath.Base(r.System().Executable)}, filepath.Base(words[0])) &&
		len(words) >= 3 && words[1] == "hook" && words[2] == strings.TrimSuffix(strings.TrimPrefix(script, "sandbox-"), ".sh")
	if !program && filepath.Base(words[0]) != script {
		return false, nil, ""
	}
	if kind := entry.Get("type"); kind == nil || kind.Text != "command" {
		return true, entry, "its type is not command"
	}
	return true, command, WrongWith(r, words[0], script, program)
}

// WrongWith says why a path cannot be started as our script or program, "" if
// it can.
func WrongWith(r host.Reader, path, script string, program bool) string {
	if program && !strings.Contains(path, "/") {
		found, err := r.Look(path)
		if err != nil {
			return path + opening.NotOnPath
		}
		path = found
	}
	switch {
	case strings.HasPrefix(path, "~"):
		return "~ is not expanded there (in quotes, or with args)"
	case !filepath.IsAbs(path):
		return path + " is a relative path"
	case filepath.Clean(path) == filepath.Join(r.Places().Scripts(), script):
		return "" // hook-scripts says what becomes of it
	}
	info, err := r.Stat(path)
	switch {
	case err != nil:
		return "there is no " + path
	case !info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0:
		return path + " cannot be started"
	case program:
		return ""
	}
	b, err := r.Read(path)
	if s, ours := scripts.Recognize(b); err != nil || !ours && !scripts.OfFramework(b, script) || ours &&
		s.Name != script {
		return path + " is a script that steward-setup did not write"
	}
	return ""
}

// OtherHooks lists the hooks of a session that starts in start which run before
// a Bash call, and may block it, but for the setup's own. No session of a
// rehearsal of the policy runs them (rehearsal.Policy).
func OtherHooks(r host.Reader, start string) (list []report.Evidence) {
	for _, layer := range session.At(r, start).Layers {
		for _, h := range layer.Doc.HooksOn(claude.PreToolUse) {
			command, _ := h.Entry.Command()
			if ours, _, _ := LeadsTo(r, h.Entry, Wires[0].Script); ours || command == nil || !matchesBash(h.Matcher()) {
				continue
			}
			list = append(list, report.FileEvidence(layer.Doc.Where(command), redact.Command(settings.Shown(command))))
		}
	}
	return list
}
