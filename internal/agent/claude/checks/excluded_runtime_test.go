// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: an excluded line without a star lets out that line alone,
// which is why a few of them are held to be harmless; with the real runtime.

package checks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/sessions"
)

func TestAnExactLineLetsOutItselfAlone(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	claude := testenv.Claude(t)
	testenv.Need(t, "bwrap", "socat")
	outside := map[string]bool{}
	lines := []string{"alpha -l", "LANG=C alpha -l", "env alpha -l", "timeout 5 alpha -l", "alpha -l; alpha -l",
		"alpha", "alpha -l x", "ABS/alpha -l", "./alpha -l", "PATH=. alpha -l", "LD_PRELOAD=./x.so alpha -l",
		"SSH_AUTH_SOCK=x alpha -l", "env X=1 alpha -l", "alpha -l > out", "alpha -l < in",
		"alpha -l $(true)", "alpha -l; true", "cd . && alpha -l", "PATH=.; alpha -l", "(alpha -l)"}
	for _, line := range lines[:5] {
		outside[line] = true
	}
	h, bin := household{t, testenv.Home(t)}, testenv.Home(t)
	h.put(usersFile, `{"sandbox": {"enabled": true, "allowUnsandboxedCommands": false, "excludedCommands": ["alpha -l"]}}`,
		0o600)
	const script = "#!/bin/sh\nif [ -n \"$SANDBOX_RUNTIME\" ]; then echo IN; else echo OUT; fi\n"
	h.put("p/alpha", script, 0o755)
	h.put("p/in", "", 0o644)
	if err := os.WriteFile(filepath.Join(bin, "alpha"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	var turns []model.Turn
	for _, line := range lines {
		turns = append(turns, model.Turn{model.Bash(strings.ReplaceAll(line, "ABS", bin))})
	}
	server := sessions.Play(t, sessions.Session{Claude: claude, Home: h.home, Dir: "p",
		Args: []string{"--allowedTools", "Bash"}, Vars: []string{"PATH=" + bin + ":/usr/local/bin:/usr/bin:/bin"},
		Script: turns})
	for i, line := range lines {
		r, _ := server.Result(i, 0)
		text := r.Text
		if strings.Contains(line, "> out") {
			b, _ := os.ReadFile(filepath.Join(h.home, "p", "out")) // what is not there did not run
			text = string(b)
		}
		if got := strings.Contains(text, "OUT"); got != outside[line] || !got && !strings.Contains(text, "IN") &&
			line != "LD_PRELOAD=./x.so alpha -l" {
			t.Errorf("%q: outside %v, want %v: %s", line, got, outside[line], text)
		}
	}
}
