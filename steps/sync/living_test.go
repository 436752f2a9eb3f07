// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/agent/claude/setup"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func (m *machine) applier() engine.Applier {
	return engine.Applier{State: m.h.Places().State, Version: "test", Now: time.Now}
}

// undo takes the last run back, or says why not.
func (m *machine) undo() error {
	receipt, p, err := m.applier().UndoPlan(m.h, "")
	if err != nil {
		return err
	}
	return m.applier().Undo(context.Background(), receipt, p, p.ID, func(engine.Event) {})
}

// uninstall takes every run back, and returns what is said to stay.
func (m *machine) uninstall() (u engine.Uninstall) {
	m.t.Helper()
	u, err := m.applier().PlanUninstall(m.h)
	if err != nil {
		m.t.Fatal(err)
	}
	p := report.NewPlan([]report.Section{u.Section})
	if err := m.applier().ApplyUninstall(context.Background(), u, p, p.ID, func(engine.Event) {}); err != nil {
		m.t.Fatal(err)
	}
	return u
}

func (m *machine) log() string {
	m.t.Helper()
	return testenv.Git(m.t, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + m.home, "GIT_CONFIG_NOSYSTEM=1"},
		filepath.Join(m.home, ".claude-config"), "log", "--all", "--format=%s")
}

// TestARepositoryThatLivesOnIsNotTakenBack: one commit, one stash or one new file
// in it is enough.
func TestARepositoryThatLivesOnIsNotTakenBack(t *testing.T) {
	repo := ".claude-config"
	for name, use := range map[string]func(m *machine){
		"a commit": func(m *machine) {
			m.git(filepath.Join(m.home, repo), "add", "-A")
			m.git(filepath.Join(m.home, repo), "commit", "-qm", "mine")
		},
		"a branch": func(m *machine) {
			m.git(filepath.Join(m.home, repo), "commit", "-q", "--allow-empty", "-m", "mine")
			m.git(filepath.Join(m.home, repo), "checkout", "-q", "-b", "other")
			m.git(filepath.Join(m.home, repo), "pack-refs", "--all")
		},
		"a file through the link": func(m *machine) {
			m.put(".claude/projects/-p/memory/topic.md", "topic\n", 0o600)
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t, "linux", "amd64", "home/you")
			m.put(".claude/CLAUDE.md", "be kind\n", 0o600)
			m.put(".claude/projects/-p/memory/MEMORY.md", "note\n", 0o600)
			m.init("")
			use(m)
			before := m.tree()
			if err := m.undo(); code(err) != report.ExitStale {
				t.Errorf("undo: %v", err)
			}
			u := m.uninstall()
			if d := same(before, m.tree()); len(d) > 0 && (len(d) != 1 || d[0] != ".claude/settings.json") {
				t.Errorf("uninstall changed %v", d)
			}
			if !u.Lives || len(u.Runs) > 0 {
				t.Errorf("%v, taken back: %v", u.Lives, u.Runs)
			}
			if name != "a file through the link" && m.log() != "mine" {
				t.Errorf("log %q", m.log())
			}
		})
	}
}

// TestACloneWithCommitsStays: the pack of the clone is under every later commit.
func TestACloneWithCommitsStays(t *testing.T) {
	a := newMachine(t, "linux", "amd64", "home/a")
	remote := filepath.Join(a.home, "remote.git")
	a.git(a.home, "init", "-q", "--bare", "-b", "main", remote)
	a.put(".claude/CLAUDE.md", "be kind\n", 0o600)
	a.init(remote)
	a.push()
	b := newMachine(t, "linux", "amd64", "home/b")
	b.init(remote)
	dir := filepath.Join(b.home, ".claude-config")
	b.put(".claude-config/CLAUDE.md", "be kind, too\n", 0o644)
	b.git(dir, "commit", "-q", "-a", "-m", "two")
	if err := b.undo(); code(err) != report.ExitStale {
		t.Errorf("undo: %v", err)
	}
	b.uninstall()
	b.git(dir, "fsck", "--strict")
	if b.log() != "two\none" || b.get(".claude/CLAUDE.md") != "be kind, too\n" {
		t.Errorf("log %q, CLAUDE.md %q", b.log(), b.get(".claude/CLAUDE.md"))
	}
}

// TestAnUnusedRepositoryGoes: git that only looked at it changed nothing.
func TestAnUnusedRepositoryGoes(t *testing.T) {
	m := newMachine(t, "linux", "amd64", "home/you")
	m.put(".claude/CLAUDE.md", "be kind\n", 0o600)
	m.put(".claude/projects/-p/memory/MEMORY.md", "note\n", 0o600)
	if err := os.Chmod(filepath.Join(m.home, ".claude/projects/-p/memory"), 0o700); err != nil {
		t.Fatal(err)
	}
	before := m.tree()
	m.init("")
	m.git(filepath.Join(m.home, ".claude-config"), "status")
	if u := m.uninstall(); u.Lives || len(u.Runs) != 1 {
		t.Errorf("%v, %v", u.Lives, u.Runs)
	}
	if d := same(before, m.tree()); len(d) > 0 {
		t.Errorf("differs: %v", d)
	}
	info, err := os.Stat(filepath.Join(m.home, ".claude/projects/-p/memory"))
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("memory is back as %v, %v", info, err)
	}
}

// TestMemoryThatCameThroughALinkIsNotTakenAway, where the repository is not ours.
func TestMemoryThatCameThroughALinkIsNotTakenAway(t *testing.T) {
	for _, had := range []bool{false, true} {
		m := newMachine(t, "linux", "amd64", "home/you")
		m.git(m.home, "init", "-q", ".claude-config")
		if had {
			m.put(".claude-config/memory/ABS-p/MEMORY.md", "note\n", 0o600)
			m.put(".claude-config/memory/ABS-p/more.md", "more\n", 0o600)
			old := time.Now().Add(-time.Hour)
			for _, f := range []string{"MEMORY.md", "more.md"} {
				if err := os.Chtimes(filepath.Join(m.home, ".claude-config/memory/ABS-p", f), old, old); err != nil {
					t.Fatal(err)
				}
			}
		}
		m.put(".claude/projects/-p/memory/MEMORY.md", "note\n", 0o600)
		m.apply(Links(context.Background(), m.h, setup.Settings{}))
		m.put(".claude/projects/-p/memory/topic.md", "topic\n", 0o600)
		if err := m.undo(); code(err) != report.ExitStale {
			t.Errorf("undo: %v", err)
		}
		m.uninstall()
		if got := m.get(".claude/projects/-p/memory/topic.md"); got != "topic\n" {
			t.Errorf("topic.md after uninstall: %q", got)
		}
		if err := os.Remove(filepath.Join(m.home, ".claude-config/memory/ABS-p/topic.md")); err != nil {
			t.Fatal(err)
		}
		u := m.uninstall()
		if u.Lives || m.get(".claude/projects/-p/memory/MEMORY.md") != "note\n" {
			t.Errorf("%v: what was there is not back", u.Section.Findings)
		}
		if info, err := os.Lstat(filepath.Join(m.home, ".claude/projects/-p/memory")); err != nil || !info.IsDir() {
			t.Errorf("%v", err)
		}
	}
}

// tree is every file and link of the home but the program's own.
func (m *machine) tree() map[string]string {
	files := map[string]string{}
	_ = filepath.WalkDir(m.home, func(path string, d os.DirEntry, err error) error {
		rel, _ := filepath.Rel(m.home, path)
		switch {
		case err != nil || d.IsDir():
			if rel == ".cache" || rel == ".local/state" {
				return filepath.SkipDir
			}
		case d.Type()&os.ModeSymlink != 0:
			to, _ := os.Readlink(path)
			files[rel] = "-> " + to
		case filepath.Base(rel) != ".sync.lock":
			files[rel] = m.get(rel)
		}
		return nil
	})
	return files
}
