// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a finding leads to exists for the user, and what a
// probe tries is what the settings allow.

package verify

import (
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
)

// TestASandboxThatDoesNotStartLeadsToTheDoctor: to a line that runs, and to no
// file of the sources.
func TestASandboxThatDoesNotStartLeadsToTheDoctor(t *testing.T) {
	b := newBench(t)
	b.fails("bwrap", " ", "bwrap: No permissions to create new namespace")
	f := b.check()
	if f.Status != report.Fail {
		t.Fatalf("%s: %s", f.Status, f.Summary)
	}
	leads := false
	for _, r := range f.Remedies {
		switch r := r.(type) {
		case report.Command:
			leads = leads || r.Line == "steward-setup doctor --explain userns" && r.Optional && r.Why != ""
		case report.DocLink:
			if strings.Contains(r.Target, ".toml") {
				t.Errorf("leads to a file that no user has: %+v", r)
			}
		}
	}
	if !leads {
		t.Errorf("does not lead to the doctor: %+v", f.Remedies)
	}
}

func TestAnAllowedHostIsFoundBelowAWildcard(t *testing.T) {
	for _, c := range []struct {
		domains string
		want    string
	}{
		{"", ""},
		{"*.github.com", "steward-allowed.github.com"},
		{"*.github.com *.example.org", "steward-allowed.github.com"},
		{"*.github.com api.example.org", "api.example.org"},
		{"* *.com localhost *.*.example x.*.example http://h.example h.example:80", ""},
	} {
		if got := allowedHost(strings.Fields(c.domains)); got != c.want {
			t.Errorf("%q: %q, want %q", c.domains, got, c.want)
		}
	}
}

// TestHooksThatARehearsalLeavesOut: those that may block Bash, but for the
// setup's own, each with its place.
func TestHooksThatARehearsalLeavesOut(t *testing.T) {
	u := newHousehold(t)
	block := func(matcher, command string) string {
		return `{"matcher":"` + matcher + `","hooks":[{"type":"command","command":"` + command + `"}]}`
	}
	u.put(usersFile, `{"hooks":{"PreToolUse":[`+"\n"+block("Bash", "~/.claude/scripts/sandbox-bypass-warn.sh")+",\n"+
		block("Edit", "lint")+",\n"+block("Bash|Edit", "~/bin/guard")+"],\n"+
		`"PostToolUse":[`+block("Bash", "~/bin/log")+"]}}", 0o644)
	got := OtherHooks(u.reader(), u.home+"/p")
	if len(got) != 1 || got[0].Text != "~/bin/guard" || !slices.Contains(strings.Split(got[0].Where, ":"), "4") {
		t.Errorf("%+v", got)
	}
}
