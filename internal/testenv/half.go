// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a test that costs much and says the same for every user is
// run by one of them, and the test itself says by whom.

package testenv

import (
	"os"
	"strings"
	"testing"
)

// halves is set where root runs the tests and an ordinary user runs them again
// (test.sh). Elsewhere every test is run.
const halves = "STEWARD_TEST_HALVES"

// OtherHalf is what a test says that is left to the other user. It is not
// counted as skipped: it is run.
const OtherHalf = "run by the other user"

// AsRoot leaves a test to root where both users run the tests: it compares
// this program with the runtime, bytes with bytes, or one weakness with
// another, which is the same for everyone.
func AsRoot(t testing.TB) { t.Helper(); leave(t, os.Getuid() != 0) }

// AsUser leaves a test to the ordinary user where both run the tests: what a
// machine is seeded with, attacks on a launch, and whatever says the same for
// everyone is theirs, since that is who uses the program.
func AsUser(t testing.TB) { t.Helper(); leave(t, os.Getuid() == 0) }

// UserRuns runs a package's tests, from its TestMain, and returns their exit
// code. Where both run the tests it leaves all of them to the ordinary user.
func UserRuns(m *testing.M) int {
	if os.Getuid() == 0 && os.Getenv(halves) != "" {
		return 0
	}
	return m.Run()
}

func leave(t testing.TB, other bool) {
	t.Helper()
	if other && os.Getenv(halves) != "" {
		t.Skip(OtherHalf)
	}
}

// Whole names the test that t is, or is a part of, and who runs it, as the
// closing lines of test.sh do.
func Whole(t testing.TB) string {
	name, _, _ := strings.Cut(t.Name(), "/")
	if os.Getuid() == 0 {
		return "root: " + name
	}
	return "user: " + name
}
