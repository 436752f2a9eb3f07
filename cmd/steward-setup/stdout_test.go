// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the pipe is a real one, and its reader has really left.

package main

import (
	"os"
	"testing"
)

// TestAReaderThatLeavesEndsTheWork: once, at the first line that nobody reads.
func TestAReaderThatLeavesEndsTheWork(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	left := 0
	out, printed := watchOutput(w, func() { left++ })
	if _, err := out.Write([]byte("read\n")); err != nil || left != 0 || printed.unread() {
		t.Fatalf("with a reader: %v, left %d times", err, left)
	}
	r.Close()
	for range 2 {
		if _, err := out.Write([]byte("unread\n")); err == nil {
			t.Fatal("a line that nobody reads was written")
		}
	}
	if left != 1 || !printed.unread() {
		t.Errorf("left %d times, unread: %v", left, printed.unread())
	}
}
