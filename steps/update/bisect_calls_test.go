// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package update_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/upgrade"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/steps/update"
	"github.com/steward-setup/steward-setup/steps/verify"
)

func TestTheCallsOfTheKeptRehearsal(t *testing.T) {
	m := newMachine(t)
	known := func(call string) error {
		return update.ParseCall(call).Known(t.Context(), host.Once(m.reader()), upgrade.Claude{}, m.verified())
	}
	claude := m.get("bin/claude")
	m.remove("bin/claude") // nothing can be rehearsed: what is kept says it
	for call, want := range map[string]bool{"claude · read-aws": true, "claude · raed-aws": false, "hook:PreToolUse": true,
		"hook:PreTolUse": false} {
		if err := known(call); (err == nil) != want {
			t.Errorf("%s: %v, want known %v", call, err, want)
		}
	}
	m.put("bin/claude", claude, 0o755)
	m.remove(".cache")
	m.played.Answers[1].Session = verify.PlainRoot
	m.keep()
	calls := update.Calls(t.Context(), host.Once(m.reader()), m.verified())
	if want := []string{m.played.Answers[1].Call}; !slices.Equal(calls, want) {
		t.Errorf("%q, want %q", calls, want)
	}
	m.remove(".cache")
	if calls := update.Calls(t.Context(), host.Once(m.reader()), m.verified()); calls != nil {
		t.Errorf("%q, and nothing is kept", calls)
	}
	for call, meant := range map[string]string{
		"host:curl-path":  "-",
		"hook:PreToolUse": "-",
		"host:curl-pth":   "claude in the project · host:curl-path",
		"claude in the projekt · host:curl-path":  "claude in the project · host:curl-path",
		"claude · host:curl-path":                 "claude in the project · host:curl-path",
		"claude in the project · ask:elsewhere":   "",
		"hook:PreToolUs":                          "the hooks · hook:PreToolUse",
		"the same without the sandbox · git-push": "",
	} {
		err := known(call)
		var e *report.Error
		switch {
		case meant == "-" && err == nil:
		case meant == "-" || !errors.As(err, &e) || e.Code != report.ExitUsage:
			t.Errorf("%s: %v", call, err)
		case meant != "" && e.Advice() != "steward-setup update --bisect '"+meant+"'", meant == "" &&
			!strings.Contains(e.Advice(), "--try"):
			t.Errorf("%s: next %s", call, e.Advice())
		}
	}
}

// TestWhatVerifyRehearsedIsNotRehearsedAgain: what verify left of this project and
// these settings counts for a comparison, and no other.
func TestWhatVerifyRehearsedIsNotRehearsedAgain(t *testing.T) {
	m := newMachine(t)
	kept := func() (string, bool) {
		r := host.Once(m.reader())
		rec, ok := verify.KeptRecord(t.Context(), r, m.verified(), verify.Key(t.Context(), r, m.verified()))
		return rec.Runtime, ok
	}
	if version, ok := kept(); !ok || version != m.played.Runtime {
		t.Errorf("%q, %v: the record of verify is not read", version, ok)
	}
	wrapper := m.get(".claude/agent-isolation/claude-iso.sh")
	m.put(".claude/agent-isolation/claude-iso.sh", wrapper+"#\n", 0o644)
	if _, ok := kept(); ok {
		t.Error("it is read with another wrapper")
	}
	m.put(".claude/agent-isolation/claude-iso.sh", wrapper, 0o644)
	m.played.Failed = map[string]string{verify.IsoSub: "hung"}
	m.keep()
	if _, ok := kept(); ok {
		t.Error("one with a session that failed is read")
	}
}
