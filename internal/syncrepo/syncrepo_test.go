// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package syncrepo

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "github.com/steward-setup/steward-setup/internal/agent/claude" // what is never tracked
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// world is a bare remote and two machines that cloned it.
type world struct {
	t          *testing.T
	top        string
	here, away string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	testenv.Need(t, "git")
	w := &world{t: t, top: t.TempDir()}
	w.here, w.away = filepath.Join(w.top, "home", ".claude-config"), filepath.Join(w.top, "away")
	w.git(w.top, "init", "-q", "--bare", "-b", "main", "remote.git")
	w.git(w.top, "clone", "-q", "remote.git", w.away)
	w.put(w.away, "CLAUDE.md", "be kind\n")
	w.commit(w.away, "one")
	w.git(w.away, "push", "-q", "-u", "origin", "HEAD:main")
	w.git(w.top, "clone", "-q", "remote.git", w.here)
	return w
}

func (w *world) git(dir string, args ...string) {
	w.t.Helper()
	testenv.Git(w.t, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + w.top, "GIT_CONFIG_NOSYSTEM=1"}, dir,
		append([]string{"-c", "user.name=Ada", "-c", "user.email=ada@example.invalid"}, args...)...)
}

func (w *world) put(dir, rel, text string) {
	w.t.Helper()
	testenv.Write(w.t, filepath.Join(dir, rel), text, 0o600)
}

func (w *world) commit(dir, message string) {
	w.t.Helper()
	w.git(dir, "add", "-f", "-A")
	w.git(dir, "commit", "-q", "-m", message)
}

func (w *world) pushAway() {
	w.t.Helper()
	w.put(w.away, "scripts/new.sh", "echo new\n")
	w.commit(w.away, "two")
	w.git(w.away, "push", "-q", "origin", "HEAD:main")
	w.git(w.here, "fetch", "-q")
}

func (w *world) look() Status {
	w.t.Helper()
	home := filepath.Join(w.top, "home")
	h := testenv.Must(host.New(env.System{Env: env.New([]string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}),
		GOOS:   "linux",
		GOARCH: "amd64", Cwd: home}))(w.t)
	s := testenv.Must(Look(context.Background(), h, h.Places().SyncRepo))(w.t)
	return s
}

func TestStates(t *testing.T) {
	for _, c := range []struct {
		want  State
		files []string
		make  func(w *world)
	}{
		{InSync, nil, func(*world) {}},
		{CommitThenPush, []string{"CLAUDE.md changed", "a b.md new"}, func(w *world) {
			w.put(w.here, "CLAUDE.md", "be kinder\n")
			w.put(w.here, "a b.md", "x\n")
		}},
		{CommitThenPush, []string{"CLAUDE.md deleted"}, func(w *world) { os.Remove(filepath.Join(w.here, "CLAUDE.md")) }},
		{CommitThenPush, []string{"CLAUDE.md deleted", "b.md new"},
			func(w *world) { w.git(w.here, "mv", "CLAUDE.md", "b.md") }},
		{CommitThenPush, []string{"new\nline.md new"}, func(w *world) { w.put(w.here, "new\nline.md", "x\n") }},
		{PushOnly, nil, func(w *world) { w.put(w.here, "x.md", "x\n"); w.commit(w.here, "mine") }},
		{Pull, nil, func(w *world) { w.pushAway() }},
		{PullThenCommitThenPush, []string{"CLAUDE.md changed"}, func(w *world) {
			w.pushAway()
			w.put(w.here, "CLAUDE.md",
				"mine\n")
		}},
		{Diverged, nil, func(w *world) { w.pushAway(); w.put(w.here, "x.md", "x\n"); w.commit(w.here, "mine") }},
		{Conflict, []string{"scripts/new.sh conflict"}, func(w *world) {
			w.put(w.here, "scripts/new.sh", "echo mine\n")
			w.commit(w.here, "mine")
			w.pushAway()
			_ = exec.Command("git", "-C", w.here, "-c", "user.name=a", "-c", "user.email=a@b", "pull", "-q", "--no-rebase").Run()
		}},
		{Detached, nil, func(w *world) { w.git(w.here, "checkout", "-q", "--detach") }},
		{NoRemote, nil, func(w *world) { w.git(w.here, "remote", "remove", "origin") }},
		{LockHeld, []string{".gitignore new"}, func(w *world) {
			w.put(w.here, ".gitignore", ".sync.lock\n")
			testenv.Need(w.t, "flock")
			cmd := exec.Command("flock", LockPath(w.here), "sh", "-c", "echo held; exec cat")
			in, _ := cmd.StdinPipe()
			out, _ := cmd.StdoutPipe()
			testenv.OK(w.t, cmd.Start())
			_, _ = out.Read(make([]byte, 1))
			w.t.Cleanup(func() { in.Close(); _ = cmd.Wait() })
		}},
		{NoRepository, nil, func(w *world) { os.RemoveAll(filepath.Join(w.here, ".git")) }},
		{NoRepository, nil, func(w *world) { // a home that is a repository itself
			os.RemoveAll(filepath.Join(w.here, ".git"))
			w.git(filepath.Join(w.top, "home"), "init", "-q")
		}},
		{NoRepository, nil, func(w *world) { os.RemoveAll(w.here); w.put(w.top, "home/.claude-config", "a file\n") }},
		{Absent, nil, func(w *world) { os.RemoveAll(w.here) }},
		{Unreadable, nil, func(w *world) { w.git(w.here, "config", "filter.x.clean", "touch pwned") }},
		{InSync, nil, func(w *world) { // the place is a symlink
			real := filepath.Join(w.top, "elsewhere")
			if os.Rename(w.here, real) != nil || os.Symlink(real, w.here) != nil {
				w.t.Fatal("no symlink")
			}
		}},
	} {
		t.Run(string(c.want), func(t *testing.T) {
			w := newWorld(t)
			c.make(w)
			s := w.look()
			if s.State != c.want {
				t.Errorf("the state is %q (%s), want %q", s.State, s.Why, c.want)
			}
			var files []string
			for _, f := range s.Changed {
				files = append(files, f.Path+" "+f.What)
			}
			if !slices.Equal(files, c.files) {
				t.Errorf("changed are %q, want %q", files, c.files)
			}
		})
	}
}

// TestAnEmptyRemoteIsPushedTo: before the first push git knows no upstream.
func TestAnEmptyRemoteIsPushedTo(t *testing.T) {
	w := newWorld(t)
	os.RemoveAll(w.here)
	w.git(w.top, "init", "-q", "--bare", "-b", "main", "empty.git")
	w.git(w.top, "clone", "-q", "empty.git", w.here)
	if s := w.look(); s.State != Pull || s.Why == "" {
		t.Errorf("empty: %q, %q", s.State, s.Why)
	}
	w.put(w.here, "CLAUDE.md", "x\n")
	if s := w.look(); s.State != CommitThenPush {
		t.Errorf("a file: %q", s.State)
	}
	w.commit(w.here, "one")
	if s := w.look(); s.State != PushOnly || s.Ahead != 1 {
		t.Errorf("a commit: %q, %d ahead", s.State, s.Ahead)
	}
}

// TestForcedFilesAreSeen: what was added by force is not among the files of a
// commit, and is named with its reason.
func TestForcedFilesAreSeen(t *testing.T) {
	w := newWorld(t)
	w.put(w.here, "settings.json", "{}\n")
	w.put(w.here, "memory/p/.credentials.json", "{}\n")
	w.git(w.here, "add", "-f", "-A")
	s := w.look()
	if len(s.Forbidden) != 2 || s.Forbidden[0].What != "a credential" || s.Forbidden[1].Path != "settings.json" ||
		len(s.Changed) != 0 {
		t.Errorf("forbidden %v, changed %v", s.Forbidden, s.Changed)
	}
}

func TestIgnored(t *testing.T) {
	for _, rel := range []string{".credentials.json", "x/.credentials.json", "settings.json", "Settings.JSON",
		"scripts/settings.local.json",
		"sessions/a", "projects/-home-you/x.md", "history.jsonl", "memory/p/t.jsonl", ".env", "bin/.env.local",
		"CLAUDE.md.bak", ".sync.lock", "scripts/.a.sh.steward-20261130-041737.930-9b64",
		"skills/x/credentials", "skills/credentials/credentials", "x/credentials/a", "skills/.gnupg/a",
		"commands/credentials",
		"keys/id_ed25519", "x.pem", "old/id_dsa", "bin/.pypirc", ".vault-token", "hooks/.aws/config", "shell-snapshots/a/b"} {
		if _, ok := Ignored(rel); !ok {
			t.Errorf("%s may be tracked", rel)
		}
	}
	for _, rel := range []string{"CLAUDE.md", "scripts/sandbox-bypass-warn.sh", "memory/sessions/MEMORY.md",
		"memory/cache/a.md", "sessions", "bin/env",
		".gitignore", "commands/settings.md", "sync.sh", "git-hooks/pre-commit",
		"skills/x/credentials.md", "skills/credentials/SKILL.md", "skills/gnupg/a/b.md", "agents/Credentials/a.md"} {
		if why, ok := Ignored(rel); ok {
			t.Errorf("%s is never tracked: %s", rel, why)
		}
	}
}

// TestGitignoreSaysTheSame: git, led by the file that is made from the list,
// keeps out what Ignored refuses.
func TestGitignoreSaysTheSame(t *testing.T) {
	w := newWorld(t)
	text := Gitignore([]byte("mine"))
	if !strings.HasPrefix(string(text), "mine\n#") || string(Gitignore(text)) != string(text) {
		t.Errorf("a second pass changes it:\n%s", text)
	}
	w.put(w.here, ".gitignore", string(text))
	var want []string
	for _, rel := range []string{".credentials.json", "a/settings.json", "sessions/x", "memory/sessions/x.md",
		"memory/p/t.jsonl", "cache/y", "bin/cache", "x.key", ".aws/config", "a/id_dsa_old", "CLAUDE.md.bak",
		"skills/credentials/SKILL.md", "skills/credentials/credentials", "skills/gnupg/a.md", "b/gnupg/x"} {
		w.put(w.here, rel, "x\n")
		if _, never := Ignored(rel); !never {
			want = append(want, rel)
		}
	}
	var got []string
	for _, f := range w.look().Changed {
		if f.Path != ".gitignore" {
			got = append(got, f.Path)
		}
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("git would add %q, the list %q", got, want)
	}
}

func TestAddresses(t *testing.T) {
	for text, web := range map[string]string{
		"git@github.com:you/claude-config.git": "https://github.com/you/claude-config.git",
		"ssh://git@host:22/you/x.git":          "https://host/you/x.git",
		"https://host/you/x.git":               "https://host/you/x.git",
		"/srv/x.git":                           "",
		"file:///srv/x.git":                    "",
		"host:x.git":                           "https://host/x.git",
		"git@[::1]:x.git":                      "https://[::1]/x.git",
		"git+ssh://git@host/x.git":             "https://host/x.git",
	} {
		a, err := ParseAddress(text)
		if err != nil || a.Web != web || a.Guessed != (web != "" && web != text) {
			t.Errorf("%s: %+v, %v", text, a, err)
		}
	}
	for _, text := range []string{"", "-x", "--upload-pack=x", "ext::sh -c x", "ext::x", "http://host/x", "git://host/x",
		"https://u:p@host/x", "https://tok@host/x",
		"ssh://-oProxyCommand=x/y", "git@-oProxyCommand=x:y", "-oProxyCommand=x:y", "x", "a b:c", "host:",
		"ssh://u:p@host/x", "HTTPS://host/x", "./x", "a/b:c"} {
		if a, err := ParseAddress(text); err == nil {
			t.Errorf("%q is taken: %+v", text, a)
		} else if strings.Contains(err.Error(), ":p@") || strings.Contains(err.Error(), "tok@") {
			t.Errorf("%q is shown: %v", text, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("# branch.oid (initial)\x00? a\x001 .M N... 1 1 1 a b CLAUDE.md\x00")
	f.Add("2 RM N... 1 1 1 a b R100 g\x00f\x00u UU N... 1 1 1 1 a b c x\x00")
	f.Fuzz(func(t *testing.T, out string) {
		var s Status
		if s.parse(out) != nil {
			return
		}
		for _, c := range s.Changed {
			if c.What == "" {
				t.Errorf("%q has no word", c.Path)
			}
		}
	})
}
