// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a pair of sockets lives as long as the call that made it.

package proc

import "syscall"

// Pair sends a word through a pair of connected unix sockets, as programs do to
// their children, and returns what arrived (socketpair(2)).
func Pair(word string) (arrived, refused string, err error) {
	ends, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return "", "socketpair", err
	}
	defer func() { _, _ = syscall.Close(ends[0]), syscall.Close(ends[1]) }()
	if _, err := syscall.Write(ends[0], []byte(word)); err != nil {
		return "", "", err
	}
	b := make([]byte, len(word))
	n, err := syscall.Read(ends[1], b)
	return string(b[:max(n, 0)]), "", err
}
