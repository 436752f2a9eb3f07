// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a test that starts the program starts what the tree holds
// now.

package testenv

import (
	"os"
	"os/exec"
	"testing"
)

// Build puts the program at path. Where there is no go command for the user
// who runs the tests, STEWARD_TEST_BINARY names one that was built from this
// tree just before (test.sh).
func Build(t testing.TB, path string) {
	t.Helper()
	if built := os.Getenv("STEWARD_TEST_BINARY"); built != "" {
		b, err := os.ReadFile(built)
		if err == nil {
			err = os.WriteFile(path, b, 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	if out, err := exec.Command("go", "build", "-o", path,
		"github.com/steward-setup/steward-setup/cmd/steward-setup").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
