// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the settings allow is one list, a line for each value, with the
// file and line where a person would take it back. Nothing is judged here.

package access

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/agent/claude/policy"
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
	NoSandbox AllowanceKind = iota
	AllowedHost
	AllowedPath
	AllowedChannel // a socket, a port or a service of this machine
	Unprompted
	Outside // of the sandbox
)

// AllowanceWords say how many there are of a kind.
var AllowanceWords = [...]struct{ One, Many string }{
	NoSandbox:      {"no sandbox", "no sandbox (%d reasons)"},
	AllowedHost:    {"1 host", "%d hosts"},
	AllowedPath:    {"1 path", "%d paths"},
	AllowedChannel: {"1 socket or port", "%d sockets or ports"},
	Unprompted:     {"1 unprompted call", "%d unprompted calls"},
	Outside:        {"1 way to run unsandboxed", "%d ways to run unsandboxed"},
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
	{Outside, claude.KeyExcludedCommands, "commands that match %s run outside the sandbox"},
}

// switches are the settings that allow something by being true.
var switches = []struct {
	kind  AllowanceKind
	key   claude.KeyPath
	words string
}{
	{AllowedPath, claude.KeyFilesystemDisabled, "commands can read and write every file that you can"},
	{AllowedChannel, claude.KeyAllowAllUnixSockets, "commands can connect to every unix socket that is not hidden"},
	{AllowedChannel, claude.KeyAllowLocalBinding, "commands can listen on local ports"},
}

// Allowances lists what the settings of a start allow: hosts, paths, calls without a
// prompt, and programs outside the sandbox; without one, the first line says so. What
// another entry denies, or what opens nothing on this platform, is not among it.
func (s *Start) Allowances() (list []Allowance) {
	add := func(kind AllowanceKind, at report.Evidence, words string) {
		at.Text = words
		list = append(list, Allowance{kind, at})
	}
	on, why := s.Sandboxed()
	if !on {
		add(NoSandbox, why, "no command is sandboxed: each can read, write and reach what you can")
	}
	for _, g := range s.grants.Always() {
		list = report.Union(list, Allowance{AllowedPath, s.grantedBy(g)})
	}
	denied := s.deniedHosts()
	for _, a := range allowing {
		for _, c := range s.Settings.Taken(a.key...) {
			words, entry := a.words, c.Value.Text
			switch {
			case c.Value.Kind != settings.Str, a.kind == AllowedHost && (denied(entry) || s.onlyManagedHosts(c)):
				continue
			case a.kind == AllowedPath:
				words = s.opened(c, a.key, words)
				if settings.IsRelative(entry) {
					entry = cmp.Or(policy.PathOf(s.Dirs, a.key.String(), entry, c.Scope), entry)
				}
			}
			if words != "" {
				add(a.kind, s.At(c, a.key...), fmt.Sprintf(words, entry))
			}
		}
	}
	asked := map[string]bool{}
	for _, r := range s.Settings.RulesIn(claude.Ask) {
		asked[r.Value.Text] = true
	}
	for _, r := range s.Settings.RulesIn(claude.Allow) {
		if kind, words := s.ruleAllows(r.Candidate, asked[r.Value.Text], denied); words != "" {
			add(kind, s.At(r.Candidate, claude.KeyAllow...), words)
		}
	}
	for _, w := range switches {
		if on := s.Settings.Scalar(w.key...); on.Value.True() {
			add(w.kind, s.At(on.Candidate, w.key...), w.words)
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
	if hosts := s.fetchedUnasked(); len(hosts) > 0 {
		add(Unprompted, report.FileEvidence("the runtime's own list", ""), "WebFetch needs no prompt for pages of "+
			strings.Join(hosts, " "))
	}
	if mode := s.Settings.Scalar(claude.KeyDefaultMode...); mode.Value != nil {
		add(Unprompted, s.At(mode.Candidate, claude.KeyDefaultMode...), "sessions start in the permission mode "+
			mode.Value.Text)
	}
	if out := s.Settings.Scalar(claude.KeyAllowUnsandboxedCommands...); on && !out.Value.False() {
		at := report.FileEvidence(claude.KeyAllowUnsandboxedCommands.String(), "")
		if out.Value != nil {
			at = s.At(out.Candidate, claude.KeyAllowUnsandboxedCommands...)
		}
		add(Outside, at, "the agent can ask to run a command outside the sandbox")
	}
	return append(list, s.programs()...)
}

// deniedHosts says of an entry of allowed hosts whether an entry that denies names it, too.
func (s *Start) deniedHosts() func(entry string) bool {
	denying := s.Settings.Domains(claude.Deny)
	return func(entry string) bool {
		return slices.ContainsFunc(denying, func(d settings.Domain) bool {
			return d.Host == entry || policy.HostNamed(d.Host, entry)
		})
	}
}

// onlyManagedHosts says whether managed settings count no hosts but their own.
func (s *Start) onlyManagedHosts(c settings.Candidate) bool {
	only := s.Settings.Scalar(claude.KeyAllowManagedDomainsOnly...)
	return only.Value.True() && only.Scope == settings.Managed && c.Scope != settings.Managed
}

// opened are the words for an entry that opens a path, "" if it opens none: not one that
// leads through a symlink, has a wildcard, or is denied nearer.
func (s *Start) opened(c settings.Candidate, key claude.KeyPath, words string) string {
	switch {
	case s.grants.Opens(c.Where(), key.String() == grants.AllowReadKey):
		return words
	case key.String() == grants.DirectoriesKey:
		return "the agent's tools can read and write %s"
	}
	return ""
}

// ruleAllows is what a rule of permissions.allow allows, "" if nothing: some open a path
// or a host to commands, too, and do so where a rule of the same text asks.
func (s *Start) ruleAllows(c settings.Candidate, asked bool, denied func(string) bool) (AllowanceKind, string) {
	rule := c.Value.Text
	tool, content, _, _ := claude.SplitRule(rule)
	host, opens := strings.TrimPrefix(content, "domain:"), claude.OpensToCommands(rule)
	switch {
	case opens && tool == claude.ToolWebFetch && (denied(host) || s.onlyManagedHosts(c)):
		return Unprompted, ""
	case opens && tool == claude.ToolWebFetch && asked:
		return AllowedHost, "commands can reach " + host
	case opens && tool == claude.ToolWebFetch:
		return AllowedHost, "commands and WebFetch can reach " + host
	}
	written := opens && s.grants.Opens(c.Where(), false)
	switch {
	case written && asked:
		return AllowedPath, "commands can write where " + rule + " matches"
	case written:
		return Unprompted, rule + " needs no prompt, and commands can write there"
	case asked:
		return Unprompted, ""
	}
	return Unprompted, rule + " needs no prompt"
}

// programs are the hooks, status lines, helpers and plugins of the settings.
func (s *Start) programs() (list []Allowance) {
	add := func(c settings.Candidate, words string) {
		at := report.FileEvidence(c.Where(), words)
		if s.plain != nil && c.Scope == settings.Flag {
			at.Where = "claude-iso"
		}
		list = append(list, Allowance{Outside, at})
	}
	plugins := map[string]bool{}
	for _, l := range s.Settings.Layers() {
		at := func(v *settings.Value) settings.Candidate {
			source := settings.Source{Scope: l.Scope, Path: l.Doc.Path, Line: v.Line, Col: v.Col}
			return settings.Candidate{Source: source, Value: v}
		}
		for _, h := range l.Doc.Hooks() {
			if !s.hooksOff(l.Scope) {
				add(at(h.Entry), "the hook on "+h.Event+started(h.Entry))
			}
		}
		for _, m := range settings.MembersOf(l.Doc.Get(claude.KeyEnabledPlugins...)) {
			if !plugins[m.Key] && !m.Value.False() {
				add(at(m.Value), "hooks and servers of the plugin "+m.Key+" run outside the sandbox")
			}
			plugins[m.Key] = true
		}
	}
	for _, name := range slices.Concat([]string{claude.KeyStatusLine.Leaf(), claude.KeySubagentStatusLine.Leaf(),
		claude.KeyFileSuggestion.Leaf()}, claude.Helpers) {
		if set := s.Settings.Scalar(name); set.Value != nil {
			add(set.Candidate, name+started(set.Value))
		}
	}
	return list
}

// hooksOff says whether the hooks of a scope do not run.
func (s *Start) hooksOff(of settings.Scope) bool {
	if s.Settings.Scalar(claude.KeyDisableAllHooks...).Value.True() {
		return true
	}
	return of != settings.Managed && slices.ContainsFunc([]claude.KeyPath{claude.KeyAllowManagedHooksOnly,
		claude.KeyStrictPluginOnly}, func(key claude.KeyPath) bool {
		only := s.Settings.Scalar(key...)
		return only.Scope == settings.Managed && (only.Value.True() || only.Value.Element(claude.KeyHooks.Leaf()) != nil)
	})
}

// started are the words for what a value starts: a command line, a request, or a model.
func started(v *settings.Value) string {
	line := v
	if command, args := v.Command(); command != nil {
		if line = command; args != nil {
			return " runs outside the sandbox: " + strings.Join(redact.Words(append([]string{settings.TextOf(command)},
				settings.TextsOf(args)...)), " ")
		}
	}
	switch url := v.Get("url"); {
	case line.Kind == settings.Str:
		return " runs outside the sandbox: " + redact.Command(line.Text)
	case url != nil:
		return " sends what it gets to " + redact.URL(settings.TextOf(url))
	}
	return " runs outside the sandbox"
}
