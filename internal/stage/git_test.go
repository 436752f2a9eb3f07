// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package stage

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
)

func TestWorktrees(t *testing.T) {
	g := newGround(t)
	main := g.put("main/", "", 0o755)
	common := g.repo("main/.git")
	linked := g.put("main/.worktrees/w/", "", 0o755)
	g.put(linked+"/file", "x", 0o644)
	g.put(linked+"/.git", "gitdir: "+common+"/worktrees/w\n", 0o644)
	for name, text := range map[string]string{"gitdir": filepath.Join(linked, ".git") + "\n", "commondir": "../..\n",
		"HEAD": "ref: refs/heads/w\n"} {
		g.put(filepath.Join(common, "worktrees", "w", name), text, 0o644)
	}
	g.put(filepath.Join(common, "worktrees", "other", "HEAD"), "x", 0o644)
	s := g.stage(Spec{}, linked, main)
	for path, want := range map[string]string{filepath.Join(linked, "file"): "ro-bind",
		filepath.Join(linked, ".git"): "file gitdir:", filepath.Join(linked, ".env"): "file API",
		filepath.Join(common, "worktrees/w/HEAD"): "file ref:", filepath.Join(common, "worktrees/other/HEAD"): "nothing"} {
		if got := s.at(path); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	count := 0
	for _, c := range s.Canaries {
		if c.Path == filepath.Join(linked, ".env") {
			count++
		}
	}
	if count != 1 {
		t.Errorf("%d canaries for one .env", count)
	}

	bare := g.repo("bare.git")
	w := g.put("w2/", "", 0o755)
	g.put("w2/.git", "gitdir: "+bare+"/worktrees/w2\n", 0o644)
	for name, text := range map[string]string{"gitdir": filepath.Join(w, ".git") + "\n", "commondir": "../..\n",
		"HEAD": "ref: refs/heads/w\n"} {
		g.put(filepath.Join(bare, "worktrees", "w2", name), text, 0o644)
	}
	if got := g.stage(Spec{}, w).at(filepath.Join(bare, "HEAD")); !strings.HasPrefix(got, "file ref:") {
		t.Errorf("a bare repository's HEAD: %q", got)
	}
}

// TestGitFilesOfHostileProjects: whatever a .git file names, nothing that is
// no git directory is copied.
func TestGitFilesOfHostileProjects(t *testing.T) {
	for name, plant := range map[string]func(g *ground, p string){
		"a credential directory": func(g *ground, p string) { g.put("p/.git", "gitdir: "+g.home+"/.aws\n", 0o644) },
		"with HEAD and objects beside": func(g *ground, p string) {
			g.put(".aws/HEAD", "a secret\n", 0o644)
			g.put(".aws/objects/", "", 0o755)
			g.put(".aws/refs/", "", 0o755)
			g.put("p/.git", "gitdir: "+g.home+"/.aws\n", 0o644)
		},
		"through its own worktree directory": func(g *ground, p string) {
			g.put("p/.git", "gitdir: fake\n", 0o644)
			g.put("p/fake/gitdir", p+"/.git\n", 0o644)
			g.put("p/fake/commondir", g.home+"/other/.git\n", 0o644)
			g.repo("other/.git")
		},
		"HEAD is a link": func(g *ground, p string) {
			g.repo("p/x")
			if err := os.Remove(filepath.Join(p, "x", "HEAD")); err != nil {
				g.t.Fatal(err)
			}
			g.put("p/x/HEAD", "->"+g.home+"/.aws/credentials", 0o644)
			g.put("p/.git", "gitdir: x\n", 0o644)
		},
		"objects are a link": func(g *ground, p string) {
			g.put("p/x/HEAD", "ref: refs/heads/main\n", 0o644)
			g.put("p/x/refs/", "", 0o755)
			g.put("p/x/objects", "->"+g.home+"/.aws", 0o644)
			g.put("p/.git", "gitdir: x\n", 0o644)
		},
		"a link": func(g *ground, p string) { g.put("p/.git", "->"+g.home+"/.aws", 0o644) },
	} {
		g := newGround(t)
		g.put(".aws/credentials", "REAL", 0o600)
		p := g.put("p/", "", 0o755)
		plant(g, p)
		s, err := g.build(Spec{}, p)
		var e *report.Error
		if !errors.As(err, &e) || e.Why == "" || e.Next == "" {
			t.Errorf("%s: %v, %+v", name, err, s)
		}
	}
}

func FuzzGitConfig(f *testing.F) {
	f.Add([]byte("[core]\n\tbare = true\n[core] fsmonitor = x\n[filter \"x\"]\n\tclean = evil\n[include]\n" +
		"\tpath = ../x\n[extensions]\nobjectFormat=sha256\n"))
	f.Add([]byte("[core]\nworktree = a\\\nfsmonitor = x\n[co\xffre]\n\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		got := string(storage(b))
		if !strings.HasSuffix(got, "[core]\n\tfsmonitor = false\n\thooksPath = /dev/null\n") {
			t.Fatalf("%q", got)
		}
		for line := range strings.Lines(strings.TrimSuffix(got, "[core]\n\tfsmonitor = false\n\thooksPath = /dev/null\n")) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
			name = strings.TrimSpace(name)
			if strings.HasPrefix(line, "[") {
				if line != "[core]\n" && line != "[extensions]\n" {
					t.Fatalf("section %q of %q", line, b)
				}
			} else if !slices.Contains(stored["core"], name) && !slices.Contains(stored["extensions"], name) ||
				strings.ContainsAny(value, "\"\\;#") {
				t.Fatalf("%q of %q", line, b)
			}
		}
	})
}

// What a copy keeps of a configuration is read as git reads it.
func TestWhatACopyKeepsIsReadAsGitReadsIt(t *testing.T) {
	for text, want := range map[string]string{
		"[core]\n# a comment ends here \\\n\tbare = true ; or not\n": "[core]\n\tbare = true\n",
		"[Core] bare\n\tworktree = \"../sub\"\n":                     "[core]\n\tbare\n[core]\n\tworktree = ../sub\n",
		"[core]\n\tworktree = a\\\nb\n\tworktree = a\\nb\n":          "[core]\n\tworktree = ab\n",
		"[core]\n\tworktree = \"/x \"\n\tworktree = /a b \n":         "[core]\n\tworktree = /a b\n",
		"[core \"x\"]\n\tbare = true\n[filter \"y\"]\n\tclean = z\n": "",
	} {
		if got := strings.TrimSuffix(string(storage([]byte(text))), string(storage(nil))); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// TestSubmodules: git in the project looks into those that are checked out.
func TestSubmodules(t *testing.T) {
	g := newGround(t)
	main := g.put("main/", "", 0o755)
	common := g.repo("main/.git")
	for _, name := range []string{"main/.git/modules/sub", "main/.git/modules/group/one",
		"main/.git/modules/sub/modules/inner"} {
		g.repo(name)
	}
	g.put("main/.git/modules/sub/config",
		"[core]\n\tworktree = ../../../sub\n\tfsmonitor = ./evil\n[remote \"origin\"]\n"+
			"\turl = https://me:word@code.example/\n", 0o644)
	g.put("main/.git/modules/other/HEAD", "-----BEGIN KEY-----\n", 0o644)
	g.put("elsewhere/HEAD", "ref: refs/heads/main\n", 0o644)
	if err := os.Symlink(filepath.Join(filepath.Dir(main), "elsewhere"), filepath.Join(common, "modules",
		"linked")); err != nil {
		t.Fatal(err)
	}
	s := g.stage(Spec{}, main)
	for path, want := range map[string]string{"sub/HEAD": "file ref:", "group/one/HEAD": "file ref:",
		"sub/modules/inner/HEAD": "file ref:", "sub/hooks/post-checkout": "nothing",
		"other/HEAD": "nothing", "linked/HEAD": "nothing", "sub/objects/info/alternates": "file " + objects + "0m"} {
		if got := s.at(filepath.Join(common, "modules", path)); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	if got := s.at(filepath.Join(common, "modules/sub/config")); !strings.Contains(got,
		"worktree = ../../../sub") || strings.Contains(got, "evil") || strings.Contains(got, "word") {
		t.Errorf("the configuration of a submodule is %q", got)
	}
}
