// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestPullTakesWhatAnotherMachinePushed(t *testing.T) {
	w := newExchangeWorld(t)
	w.bob.put("memory/a/notes.md", "first\nsecond\n")
	w.bob.put("memory/b/new.md", "new\n")
	w.bob.put("memory/b/.envrc", "echo other\n") // a program reads it where it lies
	w.bob.put("memory/b/.gitignore", "x\n")
	w.bob.put("scripts/hook.sh", "echo other\n")
	w.bob.git("update-index", "--chmod=+x", "scripts/hook.sh")
	if err := os.Chmod(filepath.Join(w.bob.repo, "scripts/hook.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	w.bob.pushes("from bob")
	before := w.ada.tree()
	e, err := w.ada.look()
	if err != nil {
		t.Fatal(err)
	}
	if differs := same(before, w.ada.tree()); len(differs) > 0 {
		t.Errorf("a look changed %q", differs)
	}
	if got := strings.Join(paths(e), " "); got != "memory/a/notes.md memory/b/.envrc memory/b/.gitignore "+
		"memory/b/new.md scripts/hook.sh" {
		t.Errorf("arrives: %s", got)
	}
	if got := strings.Join(e.Asks, " "); got != "memory/b/.envrc scripts/hook.sh" {
		t.Errorf("asks about %q", got)
	}
	if len(e.Arriving) != 1 || !strings.HasSuffix(e.Arriving[0], " from bob") {
		t.Errorf("arriving: %q", e.Arriving)
	}
	w.ada.take(e)
	e.Release()
	for rel, want := range map[string]string{"memory/a/notes.md": "first\nsecond\n", "memory/b/new.md": "new\n",
		"scripts/hook.sh": "echo other\n"} {
		if got := w.ada.text(rel); got != want {
			t.Errorf("%s: %q", rel, got)
		}
	}
	if info, err := os.Stat(filepath.Join(w.ada.repo, "scripts/hook.sh")); err != nil || info.Mode().Perm()&0o100 == 0 {
		t.Error("the mode did not arrive")
	}
	if got := w.ada.git("status", "--porcelain=v1", "--branch"); got != "## main...origin/main" {
		t.Errorf("git says %q", got)
	}
	if e := w.ada.pull(); e.Behind() || len(e.Changes) > 0 {
		t.Error("a second pull finds something")
	}
}

// TestWhatIsNotCommittedStays: changes, commits and staged files of this
// machine survive what arrives.
func TestWhatIsNotCommittedStays(t *testing.T) {
	w := newExchangeWorld(t)
	w.ada.put("scripts/mine.sh", "echo mine\n")
	w.ada.git("add", "scripts/mine.sh")
	w.ada.git("commit", "-qm", "mine")
	w.ada.put("CLAUDE.md", "one\ntwo\nthree\nfour\nfive, and mine\n")
	w.ada.put("memory/staged.md", "staged\n")
	w.ada.git("add", "memory/staged.md")
	w.ada.put("untracked.md", "untracked\n")
	w.bob.put("CLAUDE.md", "one, from bob\ntwo\nthree\nfour\nfive\n")
	w.bob.pushes("from bob")
	pushed := w.bob.git("rev-parse", "HEAD")
	e := w.ada.pull()
	if len(e.Replayed) != 1 {
		t.Errorf("put on top: %q", e.Replayed)
	}
	for rel, want := range map[string]string{"CLAUDE.md": "one, from bob\ntwo\nthree\nfour\nfive, and mine\n",
		"scripts/mine.sh":  "echo mine\n",
		"memory/staged.md": "staged\n", "untracked.md": "untracked\n"} {
		if got := w.ada.text(rel); got != want {
			t.Errorf("%s: %q", rel, got)
		}
	}
	if got := w.ada.git("status", "--porcelain=v1", "--branch"); got != "## main...origin/main [ahead 1]\n M CLAUDE.md\n"+
		"A  memory/staged.md\n?? untracked.md" {
		t.Errorf("git says %q", got)
	}
	if got := w.ada.git("rev-parse", "HEAD^"); got != pushed {
		t.Error("the commit is not on top of the remote's")
	}
	if got := w.ada.git("log", "-1", "--format=%an %s"); got != "ada mine" {
		t.Errorf("the commit became %q", got)
	}
}

// commitID is a commit as it is named to the user.
var commitID = regexp.MustCompile(`\b[0-9a-f]{10,40}\b`)

func TestNotTakenAndNothingChanged(t *testing.T) {
	testenv.AsUser(t)
	says := testenv.NewSections(t, "testdata/not-taken.txt", "go test ./steps/sync -run "+t.Name()+" -update")
	for name, c := range map[string]struct {
		make func(w *exchangeWorld)
		code int
	}{
		"a conflict of commits": {func(w *exchangeWorld) {
			w.ada.put("CLAUDE.md", "mine\n")
			w.ada.git("commit", "-qam", "mine")
			w.bob.put("CLAUDE.md", "his\n")
			w.bob.pushes("his")
		}, 1},
		"a conflict with what is not committed": {func(w *exchangeWorld) {
			w.ada.put("CLAUDE.md", "mine\n")
			w.bob.put("CLAUDE.md", "his\n")
			w.bob.pushes("his")
		}, 1},
		"an untracked file in the way": {func(w *exchangeWorld) {
			w.ada.put("memory/new.md", "mine\n")
			w.bob.put("memory/new.md", "his\n")
			w.bob.pushes("his")
		}, 1},
		"a deleted file that was changed": {func(w *exchangeWorld) {
			os.Remove(filepath.Join(w.ada.repo, "CLAUDE.md"))
			w.bob.put("CLAUDE.md", "his\n")
			w.bob.pushes("his")
		}, 1},
		"staged with another content": {func(w *exchangeWorld) {
			w.ada.put("memory/a/notes.md", "staged\n")
			w.ada.git("add", "-A")
			w.ada.put("memory/a/notes.md", "first\n")
			w.bob.put("memory/a/notes.md", "his\n")
			w.bob.pushes("his")
		}, 1},
		"a rewritten history": {func(w *exchangeWorld) {
			w.bob.git("commit", "-q", "--amend", "-m", "other")
			w.bob.git("push", "-q", "-f", "origin", "HEAD:main")
		}, 1},
		"another repository": {func(w *exchangeWorld) {
			w.bob.git("checkout", "-q", "--orphan", "x")
			w.bob.git("commit", "-qm", "other")
			w.bob.git("push", "-q", "-f", "origin", "HEAD:main")
			w.ada.git("update-ref", "-d", "refs/remotes/origin/main")
		}, 1},
		"a remote that is gone": {func(w *exchangeWorld) { os.RemoveAll(w.remote) }, 1},
		"a branch that is gone": {func(w *exchangeWorld) {
			w.run(w.top, w.remote, "update-ref", "-d", "refs/heads/main")
		}, 1},
		"another git":             {func(w *exchangeWorld) { w.ada.put(".git/index.lock", "") }, 75},
		"a lock of the branch":    {func(w *exchangeWorld) { w.ada.put(".git/refs/heads/main.lock", "") }, 75},
		"a lock of HEAD":          {func(w *exchangeWorld) { w.ada.put(".git/HEAD.lock", "") }, 75},
		"a lock of what is noted": {func(w *exchangeWorld) { w.ada.put(".git/refs/remotes/origin/main.lock", "") }, 75},
		"a rebase that was begun": {func(w *exchangeWorld) { w.ada.put(".git/rebase-merge/head-name", "x") }, 1},
		"no branch":               {func(w *exchangeWorld) { w.ada.git("checkout", "-q", "--detach") }, 1},
		"no repository":           {func(w *exchangeWorld) { os.RemoveAll(filepath.Join(w.ada.repo, ".git")) }, 1},
		"nothing":                 {func(w *exchangeWorld) { os.RemoveAll(w.ada.repo) }, 1},
		"a password in the address": {func(w *exchangeWorld) {
			w.ada.git("remote", "set-url", "origin", "https://me:pw1234@example.invalid/x")
		}, 1},
		"a helper as the address": {func(w *exchangeWorld) {
			w.ada.git("remote", "set-url", "origin",
				"ext::sh -c touch% pwned")
		}, 1},
		"a filter in its configuration": {func(w *exchangeWorld) { w.ada.git("config", "filter.x.clean", "touch pwned") }, 1},
		"ssh in its configuration": {func(w *exchangeWorld) {
			w.ada.git("config", "core.sshCommand", "touch pwned")
		}, 1},
		"a command for keys in its configuration": {func(w *exchangeWorld) {
			w.ada.git("config", "gpg.ssh.defaultKeyCommand", "touch pwned")
		}, 1},
		"ssh in an included file": {func(w *exchangeWorld) {
			w.ada.put("included", "[core]\n\tsshCommand = touch pwned\n")
			w.ada.git("config", "include.path", "../included")
		}, 1},
		"attributes with a filter": {func(w *exchangeWorld) {
			w.bob.put(".gitattributes", "*.md filter=x\n")
			w.bob.pushes("his")
		}, 1},
		"attributes that convert": {func(w *exchangeWorld) {
			w.bob.put(".gitattributes", "* text=auto eol=lf\n*.bat eol=crlf\n")
			w.bob.pushes("his")
		}, 1},
		"attributes with a merge driver": {func(w *exchangeWorld) {
			w.bob.put("memory/.gitattributes", "*.md merge=x\n")
			w.bob.pushes("his")
		}, 1},
		"a credential": {func(w *exchangeWorld) {
			w.bob.put(".credentials.json", "{}\n")
			w.bob.pushes("his")
		}, 1},
		"a symlink that leads out": {func(w *exchangeWorld) {
			if err := os.Symlink("../../.ssh/config", filepath.Join(w.bob.repo, "memory", "x.md")); err != nil {
				panic(err)
			}
			w.bob.pushes("his")
		}, 1},
		"a symlink that leads out by way of another": {func(w *exchangeWorld) {
			w.bob.put("a/b/c/x", "")
			for name, to := range map[string]string{"d": "../../..", "e": "d/../.ssh"} {
				if err := os.Symlink(to, filepath.Join(w.bob.repo, "a/b/c", name)); err != nil {
					panic(err)
				}
			}
			w.bob.pushes("his")
		}, 1},
		"a directory that becomes a symlink that leads out": {func(w *exchangeWorld) {
			w.bob.becomes("memory", "../.ssh")
		}, 1},
		"a directory that becomes a symlink": {func(w *exchangeWorld) {
			w.bob.becomes("memory", "skills")
		}, 1},
		"an absolute symlink": {func(w *exchangeWorld) {
			if err := os.Symlink("/etc/passwd", filepath.Join(w.bob.repo, "x.md")); err != nil {
				panic(err)
			}
			w.bob.pushes("his")
		}, 1},
		"a directory that became a symlink here": {func(w *exchangeWorld) {
			os.RemoveAll(filepath.Join(w.ada.repo, "memory"))
			if err := os.Symlink(w.top, filepath.Join(w.ada.repo, "memory")); err != nil {
				panic(err)
			}
			w.bob.put("memory/new.md", "x\n")
			w.bob.pushes("his")
		}, 1},
		"a file of more than 64 MiB": {func(w *exchangeWorld) {
			w.bob.put("memory/large.bin", strings.Repeat("\x00", 64<<20+1))
			w.bob.pushes("his")
		}, 1},
		"a merge that holds files of its own": {func(w *exchangeWorld) {
			w.ada.git("checkout", "-q", "-b", "side")
			w.ada.put("memory/side.md", "side\n")
			w.ada.git("add", "memory")
			w.ada.git("commit", "-qm", "side")
			w.ada.git("checkout", "-q", "main")
			w.ada.git("merge", "-q", "--no-ff", "--no-commit", "side")
			w.ada.put("memory/merged.md", "merged\n")
			w.ada.git("add", "memory")
			w.ada.git("commit", "-qm", "merged")
			w.bob.put("memory/his.md", "his\n")
			w.bob.pushes("his")
		}, 1},
		"a file that was moved here and changed there": {func(w *exchangeWorld) {
			w.ada.git("mv", "CLAUDE.md", "moved.md")
			w.ada.git("commit", "-qm", "moved")
			w.bob.put("CLAUDE.md", "one, his\ntwo\nthree\nfour\nfive\n")
			w.bob.pushes("his")
		}, 1},
		"a directory that became a file": {func(w *exchangeWorld) {
			os.RemoveAll(filepath.Join(w.bob.repo, "memory"))
			w.bob.put("memory", "his\n")
			w.bob.pushes("his")
		}, 1},
		"a file that became a directory": {func(w *exchangeWorld) {
			os.Remove(filepath.Join(w.bob.repo, "CLAUDE.md"))
			w.bob.put("CLAUDE.md/x.md", "his\n")
			w.bob.pushes("his")
		}, 1},
		"a submodule": {func(w *exchangeWorld) {
			w.bob.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", w.remote, "scripts/sub")
			w.bob.git("commit", "-qm", "sub")
			w.bob.git("push", "-q", "origin", "HEAD:main")
		}, 1},
		"a name with a control character": {func(w *exchangeWorld) {
			w.bob.put("memory/a\x1b[2Jb.md", "x\n")
			w.bob.pushes("his")
		}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			w := newExchangeWorld(t)
			c.make(w)
			before := w.ada.tree()
			_, err := w.ada.look()
			var e *report.Error
			if !errors.As(err, &e) || e.Code != c.code {
				t.Fatalf("%d: %s", code(err), words(err))
			}
			said := strings.Join([]string{e.Where, e.What, e.Why, e.Advice()}, "\n")
			says.Put(name, commitID.ReplaceAllString(strings.ReplaceAll(said, w.top, "TOP"), "COMMIT"))
			if strings.ContainsAny(words(err), "\x1b") || strings.Contains(words(err), "pw1234") {
				t.Errorf("shows %q", words(err))
			}
			if differs := same(before, w.ada.tree()); len(differs) > 0 {
				t.Errorf("changed: %q", differs)
			}
			if _, err := os.Stat(filepath.Join(w.ada.repo, "pwned")); err == nil {
				t.Error("a program was started")
			}
		})
	}
}

// TestAPullIsUndoneByItsIDAlone: a timer pulls often, and what arrived is the
// user's own.
func TestAPullIsUndoneByItsIDAlone(t *testing.T) {
	w := newExchangeWorld(t)
	w.bob.put("memory/a/notes.md", "his\n")
	w.bob.pushes("his")
	w.ada.pull()
	a, h := w.ada.applier(), w.ada.host()
	if _, _, err := a.UndoPlan(h, ""); !errors.Is(err, engine.ErrNothingToUndo) {
		t.Errorf("undo without an id: %v", err)
	}
	u, err := a.PlanUninstall(h)
	if err != nil || len(u.Section.Items) > 0 {
		t.Errorf("uninstall would write %d files: %v", len(u.Section.Items), err)
	}
	list, err := a.History()
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	receipt, p, err := a.UndoPlan(h, list[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Undo(t.Context(), receipt, p, p.ID, func(engine.Event) {}); err != nil {
		t.Fatal(err)
	}
	if got := w.ada.text("memory/a/notes.md"); got != "first\n" {
		t.Errorf("after undo: %q", got)
	}
}

// TestWhatThisVersionWouldWriteIsNotAsked: a hook script of today's that calls
// this program; one that calls another is asked about.
func TestWhatThisVersionWouldWriteIsNotAsked(t *testing.T) {
	testenv.AsUser(t)
	w := newExchangeWorld(t)
	program := filepath.Join(w.ada.home, "bin", "steward-setup")
	w.write(program, "")
	name := scripts.Hooks[0]
	for path, want := range map[string]string{program: "", filepath.Join(w.ada.home, "other"): "scripts/" + name} {
		b, err := scripts.Render(name, path)
		if err != nil {
			t.Fatal(err)
		}
		w.bob.put("scripts/"+name, string(b))
		w.bob.pushes(path)
		e, err := w.ada.look()
		if err != nil {
			t.Fatal(words(err))
		}
		e.Release()
		if got := strings.Join(e.Asks, " "); got != want || len(e.Changes) != 1 {
			t.Errorf("%s: asks about %q, %d changes", path, got, len(e.Changes))
		}
	}
}

// TestNothingOfTheRepositoryRuns: a pull starts no hook and no fsmonitor, also
// where commits are put on top.
func TestNothingOfTheRepositoryRuns(t *testing.T) {
	testenv.AsUser(t)
	w := newExchangeWorld(t)
	for _, name := range []string{"pre-rebase", "post-checkout", "post-merge", "post-rewrite", "post-commit", "pre-commit",
		"commit-msg", "reference-transaction", "post-index-change", "pre-auto-gc"} {
		w.ada.hook(name, "touch '"+w.top+"/pwned-"+name+"'\n")
	}
	w.ada.put("monitor.sh", "#!/bin/sh\ntouch '"+w.top+"/pwned-fsmonitor'\n")
	if err := os.Chmod(filepath.Join(w.ada.repo, "monitor.sh"), 0o755); err != nil { // a program
		t.Fatal(err)
	}
	w.ada.put("memory/mine.md", "mine\n")
	w.ada.git("-c", "core.hooksPath=/dev/null", "add", "memory")
	w.ada.git("-c", "core.hooksPath=/dev/null", "commit", "-qm", "mine")
	w.ada.git("config", "core.fsmonitor", filepath.Join(w.ada.repo, "monitor.sh"))
	w.ada.put("CLAUDE.md", "one\ntwo\nthree\nfour\nfive, and mine\n")
	w.bob.put("CLAUDE.md", "one, from bob\ntwo\nthree\nfour\nfive\n")
	w.bob.put(".githooks/post-checkout", "#!/bin/sh\ntouch '"+w.top+"/pwned-tracked'\n")
	w.bob.pushes("his")
	e := w.ada.pull()
	if len(e.Replayed) != 1 || len(e.Changes) != 2 || strings.Join(e.Asks, " ") != ".githooks/post-checkout CLAUDE.md" {
		t.Errorf("put on top %d, %d changes, asks %q", len(e.Replayed), len(e.Changes), e.Asks)
	}
	if list, _ := filepath.Glob(filepath.Join(w.top, "pwned-*")); len(list) > 0 {
		t.Errorf("ran: %q", list)
	}
}
