// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: homes and repositories are real; what a plan leaves is seen
// on the disk after the engine applied it.

package sync

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/agent/claude/setup"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/host/web"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/syncrepo"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// machine is a home on a machine of one kind.
type machine struct {
	t    *testing.T
	home string
	h    *host.Host
}

func newMachine(t *testing.T, goos, goarch, below string) *machine {
	t.Helper()
	testenv.Need(t, "git")
	home := filepath.Join(testenv.Home(t), below)
	testenv.Mkdir(t, filepath.Join(home, ".claude"))
	h, err := host.New(env.System{Env: env.New([]string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}), GOOS: goos,
		GOARCH: goarch, UID: os.Getuid(), Cwd: home, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	return &machine{t, home, h}
}

func (m *machine) put(rel, text string, mode os.FileMode) {
	m.t.Helper()
	path := filepath.Join(m.home, rel)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), mode)); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) get(rel string) string {
	b, err := os.ReadFile(filepath.Join(m.home, rel))
	if err != nil {
		return "absent"
	}
	return string(b)
}

func (m *machine) git(dir string, args ...string) {
	m.t.Helper()
	testenv.Git(m.t, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + m.home, "GIT_CONFIG_NOSYSTEM=1"}, dir,
		append([]string{"-c", "user.name=Ada", "-c", "user.email=ada@example.invalid"}, args...)...)
}

func (m *machine) apply(p report.Proposal, err error) report.Plan {
	m.t.Helper()
	if err != nil {
		m.t.Fatal(err)
	}
	a := engine.Applier{State: m.h.Places().State, Version: "test", Now: time.Now}
	if _, err := a.Apply(context.Background(), p.Plan, p.Plan.ID, InitCommand, func(engine.Event) {}); err != nil {
		m.t.Fatal(err)
	}
	return p.Plan
}

func (m *machine) init(url string) report.Plan {
	m.t.Helper()
	return m.apply(Init(context.Background(), m.h, setup.Settings{}, InitOptions{URL: url}))
}

// push commits all that the machine's repository has.
func (m *machine) push() {
	m.t.Helper()
	dir := filepath.Join(m.home, ".claude-config")
	m.git(dir, "add", "-A")
	m.git(dir, "commit", "-q", "-m", "one")
	m.git(dir, "push", "-q", "origin", "HEAD:main")
}

// TestMemoryIsSharedAcrossSystems: what a project on Linux notes is found by the
// same project under a home as macOS has it.
func TestMemoryIsSharedAcrossSystems(t *testing.T) {
	linux := newMachine(t, "linux", "amd64", "home/ann.lee")
	mac := newMachine(t, "darwin", "arm64", "Users/x")
	remote := filepath.Join(linux.home, "remote.git")
	linux.git(linux.home, "init", "-q", "--bare", "-b", "main", remote)
	key := pathname.Dashed(linux.home) + "-code-my-proj"
	linux.put(".claude/projects/"+key+"/memory/MEMORY.md", "noted on linux\n", 0o600)
	linux.put(".claude/projects/"+pathname.Dashed(linux.home)+"/memory/MEMORY.md", "of the home\n", 0o600)
	linux.put(".claude/projects/-srv-p/memory/MEMORY.md", "elsewhere\n", 0o600)
	linux.put(".claude/projects/"+encodeOld(linux.home)+"-old/memory/MEMORY.md", "old key\n", 0o600)
	linux.init(remote)
	linux.put(".claude-config/bin/tool-linux", "#!/bin/sh\n", 0o755)
	linux.put(".claude-config/bin/tool-macos", "#!/bin/sh\n", 0o755)
	linux.put(".claude-config/bin/tool-macos-arm64", "#!/bin/sh\n", 0o755)
	linux.push()

	// The mac has a directory of its own for the project, by the older key.
	mac.put(".claude/projects/"+pathname.Dashed(mac.home)+"-code-my-proj/a.jsonl", "{}\n", 0o600)
	mac.init(remote)
	for rel, want := range map[string]string{
		".claude/projects/" + pathname.Dashed(mac.home) + "-code-my-proj/memory/MEMORY.md": "noted on linux\n",
		".claude/projects/" + pathname.Dashed(mac.home) + "/memory/MEMORY.md":              "of the home\n",
		".claude/projects/-srv-p/memory/MEMORY.md":                                         "elsewhere\n",
		".claude/projects/" + pathname.Dashed(mac.home) + "-old/memory/MEMORY.md":          "old key\n",
	} {
		if got := mac.get(rel); got != want {
			t.Errorf("%s holds %q, want %q", rel, got, want)
		}
	}
	if to, _ := os.Readlink(filepath.Join(mac.home, ".local/bin/tool")); filepath.Base(to) != "tool-macos-arm64" {
		t.Errorf("tool leads to %q", to)
	}
	s, err := Look(context.Background(), mac.h, setup.Settings{})
	if err != nil || len(s.Unlinked()) > 0 {
		t.Errorf("not linked: %v, %v", s.Unlinked(), err)
	}
	// What the mac notes through the link is in its repository.
	mac.put(".claude/projects/-srv-p/memory/new.md", "noted on the mac\n", 0o600)
	if mac.get(".claude-config/memory/ABS-srv-p/new.md") != "noted on the mac\n" {
		t.Error("the link does not lead to the repository")
	}
}

// TestMemoryIsNeverOverwritten: a directory that differs from the repository's
// stays; one that holds the same, and an empty one, give way.
func TestMemoryIsNeverOverwritten(t *testing.T) {
	m := newMachine(t, "linux", "amd64", "home/you")
	m.git(m.home, "init", "-q", ".claude-config")
	at := ".claude/projects/" + pathname.Dashed(m.home)
	for _, name := range []string{"differs", "same", "empty"} {
		m.put(".claude-config/memory/"+name+"/MEMORY.md", "theirs\n", 0o600)
	}
	m.put(at+"-differs/memory/MEMORY.md", "mine\n", 0o600)
	m.put(at+"-same/memory/MEMORY.md", "theirs\n", 0o600)
	testenv.Mkdir(t, filepath.Join(m.home, at+"-empty/memory/sub"))
	plan := m.apply(Links(context.Background(), m.h, setup.Settings{}))
	if m.get(at+"-differs/memory/MEMORY.md") != "mine\n" ||
		m.get(".claude-config/memory/differs/MEMORY.md") != "theirs\n" {
		t.Error("memory that differs was replaced")
	}
	if plan.LeftForUser() != 1 {
		t.Errorf("left for the user: %d", plan.LeftForUser())
	}
	for _, name := range []string{"same", "empty"} {
		if to, err := os.Readlink(filepath.Join(m.home, at+"-"+name, "memory")); err != nil || !strings.HasSuffix(to,
			"/.claude-config/memory/"+name) {
			t.Errorf("%s: %q, %v", name, to, err)
		}
	}
}

// TestALoopIsNoFile: a repository whose part is a symlink to the place that would
// lead to it, and a place that is the repository's own directory, are left alone.
func TestALoopIsNoFile(t *testing.T) {
	m := newMachine(t, "linux", "amd64", "home/you")
	m.put(".claude/scripts/a.sh", "#!/bin/sh\n", 0o755)
	m.put(".claude-config/commands/x.md", "x\n", 0o644)
	m.git(m.home, "init", "-q", ".claude-config")
	for _, l := range [][2]string{{".claude/scripts", ".claude-config/scripts"}, {".claude-config/commands",
		".claude/commands"}, {".claude-config/CLAUDE.md", ".claude-config/CLAUDE.md"}} {
		testenv.Link(t, filepath.Join(m.home, l[0]), filepath.Join(m.home, l[1]))
	}
	m.init("")
	if m.get(".claude/scripts/a.sh") != "#!/bin/sh\n" || m.get(".claude/commands/x.md") != "x\n" {
		t.Error("a file is gone")
	}
	if info, err := os.Lstat(filepath.Join(m.home, ".claude/scripts/a.sh")); err != nil || !info.Mode().IsRegular() {
		t.Errorf("a.sh: %v, %v", info, err)
	}
}

func TestBuilds(t *testing.T) {
	linux, mac := env.System{GOOS: "linux", GOARCH: "amd64"}, env.System{GOOS: "darwin", GOARCH: "arm64"}
	for _, c := range []struct {
		name        string
		linux, mac  string
		rankL, rank int
	}{
		{"foo", "foo", "foo", anywhere, anywhere},
		{"foo-linux", "foo", "", forSystem, 0},
		{"foo-macos", "", "foo", 0, forSystem},
		{"foo-darwin-aarch64", "", "foo", 0, forMachine},
		{"my-foo-linux-x86_64", "my-foo", "", forMachine, 0},
		{"foo-linux-arm64", "", "", 0, 0},
		{"foo-arm64", "foo-arm64", "foo-arm64", anywhere, anywhere},
		{"linux", "linux", "linux", anywhere, anywhere},
	} {
		if bare, rank := build(c.name, linux); bare != c.linux || rank != c.rankL {
			t.Errorf("%s on linux: %q, %d", c.name, bare, rank)
		}
		if bare, rank := build(c.name, mac); bare != c.mac || rank != c.rank {
			t.Errorf("%s on macOS: %q, %d", c.name, bare, rank)
		}
	}
}

func FuzzMemoryKeys(f *testing.F) {
	f.Add("/home/you/code/my_proj", "/home/you")
	f.Add("/home/ann.lee/.x", "/home/ann.lee")
	f.Add("/srv/ü/𝄞", "/Users/x")
	f.Fuzz(func(t *testing.T, path, home string) {
		if !strings.HasPrefix(path, "/") || !strings.HasPrefix(home, "/") || strings.Trim(home, "/") == "" {
			return
		}
		homes := slices.Compact([]string{pathname.Dashed(home), encodeOld(home)})
		key := pathname.Dashed(path)
		name := normal(key, homes)
		if strings.ContainsAny(name, "/\x00") || name == "" {
			return // no name of a directory: the runtime has none
		}
		if !slices.Contains(keys(name, homes), key) {
			t.Errorf("%q (home %q) has the key %q and the name %q, which leads to %q", path, home, key, name, keys(name, homes))
		}
	})
}

// TestAPublicRemoteIsRefused: before anything is asked as the user.
func TestAPublicRemoteIsRefused(t *testing.T) {
	m := newMachine(t, "linux", "amd64", "home/you")
	asked := 0
	options := InitOptions{URL: "git@127.0.0.1:you/x.git", Anonymous: func(_ context.Context, _ host.Reader,
		address string) error {
		asked++
		if address != "https://127.0.0.1/you/x.git" {
			return web.Status(http.StatusUnauthorized)
		}
		return nil
	}}
	_, err := Init(context.Background(), m.h, setup.Settings{}, options)
	if err == nil || !strings.Contains(err.Error(), "public") || asked != 1 {
		t.Errorf("%v, asked %d times", err, asked)
	}
	options.Offline = true
	if _, err = Init(context.Background(), m.h, setup.Settings{}, options); err == nil ||
		strings.Contains(err.Error(), "public") || asked != 1 {
		t.Errorf("offline: %v, asked %d times", err, asked)
	}
}

// TestAnonymous: only a refusal at the address itself says that a remote is
// private. Both forms in which git serves a repository are public.
func TestAnonymous(t *testing.T) {
	m := newMachine(t, "linux", "amd64", "home/you")
	const id = "0123456789abcdef0123456789abcdef01234567"
	answers := map[string]struct {
		code           int
		text           string
		known, guessed report.Status // of an https address, of one made from an ssh address; "" is refused as public
	}{
		"smart":     {200, "001e# service=git-upload-pack\n0000", "", ""},
		"dumb":      {200, id + "\trefs/heads/main\n", "", ""},
		"dumb-256":  {200, id + id[:24] + "\trefs/heads/main\n", "", ""},
		"page":      {200, "<html>sign in</html>", report.Unknown, report.Unknown},
		"nothing":   {200, "", report.Unknown, report.Unknown},
		"quotes":    {200, "<p># service=git-upload-pack</p>", report.Unknown, report.Unknown},
		"protected": {401, "", report.Pass, report.Pass},
		"forbidden": {403, "", report.Pass, report.Unknown},
		"missing":   {404, "", report.Pass, report.Unknown},
		"broken":    {502, "", report.Unknown, report.Unknown},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), ".git")
		w.WriteHeader(answers[name].code)
		_, _ = w.Write([]byte(answers[name].text))
	}))
	defer server.Close()
	for name, a := range answers {
		for _, guessed := range []bool{false, true} {
			want := a.known
			if guessed {
				want = a.guessed
			}
			f, err := private(context.Background(), m.h, syncrepo.Address{Text: "x", Web: server.URL + "/" + name + ".git",
				Guessed: guessed}, InitOptions{})
			if (err != nil) != (want == "") || err == nil && f.Status != want {
				t.Errorf("%s (guessed: %t): %s, %v, want %q", name, guessed, f.Status, err, want)
			}
		}
	}
}

// TestScriptsOfAnotherVersionAreNamed: those of the user are not judged.
func TestScriptsOfAnotherVersionAreNamed(t *testing.T) {
	m := newMachine(t, "linux", "amd64", "home/you")
	m.git(m.home, "init", "-q", ".claude-config")
	m.put(".claude-config/scripts/sandbox-bypass-warn.sh", "#!/bin/sh\n# steward-setup script: sandbox-bypass-warn.sh\n",
		0o755)
	m.put(".claude-config/scripts/mine.sh", "#!/bin/sh\n", 0o755)
	s, err := Look(context.Background(), m.h, setup.Settings{})
	if err != nil || len(s.Scripts) != 1 || s.Scripts[0].What != "edited" {
		t.Errorf("%v, %v", s.Scripts, err)
	}
}
