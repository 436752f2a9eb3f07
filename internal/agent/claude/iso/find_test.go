// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: where an agent, a project and its items are found is
// tried on a real tree of files.

package iso

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// machine is a home with these files; what ends in claude is executable.
func machine(t *testing.T, files map[string]string, executable string) (host.Reader, string) {
	t.Helper()
	home := testenv.Home(t)
	for name, text := range files {
		put(t, filepath.Join(home, name), text)
	}
	h, err := host.New(env.System{Env: env.New([]string{"HOME=" + home}), GOOS: "linux",
		Executable: filepath.Join(home, executable), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	return h, home
}

func put(t *testing.T, path, text string) {
	t.Helper()
	mode := os.FileMode(0o644)
	if base := filepath.Base(path); base == "claude" || base == "steward-setup" {
		mode = 0o755
	}
	testenv.Write(t, path, text, mode)
}

func TestFindRuntime(t *testing.T) {
	h, home := machine(t, map[string]string{
		"a/steward-setup": "", "b/other": "", "d/claude": "", "p/bin/claude": "", "e/claude/x": "",
		".nvm/versions/node/v24.1.0/bin/claude":                                         "",
		".vscode/extensions/anthropic.claude-code-2.1.0/resources/native-binary/claude": "",
		".vscode/extensions/other/resources/native-binary/claude":                       "",
	}, "a/steward-setup")
	for link, to := range map[string]string{"a/claude": "steward-setup", "c/claude": "../d/claude",
		"f/claude": "../p/bin/claude"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(home, link)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, filepath.Join(home, link)); err != nil {
			t.Fatal(err)
		}
	}
	var path string
	for _, dir := range []string{"a", "b", "e", "p/bin", "f", "c", "d", "none"} {
		path += filepath.Join(home, dir) + ":"
	}
	var got []string
	for _, f := range FindRuntime(h, "d:.:"+path, filepath.Join(home, "p")) {
		rel, _ := filepath.Rel(home, f.Path)
		got = append(got, rel+" "+f.From)
	}
	want := []string{"c/claude PATH", ".nvm/versions/node/v24.1.0/bin/claude npm under nvm",
		".vscode/extensions/anthropic.claude-code-2.1.0/resources/native-binary/claude the extension of VS Code"}
	if !slices.Equal(got, want) {
		t.Errorf("found %q\nwant  %q", got, want)
	}
}

// TestAround: nothing below the root takes the place of the root's policy, and
// what is no policy takes the place of none.
func TestAround(t *testing.T) {
	const on = `{"sandbox":{"enabled":true}}`
	h, home := machine(t, map[string]string{
		"p/.git/HEAD": "", "p/.claude/settings.json": on, "p/a/b/x": "", "p/n/.claude/settings.json": on, "p/n/m/x": "",
		"l/.git/HEAD": "", "l/.claude/settings.local.json": on, "l/n/.claude/settings.json": on,
		"b/.git/HEAD": "", "b/.claude/settings.json": "[", "b/n/.claude/settings.json": on,
		"q/.git/HEAD": "", "q/a/x": "", "q/n/.claude/settings.json": on, "q/n/m/.claude/settings.json": "{}",
		"q/e/.claude/settings.json": "{}", "q/b/.claude/settings.json": "[", "d/a/x": "", ".claude/settings.json": "{}",
	}, "")
	for start, want := range map[string][2]string{
		"p": {"p", "p"}, "p/a/b": {"p", "p"}, "p/n/m": {"p", "p"}, "l/n": {"l", "l"}, "b/n": {"b", "b"},
		"q/n": {"q", "q/n"}, "q/n/m": {"q", "q/n"}, "q/e": {"q", "q"}, "q/b": {"q", "q/b"}, "q/a": {"q", "q"},
		"d/a": {"d/a", "d/a"}, ".": {".", "."},
	} {
		p := around(h, filepath.Join(home, start))
		if p.Root != filepath.Join(home, want[0]) || p.Project != filepath.Join(home, want[1]) || p.ID == "" {
			t.Errorf("%s: root %s, project %s, id %s", start, p.Root, p.Project, p.ID)
		}
	}
}

// TestTheHomeIsNeverOpened: not by a start in it, nor in a repository that it
// is, as of dotfiles.
func TestTheHomeIsNeverOpened(t *testing.T) {
	h, home := machine(t, map[string]string{".git/HEAD": "", ".claude/settings.json": `{"sandbox":{"enabled":true}}`,
		"d/x": "", "CLAUDE.md": ""}, "")
	for start, want := range map[string][]string{home: nil, filepath.Join(home, "d"): {filepath.Join(home, "d")},
		filepath.Dir(home): nil, "/": nil} {
		l, err := Survey(h, start)
		if err != nil {
			t.Fatal(err)
		}
		if got := l.Place.roots(Options{Worktree: true}); !slices.Equal(got, want) {
			t.Errorf("started in %s: %q can be read, want %q", start, got, want)
		}
		if !l.Policy.Empty() || l.Instructions || len(l.Items) > 0 {
			t.Errorf("started in %s: the user's own settings are taken for a project's", start)
		}
	}
}

// TestAnItemIsItsFiles: the digest changes with the text and with the files of
// the project that it names, and with no others.
func TestAnItemIsItsFiles(t *testing.T) {
	files := map[string]string{
		"p/.git/HEAD": "", "p/check.sh": "one", "p/other.sh": "one", "q.sh": "one",
		"p/.claude/settings.json": `{"env":{"A":"1"},"permissions":{"allow":["Bash(make)"]},
			"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"sh \"$CLAUDE_PROJECT_DIR\"/check.sh; ../q.sh"}]}]}}`,
		"p/.mcp.json":           `{"mcpServers":{"s":{"command":"node","args":["./other.sh"]}}}`,
		"p/.claude/agents/a.md": "",
	}
	digests := func(change string) map[string]string {
		t.Helper()
		if change != "" {
			files[change] = "two"
			defer func() { files[change] = "one" }()
		}
		h, home := machine(t, files, "")
		items, err := itemsOf(h, around(h, filepath.Join(home, "p")), Policy{})
		if err != nil {
			t.Fatal(err)
		}
		all := map[string]string{}
		for _, i := range items {
			all[string(i.Kind)+" "+i.Name] = string(i.Digest)
		}
		return all
	}
	hook, server := `hook PreToolUse Bash: sh "$CLAUDE_PROJECT_DIR"/check.sh; ../q.sh`, "MCP server s"
	before := digests("")
	for _, name := range []string{hook, server, "allow rule Bash(make)", "other the setting env", "other .claude/agents"} {
		if _, ok := before[name]; !ok {
			t.Errorf("no %q in %q", name, before)
		}
	}
	for change, want := range map[string][2]bool{"p/check.sh": {true, false}, "p/other.sh": {false, true},
		"q.sh": {false, false}} {
		after := digests(change)
		if got := [2]bool{after[hook] != before[hook], after[server] != before[server]}; got != want {
			t.Errorf("%s changed: hook and server are others %v, want %v", change, got, want)
		}
	}
}

// TestClaudesOwnWorktreeOpensTheMainCheckout, wherever it stands on the line.
func TestClaudesOwnWorktreeOpensTheMainCheckout(t *testing.T) {
	p := Place{Home: "/home/ada", Root: "/home/ada/code/wt", Main: "/home/ada/code/main"}
	for line, want := range map[string]bool{
		"-w": true, "-w fix": true, "-wfix": true, "--worktree": true, "--worktree=x": true, "-p x --worktree x": true,
		"-cw": true, "--model m -w": true,
		"": false, "-p w": false, "--print worktree": false, "-- -w": false, "-p -- --worktree": false, "--worktrees": false,
		"-x=w": false,
	} {
		got := slices.Contains(p.roots(Options{Args: strings.Fields(line)}), p.Main)
		if got != want {
			t.Errorf("claude-iso %s: the main checkout is open: %v, want %v", line, got, want)
		}
	}
}
