// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the size of a change is said in the unit that it has.

package text

import (
	"bytes"
	"io/fs"
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
)

func TestStat(t *testing.T) {
	program := append([]byte("\x7fELF\x00"), bytes.Repeat([]byte{0}, 15_300_000)...)
	for want, c := range map[string]report.Change{
		"new":             {After: []byte{}},
		"new, 1 line":     {After: []byte("a\n")},
		"+2 −1":           {Before: []byte("a\n"), After: []byte("b\nc\n")},
		"removed":         {Before: []byte("\x00")},
		"mode":            {Before: []byte("a\n"), After: []byte("a\n"), Mode: 0o755, SetMode: true},
		"symlink":         {After: []byte("to"), Mode: fs.ModeSymlink},
		"binary, 15 MB":   {Before: []byte("old\n"), After: program},
		"binary, 5 bytes": {Before: program, After: program[:5]},
		"binary, 12 kB":   {After: program[:12_900]},
	} {
		if got := Stat(c); got != want {
			t.Errorf("Stat is %q, want %q", got, want)
		}
	}
}
