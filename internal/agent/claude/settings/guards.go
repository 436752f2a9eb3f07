// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a project cannot do to the user. The runtime ignores
// some values of project and local settings, most of them only when managed
// settings or --settings arm it. Only what was measured with Claude Code
// 2.1.329 is taken for ignored; where the runtime may ignore more, a value
// counts as in force, since that is the worse of the two.

package settings

import (
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
)

// ignoresScalar says why the runtime does not take a scope's value v at path.
func (e *Effective) ignoresScalar(s Scope, path []string, v *Value) string {
	key := KeyPath(path)
	if key == claude.KeyFilesystemDisabled.String() && s != Managed && e.managesFiles() {
		return "managed settings say what commands may read and write"
	}
	if !s.OfProject() {
		return ""
	}
	switch key {
	case claude.KeyStrictAllowlist.String(), claude.KeyFilesystemDisabled.String(), "env." + claude.MentionsVariable:
		return "the runtime does not take it from a project"
	case claude.KeyHTTPProxyPort.String(), claude.KeySocksProxyPort.String():
		if e.users(claude.KeyStrictAllowlist...).True() {
			return "strictAllowlist keeps a project from naming a proxy"
		}
	case claude.KeyAllowUnsandboxedCommands.String():
		if v.True() && e.users(path...).False() {
			return "a project cannot turn it on again"
		}
	case claude.KeySandboxEnabled.String(), claude.KeyFailIfUnavailable.String():
		if v.False() && e.locked() && e.users(path...).True() {
			return "allowUnsandboxedCommands is false in managed settings or --settings, and the user has it on"
		}
	}
	return ""
}

// ignoresElement says why the runtime does not take an element of the array at
// path.
func (e *Effective) ignoresElement(s Scope, path []string, v *Value) string {
	if len(path) == 2 && path[0] == claude.KeyPermissions.Leaf() && slices.Contains(ruleLists, path[1]) {
		if _, alone := e.OnlyManagedRules(); alone && s != Managed {
			return "managed settings count no rules but their own"
		}
		return skippedRule(path[1], v)
	}
	key := KeyPath(path)
	writes := key == claude.KeyAllowWrite.String()
	switch {
	case s.OfProject() && key == claude.KeyAllowedDomains.String() && e.users(claude.KeyStrictAllowlist...).True():
		return "strictAllowlist in user settings counts no hosts of a project"
	case !s.OfProject() || v.Kind != Str || !writes && key != claude.KeyAllowRead.String():
		return ""
	case writes && e.locked():
		return "allowUnsandboxedCommands is false in managed settings or --settings: a project opens nothing for writing"
	case !e.armed():
		return ""
	case strings.ContainsAny(v.Text, "*?["):
		return "managed settings or --settings deny reading somewhere: a project opens no patterns"
	}
	opened := e.dirs.Resolve(v.Text, s)
	for _, denied := range e.denied() {
		if pathname.Within(opened, denied) {
			return "managed settings or --settings deny reading somewhere: a project opens nothing below " + denied
		}
	}
	return ""
}

// of returns the strongest value at path in one of the given scopes, or nil.
func (e *Effective) of(scopes []Scope, path ...string) *Value {
	for _, l := range e.layers {
		if v := l.Doc.Get(path...); v != nil && slices.Contains(scopes, l.Scope) {
			return v
		}
	}
	return nil
}

// users returns the strongest value at path that no project can write.
func (e *Effective) users(path ...string) *Value { return e.of([]Scope{Managed, Flag, User}, path...) }

// locked says whether managed settings or --settings keep every command in the
// sandbox. The same value in user settings does not arm the guards.
func (e *Effective) locked() bool {
	return e.of([]Scope{Managed, Flag}, claude.KeyAllowUnsandboxedCommands...).False()
}

// managesFiles says whether managed settings have rules for files, which no
// other scope can switch off.
func (e *Effective) managesFiles() bool {
	managed := []Scope{Managed}
	return e.of(managed, claude.KeyFilesystem...) != nil ||
		slices.ContainsFunc(ItemsOf(e.of(managed, claude.KeyCredentialFiles...)),
			func(file *Value) bool { return file.Get("mode").isText(claude.Deny) })
}

// OnlyManagedRules says whether no other scope's permission rules count, those of --settings
// included, and where that stands: in any of the managed files (measured with 2.1.330).
func (e *Effective) OnlyManagedRules() (at Source, alone bool) {
	for _, l := range e.layers {
		if v := l.Doc.Get(claude.KeyAllowManagedPermissionRulesOnly...); l.Scope == Managed && v.True() {
			return candidate(l, v, "").Source, true
		}
	}
	return Source{}, false
}

// armed says whether managed settings or --settings guard what may be read.
func (e *Effective) armed() bool {
	if e.locked() {
		return true
	}
	return slices.ContainsFunc(e.layers, func(l ScopedDoc) bool {
		if l.Scope != Managed && l.Scope != Flag {
			return false
		}
		return l.Doc.Get(claude.KeyDenyRead.Below("0")...) != nil ||
			l.Doc.Get(claude.KeyCredentialFiles.Below("0")...) != nil ||
			slices.ContainsFunc(ItemsOf(l.Doc.Get(claude.KeyDeny...)), func(r *Value) bool {
				tool, _, call, _ := claude.SplitRule(r.Text)
				return tool == claude.ToolRead && call && skippedRule(claude.Deny, r) == ""
			})
	})
}

// denied lists the paths that managed, --settings or user settings hide from
// reading, by denyRead or as a credential.
func (e *Effective) denied() (paths []string) {
	for _, l := range e.layers {
		if l.Scope.OfProject() {
			continue
		}
		hidden := slices.Clone(ItemsOf(l.Doc.Get(claude.KeyDenyRead...)))
		for _, file := range ItemsOf(l.Doc.Get(claude.KeyCredentialFiles...)) {
			hidden = append(hidden, file.Get("path"))
		}
		for _, v := range hidden {
			if v != nil && v.Kind == Str {
				paths = append(paths, e.dirs.Resolve(v.Text, l.Scope))
			}
		}
	}
	return paths
}
