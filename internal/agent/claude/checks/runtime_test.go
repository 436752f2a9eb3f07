// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a finding says that a setting opens, the real runtime
// opens, and no more.

package checks

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/sessions"
)

func TestMain(m *testing.M) { os.Exit(testenv.Offline(sessions.Recorded(m))) }

// What excludedCommands excludes: a line that matches as a whole, whatever
// allowUnsandboxedCommands says. The judgement agrees.
func TestTheRuntimeExcludesWholeLines(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	claude := testenv.Claude(t)
	testenv.Need(t, "bwrap", "socat")
	lines := []string{"printenv SANDBOX_RUNTIME", "printenv SANDBOX_RUNTIME | cat"}
	for _, c := range []struct {
		entry   string
		outside []bool // for each line
	}{{"cat *", []bool{false, false}}, {"printenv *", []bool{true, false}}, {"*", []bool{true, true}}} {
		h := household{t, testenv.Home(t)}
		h.put(usersFile, fmt.Sprintf(`{"sandbox": {"enabled": true, "allowUnsandboxedCommands": false, "excludedCommands": [%q]}}`, c.entry), 0o600)
		server := sessions.Play(t, sessions.Session{Claude: claude, Home: h.home, Args: []string{"--allowedTools", "Bash"},
			Script: []model.Turn{{model.Bash(lines[0])}, {model.Bash(lines[1])}}})
		for i, line := range lines {
			r, _ := server.Result(i, 0)
			if outside := !strings.HasPrefix(r.Text, "1"); outside != c.outside[i] {
				t.Errorf("%q with %q: outside %v (%q)", line, c.entry, outside, r.Text)
			}
		}
		s := session.At(h.reader(), h.home)
		if w := s.Weakenings(s); len(w) != 1 || w[0].Voids() != c.outside[1] ||
			!strings.Contains(w[0].Opens, "even where allowUnsandboxedCommands is false") {
			t.Errorf("%q: %+v", c.entry, w)
		}
	}
}

// status is what the runtime says of its sandbox in dir.
func status(t *testing.T, claude, home, dir string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), claude, "sandbox", "status")
	cmd.Dir = dir
	cmd.Env = testenv.Env(t, home, sessions.Environ("http://127.0.0.1:9")...)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return out
}
