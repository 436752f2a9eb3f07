// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the user's own shell exports of the project runs
// outside the sandbox in a plain start, and not in the launch, with the real
// runtime.

package iso_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestWhatTheShellExportsOfTheProjectIsNotRun(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	testenv.Need(t, "npm")
	const js = `require("fs").writeFileSync("MARKS/outside", "")`
	l := newLab(t)
	// It starts node, which a kept answer does not.
	if err := os.Symlink("/usr/bin/npm", filepath.Join(l.bin, "npm")); err != nil {
		t.Fatal(err)
	}
	l.approve()
	l.put(".claude/settings.json", `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"true"}]}]}}`) // a prefix stands before hooks, too
	script := calls(model.Bash("cat README.md; echo sandboxed=$SANDBOX_RUNTIME"))
	var vars []string
	for _, c := range []struct {
		variable string
		files    map[string]string
	}{
		{"BASH_ENV=HOME/p/env.sh", map[string]string{"p/env.sh": ":"}},
		{"CLAUDE_CODE_SHELL_PREFIX=HOME/p/prefix", map[string]string{"p/prefix": `exec /bin/sh -c "$*"`}},
		{"SHELL=HOME/p/bin/bash", map[string]string{"p/bin/bash": `exec /bin/bash "$@"`}},
		{"BUN_OPTIONS=--preload=HOME/p/hook.js", map[string]string{"p/hook.js": js}},
		{"NODE_OPTIONS=--require=HOME/p/hook.js", map[string]string{"p/hook.js": js}},
	} {
		for file, text := range c.files {
			if text != js {
				text = l.mark("ran", `[ -z "$SANDBOX_RUNTIME" ] && touch 'MARKS/outside'; `+text)
			}
			l.put(file, strings.NewReplacer("HOME", l.home, "MARKS", l.marks).Replace(text))
		}
		l.vars = []string{strings.ReplaceAll(c.variable, "HOME", l.home)}
		vars = append(vars, l.vars...)
		if s := l.plain("p", script...); !l.marked("outside") {
			t.Errorf("%s does not even run in a plain start:\n%s", c.variable, s.out)
		}
		for _, mark := range []string{"ran", "outside"} {
			_ = os.Remove(filepath.Join(l.marks, mark))
		}
	}
	l.vars = vars
	s := l.hardened("p", iso.Options{}, script...)
	if l.marked("outside") || l.marked("ran") {
		t.Error("what the project holds ran")
	}
	if got := s.text(t, 0); got != "README\nsandboxed=1" {
		t.Errorf("an ordinary command got %q", got)
	}
}
