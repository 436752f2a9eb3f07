// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what could not be printed was not said, so a run whose
// output was lost does not end well.

package main

import "io"

// stdout remembers the first write that failed.
type stdout struct {
	io.Writer
	err  error
	left func()
}

// watchOutput returns w as a stream that remembers, and its memory; left is
// called once nobody reads it any more. A terminal stays one: what draws on it
// asks for the methods of a file.
func watchOutput(w io.Writer, left func()) (io.Writer, *stdout) {
	s := &stdout{Writer: w, left: left}
	if f, ok := w.(file); ok {
		return stdoutFile{f, s}, s
	}
	return s, s
}

func (s *stdout) Write(b []byte) (int, error) {
	n, err := s.Writer.Write(b)
	if err != nil && s.err == nil {
		if s.err = err; s.unread() {
			s.left()
		}
	}
	return n, err //nolint:wrapcheck // a writer passes its error on
}

// unread says that whoever read the output has left, as head does.
func (s *stdout) unread() bool { return brokenPipe(s.err) }

type file interface {
	io.ReadWriteCloser
	Fd() uintptr
}

type stdoutFile struct {
	file
	out *stdout
}

func (f stdoutFile) Write(b []byte) (int, error) { return f.out.Write(b) }
