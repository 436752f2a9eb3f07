// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: each row is a line as people type it, with what the runtime makes
// of it.

package claude_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
)

func TestElsewhere(t *testing.T) {
	for line, want := range map[string]string{
		"-w x --tmux": "--tmux", "--tmux=classic -w x": "--tmux", "--bg go": "--bg", "-c --desktop": "--desktop",
		"--agents-view-if-allowed": "--agents-view-if-allowed",
		"attach 1234":              "attach", "--model opus attach 1234": "attach", "-p -- agents": "agents",
		"--append-system-prompt x attach 1": "attach", "--append-system-prompt -- --bg x": "--bg",
		"": "", "-w": "", "-w agents": "", "--name daemon": "", "explain daemon": "", "-p explain -- --bg": "",
		"--resume respawn": "", "--allowedTools Bash Edit": "", "--agent agents": "",
	} {
		if got := claude.Elsewhere(strings.Fields(line)); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

func TestStarting(t *testing.T) {
	for line, want := range map[string][]claude.Started{
		"--plugin-dir pl go":               {{"--plugin-dir", "pl"}},
		"--plugin-dir=pl --plugin-dir b":   {{"--plugin-dir", "pl"}, {"--plugin-dir", "b"}},
		"--plugin-dir-no-mcp pl":           {{"--plugin-dir-no-mcp", "pl"}},
		"--mcp-config a.json b.json -p x":  {{"--mcp-config", "a.json"}, {"--mcp-config", "b.json"}},
		"--agents {} --plugin-url https:x": {{"--plugin-url", "https:x"}, {"--agents", "{}"}},
		"-p x -- --plugin-dir pl":          nil,
		"--name -- --plugin-dir pl":        {{"--plugin-dir", "pl"}},
	} {
		if got := claude.Starting(strings.Fields(line)); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

func TestServes(t *testing.T) {
	for line, want := range map[string]bool{
		"mcp serve": true, "--debug mcp -d serve": true, "--model mcp mcp serve": true,
		"mcp list": false, "mcp add x -- claude mcp serve": false, "mcp": false, "serve": false,
	} {
		if got := claude.Serves(strings.Fields(line)); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
	for line, want := range map[string]bool{
		"claude mcp serve": true, "/opt/My Tools/claude --debug mcp serve": true, "env A=b claude-iso mcp serve": true,
		"npx -y @anthropic-ai/claude-code mcp serve": true, "npx @anthropic-ai/claude-code@2.1.330 mcp serve": true,
		"node /usr/lib/node_modules/@anthropic-ai/claude-code/cli.js mcp serve": true,
		"/home/u/.local/share/claude/versions/2.1.330 mcp serve":                true,
		`bash -c claude mcp serve; true`:                                        true, `sh -c "claude" mcp serve&`: true,
		"/usr/bin/steward-setup iso -- mcp serve": true, "steward-setup --plain iso mcp serve": true,
		"x iso tools mcp serve": false, "claude-code-router mcp serve": false, "node claude-code/x.js mcp serve": false,
		"claude mcp list": false, "claude mcp add x -- y mcp serve": false, "x mcp serve": false,
	} {
		if got := claude.ServesIn(line); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}
