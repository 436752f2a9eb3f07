// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: an excluded pattern through which any command or any file
// is reached is told apart from one that lets a program of its own out.

package policy

import "testing"

func TestWhatAnExcludedCommandReaches(t *testing.T) {
	for kind, patterns := range map[string][]string{
		"excluded-any": {"python3 *", "python3.12 tool.py", "python*", "pyth* x", "/usr/bin/env *", "A=b bash -c *", "bash:*", "sudo docker *", "npm run *", "make", "* x", "?at *",
			"cat *", "tail -f log", "cp:*", "git *", "find . *"},
		"excluded-command": {"docker *", "docker:*", "git push *", "gh pr *", "podman *", "xcodebuild *", "catalogue *", "golangci-lint *", "shellcheck *"},
		"sandbox-off":      {"*", "* *"},
	} {
		for _, pattern := range patterns {
			got := weakenings(t, Local, `{"sandbox":{"excludedCommands":["`+pattern+`"]}}`)
			if len(got) != 1 || got[0].Kind != kind || got[0].Bypasses() != (kind == "excluded-any") || got[0].Fails() != (kind != "excluded-command") {
				t.Errorf("%q, want %s: %+v", pattern, kind, got)
			}
		}
	}
}
