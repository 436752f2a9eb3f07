// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the line that installs the agent brings npm, where it is
// missing, and works for an ordinary user on each kind of machine.

package checks

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/startfailure"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/pinned"
)

// prefixCall is npm's answer to where it installs, by the last word of the call.
const prefixCall = "npm.--fetch-timeout=60000"

func TestTheLineOfTheAgentBringsNpm(t *testing.T) {
	testenv.AsUser(t) // root may write in each of these prefixes
	line := "npm install -g --no-save @anthropic-ai/claude-code@" + pinned.Claude()
	ownLine := `npm install -g --no-save --prefix "$HOME/.local" @anthropic-ai/claude-code@` + pinned.Claude() +
		` && export PATH="$HOME/.local/bin:$PATH"`
	own := t.TempDir()
	for name, c := range map[string]struct {
		release  string // "" is a Mac
		programs map[string]string
		prefix   string // of the environment
		uid      int
		want     string
	}{
		"npm that installs into the home": {"debian", map[string]string{prefixCall: own}, "", 1, line},
		"npm of a distribution":           {"debian", map[string]string{prefixCall: "/proc"}, "", 1, ownLine},
		"npm with a prefix of the user's": {"debian", map[string]string{prefixCall: "/proc"}, own, 1, line},
		"Debian without npm": {"debian", map[string]string{"apt-get.x": "x"}, own, 1,
			"sudo apt-get install --no-install-recommends npm && " + line},
		"as root": {"debian", map[string]string{"apt-get.x": "x"}, "", 0,
			"apt-get install --no-install-recommends npm && " + line},
		"Fedora without npm": {"fedora", map[string]string{"dnf.x": "x"}, own, 1,
			"sudo dnf install npm && " + line},
		"macOS without npm":                {"", map[string]string{"brew.x": "x"}, own, 1, "brew install node && " + line},
		"macOS without Homebrew":           {"", nil, own, 1, ""},
		"another distribution without npm": {"arch", map[string]string{"pacman.x": "x"}, own, 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			root, goos := t.TempDir(), "darwin"
			if c.release != "" {
				goos = "linux"
				if err := os.MkdirAll(filepath.Join(root, "etc"), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(root, "etc/os-release"), []byte("ID="+c.release+"\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			home := testenv.Home(t)
			h, err := host.New(env.System{Env: env.New(testenv.Env(t, home, "PATH="+testenv.Distro(t, root, c.programs),
				"NPM_CONFIG_PREFIX="+c.prefix)), GOOS: goos, GOARCH: "amd64", UID: c.uid * max(os.Getuid(), 1), Cwd: home,
				Root: root, Now: pinned.Noon})
			if err != nil {
				t.Fatal(err)
			}
			got, ok := startfailure.Mends(t.Context(), h, "")
			if got.Line != c.want || ok != (c.want != "") {
				t.Errorf("the line is\n%s\nnot\n%s", got.Line, c.want)
			}
			if got.Privileged != (c.uid != 0 && len(c.want) > 5 && c.want[:5] == "sudo ") {
				t.Errorf("privileged: %v: %s", got.Privileged, got.Line)
			}
		})
	}
}
