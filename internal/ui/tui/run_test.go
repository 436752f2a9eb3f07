// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: without anybody who could press a key, the answer is no.

package tui

import (
	"context"
	"io"
	"strings"
	"testing"
)

func TestInputThatEndsMeansNo(t *testing.T) {
	b := &fake{}
	out, err := RunWizard(t.Context(), Terminal{In: strings.NewReader(""), Out: io.Discard, Environ: []string{"TERM=xterm"}}, b, Options{})
	if err != nil || out.End != Interrupted || out.Written != 0 || b.writes() != 0 {
		t.Errorf("%+v, %v, %d writes", out, err, b.writes())
	}
}

func TestAContextThatEndsMeansNo(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	never, _ := io.Pipe()
	out, err := RunWizard(ctx, Terminal{In: never, Out: io.Discard, Environ: []string{"TERM=xterm"}}, &fake{}, Options{})
	if err != nil || out.End != Interrupted || out.Written != 0 {
		t.Errorf("%+v, %v", out, err)
	}
}
