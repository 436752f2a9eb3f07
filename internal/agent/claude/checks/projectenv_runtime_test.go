// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: which variables no project can set, the real runtime says.

package checks_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/play"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// TestWhatNoProjectSets: the runtime says of each of them that it ignores it in
// a file of a project. Others it takes.
func TestWhatNoProjectSets(t *testing.T) {
	testenv.AsUser(t)
	for name, find := range map[string]func(testing.TB) string{"pinned": testenv.Claude, "floor": testenv.ClaudeFloor} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := testenv.Home(t)
			taken := []string{"STEWARD_TAKEN", "EDITOR", "XDG_CONFIG_DIRS", "IS_SANDBOX"}
			env := map[string]string{}
			for _, name := range slices.Concat(claude.NotOfProjects(), taken) {
				env[name] = "1"
			}
			text, err := json.Marshal(map[string]any{"env": env})
			if err != nil {
				t.Fatal(err)
			}
			project, log := filepath.Join(home, "p"), filepath.Join(home, "debug.log")
			if err := os.MkdirAll(filepath.Join(project, ".claude"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(project, ".claude/settings.json"), text, 0o600); err != nil {
				t.Fatal(err)
			}
			server, err := play.Serve(model.Turn{model.Bash("printenv " + strings.Join(taken, " "))})
			if err != nil {
				t.Fatal(err)
			}
			defer server.Close()
			cmd := exec.CommandContext(t.Context(), find(t), "-p", "go", "--debug-file", log, "--model", "claude-sonnet-4-5",
				"--allowedTools", "Bash")
			cmd.Dir = project
			cmd.Env = testenv.Env(t, home, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "ANTHROPIC_API_KEY=sk-fake-000",
				"ANTHROPIC_BASE_URL="+server.URL())
			out, err := cmd.CombinedOutput()
			r, called := server.Result(0, 0)
			if err != nil || !called || r.Text != strings.TrimSpace(strings.Repeat("1\n", len(taken))) {
				t.Errorf("not every one of %v arrives: %q, %v\n%s", taken, r.Text, err, out)
			}
			said, err := os.ReadFile(log)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range claude.NotOfProjects() {
				if !strings.Contains(string(said), " "+name+" in .claude/settings.json is ignored") {
					t.Errorf("the runtime does not say that it ignores %s", name)
				}
			}
		})
	}
}
