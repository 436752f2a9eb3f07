// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the line that says how long it takes is in nobody's way.

package plain_test

import (
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/plain"
)

// waited is a Progress with a clock that is moved by hand.
type waited struct {
	*plain.Progress

	out strings.Builder
	now time.Time
}

func newWaited(width int) *waited {
	w := &waited{now: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)}
	w.Progress = plain.NewProgress(&w.out, width, func() time.Time { return w.now })
	return w
}

// after ticks once, so much later.
func (w *waited) after(d time.Duration) {
	w.now = w.now.Add(d)
	w.Tick()
}

// said is what was written since the last call.
func (w *waited) said() string {
	defer w.out.Reset()
	return w.out.String()
}

func expect(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %q\nwant %q", what, got, want)
	}
}

func TestProgressIsOneLineThatGoesAway(t *testing.T) {
	w := newWaited(20)
	w.Clear()
	w.Begin(2)
	w.Emit(engine.CheckStarted{Title: "Tools at their pinned versions"})
	w.Emit(engine.Progress{Text: "a\x1b[2J\nsession", Done: 3, Of: 9})
	w.now = w.now.Add(2300 * time.Millisecond)
	w.Emit(engine.Progress{Text: "last", Done: 8, Of: 9})
	w.Emit(engine.Judged{})
	w.Clear()
	expect(t, "a run", w.said(), "\r1 of 2  Tools at …\x1b[K\r3 of 9  a␛[2J␊sess…\x1b[K\r2.3 s  8 of 9  "+
		"last\x1b[K\r\x1b[K")
}

func TestProgressSaysTheTimeOfWhatSaysNothing(t *testing.T) {
	w := newWaited(60)
	w.after(400 * time.Millisecond)
	expect(t, "at once", w.said(), "")
	w.after(200 * time.Millisecond)
	expect(t, "after half a second", w.said(), "\r0.6 s  working …\x1b[K")
	w.Emit(engine.Progress{Text: "asking the remote …"})
	w.after(time.Second)
	expect(t, "told what for", w.said(), "\r0.6 s  asking the remote …\x1b[K\r1.6 s  asking the remote …\x1b[K")
	w.Clear()
	w.after(time.Second)
	expect(t, "after it", w.said(), "\r\x1b[K\r2.6 s  working …\x1b[K")
}

func TestProgressSaysWhatWasFoundSoFar(t *testing.T) {
	w := newWaited(60)
	w.Begin(4)
	for _, s := range []report.Status{report.Pass, report.Fail, report.Warn} {
		w.Emit(engine.CheckDone{Finding: report.Finding{Status: s}})
	}
	w.Emit(engine.CheckStarted{Title: "Scope"})
	expect(t, "a check", w.said(), "\r1 of 4  Scope  1 ✗  1 ⚠\x1b[K")
	w.Begin(0)
	w.Emit(engine.Progress{Text: "next"})
	expect(t, "the part after it", w.said(), "\rnext\x1b[K")
}

func TestProgressGivesWayToWhatIsPrinted(t *testing.T) {
	w := newWaited(60)
	print := func(s string) { _, _ = w.Print(func(b []byte) (int, error) { return w.out.Write(b) }, []byte(s)) }
	w.after(time.Second)
	print("a result\n")
	expect(t, "a line", w.said(), "\r1.0 s  working …\x1b[K\r\x1b[Ka result\n")
	print("Write these files? [y/N] ")
	w.after(time.Second)
	expect(t, "a line that is not ended", w.said(), "Write these files? [y/N] ")
	w.Pause()
	w.after(time.Minute)
	w.Emit(engine.Progress{Text: "under a screen"})
	expect(t, "while somebody else has the terminal", w.said(), "")
	w.Resume()
	w.after(time.Second)
	expect(t, "after that", w.said(), "\r1.0 s  under a screen\x1b[K")
}

func TestProgressIsLinesWhereNobodySitsAtATerminal(t *testing.T) {
	w := newWaited(0)
	w.Begin(2)
	w.Emit(engine.CheckStarted{Title: "Tools at their pinned versions"})
	w.after(4 * time.Second)
	expect(t, "for a few seconds", w.said(), "")
	w.after(time.Second)
	w.after(time.Second)
	expect(t, "then", w.said(), "steward-setup: still working after 5 s: 1 of 2  Tools at their pinned versions\n")
	w.Clear()
	w.after(4 * time.Second)
	expect(t, "and more and more rarely", w.said(), "steward-setup: still working after 10 s\n")
	w.after(9 * time.Second)
	w.Clear()
	expect(t, "later", w.said(), "")
}
