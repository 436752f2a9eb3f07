// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package claude_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
)

// TestHooksAreJSON: whatever a command or a message holds.
func TestHooksAreJSON(t *testing.T) {
	const text = "a \"b\" \\ \x07 \x7f \u00a0 \U000e0001 <&>"
	var hooks map[string][]struct{ Hooks []struct{ Command string } }
	if err := json.Unmarshal([]byte(claude.CommandHook(claude.PreToolUse, text)), &hooks); err != nil ||
		hooks[claude.PreToolUse][0].Hooks[0].Command != text {
		t.Errorf("%v, %v", hooks, err)
	}
	if got := claude.Refusal(text); !json.Valid([]byte(got)) || strings.Contains(got, `\x`) {
		t.Error(got)
	}
}
