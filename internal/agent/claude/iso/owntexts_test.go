// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the user's own instructions lead to is named with the
// line, and with the file that it really is.

package iso

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestOwnInstructionsLead(t *testing.T) {
	h, home := machine(t, map[string]string{"p/.git/HEAD": ""}, "")
	put(t, filepath.Join(home, ".claude/CLAUDE.md"), "Mine.\n@style.md and @~/p/todo @~/notes.md, @~/p/x\n")
	put(t, filepath.Join(home, ".claude/style.md"), "@~/p/a.md\n")
	put(t, filepath.Join(home, "notes.md"), "mine\n")
	put(t, filepath.Join(home, "p/a.md"), "@~/notes.md\n")
	put(t, filepath.Join(home, ".claude/rules/r.md"), "@../style.md\n")
	for name, to := range map[string]string{".claude/rules/linked.md": "p/a.md", ".claude/rules/again": ".claude/rules"} {
		if err := os.Symlink(filepath.Join(home, to), filepath.Join(home, name)); err != nil {
			t.Fatal(err)
		}
	}
	open := func(path string) bool {
		real, err := h.Resolve(path)
		return err == nil && strings.HasPrefix(real, filepath.Join(home, "p")+"/")
	}
	var got []string
	for _, l := range OwnInstructions(h, open) {
		got = append(got, strings.ReplaceAll(l.Where+" "+l.String(), home+"/", ""))
	}
	slices.Sort(got)
	want := []string{
		".claude/CLAUDE.md:2 imports p/todo, which commands may write",
		".claude/rules/linked.md is a symlink to p/a.md, which commands may write",
		".claude/style.md:1 imports p/a.md, which commands may write",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestInstructionsAbove: a plain session reads of a directory above what it reads of the
// project's own, .claude/AGENTS.md too (seen in the walk of 2.1.330).
func TestInstructionsAbove(t *testing.T) {
	h, home := machine(t, map[string]string{"group/p/.git/HEAD": "", "group/p/a.md": ""}, "")
	root := filepath.Join(home, "group/p")
	names := []string{"CLAUDE.local.md", "AGENTS.md", ".claude/AGENTS.md", ".claude/rules/r.md"}
	for _, name := range names {
		put(t, filepath.Join(home, "group", name), "@"+root+"/a.md\n")
	}
	var got []string
	for _, l := range InstructionsAbove(h, root, func(path string) bool { return strings.HasPrefix(path, root+"/") }) {
		got = append(got, strings.TrimPrefix(l.File, filepath.Dir(root)+"/"))
	}
	slices.Sort(got)
	slices.Sort(names)
	if !slices.Equal(got, names) {
		t.Errorf("got %q, want %q", got, names)
	}
}
