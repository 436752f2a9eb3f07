// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a hook is taken for wired exactly where the real runtime
// runs it.

package verify

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/sessions"
)

func TestTheRuntimeRunsWhatIsWired(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	claude := testenv.Claude(t)
	const path = `"command":"~/.claude/scripts/sandbox-bypass-warn.sh"`
	const off = "{\"disableAllHooks\":true,\n"
	for _, tt := range []struct {
		name, users string
		files       map[string]string
	}{
		{"as installed", wiredUser(plainLine), nil},
		{"a wider matcher", wiredUser(plainLine, `"matcher":"Bash"`, `"matcher":"Bash|Edit"`), nil},
		{"a list of matchers", wiredUser(plainLine, `"matcher":"Bash"`, `"matcher":"Edit,Bash"`), nil},
		{"a list with spaces", wiredUser(plainLine, `"matcher":"Bash"`, `"matcher":"Edit, Bash"`), nil},
		{"any tool", wiredUser(plainLine, `"matcher":"Bash",`, ``), nil},
		{"a star", wiredUser(plainLine, `"matcher":"Bash"`, `"matcher":"*"`), nil},
		{"a pattern", wiredUser(plainLine, `"matcher":"Bash"`, `"matcher":"B.*"`), nil},
		{"a pattern for the end", wiredUser(plainLine, `"matcher":"Bash"`, `"matcher":"as."`), nil},
		{"a pattern for the beginning", wiredUser(plainLine, `"matcher":"Bash"`, `"matcher":"^B"`), nil},
		{"a pattern in a list", wiredUser(plainLine, `"matcher":"Bash"`, `"matcher":"Edit,B.*"`), nil},
		{"names with spaces", wiredUser(plainLine, `"matcher":"Bash"`, `"matcher":"Edit | Bash"`), nil},
		{"no pattern", wiredUser(plainLine, `"matcher":"Bash"`, `"matcher":"Bash("`), nil},
		{"half the name", wiredUser(plainLine, `"matcher":"Bash"`, `"matcher":"Bas"`), nil},
		{"small letters", wiredUser(plainLine, `"matcher":"Bash"`, `"matcher":"bash"`), nil},
		{"another tool", wiredUser(plainLine, `"matcher":"Bash"`, `"matcher":"Edit"`), nil},
		{"a home variable", wiredUser(plainLine, path, `"command":"\"$HOME\"/.claude/scripts/sandbox-bypass-warn.sh"`), nil},
		{"a shell", wiredUser(plainLine, path, `"command":"sh ~/.claude/scripts/sandbox-bypass-warn.sh"`), nil},
		{"a tilde in quotes", wiredUser(plainLine, path, `"command":"\"~/.claude/scripts/sandbox-bypass-warn.sh\""`), nil},
		{"a tilde without a shell", wiredUser(plainLine, path, path+`,"args":[]`), nil},
		{"only for git", wiredUser(plainLine, path, path+`,"if":"Bash(git *)"`), nil},
		{"off by the user", wiredUser(plainLine, "{\n", off), nil},
		{"off by the checkout", wiredUser(plainLine), map[string]string{localFile: `{"disableAllHooks":true}`}},
		{"off by the user, on by the checkout", wiredUser(plainLine, "{\n", off), map[string]string{localFile: `{"disableAllHooks":false}`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := newHousehold(t)
			h.put(usersFile, tt.users, 0o600)
			r := h.project(tt.files)
			h.put(".claude/scripts/sandbox-bypass-warn.sh", "#!/bin/sh\ncat >/dev/null\n: >\"$HOME/fired\"\n", 0o755)
			sessions.Play(t, sessions.Session{Claude: claude, Home: h.home, Dir: "p", Args: []string{"--allowedTools", "Bash"},
				Script: []model.Turn{{model.Bash("echo hi")}}})
			_, err := os.Stat(filepath.Join(h.home, "fired"))
			f := checkWiring(r, filepath.Join(h.home, "p"))
			if fired := err == nil; fired != (f.Status == report.Pass) {
				t.Errorf("the hook fired: %v, and the check says: %s", fired, said(f))
			}
		})
	}
}
