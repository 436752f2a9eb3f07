// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: an entry of settings that names a path means one
// absolute path, by its scope and with its links resolved.

package grants

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/policy"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host"
)

// The keys of settings whose entries name paths: those of the sandbox, and those that
// open paths to the agent's tools.
var (
	AllowReadKey  = claude.KeyAllowRead.String()
	AllowWriteKey = claude.KeyAllowWrite.String()
	// These open paths to commands too, and claude-iso does not load a
	// project's.
	AllowKey       = claude.KeyAllow.String()
	DirectoriesKey = claude.KeyAdditionalDirectories.String()
)

// PlainKey says whether claude-iso does not load an array of a project's
// settings by itself.
func PlainKey(key string) bool { return key == AllowKey || key == DirectoriesKey }

// Entry is one element in force of an array of paths, or of rules that open
// one.
type Entry struct {
	// Candidate is the element as it stands in its document.
	settings.Candidate
	Key, Text string
	Where     string
	Path      []string
	// Named is the absolute path that it means, as it is written (it may
	// hold wildcards); Real is the same with links resolved.
	Named, Real string
}

// Plain says that claude-iso does not load it by itself.
func (e Entry) Plain() bool { return PlainKey(e.Key) && e.Scope.OfProject() }

// InAgentDir says whether it means a place in the agent's own directory, and
// does not say so.
func (e Entry) InAgentDir() bool {
	return e.Scope == settings.User && strings.HasPrefix(e.Key, "sandbox.") && settings.IsRelative(e.Text)
}

// Writes lists what commands may write: the entries of allowWrite, and what
// permissions.allow and additionalDirectories open beside them (measured, see
// policy.EditPath).
func Writes(r host.Reader, s session.Settings) []Entry {
	var list []Entry
	for _, key := range policy.Opening() {
		list = append(list, Entries(r, s, key.String())...)
	}
	return list
}

// Entries lists the elements in force of an array of paths in all documents.
func Entries(r host.Reader, s session.Settings, key string) []Entry {
	e := s.InForce()
	return entries(r, s, key, func(l settings.ScopedDoc, at []string) bool { return session.HoldsAt(e, l, at) })
}

// allowing are the rules of permissions.allow that open paths to commands, those among
// them from which a deny rule takes the force: they still open their path to be
// read (measured with 2.1.329).
func allowing(r host.Reader, s session.Settings) []Entry {
	taken := sync.OnceValue(func() map[*settings.Value]bool {
		values := map[*settings.Value]bool{}
		for _, c := range s.InForce().Taken(claude.KeyAllow...) {
			values[c.Value] = true
		}
		return values
	})
	return entries(r, s, AllowKey, func(l settings.ScopedDoc, at []string) bool { return taken()[l.Doc.Get(at...)] })
}

func entries(r host.Reader, s session.Settings, key string, hold func(settings.ScopedDoc, []string) bool) []Entry {
	var list []Entry
	for _, l := range s.Layers {
		path := strings.Split(key, ".")
		for i, v := range settings.ItemsOf(l.Doc.Get(path...)) {
			if v.Kind != settings.Str {
				continue
			}
			named := policy.PathOf(s.Dirs, key, v.Text, l.Scope)
			if named == "" { // so of thousands of rules the few are asked for that name a path
				continue
			}
			at := append(slices.Clone(path), strconv.Itoa(i))
			if !hold(l, at) {
				continue
			}
			source := settings.Source{Scope: l.Scope, Path: l.Doc.Path, Line: v.Line, Col: v.Col}
			list = append(list, Entry{settings.Candidate{Source: source, Value: v}, key, v.Text, source.Where(), at, named,
				RealPath(r, named)})
		}
	}
	return list
}
