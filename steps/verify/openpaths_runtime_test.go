// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a path that the check calls open is open in the real
// runtime, however it is spelled, and what it says still protects, holds.

package verify

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/sessions"
)

func TestTheRuntimeOpensWhatTheCheckSays(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	claude := testenv.Claude(t)
	testenv.Need(t, "bwrap", "socat", "git")
	for _, c := range []struct {
		entry  string
		denied bool // credentials.files denies ~/.ssh/
		reads  string
		open   bool
	}{
		{"~/.ssh", false, ".ssh/id_rsa", true},
		{"~/.ssh/", false, ".ssh/id_rsa", true},
		{"~/work/../.ssh", false, ".ssh/id_rsa", true},
		{"~/keys", false, "keys/id_rsa", true},
		{"~/.ssh", true, ".ssh/id_rsa", false},
		{"~/keys", true, "keys/id_rsa", false},
		{"~/keys", true, ".ssh/id_rsa", false},
		{"~/work", false, ".ssh/id_rsa", false},
	} {
		h := household{t, testenv.Home(t)}
		h.put(".ssh/id_rsa", "CANARY\n", 0o600)
		h.put("work/README", "", 0o644)
		h.put("p/README", "", 0o644)
		h.link(filepath.Join(h.home, ".ssh"), "keys")
		sandbox := map[string]any{"enabled": true, "filesystem": map[string]any{"denyRead": []string{"~/"},
			"allowRead": []string{".", c.entry}}}
		if c.denied {
			sandbox["credentials"] = map[string]any{"files": []any{map[string]any{"path": "~/.ssh/", "mode": "deny"}}}
		}
		doc, err := json.Marshal(map[string]any{"sandbox": sandbox})
		if err != nil {
			t.Fatal(err)
		}
		h.put("p/.claude/settings.json", string(doc), 0o644)
		path := filepath.Join(h.home, c.reads)
		server := sessions.Play(t, sessions.Session{Claude: claude, Home: h.home, Dir: "p",
			Args:   []string{"--allowedTools", "Bash"},
			Script: []model.Turn{{model.Bash("cat " + path)}}})
		r, called := server.Result(0, 0)
		server.Close()
		if !called {
			t.Fatal(server.Out)
		}
		if open := strings.Contains(r.Text, "CANARY"); open != c.open {
			t.Errorf("%s, denied %v: %s is open: %v (%q)", c.entry, c.denied, c.reads, open, r.Text)
		}
		f := checkWeakenings(context.Background(), h.reader("PATH=/usr/bin:/bin"), filepath.Join(h.home, "p"))
		if says := f.Status == report.Fail; says != (c.entry != "~/work") || says && strings.Contains(said(f),
			"still protects") != c.denied {
			t.Errorf("%s, denied %v: %s %s", c.entry, c.denied, f.Status, said(f))
		}
	}
}
