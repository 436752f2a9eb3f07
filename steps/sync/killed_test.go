// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// stopping runs programs until it has run so many that write, and then none.
type stopping struct {
	host.Reader
	left int
}

func (s *stopping) Run(ctx context.Context, spec proc.Spec) proc.Result {
	if s.left--; s.left < 0 {
		return proc.Result{Line: spec.String(), Code: -1, Err: context.Canceled}
	}
	return s.Reader.Run(ctx, spec)
}

func TestAPullThatWasKilled(t *testing.T) {
	testenv.AsUser(t)
	ctx := context.Background()
	// changes are those that are written, calls how many calls of Settle's
	// are made.
	for _, c := range []struct{ changes, calls int }{{1, 0}, {3, 0}, {3, 3}, {3, 5}, {3, 7}, {3, 8}, {3, 9}, {3, 10}} {
		w := newExchangeWorld(t)
		w.ada.put("memory/mine.md", "mine\n")
		w.ada.git("add", "-A")
		w.ada.git("commit", "-qm", "mine")
		w.ada.put("CLAUDE.md", "one\ntwo\nthree\nfour\nfive, and mine\n")
		w.ada.put("untracked.md", "untracked\n")
		w.bob.put("CLAUDE.md", "one, from bob\ntwo\nthree\nfour\nfive\n")
		w.bob.put("memory/bob.md", "x\n")
		w.bob.put("memory/a/notes.md", "first\nsecond\n")
		w.bob.pushes("from bob")
		e, err := w.ada.look()
		if err != nil {
			t.Fatal(words(err))
		}
		if len(e.Changes) != 3 {
			t.Fatalf("%d changes", len(e.Changes))
		}
		s := e.Section()
		s.Items = s.Items[:c.changes]
		p := report.NewPlan([]report.Section{s})
		if _, err := w.ada.applier().Apply(ctx, p, p.ID, "sync pull", func(engine.Event) {}); err != nil {
			t.Fatal(words(err))
		}
		e.r = &stopping{e.r, c.calls}
		_ = e.Settle(ctx)
		e.Release()
		if got := w.ada.text("untracked.md") + w.ada.text("memory/mine.md"); got != "untracked\nmine\n" {
			t.Errorf("%v: lost: %q", c, got)
		}
		w.ada.pull()
		if got := w.ada.git("status", "--porcelain=v1", "--branch"); got != "## main...origin/main [ahead 1]\n"+
			" M CLAUDE.md\n?? untracked.md" {
			t.Errorf("%v: git says %q", c, got)
		}
		if got := w.ada.text("CLAUDE.md"); got != "one, from bob\ntwo\nthree\nfour\nfive, and mine\n" {
			t.Errorf("%v: CLAUDE.md is %q", c, got)
		}
		if got := w.ada.git("log", "--format=%s"); got != "mine\nfrom bob\nbegin" {
			t.Errorf("%v: history %q", c, got)
		}
		w.ada.git("fsck", "--strict")
	}
}

// TestAPullThatIsInterruptedBehindItsLastFileSaysWhatStands: git is told by another pull.
func TestAPullThatIsInterruptedBehindItsLastFileSaysWhatStands(t *testing.T) {
	testenv.AsUser(t)
	w := newExchangeWorld(t)
	w.bob.put("memory/bob.md", "x\n")
	w.bob.pushes("from bob")
	e := testenv.Must(w.ada.look())(t)
	p := report.NewPlan([]report.Section{e.Section()})
	testenv.Must(w.ada.applier().Apply(t.Context(), p, p.ID, "sync pull", func(engine.Event) {}))(t)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	err, is := errors.AsType[*report.Error](e.Settle(ctx))
	if e.Release(); !is || err.Code != report.ExitInterrupted || err.Why == unchanged || len(err.Lines) != 1 {
		t.Errorf("%+v", err)
	}
	if w.ada.pull(); w.ada.git("status", "--porcelain=v1", "--branch") != "## main...origin/main" {
		t.Error("another pull does not go on")
	}
}

// What a git that was killed, or a power failure, left of the program's own repository is
// no reason not to sync.
func TestACacheThatAKilledGitLeftIsMadeAnew(t *testing.T) {
	testenv.AsUser(t)
	w := newExchangeWorld(t)
	w.ada.put("CLAUDE.md", "one\ntwo\nthree\nfour\nfive, and mine\n")
	w.bob.put("CLAUDE.md", "one, from bob\ntwo\nthree\nfour\nfive\n")
	w.bob.pushes("from bob")
	e := testenv.Must(w.ada.look())(t)
	e.Release()
	own := func(rel string) string { return filepath.Join(e.own.Dir, rel) }
	objects := testenv.Must(filepath.Glob(own("objects/??/*")))(t)
	if len(objects) == 0 {
		t.Fatal("the cache holds no object")
	}
	for name, left := range map[string]func() error{
		"a lock": func() error { return os.WriteFile(own("config.lock"), nil, 0o600) },
		"a HEAD": func() error { return os.Truncate(own("HEAD"), 0) },
		"a ref":  func() error { return os.WriteFile(own("refs/fetched/head"), nil, 0o600) },
		"objects": func() error {
			for _, path := range testenv.Must(filepath.Glob(own("objects/??/*")))(t) {
				testenv.OK(t, errors.Join(os.Remove(path), os.WriteFile(path, nil, 0o444)))
			}
			return nil
		},
		"a file in its place": func() error {
			return errors.Join(os.RemoveAll(e.own.Dir), os.WriteFile(e.own.Dir, nil, 0o600))
		},
	} {
		testenv.OK(t, left())
		e, err := w.ada.look()
		if err != nil {
			t.Errorf("%s: %s", name, words(err))
			continue
		}
		if e.Release(); len(e.Changes) != 1 {
			t.Errorf("%s: %d changes", name, len(e.Changes))
		}
	}
	// What a symlink leads out to is nobody's to remove.
	cache := filepath.Dir(e.own.Dir)
	kept := filepath.Join(w.top, "kept", filepath.Base(e.own.Dir), "file")
	testenv.Write(t, kept, "mine\n", 0o644)
	testenv.OK(t, os.RemoveAll(cache))
	testenv.Link(t, filepath.Join(w.top, "kept"), cache)
	if e, err := w.ada.look(); err == nil {
		e.Release()
		t.Error("the cache is a symlink that leads out of it, and was used")
	}
	if testenv.Read(t, kept) != "mine\n" {
		t.Error("a file behind the symlink is another")
	}
}

func TestAnIndexThatCannotBeWrittenIsSaidToBe(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("permissions do not bind root")
	}
	w := newExchangeWorld(t)
	w.bob.put("memory/bob.md", "x\n")
	w.bob.pushes("from bob")
	git := filepath.Join(w.ada.repo, ".git")
	testenv.OK(t, os.Chmod(git, 0o500))
	t.Cleanup(func() { _ = os.Chmod(git, 0o700) })
	_, err := w.ada.look()
	if e, is := errors.AsType[*report.Error](err); !is || e.What != "git's index cannot be written" {
		t.Errorf("%+v", err)
	}
}

func TestAPushThatWasKilled(t *testing.T) {
	testenv.AsUser(t)
	ctx := context.Background()
	for calls := range 6 {
		w := newExchangeWorld(t)
		w.ada.put("CLAUDE.md", "changed\n")
		w.ada.put("memory/new.md", "new\n")
		e, err := w.ada.look()
		if err != nil {
			t.Fatal(words(err))
		}
		out, err := e.Push(ctx, PushOptions{})
		if err != nil {
			t.Fatal(words(err))
		}
		e.r = &stopping{e.r, calls}
		_ = e.Send(ctx, out)
		e.Release()
		if got := w.ada.text("CLAUDE.md") + w.ada.text("memory/new.md"); got != "changed\nnew\n" {
			t.Errorf("%d: lost: %q", calls, got)
		}
		if _, err := w.ada.push(PushOptions{}); err != nil {
			t.Fatal(calls, words(err))
		}
		if got := w.remoteHas("CLAUDE.md") + w.remoteHas("memory/new.md"); got != "changednew" {
			t.Errorf("%d: the remote has %q", calls, got)
		}
		if got := w.ada.git("log", "--format=%s", "origin/main"); cmp.Compare(len(got), len("begin")) <= 0 {
			t.Errorf("%d: history %q", calls, got)
		}
	}
}
