// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what verify says of a user's own hook that writes a log into
// the project is what happens, in both launches.

package iso_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/model"
)

// TestAHooksLogIsLedAway: a command that cannot write ~/.bashrc puts a symlink to
// it in the place of the log, and the hook writes the words of the command
// there. Run with 2.1.329.
func TestAHooksLogIsLedAway(t *testing.T) {
	inBothLaunches(t, func(t *testing.T, l *lab, start func(script ...model.Turn) session) {
		hooks, err := json.Marshal(map[string]any{"hooks": map[string]any{"PreToolUse": []any{
			map[string]any{"matcher": "Bash", "hooks": []any{
				map[string]any{"type": "command", "command": `cat >> "$CLAUDE_PROJECT_DIR/commands.log"`}}}}}})
		if err != nil {
			t.Fatal(err)
		}
		l.put(".claude/settings.json", string(hooks))
		rc := l.put(".bashrc", "true\n")
		script := calls(model.Bash("(echo direct >> ~/.bashrc) 2>&1; ln -sf ~/.bashrc commands.log && echo linked"),
			model.Bash("true PLANTED"), nothing)
		s := start(script...)
		if got := s.text(t, 0); !strings.HasSuffix(strings.TrimSpace(got), "linked") {
			t.Fatalf("the command got back %q", got)
		}
		b, err := os.ReadFile(rc)
		if err != nil {
			t.Fatal(err)
		}
		if text := string(b); strings.Contains(text, "\ndirect") || !strings.Contains(text, "PLANTED") {
			t.Errorf("~/.bashrc holds %q: the command is not to write it, and the hook does", text)
		}
	})
}
