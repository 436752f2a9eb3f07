// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: that commands cannot write the repository is shown by the
// real runtime, with nothing in its settings but what sync wrote and an opening
// of the whole home.

package sync

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/sessions"
)

func TestMain(m *testing.M) {
	code := testenv.Offline(m)
	if template.top != "" {
		_ = os.RemoveAll(template.top)
	}
	os.Exit(code)
}

// TestCommandsCannotWriteTheRepository: by neither of its names, through a
// symlink into it, as a whole, or below a plain directory. An entry for what is
// not there keeps it from being made, and leaves nothing behind.
func TestCommandsCannotWriteTheRepository(t *testing.T) {
	testenv.AsUser(t)
	testenv.Need(t, "git", "bwrap", "socat")
	claude := testenv.Claude(t)
	m := newMachine(t, "linux", "amd64", "home/you")
	m.put(".claude/CLAUDE.md", "mine\n", 0o644)
	m.put(".claude/projects/"+pathname.Dashed(m.home)+"-code-p/memory/MEMORY.md", "mine\n", 0o644)
	m.put(".claude/settings.json", `{"sandbox": {"enabled": true, "failIfUnavailable": true, "filesystem": {
		"allowWrite": ["~/"], "denyWrite": ["~/plain", "~/none", "~/no/such/place"]}}}`, 0o600)
	m.put("plain/file", "mine\n", 0o644)
	m.put("p/README.md", "", 0o644)
	m.put("store/config/README.md", "mine\n", 0o644)
	m.git(m.home, "init", "-q", "store/config")
	testenv.Link(t, filepath.Join(m.home, "store", "config"), filepath.Join(m.home, ".claude-config"))
	m.init("")
	// By a shell of the command's own, so that it is the sandbox that answers and
	// not a rule.
	commands := []struct{ text, file, want string }{
		{"echo x > ~/open", "open", "x\n"}, // the control: the home is open
		{"echo x > ~/.claude-config/CLAUDE.md", "store/config/CLAUDE.md", "mine\n"},
		{"echo x > ~/store/config/memory/code-p/MEMORY.md", "store/config/memory/code-p/MEMORY.md", "mine\n"},
		{"echo x > ~/.claude/CLAUDE.md", "store/config/CLAUDE.md", "mine\n"},
		{"echo x > ~/.claude-config/.git/hooks/post-merge", "store/config/.git/hooks/post-merge", "absent"},
		{"echo x > ~/.claude-config/new.sh", "store/config/new.sh", "absent"},
		{"mv ~/store/config ~/store/gone", "store/gone/README.md", "absent"},
		{"mv ~/store ~/gone; mkdir -p ~/store/config; echo x > ~/store/config/README.md", "store/config/README.md", "mine\n"},
		{"echo x > ~/plain/file", "plain/file", "mine\n"},
		{"echo x > ~/none", "none", "absent"},
		{"mkdir -p ~/no/such/place; echo x > ~/no/such/place/file", "no/such/place/file", "absent"},
		// What no entry for the repository can close: where the directory of the
		// symlink is open, the symlink can be replaced. verify fails such an opening.
		{"rm ~/.claude-config; mkdir ~/.claude-config; echo x > ~/.claude-config/README.md", ".claude-config/README.md",
			"x\n"},
	}
	var script []model.Turn
	for _, c := range commands {
		script = append(script, model.Turn{model.Bash("sh -c '" + c.text + "'")})
	}
	s := sessions.Play(t, sessions.Session{Claude: claude, Home: m.home, Dir: "p",
		Args: []string{"--allowedTools", "Bash"},
		Vars: []string{"PATH=/usr/bin:/bin"}, Script: script})
	refused := regexp.MustCompile("Read-only file system|resource busy|Permission denied")
	for i, c := range commands {
		said, _ := s.Result(i, 0)
		if got := m.get(c.file); got != c.want {
			t.Errorf("%s: %s holds %q, want %q (%q)", c.text, c.file, got, c.want, said.Text)
		}
		if refused.MatchString(said.Text) != (c.want != "x\n") {
			t.Errorf("%s: %q", c.text, said.Text)
		}
	}
	for _, name := range []string{"none", "no"} {
		if _, err := os.Lstat(filepath.Join(m.home, name)); err == nil {
			t.Errorf("~/%s was made for its entry", name)
		}
	}
}
