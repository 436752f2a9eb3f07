// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package report_test

import (
	"bytes"
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
)

// TestALargeContentIsDigestedOnce: and each content has its own digest, also one
// that begins where another does.
func TestALargeContentIsDigestedOnce(t *testing.T) {
	program := bytes.Repeat([]byte("program\n"), 1<<18)
	c := report.Change{After: program}
	begins, other := report.Change{After: program[:len(program)-8]}, report.Change{Before: bytes.Clone(program)}
	for range 2 {
		if got, want := c.Result(), report.DigestOf(program); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if got, want := begins.Result(), report.DigestOf(begins.After); got != want || got == c.Result() {
			t.Errorf("of its beginning: %s, want %s", got, want)
		}
		if other.Base() != c.Result() || c.Base() != report.Absent {
			t.Errorf("before: %s and %s", other.Base(), c.Base())
		}
	}
	was := c.Result()
	program[0]++ // nobody does; so it is seen that the bytes are not read again
	if c.Result() != was {
		t.Error("it was read again")
	}
}
