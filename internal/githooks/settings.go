// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: that a core.hooksPath counts is git's word; the line is
// found by counting, and left out where the file does not say what git said.

package githooks

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/steward-setup/steward-setup/internal/gitconfig"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
)

// Setting is one core.hooksPath that git reads.
type Setting struct {
	// Scope is git's word: "system", "global", "local", "worktree".
	Scope string `json:"scope"`
	// File is where it is set, Line the line or 0; an included file is
	// named itself.
	File string `json:"file"`
	Line int    `json:"line,omitempty"`
	// Raw is the value as it is written there; "" where Line is 0.
	Raw string `json:"-"`
	// Value is as git expands it, Path where it leads.
	Value string `json:"value"`
	Path  string `json:"path"`
	// Ours says that it leads to the shared directory, Counts that no other
	// one overrides it.
	Ours   bool `json:"ours"`
	Counts bool `json:"counts"`
}

// Where is its place, "file:line".
func (s Setting) Where() string {
	if s.Line == 0 {
		return s.File
	}
	return fmt.Sprintf("%s:%d", s.File, s.Line)
}

// Settings lists every core.hooksPath of h, the one that counts last.
func Settings(r host.Reader, h gitrepo.Hooks) []Setting {
	var list []Setting
	seen := map[string]int{}
	for i, s := range append(slices.Clone(h.Overruled), h) {
		if s.Origin == "" {
			continue
		}
		list = append(list, Setting{Scope: s.Scope, File: s.Origin, Value: s.Value, Path: s.Path,
			Ours: Shared(r, s.Path), Counts: i == len(h.Overruled)})
		seen[s.Origin]++
	}
	next := map[string]int{}
	for i := range list {
		s := &list[i]
		b, err := r.Read(s.File)
		if lines := gitconfig.HooksPaths(b); err == nil && len(lines) == seen[s.File] {
			s.Line, s.Raw = lines[next[s.File]].Line, lines[next[s.File]].Raw
		}
		next[s.File]++
	}
	return list
}

// Shared says whether path leads to the shared directory.
func Shared(r host.Reader, path string) bool {
	return path != "" && host.Real(r, path) == host.Real(r, SharedDir(r.Places()))
}

// Before is the core.hooksPath of the user and the machine that would count
// without the shared directory; Value is "" where there is none, and "/" where
// it is set to nothing: git looks for hooks in / then (measured with git
// 2.39.5), which is a way to switch them off. varies says
// that another one counts in some repositories: it is set in a file that git
// includes on a condition.
func Before(ctx context.Context, r host.Reader) (before Setting, varies bool, err error) {
	h, err := gitrepo.UserHooksPath(ctx, r)
	if err != nil {
		return before, false, err
	}
	all := Settings(r, h)
	for _, s := range all {
		if !s.Ours {
			before = s
			before.Value = cmp.Or(s.Value, "/")
		}
	}
	more, err := Varying(ctx, r, all)
	return before, len(more) > 0, err
}

// Varying are those that git includes on a condition: files of the user and the
// machine that are not in all set them.
func Varying(ctx context.Context, r host.Reader, all []Setting) (list []Setting, err error) {
	more, err := gitrepo.UserConfig(ctx, r)
	for _, m := range more {
		if m.Key != "core.hookspath" || slices.ContainsFunc(all, func(s Setting) bool { return s.File == m.Origin }) {
			continue
		}
		value, _ := pathname.Expand(m.Value, r.Places().Home)
		list = append(list, Setting{File: m.Origin, Value: value, Raw: m.Value, Path: value, Ours: Shared(r, value)})
	}
	return list, err
}
