// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the settings allow is one list, a line for each value, with the
// file and line where a person would take it back. Nothing is judged here.

package access

import (
	"fmt"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
)

// Allowance is one thing that a session may do, and the place that allows it.
type Allowance struct {
	Kind AllowanceKind
	report.Evidence
}

// AllowanceKind is what is allowed, in the order of a list.
type AllowanceKind int

// The kinds.
const (
	AllowedHost AllowanceKind = iota
	AllowedPath
	AllowedChannel // a socket, a port or a service of this machine
	Unprompted
	Outside // of the sandbox
)

// AllowanceWords say how many there are of a kind.
var AllowanceWords = [...]struct{ One, Many string }{
	AllowedHost:    {"1 host", "%d hosts"},
	AllowedPath:    {"1 path", "%d paths"},
	AllowedChannel: {"1 socket or port", "%d sockets or ports"},
	Unprompted:     {"1 unprompted call", "%d unprompted calls"},
	Outside:        {"1 unsandboxed program", "%d unsandboxed programs"},
}

// allowing are the arrays of settings whose entries allow something; %s is the entry.
var allowing = []struct {
	kind  AllowanceKind
	key   claude.KeyPath
	words string
}{
	{AllowedHost, claude.KeyAllowedDomains, "commands can reach %s"},
	{AllowedPath, claude.KeyAllowWrite, "commands can read and write %s"},
	{AllowedPath, claude.KeyAdditionalDirectories, "commands and the agent's tools can read and write %s"},
	{AllowedPath, claude.KeyAllowRead, "commands can read %s"},
	{AllowedChannel, claude.KeyAllowUnixSockets, "commands can connect to the socket %s (macOS)"},
	{AllowedChannel, claude.KeyAllowMachLookup, "commands can use the service %s (macOS)"},
	{Unprompted, claude.KeyAllow, "%s needs no prompt"},
	{Outside, claude.KeyExcludedCommands, "commands that match %s run outside the sandbox"},
}

// switches are the settings that allow something by being true.
var switches = []struct {
	key   claude.KeyPath
	words string
}{
	{claude.KeyAllowAllUnixSockets, "commands can connect to every unix socket that is not hidden"},
	{claude.KeyAllowLocalBinding, "commands can listen on local ports"},
}

// Allowances lists what the settings of a start allow: hosts, paths, calls without a
// prompt, and programs outside the sandbox; without one, the first line says so.
func (s *Start) Allowances() (list []Allowance) {
	add := func(kind AllowanceKind, at report.Evidence, words string) {
		at.Text = words
		list = append(list, Allowance{kind, at})
	}
	if on, why := s.Sandboxed(); !on {
		add(Outside, why, "no command is sandboxed: each can read, write and reach what you can")
	}
	for _, g := range s.grants.Always() {
		list = report.Union(list, Allowance{AllowedPath, s.grantedBy(g)})
	}
	for _, a := range allowing {
		for _, c := range s.Settings.Taken(a.key...) {
			if c.Value.Kind != settings.Str {
				continue
			}
			kind, words, entry := a.kind, a.words, c.Value.Text
			switch {
			case kind == AllowedPath && settings.IsRelative(entry):
				entry = s.Dirs.Resolve(entry, c.Scope)
			case kind == Unprompted:
				kind, words, entry = ruleAllows(words, entry)
			}
			add(kind, s.At(c, a.key...), fmt.Sprintf(words, entry))
		}
	}
	for _, w := range switches {
		if on := s.Settings.Scalar(w.key...); on.Value.True() {
			add(AllowedChannel, s.At(on.Candidate, w.key...), w.words)
		}
	}
	if s.autoAllowed() {
		auto := s.Settings.Scalar(claude.KeyAutoAllowBashIfSandboxed...)
		at := report.FileEvidence(claude.KeyAutoAllowBashIfSandboxed.String(), "")
		if auto.Value != nil {
			at = s.At(auto.Candidate, claude.KeyAutoAllowBashIfSandboxed...)
		}
		add(Unprompted, at, "sandboxed commands need no prompt")
	}
	if mode := s.Settings.Scalar(claude.KeyDefaultMode...); mode.Value != nil {
		add(Unprompted, s.At(mode.Candidate, claude.KeyDefaultMode...), "sessions start in the permission mode "+
			mode.Value.Text)
	}
	return append(list, s.programs()...)
}

// ruleAllows is what a rule of permissions.allow allows: some open a path or a host to
// commands, too.
func ruleAllows(words, rule string) (kind AllowanceKind, said, entry string) {
	tool, content, _, _ := claude.SplitRule(rule)
	host, named := strings.CutPrefix(content, "domain:")
	switch {
	case tool == claude.ToolWebFetch && named:
		return AllowedHost, "commands and WebFetch can reach %s", host
	case tool == claude.ToolEdit:
		words += ", and commands can write there"
	}
	return Unprompted, words, rule
}

// programs are the hooks, status lines and helpers of the settings.
func (s *Start) programs() (list []Allowance) {
	add := func(c settings.Candidate, what string) {
		at, line := report.FileEvidence(c.Where(), ""), c.Value
		if command, _ := line.Command(); command != nil {
			line = command
		}
		if s.plain != nil && c.Scope == settings.Flag {
			at.Where = "claude-iso"
		}
		at.Text = what + " runs outside the sandbox: " + redact.Command(settings.Shown(line))
		list = append(list, Allowance{Outside, at})
	}
	if !s.Settings.Scalar(claude.KeyDisableAllHooks...).Value.True() {
		for _, l := range s.Settings.Layers() {
			for _, h := range l.Doc.Hooks() {
				source := settings.Source{Scope: l.Scope, Path: l.Doc.Path, Line: h.Entry.Line, Col: h.Entry.Col}
				add(settings.Candidate{Source: source, Value: h.Entry}, "the hook on "+h.Event)
			}
		}
	}
	for _, name := range slices.Concat([]string{claude.KeyStatusLine.Leaf(), claude.KeySubagentStatusLine.Leaf(),
		claude.KeyFileSuggestion.Leaf()}, claude.Helpers) {
		if set := s.Settings.Scalar(name); set.Value != nil {
			add(set.Candidate, name)
		}
	}
	return list
}
