// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package testenv

import (
	"strings"
	"testing"

	"github.com/hinshun/vt10x"
)

func TestATextCutAnywhereIsShownWhole(t *testing.T) {
	const text = "✓ 10 files · é ━━ 🙂 \x80\xff end"
	for size := 1; size <= 5; size++ {
		term, whole := vt10x.New(vt10x.WithSize(40, 1)), vt10x.New(vt10x.WithSize(40, 1))
		if _, err := whole.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		w := WholeRunes(term)
		for rest := text; rest != ""; {
			n := min(size, len(rest))
			if _, err := w.Write([]byte(rest[:n])); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		if got, want := term.String(), whole.String(); got != want || !strings.Contains(got, "✓ 10 files · é ━━") {
			t.Errorf("in pieces of %d: %q, want %q", size, got, want)
		}
	}
}
