// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whatever command a setting holds, no argument of it that
// may be a secret is shown, in any output.

package checks_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestNoArgumentOfAHelperIsShown(t *testing.T) {
	testenv.AsUser(t)
	m := copyOf(t, build(t, usualSetup))
	for i, file := range []string{projectFile, userFile, localFile} {
		for _, key := range []string{"apiKeyHelper", "otelHeadersHelper", "awsAuthRefresh", "awsCredentialExport",
			"gcpAuthRefresh", "proxyAuthHelper"} {
			m.set(file, key, fmt.Sprintf("echo hunter%d -p hunter2 --key hunter3 -phunter4 --password=hunter5 "+
				"https://h/hunter6/x", i))
		}
		m.add(file, "hooks.SessionStart", map[string]any{"hooks": []any{map[string]any{"type": "command",
			"command": "curl -H 'X-Mine: hunter7' -u me:hunter8 hunter9"}}})
		m.add(file, "hooks.PreToolUse", map[string]any{"matcher": "Bash",
			"hooks": []any{map[string]any{"type": "command", "command": "audit --as hunter7 && \"$X\" -p hunter8"}}})
	}
	m.set(projectFile, "statusLine", map[string]any{"type": "command", "command": "line --secret-thing hunter7"})
	m.write("~/code/tracker/.mcp.json", `{"mcpServers": {"db": {"command": "db", "args": ["-p", "hunter2", "--key", "hunter3"], "env": {"X": "hunter4"}}}}`, 0o644)
	m.write("~/.claude.json", `{"mcpServers": {"db": {"command": "db", "args": ["-p", "hunter2", "-phunter3"]}, "web": {"type": "http", "url": "https://h/hunter4/mcp"}}}`, 0o600)
	m.write("~/.bashrc", m.read("~/.bashrc")+"alias claude='ANTHROPIC_API_KEY=hunter2 claude --settings ~/x'\n"+
		"alias claude='claude -p hunter3 --append-system-prompt hunter4'\nalias claude='claude hunter5'\n"+
		"alias claude-iso='steward-setup iso --key hunter6'\n"+
		"eval \"$(show \"$X\" hunter7)\"\nexport CLAUDE_ISO_ALLOW='A=hunter8'\nPROMPT_COMMAND='~/code/tracker/x -p "+
		"hunter9'\n", 0o644)
	for _, f := range m.verify() {
		said := redact.Text(fmt.Sprint(f.Summary, f.Evidence, f.Launches, f.Remedies)) // as every renderer does
		if strings.Contains(said, "hunter") {
			t.Errorf("%s shows a secret:\n%s", f.Check, said)
		}
	}
}
