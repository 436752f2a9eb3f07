// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: on a terminal the doctor is a screen with the exit code of
// its text, it is one key away from home, and it leaves the machine as it was.

package main

import (
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// unchanged calls do and compares the home before and after, byte by byte.
func (n *newcomer) unchanged(do func()) {
	n.t.Helper()
	before := testenv.Must(readTree(n.home))(n.t)
	do()
	after := testenv.Must(readTree(n.home))(n.t)
	if lines := before.compare(after, []string{".cache/steward-setup", ".local/state/steward-setup"}); lines != nil {
		n.t.Errorf("the doctor changed %q", lines)
	}
}

func TestTheDoctorOnAScreen(t *testing.T) {
	n := newNewcomer(t)
	n.unchanged(func() {
		term := n.start("doctor", "gpg-sign") // this home has no key to sign with
		term.Sees("NOTHING APPLIES")
		term.Sees("inside")
		term.Sees("gpg-sign")
		if strings.Contains(term.Screen(), "egress") {
			t.Errorf("a probe that nobody asked for is shown:\n%s", term.Screen())
		}
		term.Type("f")
		term.Answer("nothing is blocked, so there is nothing to fix", "q")
		term.Ends(report.ExitOK)
	})
}

func TestTheDoctorFromHome(t *testing.T) {
	testenv.AsUser(t)
	n := newNewcomer(t)
	n.unchanged(func() {
		term := n.start()
		term.Answer("d doctor", "d")
		term.Sees("steward-setup doctor")
		term.Answer("inside", "\x03")
		term.Ends(report.ExitInterrupted)
	})
}

// TestTheDoctorsQuestionsStayText: an explanation is lines, on a terminal too.
func TestTheDoctorsQuestionsStayText(t *testing.T) {
	n := newNewcomer(t)
	term := n.start("doctor", "--explain-env", "SOME_TOKEN")
	term.Sees("SOME_TOKEN")
	term.Exit()
	if raw := term.Raw(); strings.Contains(raw, "\x1b[?1049h") || !strings.Contains(raw, "SOME_TOKEN") {
		t.Errorf("%q", raw)
	}
}
