// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the real runtime writes a file with its own tool, and the
// disk says whether a rule stopped it; the same call without the rules is the
// control.

package setup

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/sessions"
	"github.com/steward-setup/steward-setup/templates"
)

func TestMain(m *testing.M) { os.Exit(testenv.Offline(sessions.Recorded(m))) }

// moved are machines on which something lies elsewhere than in ~/.claude:
// what arranges them, the rules they call for, and a file that these rules
// hold. In the ones that follow, the project's policy holds it too: its rule
// leads there by a link in its own path.
var moved = []struct {
	name    string
	arrange func(d *dwelling)
	rules   []string // HOME is the home directory
	target  string
	follows bool
}{
	{"the usual places", func(d *dwelling) { d.put(bypassWarn, "#!/bin/sh\n", 0o755) }, nil, "", false},
	{"CLAUDE_CONFIG_DIR", func(d *dwelling) { d.vars = append(d.vars, "CLAUDE_CONFIG_DIR="+d.path("cc")) },
		inAgentDir("cc", ".claude.json"), "cc/scripts/x.sh", false},
	{"CLAUDE_CONFIG_DIR below ~/.claude", func(d *dwelling) {
		d.vars = append(d.vars, "CLAUDE_CONFIG_DIR="+d.path(".claude/work"))
	}, inAgentDir(".claude/work", ".claude.json"), "", false},
	{"with characters of a pattern", func(d *dwelling) {
		d.vars = append(d.vars, "CLAUDE_CONFIG_DIR="+d.path("c[c*(1)]"))
	}, inAgentDir("c?c??1??", ".claude.json"), "c[c*(1)]/agent-isolation/claude-iso.sh", false},
	{"settings that are a link", func(d *dwelling) {
		d.put("dotfiles/claude.json", "{}", 0o600)
		d.link(d.path("dotfiles/claude.json"), ".claude/settings.json")
	}, []string{"Edit(/HOME/dotfiles/claude.json)"}, "dotfiles/claude.json", true},
	{"a directory that is a link", func(d *dwelling) {
		d.put("dotfiles/claude/settings.json", "{}", 0o600)
		d.link("dotfiles/claude", ".claude")
	}, inAgentDir("dotfiles/claude"), "dotfiles/claude/scripts/x.sh", true},
	{"scripts that are links", func(d *dwelling) {
		d.put("src/fw/x.sh", "#!/bin/sh\n", 0o755)
		d.link(d.path("src/fw/x.sh"), ".claude/scripts/x.sh")
	}, []string{"Edit(/HOME/src/fw/x.sh)"}, "src/fw/x.sh", false},
	{"a sync repository", func(d *dwelling) {
		d.put(".claude-config/.git/HEAD", "", 0o644)
		d.put(".claude-config/scripts/x.sh", "#!/bin/sh\n", 0o755)
	}, []string{"Edit(/HOME/.claude-config/scripts/**)"}, ".claude-config/scripts/x.sh", false},
}

// inAgentDir are the rules for an agent's directory that lies elsewhere, below the
// home, with the agent's state where that lies in it.
func inAgentDir(dir string, state ...string) []string {
	files := slices.Concat([]string{"settings.json"}, state, []string{".config.json", "plugins/**", "dev-mods/**",
		"hooks/**", "scripts/**", "agent-isolation/**", "local/**", "chrome/**"})
	for i, f := range files {
		files[i] = "Edit(/HOME/" + dir + "/" + f + ")"
	}
	return files
}

func TestEditDenials(t *testing.T) {
	for _, tt := range moved {
		t.Run(tt.name, func(t *testing.T) {
			d := newDwelling(t, "/bin/bash")
			tt.arrange(d)
			got := d.proposer().editDenials()
			if want := named(d, tt.rules); !slices.Equal(got, want) {
				t.Errorf("%q\nwant %q", got, want)
			}
		})
	}
}

func named(d *dwelling, rules []string) []string {
	var list []string
	for _, r := range rules {
		list = append(list, strings.ReplaceAll(r, "HOME", d.home))
	}
	return list
}

// Measured with 2.1.329: where no link leads the rules of the project's policy
// there, it leaves the real places open; the rules in user scope close them.
func TestTheRuntimeObeysEditDenials(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	for _, tt := range moved {
		if tt.target == "" {
			continue
		}
		t.Run(tt.name, func(t *testing.T) {
			for _, ruled := range []bool{false, true} {
				d := newDwelling(t, "/bin/bash")
				tt.arrange(d)
				d.put("p/.claude/settings.json", string(templates.Settings), 0o644)
				rules := []string{}
				if ruled {
					rules = d.proposer().editDenials()
				}
				d.put(".claude.json", "{}", 0o600)
				b, err := json.Marshal(map[string]any{"permissions": map[string]any{"deny": rules}})
				if err != nil {
					t.Fatal(err)
				}
				settings, err := d.proposer().r.Resolve(d.proposer().r.Places().UserSettings())
				if err != nil {
					t.Fatal(err)
				}
				d.put(strings.TrimPrefix(settings, d.home+"/"), string(b), 0o600)
				said := d.write(tt.target)
				after, err := os.ReadFile(d.path(tt.target))
				if written := err == nil && strings.Contains(string(after), "CANARY"); written == (ruled || tt.follows) {
					t.Errorf("with the rules: %v; written: %v; the runtime says %q", ruled, written, said)
				}
			}
		})
	}
}

// write has the real runtime write a canary to a path below the home, in a
// session that allows the tool, and returns what the call got back.
func (d *dwelling) write(rel string) string {
	d.t.Helper()
	claude := testenv.Claude(d.t)
	testenv.Need(d.t, "bwrap", "socat")
	var script []model.Turn
	if _, err := os.Stat(d.path(rel)); err == nil {
		script = append(script, model.Turn{{Tool: "Read", Input: map[string]any{"file_path": d.path(rel)}}})
	}
	script = append(script, model.Turn{{Tool: "Write", Input: map[string]any{"file_path": d.path(rel),
		"content": "CANARY"}}})
	played := sessions.Play(d.t, sessions.Session{Claude: claude, Home: d.home, Dir: "p", Vars: d.vars, Script: script,
		Args: []string{"--output-format", "stream-json", "--verbose", "--permission-mode", "acceptEdits", "--add-dir", d.home,
			"--allowedTools", "Read", "Write"}})
	r, _ := played.Result(len(script)-1, 0)
	return r.Text
}
