// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what runs outside the sandbox is in no work tree that was
// found, and one work tree that cannot be written stops no other.

package scope_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/agent/claude/setup"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/steps/scope"
)

// TestNothingOfOursIsInAWorktree: the sessions of a repository may write all of
// it, wherever the command was started.
func TestNothingOfOursIsInAWorktree(t *testing.T) {
	for name, arrange := range map[string]func(h home){
		"the shared directory": func(h home) {
			h.link(h.at("code/dotfiles/claude"),
				".claude")
			h.put("code/dotfiles/claude/x", "")
		},
		"git's configuration": func(h home) {
			_ = os.Rename(h.at(".gitconfig"), h.at("code/dotfiles/gitconfig"))
			h.link(h.at("code/dotfiles/gitconfig"), ".gitconfig")
		},
		"the user's settings": func(h home) {
			h.put("code/dotfiles/settings.json", "{}")
			h.link(h.at("code/dotfiles/settings.json"), ".claude/settings.json")
		},
		"what a found project opens": func(h home) {
			h.put("code/plain/.claude/settings.json", `{"sandbox":{"filesystem":{"allowWrite":["~/.claude"]}}}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t)
			h.repo("code/plain")
			h.repo("code/dotfiles")
			arrange(h)
			before := h.files()
			_, err := h.whole(scope.Options{Agent: setup.Settings{}})
			var known *report.Error
			if !errors.As(err, &known) || known.Code != report.ExitLeft || !strings.Contains(known.What,
				"writable by the agent") {
				t.Errorf("%v", err)
			}
			if h.files() != before {
				t.Error("something was written")
			}
		})
	}
}

// TestAProgramInAWorktreeIsCopied: hooks call the copy.
func TestAProgramInAWorktreeIsCopied(t *testing.T) {
	h := newHome(t)
	h.repo("code/tool")
	h.put("code/tool/steward-setup", "the program")
	r := h.readerOf("code/tool/steward-setup")
	p, err := scope.WholeUser(t.Context(), r, scope.Options{Agent: setup.Settings{},
		Roots: []string{h.at("code")}, Depth: 5})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range p.Plan.Changes() {
		if d, ok := scripts.ReadDispatcher(c.After); ok && d.Binary != h.at(".local/bin/steward-setup") {
			t.Fatalf("%s calls %s", c.Path, d.Binary)
		}
	}
}

func TestAWorktreeThatCannotBeWrittenStopsNoOther(t *testing.T) {
	testenv.AsUser(t)
	if os.Getuid() == 0 {
		t.Skip("root writes in every directory")
	}
	h := newHome(t)
	h.repo("code/plain")
	h.repo("code/closed")
	if err := os.Chmod(h.at("code/closed/.claude"), 0o555); err != nil { // it is the point
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(h.at("code/closed/.claude"), 0o755) }) // as it was
	p, err := h.whole(scope.Options{Agent: setup.Settings{}})
	if err != nil || engine.Writable(p.Plan) != nil {
		t.Fatalf("%v, %v", err, engine.Writable(p.Plan))
	}
	if got := states(p, h.at("code")); !slices.Equal(got, []string{"closed main: refused", "plain main: to be written"}) {
		t.Errorf("%q", got)
	}
}

// TestHooksAreWhatGitLooksFor: a file of another name is none, and a work tree
// may have a core.hooksPath of its own.
func TestHooksAreWhatGitLooksFor(t *testing.T) {
	h := newHome(t)
	h.repo("code/plain")
	h.put("code/plain/.git/hooks/pre-commit", "#!/bin/sh\n")
	h.put("code/plain/.git/hooks/pre-commit.legacy", "#!/bin/sh\n")
	h.put("code/plain/.git/hooks/lib.sh", "#!/bin/sh\n")
	h.git("code/plain", "worktree", "add", "-q", h.at("code/side"))
	h.git("code/plain", "config", "extensions.worktreeConfig", "true")
	h.git("code/side", "config", "--worktree", "core.hooksPath", "/own/hooks")
	p, err := h.whole(scope.Options{Agent: setup.Settings{}})
	if err != nil {
		t.Fatal(err)
	}
	repo := p.Repositories[0]
	if !slices.Equal(repo.Hooks, []string{"pre-commit"}) || repo.HooksPath != nil {
		t.Errorf("%q, %v", repo.Hooks, repo.HooksPath)
	}
	if fate := repo.Fate(p.Before); !strings.Contains(fate, "unchanged in "+h.at("code/side")+
		": it sets core.hooksPath = /own/hooks itself") {
		t.Error(fate)
	}
}

// TestHooksOfAnotherVersionRun: after an upgrade the shared hooks of before are
// still what git runs.
func TestHooksOfAnotherVersionRun(t *testing.T) {
	h := newHome(t)
	h.repo("code/plain")
	h.put("team/pre-commit", "#!/bin/sh\n")
	b, err := scripts.Dispatcher{Binary: h.at(".local/bin/steward-setup"), Before: h.at("team")}.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range scripts.GitHooks {
		h.put(".claude/git-hooks/"+name, string(b)+"# as it was\n")
	}
	h.git(".", "config", "--global", "core.hooksPath", h.at("team"))
	h.git(".", "config", "--global", "--add", "core.hooksPath", h.at(".claude/git-hooks"))
	s, err := scope.Show(t.Context(), h.reader(), h.at("code/plain"), scope.Options{Agent: setup.Settings{}})
	if err != nil {
		t.Fatal(err)
	}
	if s.Scope != "whole-user" || s.Before != h.at("team") || len(s.Repositories[0].Runs) != 1 {
		t.Errorf("%s (%s), before %q, %v", s.Scope, s.Why, s.Before, s.Repositories[0].Runs)
	}
	h.put(".claude/git-hooks/pre-commit", string(b)+"# edited\n")
	if s, err = scope.Show(t.Context(), h.reader(), h.at("code/plain"),
		scope.Options{Agent: setup.Settings{}}); err != nil || s.Scope != "mixed" || len(s.Repositories[0].Runs) != 0 {
		t.Errorf("%s, %v, %v", s.Scope, s.Repositories[0].Runs, err)
	}
}

// TestRootsGoAsFarAsARunAddedThem: what the user wrote before or since stays.
func TestRootsGoAsFarAsARunAddedThem(t *testing.T) {
	h := newHome(t)
	h.repo("code/plain")
	root, local := h.at("code/plain"), "code/plain/.claude/settings.local.json"
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	a := engine.Applier{State: h.at(".local/state/steward-setup"), Version: "test",
		Now: func() time.Time { now = now.Add(time.Second); return now }}
	had := `"Read(/` + root + `/**/.env)"`
	h.put(local, `{"permissions":{"deny":[`+had+`]}}`)
	back := func() string {
		t.Helper()
		for _, c := range h.back(a).Changes() {
			if c.Path == h.at(local) {
				return string(c.After)
			}
		}
		return "no change"
	}
	p, err := h.whole(scope.Options{Agent: setup.Settings{}})
	if err != nil {
		t.Fatal(err)
	}
	receipt := h.apply(a, p.Plan, scope.WholeUserCommand)
	b, err := os.ReadFile(h.at(local))
	if err != nil || !strings.Contains(string(b), "allowRead") {
		t.Fatalf("%s, %v", b, err)
	}
	since := strings.Replace(string(b), `"allowRead"`, `"allowWrite":["`+root+`"],"allowRead"`, 1)
	h.put(local, since)
	left := back()
	if !strings.Contains(left, had) || !strings.Contains(left, `"allowWrite":["`) ||
		strings.Contains(left, `"allowRead":["`) || strings.Contains(left, ".env.local") {
		t.Errorf("%s", left)
	}

	h.put(local, string(b))
	r, undo, err := a.UndoPlan(h.reader(), receipt)
	if err == nil {
		err = a.Undo(t.Context(), r, undo, undo.ID, func(engine.Event) {})
	}
	if err != nil {
		t.Fatal(err)
	}
	h.put(local, since) // written by hand, after the run was undone
	if left := back(); left != "no change" {
		t.Errorf("%s: %s", filepath.Base(local), left)
	}
}

// TestARefusedRootIsNamed: which worktree it is, and what to do there.
func TestARefusedRootIsNamed(t *testing.T) {
	h := newHome(t)
	h.repo("code/plain")
	h.repo("code/shown")
	h.put("code/shown/.gitignore", "")
	p, err := h.whole(scope.Options{Agent: setup.Settings{}})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(p.Plan.Findings(), func(f report.Finding) bool {
		return strings.Contains(f.Summary, "is not written")
	})
	if i < 0 {
		t.Fatalf("none of %v", p.Plan.Findings())
	}
	counted := "repositories: 2, worktrees: 2; roots: 1 to write, 1 refused" // what there is none of is left out
	if !slices.ContainsFunc(p.Plan.Findings(), func(f report.Finding) bool { return f.Summary == counted }) {
		t.Errorf("nothing says %q: %v", counted, p.Plan.Findings())
	}
	f := p.Plan.Findings()[i]
	want := report.Remedy(report.DocLink{Title: "in ~/code/shown: add .claude/settings.local.json to .gitignore"})
	if f.Summary != "the root of ~/code/shown is not written" || !slices.Contains(f.Remedies, want) {
		t.Errorf("%q, %v", f.Summary, f.Remedies)
	}
}
