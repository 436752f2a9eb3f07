// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// exchangeWorld is a bare remote and two machines.
type exchangeWorld struct {
	t      *testing.T
	top    string
	ada    *peer
	bob    *peer
	remote string
}

type peer struct {
	w          *exchangeWorld
	home, repo string
}

// template is a world that is made once: every test gets a copy.
var template struct {
	once sync.Once
	top  string
}

func newExchangeWorld(t *testing.T) *exchangeWorld {
	t.Helper()
	testenv.Need(t, "git")
	template.once.Do(func() {
		top, err := os.MkdirTemp("", "sync-world-")
		if err != nil {
			t.Fatal(err)
		}
		template.top = top
		w := worldAt(t, top)
		w.run(top, top, "init", "-q", "--bare", "-b", "main", "remote.git")
		w.write(filepath.Join(w.ada.home, ".gitconfig"), identity("ada"))
		w.write(filepath.Join(w.bob.home, ".gitconfig"), identity("bob"))
		w.ada.clone()
		w.ada.put("CLAUDE.md", "one\ntwo\nthree\nfour\nfive\n")
		w.ada.put("memory/a/notes.md", "first\n")
		w.ada.put("scripts/hook.sh", "echo hook\n")
		w.ada.git("add", "-A")
		w.ada.git("commit", "-qm", "begin")
		w.ada.git("push", "-q", "-u", "origin", "HEAD:main")
		w.bob.clone()
	})
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(top, os.DirFS(template.top)); err != nil {
		t.Fatal(err)
	}
	w := worldAt(t, top)
	for _, m := range []*peer{w.ada, w.bob} {
		m.put(".git/config", strings.ReplaceAll(m.text(".git/config"), template.top, top))
	}
	return w
}

func worldAt(t *testing.T, top string) *exchangeWorld {
	w := &exchangeWorld{t: t, top: top, remote: filepath.Join(top, "remote.git")}
	w.ada, w.bob = w.peer("ada"), w.peer("bob")
	return w
}

func identity(name string) string {
	return "[user]\n\tname = " + name + "\n\temail = " + name + "@example.invalid\n[init]\n\tdefaultBranch = main\n"
}

func (w *exchangeWorld) peer(name string) *peer {
	home := filepath.Join(w.top, name)
	return &peer{w, home, filepath.Join(home, ".claude-config")}
}

func (w *exchangeWorld) write(path, text string) {
	w.t.Helper()
	testenv.Write(w.t, path, text, 0o600)
}

func (w *exchangeWorld) run(home, dir string, args ...string) string {
	w.t.Helper()
	return testenv.Git(w.t, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_NOSYSTEM=1"}, dir, args...)
}

func (m *peer) clone()                    { m.w.run(m.home, m.w.top, "clone", "-q", m.w.remote, m.repo) }
func (m *peer) git(args ...string) string { m.w.t.Helper(); return m.w.run(m.home, m.repo, args...) }
func (m *peer) put(rel, text string)      { m.w.t.Helper(); m.w.write(filepath.Join(m.repo, rel), text) }
func (m *peer) text(rel string) (s string) {
	b, _ := os.ReadFile(filepath.Join(m.repo, rel))
	return string(b)
}

// pushes is what another machine does with git.
func (m *peer) pushes(message string) {
	m.w.t.Helper()
	m.git("add", "-f", "-A")
	m.git("commit", "-qm", message)
	m.git("push", "-q", "origin", "HEAD:main")
}

// becomes pushes a directory that became a symlink.
func (m *peer) becomes(dir, to string) {
	m.w.t.Helper()
	path := filepath.Join(m.repo, dir)
	if err := errors.Join(os.RemoveAll(path), os.Symlink(to, path)); err != nil {
		m.w.t.Fatal(err)
	}
	m.pushes("his")
}

func (m *peer) host() *host.Host {
	m.w.t.Helper()
	h, err := host.New(env.System{Env: env.New([]string{"HOME=" + m.home, "PATH=" + os.Getenv("PATH")}), GOOS: "linux",
		GOARCH: "amd64", Cwd: m.home,
		Executable: filepath.Join(m.home, "bin", "steward-setup"), Now: time.Now})
	if err != nil {
		m.w.t.Fatal(err)
	}
	return h
}

// look fetches and computes what arrives.
func (m *peer) look() (*Exchange, error) {
	e, err := Open(context.Background(), m.host())
	if err != nil {
		return nil, err
	}
	m.w.t.Cleanup(e.Release)
	if err = e.Pull(context.Background()); err != nil {
		e.Release()
	}
	return e, err
}

func (m *peer) applier() engine.Applier {
	return engine.Applier{State: m.host().Places().State, Version: "test", Now: time.Now, Arrived: true}
}

// pull takes everything that arrives.
func (m *peer) pull() *Exchange {
	m.w.t.Helper()
	e, err := m.look()
	if err != nil {
		m.w.t.Fatal(err)
	}
	defer e.Release()
	m.take(e)
	return e
}

func (m *peer) take(e *Exchange) {
	m.w.t.Helper()
	p := report.NewPlan([]report.Section{e.Section()})
	if _, err := m.applier().Apply(context.Background(), p, p.ID, "sync pull", func(engine.Event) {}); err != nil {
		m.w.t.Fatal(err)
	}
	if err := e.Settle(context.Background()); err != nil {
		m.w.t.Fatal(err)
	}
}

// push pulls and pushes everything that may leave.
func (m *peer) push(o PushOptions) (*Outgoing, error) {
	m.w.t.Helper()
	e, err := m.look()
	if err != nil {
		return nil, err
	}
	defer e.Release()
	out, err := e.Push(context.Background(), o)
	if err != nil || out.Stopped {
		return out, err
	}
	if e.Behind() {
		m.take(e)
	}
	return out, e.Send(context.Background(), out)
}

// tree is every file of the machine but the cache and what git keeps beside its
// objects, for comparing.
func (m *peer) tree() map[string]string {
	files := map[string]string{}
	_ = filepath.WalkDir(m.home, func(path string, d os.DirEntry, err error) error {
		rel, _ := filepath.Rel(m.home, path)
		if err == nil && d.IsDir() && (rel == ".cache" || rel == ".claude-config/.git/objects") {
			return filepath.SkipDir
		}
		if err == nil && !d.IsDir() && !strings.HasSuffix(rel, ".sync.lock") {
			b, _ := os.ReadFile(path)
			files[rel] = string(b)
		}
		return nil
	})
	return files
}

func same(a, b map[string]string) (differs []string) {
	for _, x := range []map[string]string{a, b} {
		for name := range x {
			if a[name] != b[name] && !slices.Contains(differs, name) {
				differs = append(differs, name)
			}
		}
	}
	return differs
}

func code(err error) int {
	if known, ok := errors.AsType[*report.Error](err); ok {
		return known.Code
	}
	return -1
}

func words(err error) string {
	if known, ok := errors.AsType[*report.Error](err); ok {
		return strings.Join([]string{known.Error(), known.Why, known.Advice()}, " | ")
	}
	return ""
}

func paths(e *Exchange) (list []string) {
	for _, c := range e.Changes {
		list = append(list, strings.TrimPrefix(string(c.ID), "pull/"))
	}
	return list
}
