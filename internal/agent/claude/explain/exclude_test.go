// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: git is asked with placeholders made as the sandbox makes
// them.

package explain

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/fixes"
	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestExcludedPlaceholdersLetGitAddWork(t *testing.T) {
	testenv.Need(t, "git", "bwrap")
	l := newLab(t)
	l.put("p/.zshrc", "mine")
	git := func(args ...string) (string, error) {
		line := append([]string{"--dev-bind", "/", "/"}, "--ro-bind", "/dev/null", l.path("p/.bash_profile"), "--ro-bind",
			"/dev/null", l.path("p/.mcp.json"), "git")
		cmd := exec.Command("bwrap", append(line, args...)...)
		cmd.Dir, cmd.Env = l.project, testenv.Env(t, l.home)
		out, err := cmd.CombinedOutput()
		for _, name := range []string{"p/.bash_profile", "p/.mcp.json"} { // bwrap leaves what it mounts on
			os.Remove(l.path(name))
		}
		return string(out), err
	}
	if out, err := git("init", "-q"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := git("add", ".")
	if err == nil || !strings.Contains(out, "can only add regular files") {
		t.Fatalf("git add works: %v\n%s", err, out)
	}
	a, known := catalog.Recognise(all(t), out, "linux", Look(t.Context(), l.reader(), ""))
	if !known || a.Entry.ID != "git-add" || a.Verdict != catalog.Sandboxed {
		t.Fatalf("%s: %s, %s", out, a.Entry.ID, a.Verdict)
	}
	_, here := Propose(t.Context(), l.reader(), "git-add", a.Entry.Fixes[0], Question{}, false)
	if here.Change == nil || strings.Contains(string(here.Change.After), "zshrc") ||
		!strings.HasPrefix(string(here.Change.After), string(here.Change.Before)) {
		t.Fatalf("%+v", here)
	}
	l.put("p/.git/info/exclude", string(here.Change.After))
	if out, err := git("add", "."); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err := git("status", "--short"); err != nil || !strings.Contains(out, "A  .zshrc") ||
		strings.Contains(out, ".bash_profile") {
		t.Errorf("%v\n%s", err, out)
	}
	if _, here = Propose(t.Context(), l.reader(), "git-add", a.Entry.Fixes[0], Question{}, false); here.Change != nil ||
		here.Refuted == "" {
		t.Errorf("excluded twice: %+v", here)
	}
}

// TestGitAddInASession: the real runtime shows the placeholders, and with them
// excluded git add works.
func TestGitAddInASession(t *testing.T) {
	testenv.AsRoot(t)
	testenv.Claude(t)
	testenv.Need(t, "git", "bwrap", "socat", "rg")
	l := newLab(t)
	l.put("p/.claude/settings.json", `{"sandbox": {"enabled": true}}`)
	l.put("p/a.txt", "a")
	cmd := exec.Command("git", "init", "-q")
	cmd.Dir, cmd.Env = l.project, testenv.Env(t, l.home)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	add := []model.Call{model.Bash("git add . && git status --short")}
	first := l.play(add)[0].Text
	a, known := catalog.Recognise(all(t), first, "linux", Look(t.Context(), l.reader(), ""))
	if !known || a.Entry.ID != "git-add" || a.Verdict != catalog.Sandboxed {
		t.Fatalf("%s: %s, %s", first, a.Entry.ID, a.Verdict)
	}
	_, here := Propose(t.Context(), l.reader(), "git-add", a.Entry.Fixes[0], Question{}, false)
	if here.Change == nil {
		t.Fatalf("%+v", here)
	}
	l.put("p/.git/info/exclude", string(here.Change.After))
	if second := l.play(add)[0].Text; !strings.Contains(second, "A  a.txt") || strings.Contains(second, "can only add") ||
		strings.Contains(second, "??") {
		t.Errorf("with the names excluded: %s", second)
	}
}

// TestTheListIsThatOfEveryWorktree: what one of them tracks is a placeholder in
// another that lacks it; what one of them has untracked stays visible.
func TestTheListIsThatOfEveryWorktree(t *testing.T) {
	testenv.Need(t, "git")
	l := newLab(t)
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", l.project, "-c", "user.name=T", "-c",
			"user.email=t@example.invalid"}, args...)...)
		cmd.Env = testenv.Env(t, l.home)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	git("init", "-q")
	git("commit", "-q", "--allow-empty", "-m", "empty")
	git("worktree", "add", "-q", l.path("fix"))
	l.put("p/.gitmodules", "")
	l.put("p/.vscode/settings.json", "{}")
	git("add", ".gitmodules", ".vscode")
	l.put("fix/.zshrc", "mine")
	for _, root := range []string{l.project, l.path("fix")} {
		here := fixes.Exclude(t.Context(), l.reader(), root, "git-add", catalog.Fix{})
		if here.Change == nil {
			t.Fatalf("%s: %+v", root, here)
		}
		lines := strings.Split(string(here.Change.After), "\n")
		for name, want := range map[string]bool{"/.gitmodules": true, "/.bashrc": true, "/.vscode": false, "/.zshrc": false} {
			if slices.Contains(lines, name) != want {
				t.Errorf("%s: %s: want it in the list: %v: %q", root, name, want, lines)
			}
		}
	}
}

func TestAnExcludeFileThatLeadsOutIsNotRead(t *testing.T) {
	testenv.Need(t, "git")
	l := newLab(t)
	l.put("secret", "SECRET")
	cmd := exec.Command("git", "init", "-q")
	cmd.Dir, cmd.Env = l.project, testenv.Env(t, l.home)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	os.Remove(l.path("p/.git/info/exclude"))
	if err := os.Symlink(l.path("secret"), l.path("p/.git/info/exclude")); err != nil {
		t.Fatal(err)
	}
	_, here := Propose(t.Context(), l.reader(), "git-add", catalog.Fix{Exclude: true}, Question{}, false)
	if here.Change != nil || here.Refused == "" {
		t.Errorf("%+v", here)
	}
}
