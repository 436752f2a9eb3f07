// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a screen on which nothing happens takes next to no processor.

package tui

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

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
