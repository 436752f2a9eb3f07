// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: install and verify agree on which hook runs a script.

package checks_test

import (
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/agent/claude/wiring"
	"github.com/steward-setup/steward-setup/internal/host/env"
)

func TestWhatIsStartedWithoutAShellIsNotExpanded(t *testing.T) {
	places := env.Places{Home: "/home/ana", AgentDir: "/home/ana/.claude"}
	for hook, want := range map[string]bool{
		`"command":"~/.claude/scripts/sandbox-bypass-warn.sh"`:                      true,
		`"command":"~/.claude/scripts/sandbox-bypass-warn.sh","args":[]`:            false,
		`"command":"$HOME/.claude/scripts/sandbox-bypass-warn.sh -v"`:               true,
		`"command":"/home/ana/.claude/scripts/sandbox-bypass-warn.sh","args":["x"]`: true,
		`"command":"/home/ana/.claude/scripts/sandbox-bypass-warn.sh x","args":[]`:  false,
	} {
		doc, err := settings.Parse("settings.json", []byte(`{"hooks":{"PreToolUse":[{"hooks":[{"type":"command",`+hook+
			`}]}]}}`))
		if err != nil {
			t.Fatal(err)
		}
		if got := wiring.Wired(doc, places, wiring.Wires[0]) != nil; got != want {
			t.Errorf("%s is wired: %t", hook, got)
		}
	}
}
