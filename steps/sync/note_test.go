// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"context"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/setup"
	"github.com/steward-setup/steward-setup/internal/syncrepo"
)

func TestAPullThatStoppedIsNoted(t *testing.T) {
	w := newExchangeWorld(t)
	w.bob.put("commands/deploy.md", "x\n")
	w.bob.pushes("a command")
	before := w.ada.tree()
	head := w.ada.git("rev-parse", "HEAD")
	e, err := w.ada.look()
	if err != nil || len(e.Asks) == 0 {
		t.Fatal("nothing to ask about", words(err))
	}
	for range 2 {
		if err := e.Note(context.Background()); err != nil {
			t.Fatal(words(err))
		}
	}
	e.Release()
	for _, name := range same(before, w.ada.tree()) {
		if name != ".claude-config/.git/FETCH_HEAD" && name != ".claude-config/.git/refs/remotes/origin/main" &&
			name != ".claude-config/.git/logs/refs/remotes/origin/main" {
			t.Errorf("%s was changed", name)
		}
	}
	s, err := Look(context.Background(), w.ada.host(), setup.Settings{})
	if err != nil || s.State != syncrepo.Pull || s.Behind != 1 || w.ada.git("rev-parse", "HEAD") != head {
		t.Errorf("state %s, %d behind: %v", s.State, s.Behind, err)
	}
	w.ada.git("fsck", "--strict")
	w.ada.pull()
	if w.ada.text("commands/deploy.md") != "x\n" {
		t.Error("the next pull does not take it")
	}
}
