// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: an entry that the check says reopens a hidden place does so
// in the real runtime, and one that it does not name does not.

package checks

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/sessions"
)

func TestTheRuntimeReopensWhatTheCheckSays(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	claude := testenv.Claude(t)
	testenv.Need(t, "bwrap", "socat", "git")
	h := household{t, testenv.Home(t)}
	h.put("p/README", "", 0o644)
	other := household{t, t.TempDir()} // outside of the home
	cases := []struct {
		key, entry, reads string
		open              bool
	}{
		{"allowRead", "in/hidden", "in/hidden/x", true},
		{"allowRead", "below/hidden/d", "below/hidden/d/x", true},
		{"allowRead", "above", "above/hidden/x", false},
		{"allowRead", "ticket_1", "ticket_1", true},
		{"allowRead", "aboveglob", "aboveglob/secret_1", false},
		{"allowRead", "pattern/hidde*", "pattern/hidden/x", true},
		{"allowWrite", "write/hidden", "write/hidden/x", true},
		{"allowRead", "beside/other", "beside/hidden/x", false},
	}
	lists := map[string][]string{"denyRead": {"~/", other.home + "/ticket*", other.home + "/aboveglob/secret*"},
		"allowRead": {"."}}
	var command []string
	for _, c := range cases {
		dir, _, isDir := strings.Cut(c.reads, "/")
		other.put(c.reads, "CANARY-"+dir+"\n", 0o644)
		if isDir && dir != "aboveglob" {
			lists["denyRead"] = append(lists["denyRead"], filepath.Join(other.home, dir, "hidden")+"/")
		}
		lists[c.key] = append(lists[c.key], filepath.Join(other.home, c.entry))
		command = append(command, "cat "+filepath.Join(other.home, c.reads))
	}
	doc, err := json.Marshal(map[string]any{"sandbox": map[string]any{"enabled": true, "filesystem": lists}})
	if err != nil {
		t.Fatal(err)
	}
	h.put("p/.claude/settings.json", string(doc), 0o644)
	server := sessions.Play(t, sessions.Session{Claude: claude, Home: h.home, Dir: "p",
		Args:   []string{"--allowedTools", "Bash"},
		Script: []model.Turn{{model.Bash(strings.Join(command, "; "))}}})
	r, _ := server.Result(0, 0)
	f := said(checkWeakenings(context.Background(), h.reader("PATH=/usr/bin:/bin"), filepath.Join(h.home, "p")))
	for _, c := range cases {
		dir, _, _ := strings.Cut(c.reads, "/")
		if open := strings.Contains(r.Text, "CANARY-"+dir); open != c.open {
			t.Errorf("%s %s: %s is open: %v (%q)", c.key, c.entry, c.reads, open, r.Text)
		}
		if named := strings.Contains(f, filepath.Join(other.home, c.entry)); named != c.open {
			t.Errorf("%s %s is named: %v\n%s", c.key, c.entry, named, f)
		}
	}
}
