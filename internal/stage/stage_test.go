// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package stage

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func init() {
	env.Add(env.Agent{Names: []string{""}, Dir: ".claude", Variable: "CLAUDE_CONFIG_DIR", Settings: "settings.json"})
}

func TestArgumentsAreThoseOfTheUser(t *testing.T) {
	s := &Stage{UID: 1000, GID: 100, Mounts: []Mount{{Memory, "", "/home/me", nil}, {ReadOnly, "/a", "/b", nil},
		{Link, "x", "/l", nil},
		{Data, "", "/etc/hosts", []byte("h")}, {Data, "", "/etc/x", []byte("i")}}}
	args, data := s.Args()
	line := strings.Join(args, " ")
	for _, want := range []string{"--die-with-parent", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-user",
		"--ro-bind / /", "--proc /proc",
		"--perms 0755 --tmpfs /home/me --ro-bind /a /b --symlink x /l --perms 0644 --ro-bind-data 4 /etc/hosts --perms " +
			"0644 --ro-bind-data 5 /etc/x"} {
		if !strings.Contains(line, want) {
			t.Errorf("no %q in %s", want, line)
		}
	}
	if strings.Contains(line, " --bind ") {
		t.Errorf("something of the host is writable: %s", line)
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
	s := g.stage(Spec{Paths: []string{filepath.Join(g.home, ".vault") + "/", filepath.Join(g.home, ".token"),
		"/etc/shadow", g.home + "/"}}, p)
	for name, want := range map[string]string{"unlisted": "nothing", "code/other/file": "nothing",
		"code/p/file": "ro-bind", "code/p/.env": "file API_TOKEN=",
		".aws/credentials": "file [default]", ".vault/secret": "file secret = ", ".token": "file secret = ",
		".aws/config": "nothing"} {
		if got := s.at(filepath.Join(g.home, name)); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	for path, want := range map[string]bool{filepath.Join(g.home, "unlisted"): true, filepath.Join(p, "file"): false,
		"/usr/bin": false, "/run/x.sock": true} {
		if s.Hidden(path) != want {
			t.Errorf("hidden %s: %v", path, !want)
		}
	}
	if !slices.Contains(s.Memory(), g.home) { // not only because what is above it is
		t.Error("the home is not memory")
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
	for name, text := range map[string]string{"a.txt": "x", ".env": "S", "sub/.env.local": "S", "sub/deep/.env": "S",
		"sub/deep/code": "x", "sub/.env.example": "x",
		".claude/settings.json": "{}", ".claude/agents/a.md": "x", "link": "->a.txt", "sub/.claude/settings.json": "{}",
		"odd \t name\n'": "x", ".envrc": "x",
		"venv/.env/lib/x": "x", "dangling": "->/nowhere", "sub/.env": "->.env.local"} {
		g.put("p/"+name, text, 0o644)
	}
	s := g.stage(Spec{Starts: []string{filepath.Join(p, "sub")}}, p)
	for name, want := range map[string]string{"a.txt": "ro-bind", ".env": "file API_TOKEN=",
		"sub/.env.local": "file API_TOKEN=", "sub/deep/.env": "file API_TOKEN=",
		"sub/deep/code": "ro-bind", "sub/.env.example": "ro-bind", ".envrc": "ro-bind", ".claude/settings.json": "nothing",
		".claude/agents/a.md": "ro-bind",
		"link":                "symlink", "dangling": "symlink", "sub/.env": "symlink",
		"sub/.claude/settings.json": "nothing", "odd \t name\n'": "ro-bind", "venv/.env/lib/x": "ro-bind",
		".git/HEAD": "file ref:", ".git/hooks/pre-commit": "nothing"} {
		if got := s.at(filepath.Join(p, name)); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if got := s.at(filepath.Join(p, ".git", "config")); strings.Contains(got, "evil") ||
		!strings.Contains(got, "bare = false") || !strings.Contains(got, "hooksPath = /dev/null") {
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
	for name, want := range map[string]string{".credentials.json": "file {", "keys/k": "nothing",
		"keys/secret": "file secret", "notes": "ro-bind"} {
		if got := s.at(filepath.Join(p, name)); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
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
	for name, want := range map[string]string{"private": "file x", "dir/deep/file": "file x",
		"dir/config": "file [include] path = x", "public": "ro-bind"} {
		if got := s.at(filepath.Join(p, name)); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestRootNeedsARuntimeThatOthersMayStart(t *testing.T) {
	g := newGround(t)
	g.uid = 0
	p, runtime := g.put("p/", "", 0o755), g.put("claude", "#!/bin/sh\n", 0o700)
	h := g.host()
	var e *report.Error
	spec := Spec{Run: "run", Runtime: runtime, Binary: "/bin/true", Trees: []host.Tree{{Root: p}}}
	if _, err := Build(h, spec); !errors.As(err, &e) || e.Where != runtime {
		t.Errorf("%v", err)
	}
	g.uid = 1000
	if _, err := Build(g.host(), spec); err != nil {
		t.Errorf("an ordinary user's own runtime: %v", err)
	}
}

func TestTooMuchIsRefused(t *testing.T) {
	g := newGround(t)
	g.uid = 0
	p := g.put("p/", "", 0o755)
	testenv.Write(t, filepath.Join(p, "big"), "", 0o600)
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
