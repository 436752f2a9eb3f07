// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what looks alike is told apart. A text that was printed for its
// content gets no answer, one that a failure left gets its entry.

package catalog

import (
	"os"
	"strings"
	"testing"
)

// corpus are the texts of a file: "@@@ HEAD" stands on a line before each.
func corpus(t *testing.T, name string) map[string]string {
	t.Helper()
	data, err := os.ReadFile("../../testdata/corpus/" + name)
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, one := range strings.Split("\n"+string(data), "\n@@@ ")[1:] {
		head, text, _ := strings.Cut(one, "\n")
		texts[head] = text
	}
	return texts
}

func TestWhatIsPrintedGetsNoAnswer(t *testing.T) {
	for name, text := range corpus(t, "printed.txt") {
		if got := takenFor(t, text); got != "" {
			t.Errorf("%s is taken for %s", name, got)
		}
	}
}

func TestWhatFailedGetsItsEntry(t *testing.T) {
	for head, text := range corpus(t, "failed.txt") {
		want, name, _ := strings.Cut(head, " ")
		if got, _, _ := strings.Cut(takenFor(t, text), " "); got != want {
			t.Errorf("%s is taken for %q, want %s", name, got, want)
		}
	}
}
