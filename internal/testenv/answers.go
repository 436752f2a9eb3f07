// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a server that answers everyone with the same words.

package testenv

import (
	"io"
	"net"
	"testing"
)

// Answers listens on a loopback port until the test ends, writes the words to
// everyone who connects and hangs up. It returns the port.
func Answers(t testing.TB, words string) (port int) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(c, words)
			_ = c.Close()
		}
	}()
	return l.Addr().(*net.TCPAddr).Port
}
