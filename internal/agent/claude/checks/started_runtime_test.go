// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a finding says that a server or a hook of the user's
// own runs, the real runtime runs, outside the sandbox.

package checks

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/sessions"
)

// startedServers are servers of the user's own. No file of the project that
// they lead to is there before a sandboxed command makes it. The runtime does
// not heed cwd: what is relative is looked for where the session starts.
const startedServers = `{"mcpServers": {
"path": {"command": "notes", "env": {"PATH": "./node_modules/.bin:/usr/bin:/bin"}},
"code": {"command": "perl", "args": ["-e", "1"], "env": {"PERL5OPT": "-I./lib -MPlanted"}},
"default": {"command": "${STEWARD_NOTES:-./tools/default}"},
"cwd": {"command": "./cwd", "cwd": "HOME/p/tools"}}}`

// startedHooks are hooks of the user's own.
const startedHooks = `{"autoMemoryDirectory": "~/notes", "sandbox": {"enabled": true, "filesystem": {"denyRead": ["~/"], "allowRead": ["~/p"]}}, "hooks": {"Stop": [{"hooks": [
{"type": "command", "command": "tar cf /dev/null *"},
{"type": "command", "command": "cp tools/copied ~/.local/bin/copied"},
{"type": "command", "command": "run-parts tools/parts"}]}]}}`

// plants is what a sandboxed command does; each script says its name outside.
const plants = `mkdir -p node_modules/.bin tools/parts lib
printf 'open(F, ">>", "$ENV{HOME}/out"); print F "Planted\\n"; close F; 1;' > lib/Planted.pm
for f in node_modules/.bin/notes tools/default tools/cwd cwd tools/parts/part tar.sh tools/copied; do printf '#!/bin/sh\necho %s >> "$HOME/out"\n' "$f" > "$f"; chmod +x "$f"; done
touch -- --checkpoint=1 '--checkpoint-action=exec=sh tar.sh'
echo x >> "$HOME/out" 2> /dev/null; echo planted`

func TestTheRuntimeRunsWhatServersAndHooksAreGiven(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	testenv.Need(t, "bwrap", "socat", "tar", "run-parts", "perl")
	claude := testenv.Claude(t)
	h := household{t, testenv.Home(t)}
	h.put(usersFile, startedHooks, 0o600)
	h.put(".claude.json", strings.ReplaceAll(startedServers, "HOME", h.home), 0o600)
	h.put("p/.git/HEAD", "ref: refs/heads/main\n", 0o644)
	h.put(".local/bin/.keep", "", 0o644)
	h.put("notes/private.txt", "CANARY\n", 0o600)
	start := func(turns ...model.Turn) (first string) {
		t.Helper()
		server := sessions.Play(t, sessions.Session{Claude: claude, Home: h.home, Dir: "p",
			Args:   []string{"--allowedTools", "Bash"},
			Script: turns})
		r, _ := server.Result(len(turns)-1, 0)
		return r.Text
	}
	note := filepath.Join(h.home, "notes/private.txt")
	if got := start(model.Turn{model.Bash(plants)},
		model.Turn{{Tool: "Read", Input: map[string]any{"file_path": note}}}); !strings.Contains(got, "CANARY") {
		t.Errorf("a file of autoMemoryDirectory is not read without a prompt: %q", got)
	}
	start(model.Turn{model.Bash("true")})
	out, err := os.ReadFile(filepath.Join(h.home, "out"))
	if err != nil {
		t.Fatal(err)
	}
	for _, ran := range []string{"node_modules/.bin/notes", "Planted", "tools/default", "tar.sh", "tools/parts/part",
		"\ncwd"} {
		if !strings.Contains(string(out), ran+"\n") {
			t.Errorf("%s did not run outside the sandbox:\n%s", ran, out)
		}
	}
	if b, err := os.ReadFile(filepath.Join(h.home, ".local/bin/copied")); err != nil ||
		!strings.Contains(string(b), "tools/copied") {
		t.Errorf("a command's file is not copied to where programs are found: %q, %v", b, err)
	}
	dir := filepath.Join(h.home, "p")
	servers := checkServers(context.Background(), h.reader("PATH=/usr/bin:/bin"), dir)
	wantFinding(t, servers, report.Fail, "", "PATH of the MCP server path leads to",
		"PERL5OPT of the MCP server code leads to", "tools/default")
	hooks := checkWeakenings(context.Background(), h.reader("PATH=/usr/bin:/bin"), dir)
	wantFinding(t, hooks, report.Fail, "", "tar", "run-parts", ".local/bin/copied", "autoMemoryDirectory")
}
