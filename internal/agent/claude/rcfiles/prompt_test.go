// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package rcfiles

import (
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/shellrc"
)

// TestPrinter: what a command prints that others decide is found behind whatever
// options of the program stand in front.
func TestPrinter(t *testing.T) {
	for line, want := range map[string]string{
		"git branch": "git branch",
		"git --git-dir d --work-tree w branch -a": "git branch",
		"git -c a=b --no-pager log -1":            "git log",
		"git log -1 --format=%h":                  "",
		"git --git-dir status rev-parse HEAD":     "",
		"node -p f('./package.json')":             "node ./package.json",
		"nodejs -pe f('./package.json')":          "nodejs ./package.json",
		"python3.11 -Ic open('x.toml')":           "python3.11 x.toml",
		"python3 s.py './package.json'":           "",
	} {
		if got := printer(strings.Fields(line)); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

// TestPromptsRun: what a prompt substitutes runs, whichever of its names sets it (tried
// with zsh 5.9).
func TestPromptsRun(t *testing.T) {
	for _, name := range []string{"PS1", "PROMPT", "RPROMPT", "RPS1", "prompt"} {
		if got := promptTexts(shellrc.Def{Name: name, Value: `\w $(./x y) $`}); len(got) != 1 || got[0] != "./x y" {
			t.Errorf("%s runs %q", name, got)
		}
	}
}
