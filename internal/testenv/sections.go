// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a case of a table is held to its own part of a golden file,
// so that a test of one case compares and writes that part alone.

package testenv

import (
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Sections is a golden file with a section for each case of a table.
type Sections struct {
	mu  sync.Mutex
	now map[string]string
}

// NewSections holds what is put into it against the file at path once t and its
// subtests are over; -update writes it. how is the command that does.
func NewSections(t testing.TB, path, how string) *Sections {
	t.Helper()
	s := &Sections{now: map[string]string{}}
	t.Cleanup(func() {
		b, _ := os.ReadFile(path) // what is not there has no section
		have := map[string]string{}
		for section := range strings.SplitSeq(string(b), "\n== ") {
			if name, text, ok := strings.Cut(section, " ==\n"); ok {
				have[strings.TrimPrefix(name, "== ")] = strings.TrimSuffix(text, "\n")
			}
		}
		if *update {
			maps.Copy(have, s.now)
			var text strings.Builder
			for _, name := range slices.Sorted(maps.Keys(have)) {
				text.WriteString("== " + name + " ==\n" + have[name] + "\n\n")
			}
			Write(t, path, strings.TrimSuffix(text.String(), "\n"), 0o644)
			return
		}
		for name, text := range s.now {
			if diff := cmp.Diff(have[name], text); diff != "" {
				t.Errorf("%s, %s: (-file +now, %s)\n%s", path, name, how, diff)
			}
		}
	})
	return s
}

// Put is what there is to see in a case.
func (s *Sections) Put(name, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now[name] = strings.TrimSuffix(text, "\n")
}
