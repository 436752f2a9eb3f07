// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/setup"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/syncrepo"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// remoteOf is a remote with the files that make puts into an empty directory.
func (m *machine) remoteOf(make func(there *machine)) string {
	m.t.Helper()
	there := &machine{m.t, filepath.Join(m.t.TempDir(), "there"), m.h}
	remote := there.home + ".git"
	there.put("CLAUDE.md", "from afar\n", 0o644)
	m.git("/", "init", "-q", "--bare", "-b", "main", remote)
	there.git(there.home, "init", "-q", "-b", "main")
	make(there)
	there.git(there.home, "add", "-f", "-A")
	there.git(there.home, "commit", "-q", "-m", "one")
	there.git(there.home, "push", "-q", remote, "HEAD:main")
	return remote
}

func (m *machine) link(to, rel string) {
	m.t.Helper()
	testenv.Link(m.t, to, filepath.Join(m.home, rel))
}

func TestACloneRefusesWhatAPullRefuses(t *testing.T) {
	testenv.AsUser(t)
	for name, c := range map[string]struct {
		make func(m *machine)
		want string
	}{
		"a part that leads out": {func(m *machine) { m.link("../pub", "memory") }, "memory is a symlink"},
		"a part that leads in": {func(m *machine) { m.put("x/a", "a\n", 0o644); m.link("x", "commands") },
			"commands is a symlink"},
		"a link that leads out": {func(m *machine) { m.link("../../.ssh", "memory/x") }, "leads out"},
		"a control character":   {func(m *machine) { m.put("bin/a\x1b[2Jb", "x\n", 0o755) }, "control character"},
		"a credential":          {func(m *machine) { m.put(".credentials.json", "{}\n", 0o600) }, "a credential"},
		"settings":              {func(m *machine) { m.put("settings.json", "{}\n", 0o600) }, "must never be tracked"},
		"a filter":              {func(m *machine) { m.put(".gitattributes", "*.md filter=annex\n", 0o644) }, "filter=annex"},
		".gitignore is a link": {func(m *machine) { m.put("i", "x\n", 0o644); m.link("i", ".gitignore") },
			".gitignore is a symlink"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t, "linux", "amd64", "home/you")
			m.put(".gitconfig", "[filter \"annex\"]\n\tsmudge = touch "+m.home+"/pwned; cat\n", 0o600)
			remote := m.remoteOf(c.make)
			m.put(".claude/projects/-p/memory/MEMORY.md", "note\n", 0o600)
			before := m.tree()
			_, err := Init(context.Background(), m.h, setup.Settings{}, InitOptions{URL: remote})
			if err == nil || !strings.Contains(words(err), c.want) || strings.Contains(words(err), "\x1b") {
				t.Errorf("%v, want %q", words(err), c.want)
			}
			if d := same(before, m.tree()); len(d) > 0 {
				t.Errorf("changed %v", d)
			}
		})
	}
}

// TestAFilterOfTheUserIsNotStarted: neither by the attributes of the user.
func TestAFilterOfTheUserIsNotStarted(t *testing.T) {
	m := newMachine(t, "linux", "amd64", "home/you")
	m.put(".gitconfig", "[filter \"annex\"]\n\tsmudge = touch "+m.home+"/pwned; cat\n\tclean = touch "+m.home+
		"/pwned; cat\n[core]\n\tattributesFile = "+m.home+"/attributes\n\tautocrlf = true\n", 0o600)
	remote := m.remoteOf(func(*machine) {})
	m.put("attributes", "*.md filter=annex\n", 0o600)
	if _, err := Init(context.Background(), m.h, setup.Settings{}, InitOptions{URL: remote}); err != nil {
		t.Fatal(words(err))
	}
	if m.get("pwned") != "absent" {
		t.Error("the filter was started")
	}
}

// TestARemoteWhoseDefaultBranchHasNoCommitIsNotEmpty: git's own name for it on a server
// is another than ours.
func TestARemoteWhoseDefaultBranchHasNoCommitIsNotEmpty(t *testing.T) {
	m := newMachine(t, "linux", "amd64", "home/you")
	remote := m.remoteOf(func(*machine) {})
	m.git(remote, "symbolic-ref", "HEAD", "refs/heads/master")
	m.git(remote, "branch", "other", "main")
	m.git(remote, "branch", "-m", "main", "trunk")
	_, err := Init(context.Background(), m.h, setup.Settings{}, InitOptions{URL: remote})
	if err == nil || !strings.Contains(words(err), "has no default branch") {
		t.Errorf("two branches, and none is main: %v", words(err))
	}
	m.git(remote, "branch", "-m", "trunk", "main")
	m.init(remote)
	if got := m.get(".claude/CLAUDE.md"); got != "from afar\n" {
		t.Errorf("main: got %q", got)
	}
}

// TestSymlinksOfTheRemote: a README or a CLAUDE.md that is one is no contradiction.
func TestSymlinksOfTheRemote(t *testing.T) {
	m := newMachine(t, "linux", "amd64", "home/you")
	remote := m.remoteOf(func(there *machine) {
		if err := os.Remove(filepath.Join(there.home, "CLAUDE.md")); err != nil {
			t.Fatal(err)
		}
		there.put("AGENTS.md", "from afar\n", 0o644)
		there.link("AGENTS.md", "CLAUDE.md")
		there.link("AGENTS.md", "README.md")
	})
	m.put(".claude/CLAUDE.md", "from here\n", 0o600)
	m.init(remote)
	if got := m.get(".claude/CLAUDE.md") + m.get(".claude/CLAUDE.md.bak") + m.get(".claude-config/README.md"); got !=
		"from afar\nfrom here\nfrom afar\n" {
		t.Errorf("got %q", got)
	}
	p, err := Init(context.Background(), m.h, setup.Settings{}, InitOptions{})
	if err != nil || len(p.Plan.Changes()) > 0 {
		t.Errorf("again: %v, %v", p.Plan.Changes(), err)
	}
}

// TestAnInitThatWasKilled after any of its changes is continued by the same line;
// until then it is no repository, or one with its commit.
func TestAnInitThatWasKilled(t *testing.T) {
	testenv.AsUser(t)
	ctx := context.Background()
	top := newMachine(t, "linux", "amd64", "home/a")
	remote := top.remoteOf(func(there *machine) {
		there.put("memory/ABS-p/MEMORY.md", "note\n", 0o644)
		there.put("bin/tool", "#!/bin/sh\n", 0o755)
		there.put(".gitignore", "mine\n", 0o644)
		there.link("CLAUDE.md", "README.md")
	})
	fresh := func() *machine {
		m := newMachine(t, "linux", "amd64", "home/you")
		m.put(".claude/CLAUDE.md", "from here\n", 0o600)
		m.put(".claude/scripts/a.sh", "#!/bin/sh\n", 0o755)
		return m
	}
	whole := fresh()
	total := len(whole.init(remote).Changes())
	strip := func(m *machine) map[string]string {
		files := m.tree()
		for rel, text := range files {
			files[rel] = strings.ReplaceAll(text, m.home, "HOME")
		}
		return files
	}
	for n := 1; n < total; n++ {
		m := fresh()
		p, err := Init(ctx, m.h, setup.Settings{}, InitOptions{URL: remote})
		if err != nil {
			t.Fatal(words(err))
		}
		var part report.Section
		for _, c := range p.Plan.Changes()[:n] {
			part.Items = append(part.Items, c)
		}
		plan := report.NewPlan([]report.Section{part})
		if _, err := m.applier().Apply(ctx, plan, plan.ID, InitCommand, func(engine.Event) {}); err != nil {
			t.Fatal(words(err))
		}
		now, err := syncrepo.Look(ctx, m.h, m.h.Places().SyncRepo)
		if err != nil || now.Exists() && (now.Commit == "" || now.State == syncrepo.Unreadable) {
			t.Errorf("after %d: %s, commit %q: %s, %v", n, now.State, now.Commit, now.Why, err)
		}
		m.init(remote)
		if d := same(strip(whole), strip(m)); len(d) > 0 {
			t.Errorf("after %d of %d, %v differ", n, total, d)
		}
	}
	// Something else beside what a stopped run left is not written around.
	m := fresh()
	m.put(".claude-config/.git/objects/info/packs", "\n", 0o644)
	m.put(".claude-config/mine.txt", "mine\n", 0o644)
	before := m.tree()
	if _, err := Init(ctx, m.h, setup.Settings{}, InitOptions{URL: remote}); code(err) != report.ExitLeft {
		t.Errorf("a file of the user's: %v", err)
	}
	if d := same(before, m.tree()); len(d) > 0 {
		t.Errorf("changed %v", d)
	}
}

// TestADamagedRepositoryIsNotWrittenTo: commits that git cannot read.
func TestADamagedRepositoryIsNotWrittenTo(t *testing.T) {
	m := newMachine(t, "linux", "amd64", "home/you")
	m.git(m.home, "init", "-q", "-b", "main", ".claude-config")
	m.put(".claude-config/.git/refs/heads/main", strings.Repeat("1", 40)+"\n", 0o644)
	m.put(".claude/CLAUDE.md", "from here\n", 0o600)
	before := m.tree()
	if _, err := Init(context.Background(), m.h, setup.Settings{}, InitOptions{}); code(err) != report.ExitLeft {
		t.Errorf("%v", err)
	}
	if d := same(before, m.tree()); len(d) > 0 {
		t.Errorf("changed %v", d)
	}
}

// TestTheUsersOwnSymlinksStay, and nothing is written through one of the
// repository's that leads out of it.
func TestTheUsersOwnSymlinksStay(t *testing.T) {
	m := newMachine(t, "linux", "amd64", "home/you")
	m.git(m.home, "init", "-q", ".claude-config")
	m.put(".claude-config/bin/black", "#!/bin/sh\n", 0o755)
	m.put(".claude-config/memory/ABS-p/MEMORY.md", "theirs\n", 0o644)
	m.put("pipx/black", "#!/bin/sh\n", 0o755)
	m.put("notes/MEMORY.md", "mine\n", 0o644)
	m.put(".claude/commands/x.md", "x\n", 0o644)
	m.link(filepath.Join(m.home, "pipx/black"), ".local/bin/black")
	m.link(filepath.Join(m.home, "notes"), ".claude/projects/-p/memory")
	m.put("pub/.keep", "", 0o644)
	m.link("../pub", ".claude-config/commands")
	m.init("")
	for rel, want := range map[string]string{".local/bin/black": "pipx/black", ".claude/projects/-p/memory": "notes"} {
		if to, _ := os.Readlink(filepath.Join(m.home, rel)); to != filepath.Join(m.home, want) {
			t.Errorf("%s leads to %q", rel, to)
		}
	}
	if m.get("pub/x.md") != "absent" || m.get(".claude/commands/x.md") != "x\n" {
		t.Error("a file went out of the repository")
	}
}

// TestANewRepositoryIsPrivate to the user.
func TestANewRepositoryIsPrivate(t *testing.T) {
	m := newMachine(t, "linux", "amd64", "home/you")
	m.init("")
	if info, err := os.Stat(filepath.Join(m.home, ".claude-config")); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info, err)
	}
}

// TestWhatAKilledRunLeftIsNoFileOfTheRepository: it goes with the next run, and what
// leads to it would lead nowhere.
func TestWhatAKilledRunLeftIsNoFileOfTheRepository(t *testing.T) {
	m := newMachine(t, "linux", "amd64", "home/you")
	m.git(m.home, "init", "-q", ".claude-config")
	const left = ".a.sh.steward-20261130-041737.930-9b64"
	for _, dir := range []string{".claude-config/bin/", ".claude-config/scripts/", ".claude/scripts/"} {
		m.put(dir+left, "#!/bin/sh\n", 0o755)
	}
	for _, c := range m.init("").Changes() {
		if strings.Contains(c.Path, left) {
			t.Errorf("%s is written", c.Path)
		}
	}
}
