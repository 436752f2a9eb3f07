// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what an entry that leads out of the project lets commands
// write, the real runtime says.

package checks

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/play"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// A command plants a hook of git in the repository beside the project. Without
// the entry it cannot.
func TestAnEntryUpwardsOpensTheRepositoryBeside(t *testing.T) {
	testenv.AsUser(t)
	testenv.Need(t, "bwrap", "socat")
	claude := testenv.Claude(t)
	for _, c := range []struct {
		name, entry string
		writes      bool
	}{
		{"without", `"permissions": {}`, false},
		{"directory", `"permissions": {"additionalDirectories": ["../"]}`, true},
		{"allowWrite", `"permissions": {}, "filesystem": ["../other"]`, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := household{t, testenv.Home(t)}
			write := "[]"
			entry, paths, ok := strings.Cut(c.entry, `, "filesystem": `)
			if ok {
				write = paths
			}
			h.put("code/p/.claude/settings.json", `{`+entry+
				`, "sandbox": {"enabled": true, "filesystem": {"denyRead": ["~/"], "allowRead": ["~/code/p"], "allowWrite": `+write+
				`}}}`, 0o600)
			h.put("code/p/.git/HEAD", "ref: refs/heads/main\n", 0o644)
			h.put("code/other/.git/HEAD", "ref: refs/heads/main\n", 0o644)
			h.put("code/other/.git/hooks/.keep", "", 0o644)
			h.put("code/p/plant.sh", "echo x > ../other/.git/hooks/pre-commit\n", 0o644)
			server, err := play.Serve(model.Turn{model.Bash("sh plant.sh")})
			if err != nil {
				t.Fatal(err)
			}
			defer server.Close()
			cmd := exec.CommandContext(t.Context(), claude, "-p", "go", "--model", "claude-sonnet-4-5", "--allowedTools", "Bash")
			cmd.Dir = filepath.Join(h.home, "code/p")
			cmd.Env = testenv.Env(t, h.home, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "ANTHROPIC_API_KEY=sk-fake-000",
				"ANTHROPIC_BASE_URL="+server.URL())
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			_, err = os.Stat(filepath.Join(h.home, "code/other/.git/hooks/pre-commit"))
			if wrote := err == nil; wrote != c.writes {
				r, _ := server.Result(0, 0)
				t.Errorf("the hook beside is written: %v (%q)", wrote, r.Text)
			}
			f := checkWeakenings(t.Context(), h.reader("PATH=/usr/bin:/bin"), filepath.Join(h.home, "code/p"))
			if c.writes {
				wantFinding(t, f, report.Fail, "", "another repository")
			} else if strings.Contains(said(f), "another repository") {
				t.Errorf("%+v", f)
			}
		})
	}
}
