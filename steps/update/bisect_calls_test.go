// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what completes a call is what was rehearsed here.

package update_test

import (
	"slices"
	"testing"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/steps/update"
	"github.com/steward-setup/steward-setup/steps/verify"
)

func TestTheCallsOfTheKeptRehearsal(t *testing.T) {
	m := newMachine(t)
	m.remove(".cache")
	m.played.Answers[1].Session = verify.PlainRoot
	m.keep()
	calls := update.Calls(t.Context(), host.Once(m.reader()), verify.Options{Project: m.project})
	if want := []string{m.played.Answers[1].Call}; !slices.Equal(calls, want) {
		t.Errorf("%q, want %q", calls, want)
	}
	m.remove(".cache")
	if calls := update.Calls(t.Context(), host.Once(m.reader()), verify.Options{Project: m.project}); calls != nil {
		t.Errorf("%q, and nothing is kept", calls)
	}
}
