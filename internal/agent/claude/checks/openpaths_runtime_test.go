// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a path that the check calls open is open in the real
// runtime, however it is spelled, and what it says still protects, holds.

package checks

import (
	"context"
	"encoding/json"
	"fmt"
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
	cases := []struct {
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
	}
	// One session: each case has directories of its own, which end with its number.
	played := household{t, testenv.Home(t)}
	read, deny, command := []string{"."}, []any{}, ""
	for i, c := range cases {
		own := func(name string) string {
			return strings.NewReplacer(".ssh", fmt.Sprintf(".ssh%d", i), "keys", fmt.Sprintf("keys%d", i), "work",
				fmt.Sprintf("work%d", i)).Replace(name)
		}
		played.put(own(".ssh/id_rsa"), fmt.Sprintf("CANARY-%d.\n", i), 0o600)
		played.put(own("work/README"), "", 0o644)
		played.link(filepath.Join(played.home, own(".ssh")), own("keys"))
		read = append(read, own(c.entry))
		if c.denied {
			deny = append(deny, map[string]any{"path": own("~/.ssh/"), "mode": "deny"})
		}
		command += "cat " + filepath.Join(played.home, own(c.reads)) + "; "
	}
	played.put("end", "LAST-CANARY\n", 0o600) // its words are not in the command
	read = append(read, "~/end")
	played.opens(read, deny)
	server := sessions.Play(t, sessions.Session{Claude: claude, Home: played.home, Dir: "p",
		Args:   []string{"--allowedTools", "Bash"},
		Script: []model.Turn{{model.Bash(command + "cat " + filepath.Join(played.home, "end"))}}})
	r, _ := server.Result(0, 0)
	if !strings.Contains(r.Text, "LAST-CANARY") {
		t.Fatal(r.Text)
	}
	for i, c := range cases {
		if open := strings.Contains(r.Text, fmt.Sprintf("CANARY-%d.", i)); open != c.open {
			t.Errorf("%s, denied %v: %s is open: %v (%q)", c.entry, c.denied, c.reads, open, r.Text)
		}
		h := household{t, testenv.Home(t)}
		h.put(".ssh/id_rsa", "CANARY\n", 0o600)
		h.put("work/README", "", 0o644)
		h.link(filepath.Join(h.home, ".ssh"), "keys")
		deny := []any{}
		if c.denied {
			deny = append(deny, map[string]any{"path": "~/.ssh/", "mode": "deny"})
		}
		h.opens([]string{".", c.entry}, deny)
		f := checkWeakenings(context.Background(), h.reader("PATH=/usr/bin:/bin"), filepath.Join(h.home, "p"))
		if says := f.Status == report.Fail; says != (c.entry != "~/work") || says && strings.Contains(said(f),
			"still protects") != c.denied {
			t.Errorf("%s, denied %v: %s %s", c.entry, c.denied, f.Status, said(f))
		}
	}
}

// opens makes a project that hides the home and reads paths, but for the
// credentials that it denies.
func (h household) opens(read []string, deny []any) {
	h.t.Helper()
	doc, err := json.Marshal(map[string]any{"sandbox": map[string]any{"enabled": true,
		"filesystem":  map[string]any{"denyRead": []string{"~/"}, "allowRead": read},
		"credentials": map[string]any{"files": deny}}})
	if err != nil {
		h.t.Fatal(err)
	}
	h.put("p/README", "", 0o644)
	h.put("p/.claude/settings.json", string(doc), 0o644)
}
