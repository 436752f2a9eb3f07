// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a layout is data, and is tested as data: nothing is
// started here.

package stage

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/inforce"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// ground is a throwaway machine.
type ground struct {
	t        *testing.T
	home     string
	uid, gid int
	vars     []string
}

func newGround(t *testing.T) *ground {
	return &ground{t: t, home: testenv.Home(t), uid: 1000, gid: 1000}
}

// put writes a file below the home; a name that ends in a slash is a
// directory, a text that begins with "->" a link.
func (g *ground) put(name, text string, mode os.FileMode) string {
	g.t.Helper()
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(g.home, name)
	}
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	switch to, link := strings.CutPrefix(text, "->"); {
	case err != nil:
	case strings.HasSuffix(name, "/"):
		err = os.MkdirAll(path, mode)
	case link:
		err = os.Symlink(to, path)
	default:
		err = os.WriteFile(path, []byte(text), mode)
	}
	if err != nil {
		g.t.Fatal(err)
	}
	return path
}

// repo makes what makes a directory a git directory.
func (g *ground) repo(dir string) string {
	for _, name := range []string{"objects/info/", "refs/heads/"} {
		g.put(filepath.Join(dir, name)+"/", "", 0o755)
	}
	g.put(filepath.Join(dir, "HEAD"), "ref: refs/heads/main\n", 0o644)
	g.put(filepath.Join(dir, "config"), "[core]\n\tbare = false\n\tfsmonitor = ./evil\n", 0o644)
	g.put(filepath.Join(dir, "hooks", "pre-commit"), "#!/bin/sh\n", 0o755)
	return filepath.Join(g.home, strings.TrimPrefix(dir, g.home))
}

func (g *ground) host() host.Reader {
	g.t.Helper()
	h, err := host.New(env.System{Env: env.New(append([]string{"HOME=" + g.home, "PATH=/usr/bin:/bin"}, g.vars...)), GOOS: "linux", UID: g.uid, GID: g.gid,
		Cwd: "/", Executable: "/bin/true", Now: time.Now})
	if err != nil {
		g.t.Fatal(err)
	}
	return h
}

func (g *ground) build(spec Spec, roots ...string) (*Stage, error) {
	h := g.host()
	spec.Run, spec.Runtime, spec.Binary = "run", "/bin/true", "/bin/true"
	for _, root := range roots {
		t := inforce.FindTree(h, root)
		if t.Root == "" {
			t.Root = root
		}
		spec.Trees = append(spec.Trees, t)
	}
	return Build(h, spec)
}

func (g *ground) stage(spec Spec, roots ...string) *Stage {
	g.t.Helper()
	s, err := g.build(spec, roots...)
	if err != nil {
		g.t.Fatal(err)
	}
	return s
}

// at says what is at a path of the stage: the last mount on it or above it,
// or what is laid there.
func (s *Stage) at(path string) string {
	for _, f := range s.Files {
		if f.Path == path && !f.Mode.IsDir() {
			return "file " + string(f.Data)
		}
	}
	what := "host"
	for _, m := range s.Mounts {
		if within(m.Target, path) {
			switch m.Kind {
			case Memory:
				what = "nothing"
			default:
				what = string(m.Kind)
			}
		}
	}
	return what
}

func TestArgumentsAreThoseOfTheUser(t *testing.T) {
	s := &Stage{UID: 1000, GID: 100, Mounts: []Mount{{Memory, "", "/home/me", nil}, {ReadOnly, "/a", "/b", nil}, {Link, "x", "/l", nil},
		{Data, "", "/etc/hosts", []byte("h")}, {Data, "", "/etc/x", []byte("i")}, {Writable, "/s", "/s", nil}}}
	args, data := s.Args()
	line := strings.Join(args, " ")
	for _, want := range []string{"--die-with-parent", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-user", "--ro-bind / /", "--proc /proc",
		"--perms 0755 --tmpfs /home/me --ro-bind /a /b --symlink x /l --perms 0644 --ro-bind-data 4 /etc/hosts --perms 0644 --ro-bind-data 5 /etc/x --bind /s /s"} {
		if !strings.Contains(line, want) {
			t.Errorf("no %q in %s", want, line)
		}
	}
	if len(data) != 2 || string(data[1]) != "i" {
		t.Errorf("data %q", data)
	}
	if uid, gid := s.Player(); uid != 1000 || gid != 100 {
		t.Errorf("played by %d:%d", uid, gid)
	}
	// As root a namespace is no protection: the player is somebody else.
	s.AsRoot = true
	args, _ = s.Args()
	if line := strings.Join(args, " "); strings.Contains(line, "--unshare-user") || strings.Contains(line, "--proc") {
		t.Errorf("as root: %s", line)
	}
	if uid, gid := s.Player(); uid == 0 || gid == 0 {
		t.Error("root plays")
	}
}

func TestTheHomeIsEmptyButForWhatIsNamed(t *testing.T) {
	g := newGround(t)
	g.put("unlisted", "x", 0o644)
	g.put(".aws/credentials", "x", 0o600)
	p := g.put("code/p/", "", 0o755)
	g.put("code/p/file", "x", 0o644)
	g.put("code/other/file", "x", 0o644)
	s := g.stage(Spec{Paths: []string{filepath.Join(g.home, ".vault") + "/", filepath.Join(g.home, ".token"), "/etc/shadow", g.home + "/"}}, p)
	for name, want := range map[string]string{"unlisted": "nothing", "code/other/file": "nothing", "code/p/file": "ro-bind", "code/p/.env": "file API_TOKEN=",
		".aws/credentials": "file [default]", ".vault/secret": "file secret = ", ".token": "file secret = ", ".aws/config": "nothing"} {
		if got := s.at(filepath.Join(g.home, name)); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	for path, want := range map[string]bool{filepath.Join(g.home, "unlisted"): true, filepath.Join(p, "file"): false, "/usr/bin": false, "/run/x.sock": true} {
		if s.Hidden(path) != want {
			t.Errorf("hidden %s: %v", path, !want)
		}
	}
	nonces := map[string]bool{}
	for _, c := range s.Canaries {
		if nonces[c.Nonce] || !strings.Contains(string(c.bytes), c.Nonce) || len(Nonces(string(c.bytes))) != 1 {
			t.Errorf("%s: %q", c.Path, c.Nonce)
		}
		nonces[c.Nonce] = true
	}
	if Nonce("run", "/a") == Nonce("other", "/a") {
		t.Error("two runs have one nonce")
	}
}

func TestAProjectKeepsItsFilesAndNothingThatSteers(t *testing.T) {
	g := newGround(t)
	p := g.put("p/", "", 0o755)
	g.repo("p/.git")
	for name, text := range map[string]string{"a.txt": "x", ".env": "S", "sub/.env.local": "S", "sub/deep/.env": "S", "sub/deep/code": "x", "sub/.env.example": "x",
		".claude/settings.json": "{}", ".claude/agents/a.md": "x", "link": "->a.txt", "sub/.claude/settings.json": "{}", "odd \t name\n'": "x", ".envrc": "x",
		"venv/.env/lib/x": "x", "dangling": "->/nowhere"} {
		g.put("p/"+name, text, 0o644)
	}
	s := g.stage(Spec{Starts: []string{filepath.Join(p, "sub")}}, p)
	for name, want := range map[string]string{"a.txt": "ro-bind", ".env": "file API_TOKEN=", "sub/.env.local": "file API_TOKEN=", "sub/deep/.env": "file API_TOKEN=",
		"sub/deep/code": "ro-bind", "sub/.env.example": "ro-bind", ".envrc": "ro-bind", ".claude/settings.json": "nothing", ".claude/agents/a.md": "ro-bind",
		"link": "symlink", "dangling": "symlink", "sub/.claude/settings.json": "nothing", "odd \t name\n'": "ro-bind", "venv/.env/lib/x": "ro-bind",
		".git/HEAD": "file ref:", ".git/hooks/pre-commit": "nothing"} {
		if got := s.at(filepath.Join(p, name)); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if got := s.at(filepath.Join(p, ".git", "config")); strings.Contains(got, "evil") || !strings.Contains(got, "bare = false") || !strings.Contains(got, "hooksPath = /dev/null") {
		t.Errorf("git's configuration: %s", got)
	}
}

func TestWhatAPolicyHidesInAProjectIsHiddenThere(t *testing.T) {
	g := newGround(t)
	p := g.put(".claude/", "", 0o755) // the agent's own directory, kept in git
	g.repo(".claude/.git")
	g.put(".claude/.credentials.json", "REAL", 0o600)
	g.put(".claude/keys/k", "REAL", 0o600)
	g.put(".claude/notes", "x", 0o644)
	s := g.stage(Spec{Paths: []string{filepath.Join(p, "keys") + "/"}}, p)
	for name, want := range map[string]string{".credentials.json": "file {", "keys/k": "nothing", "keys/secret": "file secret", "notes": "ro-bind"} {
		if got := s.at(filepath.Join(p, name)); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestWorktrees(t *testing.T) {
	g := newGround(t)
	main := g.put("main/", "", 0o755)
	common := g.repo("main/.git")
	linked := g.put("main/.worktrees/w/", "", 0o755)
	g.put(linked+"/file", "x", 0o644)
	g.put(linked+"/.git", "gitdir: "+common+"/worktrees/w\n", 0o644)
	for name, text := range map[string]string{"gitdir": filepath.Join(linked, ".git") + "\n", "commondir": "../..\n", "HEAD": "ref: refs/heads/w\n"} {
		g.put(filepath.Join(common, "worktrees", "w", name), text, 0o644)
	}
	g.put(filepath.Join(common, "worktrees", "other", "HEAD"), "x", 0o644)
	s := g.stage(Spec{}, linked, main)
	for path, want := range map[string]string{filepath.Join(linked, "file"): "ro-bind", filepath.Join(linked, ".git"): "file gitdir:", filepath.Join(linked, ".env"): "file API",
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
	for name, text := range map[string]string{"gitdir": filepath.Join(w, ".git") + "\n", "commondir": "../..\n", "HEAD": "ref: refs/heads/w\n"} {
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

func TestPlacesThatAreRefused(t *testing.T) {
	g := newGround(t)
	g.put("p/", "", 0o755)
	for name, spec := range map[string]struct {
		home string
		root string
	}{
		"the home":      {g.home, g.home},
		"what holds it": {g.home, filepath.Dir(g.home)},
		"everything":    {g.home, "/"},
		"home is root":  {"/", g.home},
		"no home":       {filepath.Join(g.home, "none"), filepath.Join(g.home, "p")},
	} {
		other := *g
		other.home = spec.home
		_, err := other.build(Spec{}, spec.root)
		var e *report.Error
		if !errors.As(err, &e) || e.Code != report.ExitLeft || e.Next == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPlacesOutsideTheHome(t *testing.T) {
	g := newGround(t)
	away := testenv.Home(t)
	p := g.put(filepath.Join(away, "p")+"/", "", 0o755)
	g.put(filepath.Join(p, "file"), "x", 0o644)
	g.put(filepath.Join(away, "beside"), "x", 0o644)
	agent := filepath.Join(away, "new", "agent") // is not there yet
	g.vars = []string{"CLAUDE_CONFIG_DIR=" + agent}
	s := g.stage(Spec{}, p)
	if got := s.at(filepath.Join(p, "file")); got != "ro-bind" {
		t.Errorf("the project's file: %q", got)
	}
	if got := s.at(filepath.Join(agent, ".credentials.json")); !strings.HasPrefix(got, "file {") {
		t.Errorf("the agent's credentials: %q", got)
	}
	if !slices.ContainsFunc(s.Files, func(f fs.Laid) bool { return f.Path == agent && f.Mode.IsDir() }) {
		t.Error("the agent's directory is not made")
	}
}

// TestRootsOwnFiles: what root alone may read is copied for the player.
func TestRootsOwnFiles(t *testing.T) {
	g := newGround(t)
	g.uid, g.gid = 0, 0
	p := g.put("p/", "", 0o755)
	g.put("p/private", "x", 0o600)
	g.put("p/dir/", "", 0o700)
	g.put("p/dir/deep/file", "x", 0o644)
	g.put("p/dir/config", "[include] path = x", 0o644)
	g.put("p/public", "x", 0o644)
	s := g.stage(Spec{}, p)
	for name, want := range map[string]string{"private": "file x", "dir/deep/file": "file x", "dir/config": "file [include] path = x", "public": "ro-bind"} {
		if got := s.at(filepath.Join(p, name)); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestTooMuchIsRefused(t *testing.T) {
	g := newGround(t)
	g.uid = 0
	p := g.put("p/", "", 0o755)
	if err := os.WriteFile(filepath.Join(p, "big"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(p, "big"), maxBytes+1); err != nil {
		t.Fatal(err)
	}
	var e *report.Error
	if _, err := g.build(Spec{}, p); !errors.As(err, &e) || !strings.Contains(e.What, "MB") {
		t.Errorf("%v", err)
	}
	g = newGround(t)
	p = g.put("p/", "", 0o755)
	for i := range maxMounts + 1 {
		g.put(fmt.Sprintf("p/%d", i), "", 0o644)
	}
	if _, err := g.build(Spec{}, p); !errors.As(err, &e) || !strings.Contains(e.What, "mounts") {
		t.Errorf("%v", err)
	}
}

func FuzzGitConfig(f *testing.F) {
	f.Add([]byte("[core]\n\tbare = true\n[core] fsmonitor = x\n[filter \"x\"]\n\tclean = evil\n[include]\n\tpath = ../x\n[extensions]\nobjectFormat=sha256\n"))
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
			} else if !slices.Contains(stored["core"], name) && !slices.Contains(stored["extensions"], name) || strings.ContainsAny(value, "\"\\;#") {
				t.Fatalf("%q of %q", line, b)
			}
		}
	})
}
