// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package gitrepo

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
)

func TestIgnoredNamesTheRule(t *testing.T) {
	ctx := context.Background()
	const rel = ".claude/settings.local.json"
	p := newPlace(t)
	repo := p.repo(awkward)
	gitignore := filepath.Join(repo, ".gitignore")
	exclude := filepath.Join(repo, ".git", "info", "exclude")
	nested := filepath.Join(repo, ".claude", ".gitignore")
	global := p.path(".config", "git", "ignore")
	odd := p.path("ex:3:\nx")
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  Ignore
		where string
	}{
		{"no rule", nil, Ignore{}, ""},
		{"exact", map[string]string{gitignore: "x\n" + rel + "\n"}, Ignore{true, gitignore, 2, rel}, gitignore + ":2"},
		{"directory", map[string]string{gitignore: ".claude/\n"}, Ignore{true, gitignore, 1, ".claude/"}, gitignore + ":1"},
		{"nested", map[string]string{nested: "*.local.json\n"}, Ignore{true, nested, 1, "*.local.json"}, nested + ":1"},
		{"taken back", map[string]string{gitignore: rel + "\n!" + rel + "\n"}, Ignore{false, gitignore, 2, "!" + rel},
			gitignore + ":2"},
		{"exclude file", map[string]string{exclude: "\n.claude\n"}, Ignore{true, exclude, 2, ".claude"}, exclude + ":2"},
		{"the user's own", map[string]string{global: "**/.claude/*.local.json\n"},
			Ignore{true, global, 1, "**/.claude/*.local.json"}, global + ":1"},
		{"a source like the answer's form", map[string]string{odd: ".claude\n"}, Ignore{true, odd, 1, ".claude"}, odd + ":1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for path, text := range tt.files {
				p.write(path, text, 0o644)
				if path == odd {
					p.git(repo, "config", "core.excludesFile", odd)
				}
				defer os.Remove(path)
			}
			got, err := p.open(repo).Ignored(ctx, repo, rel)
			if err != nil || got != tt.want || got.Where() != tt.where {
				t.Errorf("got %+v, %v; want %+v", got, err, tt.want)
			}
		})
	}
}

func TestIgnoredInALinkedWorktree(t *testing.T) {
	ctx := context.Background()
	p := newPlace(t)
	repo := p.repo("repo")
	p.git(repo, "worktree", "add", "-q", p.path("wt"))
	p.write(p.path("wt", ".gitignore"), "/x\n", 0o644)
	r := p.open(repo)
	for root, want := range map[string]bool{repo: false, p.path("wt"): true} {
		if got, err := r.Ignored(ctx, root, "x"); err != nil || got.Ignored != want {
			t.Errorf("%s: %+v, %v", root, got, err)
		}
	}
}

func TestPathsAreTakenLiterally(t *testing.T) {
	ctx := context.Background()
	p := newPlace(t)
	repo := p.repo("repo")
	p.write(filepath.Join(repo, "file"), "", 0o644)
	p.write(filepath.Join(repo, "st*r"), "", 0o644)
	p.git(repo, "add", ".")
	r := p.open(repo)
	for rel, want := range map[string]bool{"file": true, "st*r": true, "fil*": false, ":/file": false, ":(glob)f*": false,
		"none\nfile": false, "-z": false} {
		if got, err := r.Tracked(ctx, repo, rel); err != nil || got != want {
			t.Errorf("Tracked(%q) = %v, %v", rel, got, err)
		}
	}
	p.write(filepath.Join(repo, ".gitignore"), "/file\n", 0o644)
	for rel, want := range map[string]bool{"file": true, "fil?": false, ":/file": false, ":(top)file": false,
		"none\nfile": false, "-v": false} {
		if got, err := r.Ignored(ctx, repo, rel); err != nil || got.Ignored != want {
			t.Errorf("Ignored(%q) = %+v, %v", rel, got, err)
		}
	}
	for _, rel := range []string{"../x", "/etc/passwd", "a/../../x", "", "x\x00y"} {
		_, err := r.Ignored(ctx, repo, rel)
		wantError(t, err, report.ExitInternal)
		_, err = r.Tracked(ctx, repo, rel)
		wantError(t, err, report.ExitInternal)
	}
}

// Where .claude is a link, git has no answer, and "not ignored" would be one.
func TestIgnoredBehindALink(t *testing.T) {
	p := newPlace(t)
	repo := p.repo("repo")
	if err := os.Symlink(p.home, filepath.Join(repo, ".claude")); err != nil {
		t.Fatal(err)
	}
	_, err := p.open(repo).Ignored(context.Background(), repo, ".claude/settings.local.json")
	wantError(t, err, report.ExitLeft, "symbolic link")
}

func TestHooksPathNamesItsOrigin(t *testing.T) {
	p := newPlace(t)
	repo := p.repo("repo")
	p.git(repo, "worktree", "add", "-q", p.path("wt"))
	p.git(p.home, "clone", "-q", "--bare", repo, p.path("b.git"))
	local := filepath.Join(repo, ".git", "config")
	global := p.path(".gitconfig")
	check := func(name, dir string, want Hooks) {
		t.Helper()
		got, err := p.open(dir).HooksPath(context.Background())
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\ngot  %+v, %v\nwant %+v", name, got, err, want)
		}
	}
	hooks := filepath.Join(repo, ".git", "hooks")
	check("not set", repo, Hooks{Path: hooks})
	check("not set, linked worktree", p.path("wt"), Hooks{Path: hooks})
	check("not set, bare", p.path("b.git"), Hooks{Path: p.path("b.git", "hooks")})

	p.write(global, "[core]\n\thooksPath = ~/git hooks\n", 0o644)
	check("global", repo, Hooks{Path: p.path("git hooks"), Value: p.path("git hooks"), Scope: "global", Origin: global})

	p.write(global, "[core]\n\thooksPath = ~\n", 0o644)
	check("what git expands", repo, Hooks{Path: p.home, Value: p.home, Scope: "global", Origin: global})
	p.write(global, "[core]\n\thooksPath = ~/git hooks\n", 0o644)

	overruled := []Hooks{{Path: p.path("git hooks"), Value: p.path("git hooks"), Scope: "global", Origin: global}}
	p.git(repo, "config", "core.hooksPath", ".husky/_")
	check("husky", repo, Hooks{Path: filepath.Join(repo, ".husky/_"), Value: ".husky/_", Scope: "local", Origin: local,
		Overruled: overruled})
	check("husky, linked worktree", p.path("wt"), Hooks{Path: p.path("wt", ".husky/_"), Value: ".husky/_", Scope: "local",
		Origin: local, Overruled: overruled})

	p.git(repo, "config", "core.hooksPath", "/srv/hooks")
	check("local", repo, Hooks{Path: "/srv/hooks", Value: "/srv/hooks", Scope: "local", Origin: local,
		Overruled: overruled})
}

func TestKeptOutIsIgnoredAndNotTracked(t *testing.T) {
	const rel = ".claude/settings.local.json"
	p := newPlace(t)
	repo := p.repo(awkward)
	h := p.open(repo).host
	want := func(name string, kept bool, words string) {
		t.Helper()
		got, why, err := KeptOut(context.Background(), h, repo, rel)
		if err != nil || got != kept || !strings.Contains(why, words) {
			t.Errorf("%s: %v, %q, %v", name, got, why, err)
		}
	}
	want("no rule", false, "git does not ignore it")
	p.write(filepath.Join(repo, ".gitignore"), rel+"\n", 0o644)
	want("a rule", true, "")
	p.write(filepath.Join(repo, ".gitignore"), rel+"\n!"+rel+"\n", 0o644)
	want("taken back", false, ".gitignore:2 says !")
	p.write(filepath.Join(repo, ".gitignore"), rel+"\n", 0o644)
	p.write(filepath.Join(repo, rel), "{}", 0o644)
	p.git(repo, "add", "-f", rel)
	want("committed", false, "git rm --cached "+rel)
}
