// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/testenv"
)

// deaf is a program that goes on when a signal asks it to end.
const deaf = "deaf"

func stayDeaf() {
	ctx, stop := untilSignal()
	defer stop()
	os.Stdout.WriteString("begun\n")
	<-ctx.Done()
	os.Stdout.WriteString("asked\n")
	time.Sleep(testenv.Patience)
}

// TestASecondSignalEndsTheProgram that does not end at the first one.
func TestASecondSignalEndsTheProgram(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	const signal = syscall.SIGTERM // what runs in the background ignores SIGINT
	cmd := exec.CommandContext(t.Context(), deaf)
	out := testenv.Must(cmd.StdoutPipe())(t)
	testenv.OK(t, cmd.Start())
	lines := bufio.NewScanner(out)
	for _, want := range []string{"begun", "asked"} {
		if !lines.Scan() || lines.Text() != want {
			t.Fatalf("it says %q, want %q", lines.Text(), want)
		}
		testenv.OK(t, cmd.Process.Signal(signal))
	}
	ended := make(chan error)
	go func() { ended <- cmd.Wait() }()
	for again := true; again; { // the program may still be about to hear the first one
		select {
		case <-ended: // as it was asked
			again = false
		case <-time.After(10 * time.Millisecond):
			_ = cmd.Process.Signal(signal)
		}
	}
	if got := cmd.ProcessState.Sys().(syscall.WaitStatus).Signal(); got != signal {
		t.Errorf("it ended by %v, want %v", got, signal)
	}
}
