// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: an entry of settings that names a path means one
// absolute path, by its scope and with its links resolved.

package checks

import (
	"slices"
	"strconv"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/policy"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host"
)

var (
	allowReadKey  = claude.KeyAllowRead.String()
	allowWriteKey = claude.KeyAllowWrite.String()
	// These open paths to commands too, and claude-iso does not load a
	// project's.
	allowKey       = claude.KeyAllow.String()
	directoriesKey = claude.KeyAdditionalDirectories.String()
)

func isRelative(p string) bool {
	p = strings.TrimSpace(p)
	return !strings.HasPrefix(p, "/") && p != "~" && !strings.HasPrefix(p, "~/")
}

// plainKey says whether claude-iso does not load an array of a project's
// settings by itself.
func plainKey(key string) bool { return key == allowKey || key == directoriesKey }

// entry is one element in force of an array of paths, or of rules that open
// one.
type entry struct {
	key, text string
	where     string
	path      []string
	scope     settings.Scope
	// named is the absolute path that it means, as it is written (it may
	// hold wildcards); real is the same with links resolved.
	named, real string
}

// plain says that claude-iso does not load it by itself.
func (e entry) plain() bool {
	return plainKey(e.key) && (e.scope == settings.Project || e.scope == settings.Local)
}

// inAgentDir says whether it means a place in the agent's own directory, and
// does not say so.
func (e entry) inAgentDir() bool {
	return e.scope == settings.User && strings.HasPrefix(e.key, "sandbox.") && isRelative(e.text)
}

// writesIn lists what commands may write: the entries of allowWrite, and what
// permissions.allow and additionalDirectories open beside them (measured, see
// policy.EditPath).
func writesIn(r host.Reader, s SessionSettings) []entry {
	return slices.Concat(entriesIn(r, s, allowWriteKey), entriesIn(r, s, allowKey), entriesIn(r, s, directoriesKey))
}

// keptIn lists the real paths that commands may not write, whatever is allowed
// above them.
func keptIn(r host.Reader, s SessionSettings) []string {
	var kept []string
	for _, e := range entriesIn(r, s, claude.KeyDenyWrite.String()) {
		kept = append(kept, strings.TrimSuffix(e.real, "/**"))
	}
	return kept
}

// entriesIn lists the elements in force of an array of paths in all documents.
func entriesIn(r host.Reader, s SessionSettings, key string) []entry {
	e := s.inForce()
	var list []entry
	for _, l := range s.Layers {
		path := strings.Split(key, ".")
		array := l.Doc.Get(path...)
		if array == nil {
			continue
		}
		for i, v := range array.Items {
			if v.Kind != settings.Str {
				continue
			}
			named := meant(s.dirs, key, v.Text, l.Scope)
			if named == "" { // so of thousands of rules the few are asked for that name a path
				continue
			}
			at := append(slices.Clone(path), strconv.Itoa(i))
			if !holds(e, l, at) {
				continue
			}
			list = append(list, entry{key, v.Text, l.Doc.Where(v), at, l.Scope, named, realPath(r, named)})
		}
	}
	return list
}

// meant is the absolute path that an element of an array means; "" if it means
// none, or (in settings given as text) none that anybody can name.
func meant(dirs settings.Dirs, key, text string, scope settings.Scope) string {
	if strings.HasPrefix(key, "sandbox.") {
		return dirs.Resolve(text, scope)
	}
	// These begin in the start directory, whatever their scope (measured with
	// 2.1.141 and 2.1.329).
	if key != directoriesKey {
		agent := ""
		if scope == settings.User {
			agent = dirs.Agent
		}
		p, ok := policy.EditPath(text, agent)
		if !ok {
			return ""
		}
		text = p
	}
	return dirs.Resolve(text, settings.Project)
}
