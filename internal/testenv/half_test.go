// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package testenv

import (
	"os"
	"testing"
)

func TestRootLeavesAPackageToTheUser(t *testing.T) {
	AsRoot(t)
	ran := func() (ran bool) {
		defer func() { ran = recover() != nil }() // there is nothing to run
		_ = UserRuns(nil)
		return false
	}
	t.Setenv(halves, "")
	if !ran() {
		t.Error("nobody else runs it")
	}
	t.Setenv(halves, "both")
	if alone := ran(); alone != (os.Getuid() != 0) {
		t.Errorf("it is run: %v", alone)
	}
}
