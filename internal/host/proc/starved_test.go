// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package proc_test

import (
	"fmt"
	"syscall"
	"testing"

	"github.com/steward-setup/steward-setup/internal/host/proc"
)

// TestWantIsNotAFaultOfTheProgram: of files, processes or memory.
func TestWantIsNotAFaultOfTheProgram(t *testing.T) {
	for err, want := range map[syscall.Errno]bool{syscall.EMFILE: true, syscall.ENFILE: true, syscall.EAGAIN: true,
		syscall.ENOMEM: true, syscall.EACCES: false, syscall.ENOEXEC: false, syscall.ENOENT: false} {
		if got := (proc.Result{Err: fmt.Errorf("x: %w", err)}).Starved(); got != want {
			t.Errorf("%v: %v", err, got)
		}
	}
}
