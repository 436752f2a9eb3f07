// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a rule is taken apart in one way.

package policy_test

import (
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/policy"
)

func TestRulesAreTakenApartInOneWay(t *testing.T) {
	for _, c := range []struct {
		rule, tool, content string
		call, ok            bool
	}{
		{"Bash", "Bash", "", false, true},
		{"Bash()", "Bash", "", true, true},
		{"Bash(ls:*)", "Bash", "ls:*", true, true},
		{"Bash(echo (a) b)", "Bash", "echo (a) b", true, true},
		{`Bash(echo \(a\))`, "Bash", `echo \(a\)`, true, true},
		{`Bash(echo \\)`, "Bash", `echo \\`, true, true},
		{`Bash\(x`, `Bash\(x`, "", false, true},
		{"Bash(", "", "", true, false},
		{"Bash(ls", "", "", true, false},
		{"Bash)", "", "", true, false},
		{"Bash(ls) ", "", "", true, false},
		{"Bash(ls)x", "", "", true, false},
		{`Bash(ls\)`, "", "", true, false},
		{"Read(//**/.env)", "Read", "//**/.env", true, true},
		{"(x)", "", "x", true, true},
		{"", "", "", false, true},
	} {
		tool, content, call, ok := claude.SplitRule(c.rule)
		if tool != c.tool || content != c.content || call != c.call || ok != c.ok {
			t.Errorf("SplitRule(%q) = %q, %q, %v, %v", c.rule, tool, content, call, ok)
		}
		text, bare, command := policy.CommandRule(c.rule)
		if want := c.ok && c.tool == "Bash"; command != want || command && (text != c.content || bare == c.call) {
			t.Errorf("CommandRule(%q) = %q, %v, %v", c.rule, text, bare, command)
		}
	}
}
