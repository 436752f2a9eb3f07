// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whole-user scope and the way back on a real terminal, from
// the home screen's key to a home that is byte for byte what it was.

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/steward-setup/steward-setup/internal/testenv"
)

// files are the files below the home, but for the program's own records.
func (n *newcomer) files() map[string]string {
	n.t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(n.home, func(path string, e os.DirEntry, err error) error {
		name, _ := filepath.Rel(n.home, path)
		switch {
		case err != nil:
			return err
		case name == ".local/state" || name == ".cache" || strings.HasSuffix(name, ".git/objects"):
			return filepath.SkipDir
		case e.IsDir():
			return nil
		}
		b, err := os.ReadFile(path)
		all[name] = string(b)
		return err
	})
	if err != nil {
		n.t.Fatal(err)
	}
	return all
}

func TestWholeUserScopeOnATerminal(t *testing.T) {
	testenv.AsUser(t)
	n := newNewcomer(t)
	n.environ = slices.DeleteFunc(n.environ, func(kv string) bool { return strings.HasPrefix(kv, "GIT_CONFIG_GLOBAL=") })
	n.write(filepath.Join(n.home, ".gitconfig"), "[user]\n\tname = Ada\n", 0o644)
	n.write(filepath.Join(n.project, ".claude", "settings.json"), "{}\n", 0o644)
	n.write(filepath.Join(n.project, ".git", "hooks", "pre-commit"), "#!/bin/sh\n", 0o755)
	n.write(filepath.Join(n.home, "code", "leaky", ".claude", "x"), "", 0o644)
	n.git("init", "-q", filepath.Join(n.home, "code", "leaky"))
	before := n.files()

	term := n.start()
	term.Answer("s scope", "s")
	term.Answer("Scope: per-project", "w")
	term.Answer("Where are your repositories?", "\r")
	term.Sees("◐ binary") // started from where it was built, it is copied first
	term.Type("a")
	term.Sees("✗ ~/code/leaky")
	term.Answer("add .claude/settings.local.json to .gitignore", "\r")
	term.Sees("1 of 2") // the root, and the standing approval
	term.Type("a")
	for range 3 {
		page := term.SeesOneOf("question 1 of 3", "question 2 of 3", "question 3 of 3")
		term.Type("\r")
		term.Until("the next page", func(screen string) bool { return !strings.Contains(screen, page) })
	}
	term.Answer("Policy in your user settings", "a")
	term.SeesOneOf("To continue, type core.hooksPath", "Read to the end first")
	term.Type("\x1b[F") // the end key
	term.Answer("To continue, type core.hooksPath", "yes\r")
	term.Sees("⚠ To continue")
	if n.has(".claude/git-hooks") || n.has("code/tracker/.claude/settings.local.json") {
		t.Fatal("something was written before the last yes")
	}
	term.Type("\x15core.hooksPath\r")
	term.Answer("a approve", "a")
	term.Answer("enter apply", "\r")
	term.Sees(" files changed")
	term.Answer("enter leave", "\r")
	term.Ends(1) // the line for .gitignore is left
	for _, name := range []string{".claude/git-hooks/post-checkout", "code/tracker/.claude/settings.local.json"} {
		if !n.has(name) {
			t.Errorf("%s is missing", name)
		}
	}
	if n.has("code/leaky/.claude/settings.local.json") {
		t.Error("a file was written that git does not ignore")
	}

	term = n.start("scope", "per-project", "--remove-roots")
	term.Answer("Back to per-project scope", "\r")
	term.Answer("files changed", "\r")
	term.Ends(0)
	if diff := cmp.Diff(before, n.files()); diff != "" {
		t.Errorf("the home is not what it was:\n%s", diff)
	}
}

func TestCtrlCWhileRepositoriesAreSearchedWritesNothing(t *testing.T) {
	n := newNewcomer(t)
	n.environ = slices.DeleteFunc(n.environ, func(kv string) bool { return strings.HasPrefix(kv, "GIT_CONFIG_GLOBAL=") })
	before := n.files()
	term := n.start("scope", "whole-user", "--root", "/")
	term.SeesOneOf("Looking for repositories", "looking for repositories")
	term.Type("\x03")
	term.Ends(130)
	if diff := cmp.Diff(before, n.files()); diff != "" {
		t.Errorf("something was written:\n%s", diff)
	}
}
