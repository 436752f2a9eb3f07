// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the source document's script runs git add -A without a
// .gitignore, and so commits the empty lock that it holds. Such a repository can
// be cloned, pulled and mended.

package sync

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/syncrepo"
)

func TestACommittedLock(t *testing.T) {
	w := newExchangeWorld(t)
	w.ada.put(".sync.lock", "")
	w.ada.pushes("auto-sync")
	unlock, err := Lock(w.bob.host())
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	w.bob.pull()
	out, err := w.bob.push(PushOptions{})
	if err != nil || !out.Stopped {
		t.Fatalf("a tracked lock leaves: %v", words(err))
	}
	evidence := out.Section().Findings[0].Evidence[0].Text
	if want := syncrepo.Untrack(w.ada.repo, ".sync.lock"); !strings.Contains(evidence,
		syncrepo.Untrack(w.bob.repo, ".sync.lock")) {
		t.Errorf("advice %q, want one like %q", evidence, want)
	}
	w.ada.git("rm", "-q", "--cached", "--", ".sync.lock")
	w.ada.git("commit", "-qm", "Stop tracking .sync.lock")
	if _, err := w.ada.push(PushOptions{}); err != nil {
		t.Fatal(words(err))
	}
	before, err := os.Stat(filepath.Join(w.bob.repo, ".sync.lock"))
	if err != nil {
		t.Fatal(err)
	}
	w.bob.pull()
	after, err := os.Stat(filepath.Join(w.bob.repo, ".sync.lock"))
	if err != nil || !os.SameFile(before, after) {
		t.Errorf("the pull removed the lock that it holds: %v", err)
	}
	if list := w.bob.git("ls-files"); strings.Contains(list, ".sync.lock") {
		t.Errorf("still tracked: %s", list)
	}
}

// TestALockThatHoldsSomething is none of the script's: it is not taken.
func TestALockThatHoldsSomething(t *testing.T) {
	w := newExchangeWorld(t)
	w.ada.put(".sync.lock", "x")
	w.ada.pushes("auto-sync")
	if _, err := w.bob.look(); err == nil || !strings.Contains(words(err), "never be tracked") {
		t.Errorf("taken: %v", words(err))
	}
}

func TestACloneWithACommittedLock(t *testing.T) {
	w := newExchangeWorld(t)
	w.ada.put(".sync.lock", "")
	w.ada.pushes("auto-sync")
	m := newMachine(t, "linux", "amd64", "home")
	m.init(w.remote)
	if got := m.get(".claude-config/.sync.lock"); got != "" {
		t.Errorf("the lock holds %q", got)
	}
	m.git(filepath.Join(m.home, ".claude-config"), "diff", "--exit-code", "HEAD")
}
