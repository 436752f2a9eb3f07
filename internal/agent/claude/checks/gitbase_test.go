// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what git would put in the place of settings is said to be the user's own
// where a run of this program knows it, and is named all the same.

package checks_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// TestAnEarlierPolicyInACommitIsSaidToBeYours: after an edit of yours, or undo, HEAD has what a run
// wrote. A policy that no run knows is not said to be yours.
func TestAnEarlierPolicyInACommitIsSaidToBeYours(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	m := build(t, on(func(s *setup) { s.answers = report.Answers{"allow-host": {"example.org"}} }))
	said := func() bool {
		f := m.judged("policy-invariants")
		if f.Status != report.Warn || !strings.Contains(fmt.Sprint(f.Evidence), "HEAD has another") {
			t.Errorf("%s %s %v", f.Status, f.Summary, f.Evidence)
		}
		return strings.Contains(fmt.Sprint(f.Evidence), "settings.json, which you had before, and ")
	}
	text := m.read(projectFile)
	m.write(projectFile, strings.Replace(text, "example.org", "example.com", 1), 0o644)
	if !said() {
		t.Error("what a run wrote is not said to be yours")
	}
	m.planted("HEAD", ".claude/settings.json", strings.Replace(text, "example.org", "example.net", 1))
	if said() {
		t.Error("what no run wrote is said to be yours")
	}
}
