// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/report/preview"
	"github.com/steward-setup/steward-setup/internal/syncrepo"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// hook makes a git hook of the machine's own.
func (m *peer) hook(name, text string) {
	m.put(".git/hooks/"+name, "#!/bin/sh\n"+text)
	if err := os.Chmod(filepath.Join(m.repo, ".git/hooks", name),
		0o755); err != nil { // a hook is a program
		m.w.t.Fatal(err)
	}
}

func (w *exchangeWorld) remoteHas(rel string) string {
	w.t.Helper()
	return w.run(w.top, w.remote, "show", "main:"+rel)
}

func TestPushCommitsWhatIsNamed(t *testing.T) {
	testenv.AsUser(t)
	w := newExchangeWorld(t)
	w.ada.hook("pre-commit", "echo ran >>../hooks.log\n")
	w.ada.hook("pre-push", "echo ran >>../hooks.log\n")
	w.ada.put("CLAUDE.md", "changed\n")
	w.ada.put("memory/b/new file.md", "new\n")
	w.ada.put("memory/c.md", "stays\n")
	w.ada.put("staged.md", "staged\n")
	w.ada.git("add", "staged.md")
	if err := os.Remove(filepath.Join(w.ada.repo, "scripts/hook.sh")); err != nil {
		t.Fatal(err)
	}
	out, err := w.ada.push(PushOptions{Only: []string{"CLAUDE.md", "memory/b/new file.md", "scripts/hook.sh"}})
	if err != nil {
		t.Fatal(words(err))
	}
	want := "Update CLAUDE.md and 2 more files\n\nUpdate CLAUDE.md\nAdd memory/b/new file.md\nDelete scripts/hook.sh\n"
	if out.Message != want {
		t.Errorf("message %q", out.Message)
	}
	if got := w.run(w.top, w.remote, "ls-tree", "-r", "--name-only", "main"); got != "CLAUDE.md\nmemory/a/notes.md\n"+
		"memory/b/new file.md" {
		t.Errorf("the remote has %q", got)
	}
	if got := w.remoteHas("CLAUDE.md"); got != "changed" {
		t.Errorf("the remote has %q", got)
	}
	if got := w.ada.git("status", "--porcelain=v1", "--branch"); got != "## main...origin/main\nA  staged.md\n"+
		"?? memory/c.md" {
		t.Errorf("git says %q", got)
	}
	if got := w.ada.text("../hooks.log"); got != "ran\nran\n" {
		t.Errorf("hooks: %q", got)
	}
}

func TestPushGoesOnTopOfWhatArrives(t *testing.T) {
	testenv.AsUser(t)
	w := newExchangeWorld(t)
	w.ada.put("CLAUDE.md", "one\ntwo\nthree\nfour\nfive, and mine\n")
	w.bob.put("CLAUDE.md", "one, from bob\ntwo\nthree\nfour\nfive\n")
	w.bob.put("memory/bob.md", "x\n")
	w.bob.pushes("from bob")
	out, err := w.ada.push(PushOptions{Message: "mine"})
	if err != nil {
		t.Fatal(words(err))
	}
	if len(out.Files) != 1 || !strings.Contains(preview.Diff(out.Files[0]), "\n-five\n+five, and mine\n") ||
		strings.Contains(preview.Diff(out.Files[0]), "+one") {
		t.Errorf("leaves: %s", preview.Diff(out.Files[0]))
	}
	if got := w.remoteHas("CLAUDE.md"); got != "one, from bob\ntwo\nthree\nfour\nfive, and mine" {
		t.Errorf("the remote has %q", got)
	}
	w.bob.pull()
	if got := w.bob.text("CLAUDE.md"); got != w.ada.text("CLAUDE.md") {
		t.Errorf("bob has %q", got)
	}
	if got := w.bob.git("log", "--format=%s"); got != "mine\nfrom bob\nbegin" {
		t.Errorf("history %q", got)
	}
}

func TestTheFirstPushOfAnEmptyRemote(t *testing.T) {
	w := newExchangeWorld(t)
	if err := os.RemoveAll(w.remote); err != nil {
		t.Fatal(err)
	}
	w.run(w.top, w.top, "init", "-q", "--bare", "-b", "main", "remote.git")
	if err := os.RemoveAll(w.bob.repo); err != nil {
		t.Fatal(err)
	}
	w.bob.clone()
	w.bob.put("CLAUDE.md", "first\n")
	if _, err := w.bob.push(PushOptions{}); err != nil {
		t.Fatal(words(err))
	}
	if got := w.bob.git("status", "--porcelain=v1", "--branch"); got != "## main...origin/main" {
		t.Errorf("git says %q", got)
	}
}

func TestWhatStaysHereIsSaid(t *testing.T) {
	w := newExchangeWorld(t)
	testenv.Link(t, "/etc/passwd", filepath.Join(w.ada.repo, "link.md"))
	w.ada.put("nested/.git/HEAD", "ref: refs/heads/main\n")
	w.run(w.ada.home, filepath.Join(w.ada.repo, "nested"), "init", "-q")
	w.ada.put("big.txt", strings.Repeat("word\n", 1<<20))
	w.ada.put("memory/ok.md", "ok\n")
	e, err := w.ada.look()
	if err != nil {
		t.Fatal(words(err))
	}
	out, err := e.Push(context.Background(), PushOptions{})
	if err != nil {
		t.Fatal(words(err))
	}
	if len(out.Files) != 1 || string(out.Files[0].ID) != "push/memory/ok.md" || len(out.findings) != 3 || out.Stopped {
		t.Errorf("leaves %d, says %+v", len(out.Files), out.findings)
	}
}

// TestRefusedPushes: the commit stands, the files are as they were, and the
// next push goes on.
func TestRefusedPushes(t *testing.T) {
	testenv.AsUser(t)
	for name, c := range map[string]struct {
		make   func(w *exchangeWorld)
		undo   func(w *exchangeWorld)
		says   string
		code   int
		stands bool
	}{
		"somebody was faster": {func(w *exchangeWorld) {
			w.bob.put("memory/fast.md", "x\n")
			w.ada.hook("pre-commit", "env -u GIT_INDEX_FILE -u GIT_DIR HOME='"+w.bob.home+"' sh -c \"cd '"+w.bob.repo+
				"' && git add -A && git commit -qm fast && git push -q origin HEAD:main\"\n")
		}, func(w *exchangeWorld) { os.Remove(filepath.Join(w.ada.repo, ".git/hooks/pre-commit")) }, "push rejected", 1,
			true},
		"a hook of the remote's": {func(w *exchangeWorld) {
			w.write(filepath.Join(w.remote, "hooks/pre-receive"), "#!/bin/sh\necho no >&2\nexit 1\n")
			_ = os.Chmod(filepath.Join(w.remote, "hooks/pre-receive"), 0o755) // a hook is a program
		}, func(w *exchangeWorld) { os.Remove(filepath.Join(w.remote, "hooks/pre-receive")) }, "push refused by the remote",
			1, true},
		"a pre-push hook": {func(w *exchangeWorld) { w.ada.hook("pre-push", "exit 1\n") },
			func(w *exchangeWorld) { os.Remove(filepath.Join(w.ada.repo, ".git/hooks/pre-push")) }, "git did not push", 1, true},
		"a pre-commit hook": {func(w *exchangeWorld) {
			w.ada.hook("pre-commit",
				"echo 'error: no trailing blanks' >&2; exit 1\n")
		},
			func(w *exchangeWorld) { os.Remove(filepath.Join(w.ada.repo, ".git/hooks/pre-commit")) }, "no trailing blanks", 1,
			false},
		"a hook that changes a file": {func(w *exchangeWorld) {
			w.ada.hook("pre-commit", "echo more >>memory/mine.md; git add memory/mine.md\n")
		},
			func(w *exchangeWorld) { os.Remove(filepath.Join(w.ada.repo, ".git/hooks/pre-commit")) }, "is not what was approved",
			1, true},
		"a lock that git left": {func(w *exchangeWorld) { w.ada.put(".git/refs/heads/main.lock", "") },
			func(w *exchangeWorld) { os.Remove(filepath.Join(w.ada.repo, ".git/refs/heads/main.lock")) },
			"another git is working here", 75, false},
		"a lock that comes meanwhile": {func(w *exchangeWorld) {
			w.ada.hook("pre-commit", "touch .git/refs/heads/main.lock\n")
		}, func(w *exchangeWorld) {
			os.Remove(filepath.Join(w.ada.repo, ".git/hooks/pre-commit"))
			os.Remove(filepath.Join(w.ada.repo, ".git/refs/heads/main.lock"))
		}, "git did not commit", 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newExchangeWorld(t)
			w.ada.put("memory/mine.md", "mine\n")
			c.make(w)
			head := w.ada.git("rev-parse", "HEAD")
			_, err := w.ada.push(PushOptions{})
			if code(err) != c.code || !strings.Contains(words(err), c.says) {
				t.Fatalf("%d: %s", code(err), words(err))
			}
			if !strings.HasPrefix(w.ada.text("memory/mine.md"), "mine\n") {
				t.Error("the file is lost")
			}
			if (w.ada.git("rev-parse", "HEAD") != head) != c.stands {
				t.Error("the commit stands or not, other than said")
			}
			c.undo(w)
			if _, err := w.ada.push(PushOptions{}); err != nil {
				t.Fatal("the next push:", words(err))
			}
			if got := w.remoteHas("memory/mine.md"); !strings.HasPrefix(got, "mine") {
				t.Errorf("the remote has %q", got)
			}
		})
	}
}

func TestOnlyWhatWasShownLeaves(t *testing.T) {
	w := newExchangeWorld(t)
	w.ada.put("memory/mine.md", "mine\n")
	e, err := w.ada.look()
	if err != nil {
		t.Fatal(err)
	}
	out, err := e.Push(context.Background(), PushOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w.ada.put("memory/mine.md", "other\n")
	if err := e.Send(context.Background(), out); code(err) != report.ExitStale {
		t.Errorf("a file that changed: %s", words(err))
	}
	w.ada.put("memory/mine.md", "mine\n")
	w.ada.git("commit", "-q", "--allow-empty", "-m", "x")
	if err := e.Send(context.Background(), out); code(err) != report.ExitStale {
		t.Errorf("another commit: %s", words(err))
	}
	if got := w.run(w.top, w.remote, "log", "--format=%s", "main"); got != "begin" {
		t.Errorf("the remote has %q", got)
	}
}

// TestAPushGoesWhereItIsFetchedFrom: git may push to another address; one of
// another repository is refused, and so is one that came after the look.
func TestAPushGoesWhereItIsFetchedFrom(t *testing.T) {
	w := newExchangeWorld(t)
	other := filepath.Join(w.top, "other.git")
	w.run(w.top, w.top, "init", "-q", "--bare", other)
	w.ada.put("memory/mine.md", "mine\n")
	e, err := w.ada.look()
	if err != nil {
		t.Fatal(words(err))
	}
	w.ada.git("config", "remote.origin.pushurl", "file://"+w.remote)
	out, err := e.Push(context.Background(), PushOptions{})
	if err != nil || out.To != "file://"+w.remote {
		t.Fatalf("shows %q, %s", out.To, words(err))
	}
	w.ada.git("config", "remote.origin.pushurl", other)
	if _, err := e.Push(context.Background(), PushOptions{}); code(err) != report.ExitLeft ||
		!strings.Contains(words(err), other) {
		t.Errorf("another repository: %s", words(err))
	}
	if err := e.Send(context.Background(), out); code(err) != report.ExitLeft {
		t.Errorf("another repository after the look: %s", words(err))
	}
	w.ada.git("config", "--unset", "remote.origin.pushurl")
	if err := e.Send(context.Background(), out); code(err) != report.ExitStale {
		t.Errorf("another address after the look: %s", words(err))
	}
	w.ada.git("config", "--add", "remote.origin.pushurl", w.remote)
	w.ada.git("config", "--add", "remote.origin.pushurl", other)
	if _, err := e.Push(context.Background(), PushOptions{}); code(err) != report.ExitLeft {
		t.Errorf("two addresses: %s", words(err))
	}
	if got := w.run(w.top, other, "for-each-ref"); got != "" {
		t.Errorf("pushed there: %s", got)
	}
}

// TestTheSameRepositoryByAnotherWay: https to fetch and ssh to push is common.
func TestTheSameRepositoryByAnotherWay(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"https://example.invalid/me/x", "git@example.invalid:me/x.git", true},
		{"https://example.invalid/me/x.git", "ssh://git@example.invalid/me/x", true},
		{"https://example.invalid/me/x", "git@example.invalid:you/x.git", false},
		{"https://example.invalid/me/x", "git@example.com:me/x.git", false},
		{"/srv/x.git", "file:///srv/x.git", true},
	} {
		a, errA := syncrepo.ParseAddress(c.a)
		b, errB := syncrepo.ParseAddress(c.b)
		if errA != nil || errB != nil || (repository(a) == repository(b)) != c.same {
			t.Errorf("%s and %s: %v %v", c.a, c.b, errA, errB)
		}
	}
}

// TestAMessageWithASecretIsRefused: nothing of it is shown or committed.
func TestAMessageWithASecretIsRefused(t *testing.T) {
	token := "gh" + "p_" + strings.Repeat("aB3dE6gH9", 4)
	w := newExchangeWorld(t)
	w.ada.put("memory/mine.md", "mine\n")
	out, err := w.ada.push(PushOptions{Message: "mine\n\nwith " + token})
	if out != nil || code(err) != report.ExitUsage || strings.Contains(words(err), token) {
		t.Errorf("%d: %s", code(err), words(err))
	}
	if got := w.ada.git("log", "--format=%s"); got != "begin" {
		t.Errorf("committed: %s", got)
	}
}

// TestCommitsThatArePutOnTopAreTheSameAtEveryLook: a plan is applied later, and
// looks again.
func TestCommitsThatArePutOnTopAreTheSameAtEveryLook(t *testing.T) {
	testenv.AsUser(t)
	w := newExchangeWorld(t)
	w.ada.put("memory/mine.md", "mine\n")
	w.ada.git("add", "memory")
	w.ada.git("commit", "-qm", "mine", "--date=2020-01-01T00:00:00Z")
	w.bob.put("memory/bob.md", "x\n")
	w.bob.pushes("from bob")
	e, err := w.ada.look()
	if err != nil {
		t.Fatal(words(err))
	}
	if got := w.run(w.top, e.own.Dir, "log", "-1", "--format=%cI", e.to); !strings.HasPrefix(got, "2020-01-01T") {
		t.Errorf("committed at %s", got)
	}
	out, err := e.Push(context.Background(), PushOptions{})
	if err != nil {
		t.Fatal(words(err))
	}
	// Signed commits differ at every look: the plan names what they hold.
	if tree := w.run(w.top, e.own.Dir, "rev-parse", e.to+"^{tree}"); out.content != tree || len(out.Commits) != 1 ||
		out.Commits[0] != "mine" {
		t.Errorf("the plan names %s, %q", out.content, out.Commits)
	}
	e.Release()
	if _, err := w.ada.push(PushOptions{}); err != nil {
		t.Fatal(words(err))
	}
}

// TestModesAndChangesOfTwoMachines: the mode that arrives and an edit here are
// both kept, and so are an edit that arrives and the mode here.
func TestModesAndChangesOfTwoMachines(t *testing.T) {
	for name, turned := range map[string]bool{"the mode arrives": false, "the edit arrives": true} {
		t.Run(name, func(t *testing.T) {
			w := newExchangeWorld(t)
			edits, modes := w.ada, w.bob
			if turned {
				edits, modes = w.bob, w.ada
			}
			edits.put("scripts/hook.sh", "echo edited\n")
			if err := os.Chmod(filepath.Join(modes.repo, "scripts/hook.sh"), 0o755); err != nil { // a program
				t.Fatal(err)
			}
			w.bob.pushes("from bob")
			out, err := w.ada.push(PushOptions{})
			if err != nil {
				t.Fatal(words(err))
			}
			if len(out.Files) != 1 || out.Files[0].SetMode != turned {
				t.Errorf("leaves: %+v", out.Files)
			}
			if got := w.run(w.top, w.remote, "ls-tree", "main", "scripts/hook.sh"); !strings.HasPrefix(got, execMode) ||
				w.remoteHas("scripts/hook.sh") != "echo edited" {
				t.Errorf("the remote has %s", got)
			}
		})
	}
}
