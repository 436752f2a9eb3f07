// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the user gets from the whole program: every page, a
// window that changes its size, and every way in which a run can end.

package tui

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/steward-setup/steward-setup/internal/testenv"
)

const (
	enter = "\r"
	down  = "\x1b[B"
	ctrlC = "\x03"
	esc   = "\x1b"
)

func TestFromStartToEndOnATerminal(t *testing.T) {
	s := open(t, "questions")
	s.wait("Pinned tools", "Run this in another terminal")
	s.typeKeys("s")
	s.wait("question 1 of 3", "> tracker")
	s.typeKeys("-x" + enter)
	s.wait("question 2 of 3")
	s.resize(40, 24)
	s.wait("● ◐ policy", "[✓] GitHub")
	s.typeKeys(enter)
	s.wait("question 3 of 3")
	s.typeKeys(enter)
	s.wait("opens     nothing new")
	s.resize(120, 40)
	s.wait("why       the file")
	s.resize(80, 24)
	s.wait("a approve")
	s.typeKeys("a")
	s.wait("Alias claude to claude-iso?")
	s.typeKeys(enter)
	s.wait("Clean-env wrapper", "a approve")
	for _, page := range []string{"Hook scripts", "question 1 of 2"} {
		s.typeKeys("a")
		s.wait(page)
	}
	s.typeKeys(enter)
	s.wait("question 2 of 2")
	s.typeKeys(enter)
	s.wait("User wiring", "a symlink: its target is written")
	for _, page := range []string{"Project roots", "10 files change"} {
		s.typeKeys("a")
		s.wait(page)
	}
	s.typeKeys(down + down + down)
	s.wait("failIfUnavailable", "a apply")
	s.typeKeys("a")
	s.wait("✓ 10 files changed", "1 ✗ fail", "Next")
	s.typeKeys("q")
	s.ended("outcome applied written 10 (10)")
	s.wait("10 files changed.", "To undo it:  steward-setup undo 20261120-1",
		"steward-setup install --status-line replace")
}

func TestCtrlCOnEveryPageOfATerminal(t *testing.T) {
	for name, way := range map[string][]string{
		"first page": {"Pinned tools"},
		"question":   {"Pinned tools", "s", "question 1 of 3"},
		"policy":     {"Pinned tools", "s", "question 1", enter, "question 2", enter, "question 3", enter, "Project policy"},
		"entries": {"Pinned tools", "s", "question 1", enter, "question 2", enter, "question 3", enter, "a approve", "c",
			"9 of 9 go in"},
		"help": {"Pinned tools", "?", "this help"},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, "questions")
			for i, step := range way {
				if i%2 == 0 {
					s.wait(step)
				} else {
					s.typeKeys(step)
				}
			}
			s.typeKeys(ctrlC)
			s.ended("outcome interrupted written 0 (0)")
			s.wait("Nothing was written.")
		})
	}
	t.Run("review", func(t *testing.T) {
		s := open(t, "plain")
		s.toReview()
		s.typeKeys(ctrlC)
		s.ended("outcome interrupted written 0 (0)")
	})
}

// toReview walks to the review, page by page.
func (s *screen) toReview() {
	s.t.Helper()
	s.wait("Pinned tools")
	s.typeKeys("s")
	for _, page := range []string{"Project policy", "Clean-env wrapper", "Hook scripts", "User wiring", "Project roots"} {
		s.wait(page)
		s.typeKeys("a")
	}
	s.wait("10 files change")
}

func TestCtrlCWhileWritingLeavesATerminalThatSaysWhatIsWritten(t *testing.T) {
	s := open(t, "slow")
	s.toReview()
	s.typeKeys(enter)
	s.wait("✓ ~/.claude/agent-isolation/claude-iso.sh", "· ~/.claude/scripts/sandbox-bypass-warn.sh")
	s.typeKeys(ctrlC)
	s.wait("Stopped: 2 of 10 written")
	s.typeKeys("q")
	s.ended("outcome interrupted written 2 (2)")
}

func TestSignalsRestoreTheTerminal(t *testing.T) {
	s := open(t, "plain")
	s.wait("Pinned tools")
	testenv.OK(t, s.cmd.Process.Signal(syscall.SIGTERM))
	s.ended("outcome interrupted written 0 (0)")
}

func TestAPanicRestoresTheTerminal(t *testing.T) {
	s := open(t, "panic")
	s.wait("Pinned tools")
	s.typeKeys("s")
	s.wait("question 1")
	s.typeKeys(enter)
	s.ended("outcome failed written 0 (0)")
}

func TestAClosedTerminalMeansNo(t *testing.T) {
	s := open(t, "fail")
	s.toReview()
	_ = s.slave.Close()
	_ = s.master.Close()
	select {
	case <-s.done:
	case <-time.After(patience):
		t.Fatal("the process outlives its terminal")
	}
}

func TestUndoOnATerminal(t *testing.T) {
	s := open(t, "undo")
	s.wait("Undo 20261120-1", "enter undo")
	s.typeKeys(down)
	s.wait("- exec steward-setup hook sandbox-bypass-warn")
	s.typeKeys(esc)
	s.wait("undo      steward-setup undo reverts")
	s.typeKeys(enter)
	s.wait("5 files changed")
	s.typeKeys(enter)
	s.ended("outcome applied written 5 (5)")
}

// coloured matches a sequence that sets a colour: 30-38, 40-48, 90-97, 100-107.
var coloured = regexp.MustCompile(`\x1b\[(?:\d+;)*(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])(?:[;:]\d+)*m`)

func TestNoColorMeansNoColourCodes(t *testing.T) {
	for _, c := range []struct {
		environ string
		want    bool
	}{{"NO_COLOR=1", false}, {"LANG=C.UTF-8", true}} {
		s := open(t, "plain", c.environ)
		s.toReview()
		s.typeKeys(down + down + down)
		s.wait("+   \"sandbox\": {", "a apply")
		s.typeKeys("a")
		s.wait("1 ✗ fail")
		s.typeKeys("q")
		s.ended("outcome applied")
		if got := coloured.FindString(s.output()); (got != "") != c.want {
			t.Errorf("with %s: first colour code %q", c.environ, got)
		}
	}
}

// ran is the time that the program of the screen was on a processor.
func (s *screen) ran() (sum time.Duration) {
	s.t.Helper()
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", s.cmd.Process.Pid))
	for _, path := range tasks {
		text, _ := os.ReadFile(path) // a thread may have ended
		first, _, _ := strings.Cut(string(text), " ")
		ns, _ := time.ParseDuration(first + "ns")
		sum += ns
	}
	if sum == 0 {
		s.t.Skip("this kernel does not say how long a thread ran (schedstat)")
	}
	return sum
}

// Half a percent of a core is twice what a page took on a loaded machine (3.7 to
// 5.9 ms in 2 s). Woken 60 times a second it took 16 ms.
func TestAnIdleScreenTakesNoProcessor(t *testing.T) {
	const looked, most = 2 * time.Second, 10 * time.Millisecond
	s := open(t, "questions")
	s.wait("Pinned tools")
	least := looked
	for try := 0; try < 5 && least > most; try++ { // what it drew last may not be over yet
		before := s.ran()
		time.Sleep(looked)
		least = min(least, s.ran()-before)
	}
	if least > most {
		t.Errorf("%v of a processor in %v", least, looked)
	}
	t.Logf("%v in %v", least, looked)
}

func TestATerminalOfAnySizeIsDrawnOn(t *testing.T) {
	s := open(t, "questions")
	s.wait("Pinned tools")
	testenv.OK(t, pty.Setsize(s.slave, &pty.Winsize{Cols: 65535, Rows: 65535}))
	time.Sleep(300 * time.Millisecond) // the signal, and a frame
	s.resize(80, 24)
	s.wait("Pinned tools")
	s.typeKeys("s")
	s.wait("question 1 of 3")
	s.typeKeys(ctrlC)
	s.ended("outcome interrupted written 0 (0)")
}
