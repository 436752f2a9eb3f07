// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/testenv"
)

// TestTheAdviceOfAConflictWorks: what init left untracked on both machines is in
// the way of git.
func TestTheAdviceOfAConflictWorks(t *testing.T) {
	w := newExchangeWorld(t)
	w.ada.put("README.md", "read\n")
	w.ada.put("CLAUDE.md", "mine\n")
	w.ada.git("commit", "-qam", "mine")
	w.bob.put("README.md", "read\n")
	w.bob.put("CLAUDE.md", "his\n")
	w.bob.pushes("his")
	_, err := w.ada.look()
	if !strings.Contains(words(err), "conflict") || !strings.Contains(words(err), "| commit what git -C "+w.ada.repo+
		" status lists") {
		t.Fatal(words(err))
	}
	w.ada.git("add", "-A")
	w.ada.git("commit", "-qm", "init")
	w.ada.git("-c", "merge.conflictStyle=merge", "-c", "rebase.autoStash=false", "-c", "core.editor=true", "pull", "-q",
		"--rebase", "-X", "theirs")
	e := w.ada.pull()
	if len(e.Changes) > 0 || w.ada.text("CLAUDE.md") != "mine\n" {
		t.Errorf("%d changes left, %q", len(e.Changes), w.ada.text("CLAUDE.md"))
	}
}

// TestCommitsAreSignedAsTheRepositorySays: with a key that its configuration
// names alone.
func TestCommitsAreSignedAsTheRepositorySays(t *testing.T) {
	testenv.AsUser(t)
	testenv.Need(t, "ssh-keygen")
	w := newExchangeWorld(t)
	key := filepath.Join(w.ada.home, "key")
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	w.ada.git("config", "gpg.format", "ssh")
	w.ada.git("config", "user.signingKey", key)
	w.ada.git("config", "commit.gpgsign", "true")
	w.ada.put("memory/mine.md", "mine\n")
	w.ada.git("add", "memory")
	w.ada.git("commit", "-qm", "mine")
	w.bob.put("memory/his.md", "his\n")
	w.bob.pushes("his")
	if e := w.ada.pull(); len(e.Replayed) != 1 || !strings.Contains(w.ada.git("cat-file", "commit", "HEAD"),
		"-----BEGIN SSH SIGNATURE-----") {
		t.Errorf("not signed: %s", w.ada.git("cat-file", "commit", "HEAD"))
	}
}

// TestHarmlessAttributesAreTaken: what git would do to the files is nothing.
func TestHarmlessAttributesAreTaken(t *testing.T) {
	w := newExchangeWorld(t)
	w.bob.put(".gitattributes", "* text=auto eol=lf\n*.png binary -filter\n*.md merge=union\n")
	w.bob.put("memory/his.md", "his\n")
	w.bob.pushes("his")
	w.ada.pull()
	if got := w.ada.git("status", "--porcelain=v1", "--branch"); got != "## main...origin/main" ||
		w.ada.text("memory/his.md") != "his\n" {
		t.Errorf("git says %q", got)
	}
}

// TestALineForAHomeWithABlank: can be pasted.
func TestALineForAHomeWithABlank(t *testing.T) {
	line := (&Exchange{dir: "/home/a b/.claude-config"}).mergeLine()
	if !strings.HasPrefix(line, "git -C '/home/a b/.claude-config' pull ") {
		t.Error(line)
	}
}
