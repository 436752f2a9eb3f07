// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the preview of a change is its unified diff, made from
// the very bytes that will be written.

package report

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"
)

// Diff returns the unified diff of c, or one line where a diff says nothing:
// a link, a binary, a change of mode.
func (c Change) Diff() string {
	switch {
	case c.Link():
		if c.After == nil {
			return fmt.Sprintf("- link to %s\n", c.Before)
		}
		if c.Before != nil {
			return fmt.Sprintf("- link to %s\n+ link to %s\n", c.Before, c.After)
		}
		return fmt.Sprintf("+ link to %s\n", c.After)
	case binary(c.Before) || binary(c.After):
		return fmt.Sprintf("binary file, %s -> %s\n  %s -> %s\n", size(c.Before), size(c.After), c.Base(), c.Result())
	}
	old, new := c.Path, c.Path
	if c.Before == nil {
		old = "/dev/null"
	}
	if c.After == nil {
		new = "/dev/null"
	}
	d := udiff.Unified(old, new, string(c.Before), string(c.After))
	if c.SetMode && c.Before != nil && c.Mode.Perm() != c.ModeBefore.Perm() {
		d = fmt.Sprintf("mode %04o -> %04o\n", c.ModeBefore.Perm(), c.Mode.Perm()) + d
	}
	return d
}

// Stat counts the lines that the diff adds and removes.
func (c Change) Stat() (added, removed int) {
	body := false // the header's lines begin with the same signs
	for line := range strings.Lines(c.Diff()) {
		switch {
		case strings.HasPrefix(line, "@@"):
			body = true
		case body && line[0] == '+':
			added++
		case body && line[0] == '-':
			removed++
		}
	}
	return added, removed
}

func binary(b []byte) bool {
	return bytes.IndexByte(b, 0) >= 0 || !utf8.Valid(b)
}

func size(b []byte) string {
	if b == nil {
		return "absent"
	}
	return fmt.Sprintf("%d bytes", len(b))
}
