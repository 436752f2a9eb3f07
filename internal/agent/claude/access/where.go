// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: every value is named with the file and line that a person
// would change, also where claude-iso hands it on in a document of its own.

package access

import (
	"path/filepath"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/inforce"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/report"
)

// Sandboxed says whether commands are in a sandbox; why says what decides.
func (s *Start) Sandboxed() (bool, report.Evidence) {
	on := s.Settings.Scalar(claude.KeySandboxEnabled...)
	switch {
	case s.State.Mode != inforce.Off:
		return true, s.At(on.Candidate, claude.KeySandboxEnabled...)
	case on.Value == nil:
		return false, report.FileEvidence(filepath.Join(s.Dirs.Start, claude.Dir, claude.SettingsFile),
			"no settings file switches the sandbox on")
	case on.Value.True() && len(s.State.Broken) > 0:
		return false, report.FileEvidence(s.State.Broken[0].Where, s.State.Broken[0].What)
	}
	return false, s.At(on.Candidate, claude.KeySandboxEnabled...)
}

// At is the evidence for a value: its file and line, its key and scope. What
// claude-iso hands on has the place that it was taken from.
func (s *Start) At(c settings.Candidate, key ...string) report.Evidence {
	text := settings.KeyPath(key) + " " + shown(c.Value)
	if c.Scope != settings.Flag || s.plain == nil {
		return report.FileEvidence(c.Where(), text+" ("+c.Scope.String()+")")
	}
	if from, ok := s.origin(c, key); ok {
		return report.FileEvidence(from.Where(), settings.KeyPath(key)+" "+shown(from.Value)+" ("+from.Scope.String()+")")
	}
	return report.FileEvidence("claude-iso", text+", which it adds to every start")
}

// origin finds the value of the project's settings that claude-iso handed on.
func (s *Start) origin(c settings.Candidate, key []string) (settings.Candidate, bool) {
	if len(key) == 2 && key[0] == claude.KeyPermissions.Leaf() { // rules
		return s.find(s.plain.Settings.List(key...), func(o settings.Candidate) bool { return s.sameRule(o, c) })
	}
	if v := s.plain.Settings.List(key...); v != nil {
		return s.find(v, func(o settings.Candidate) bool { return s.sameValue(o, c) })
	}
	from := s.plain.Settings.Scalar(key...)
	return s.find(append([]settings.Candidate{from.Candidate}, from.Others...), func(o settings.Candidate) bool {
		return o.Value.Equal(c.Value)
	})
}

func (s *Start) find(list []settings.Candidate, same func(settings.Candidate) bool) (settings.Candidate, bool) {
	for _, o := range list {
		if o.Value != nil && o.Scope != settings.User && o.Scope != settings.Managed && same(o) {
			return o, true
		}
	}
	return settings.Candidate{}, false
}

// sameRule compares a rule with one whose path was made absolute.
func (s *Start) sameRule(o, c settings.Candidate) bool {
	if o.Value.Text == c.Value.Text {
		return true
	}
	tool, content, _, _ := claude.SplitRule(o.Value.Text)
	handed, full, _, _ := claude.SplitRule(c.Value.Text)
	a, ok := settings.RulePattern(content, o.Scope, s.plain.Dirs)
	b, also := settings.RulePattern(full, c.Scope, s.Dirs)
	return tool == handed && ok && also && a.Text() == b.Text()
}

// sameValue compares an element of a list with one whose path was made
// absolute.
func (s *Start) sameValue(o, c settings.Candidate) bool {
	pathOf := func(v *settings.Value) *settings.Value {
		if v.Kind == settings.Object {
			if p := v.Get("path"); p != nil {
				return p
			}
		}
		return v
	}
	a, b := pathOf(o.Value), pathOf(c.Value)
	return a.Equal(b) || a.Kind == settings.Str && b.Kind == settings.Str &&
		s.plain.Dirs.Resolve(a.Text, o.Scope) == s.Dirs.Resolve(b.Text, c.Scope)
}

// shown is a value as it stands in a file, short.
func shown(v *settings.Value) string {
	switch {
	case v == nil:
		return ""
	case v.Kind == settings.Str:
		return `"` + v.Text + `"`
	case v.Kind == settings.Object:
		for _, key := range []string{"path", "name"} {
			if p := v.Get(key); p != nil {
				return `"` + p.Text + `"`
			}
		}
		return "{…}"
	case v.Kind == settings.Array:
		return "[…]"
	}
	return v.Text
}
