// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a finding leads to exists for the user, and what a
// probe tries is what the settings allow.

package checks

import (
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/agent/claude/wiring"
)

func TestAnAllowedHostIsFoundBelowAWildcard(t *testing.T) {
	for _, c := range []struct {
		allowed, denied string
		want            string
	}{
		{"", "", ""},
		{"*.github.com", "", "steward-allowed.github.com"},
		{"*.github.com *.example.org", "", "steward-allowed.github.com"},
		{"*.github.com api.example.org", "", "api.example.org"},
		{"* *.com localhost *.*.example x.*.example http://h.example h.example:80", "", ""},
		{"github.com. bücher.example 10.0.0.1 127.1 0x7f.1 [::1] GitHub.com", "", "GitHub.com"},
		{"*.github.com api.example.org api.example.net", "*.EXAMPLE.org", "api.example.net"},
		{"*.github.com", "*", ""},
	} {
		var denied []settings.Domain
		for _, name := range strings.Fields(c.denied) {
			denied = append(denied, settings.Domain{Host: name})
		}
		if got := allowedHost(strings.Fields(c.allowed), denied); got != c.want {
			t.Errorf("%+v: %q", c, got)
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
	got := wiring.OtherHooks(u.reader(), u.home+"/p")
	if len(got) != 1 || got[0].Text != "~/bin/guard" || !slices.Contains(strings.Split(got[0].Where, ":"), "4") {
		t.Errorf("%+v", got)
	}
}
