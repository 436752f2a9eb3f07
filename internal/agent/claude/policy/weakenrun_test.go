// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: an excluded line that is unknown to let nothing else out
// counts as one that lets everything out.

package policy

import (
	"encoding/json"
	"testing"
)

func TestWhatAnExcludedCommandReaches(t *testing.T) {
	for kind, patterns := range map[string][]string{
		"excluded-any": {"python3 *", "A=b bash -c *", "bash:*", "sudo docker *", "npm run *", "make", "* x", "?at *",
			"cat *", "git *", "find . *", "jest", "docker", "docker *", "docker:*", "podman *",
			"scripts/test.sh", "./manage.py *", "systemd-run *", "at now", "rails test", "gh pr *", "git push *", "xcodebuild *",
			"shellcheck *", "gpg *", "catalogue *",
			"ssh-add *", "ssh-add:*", "ssh-add -l*", "ssh-add -l *", "/usr/bin/ssh-add -l", "./ssh-add -l", "LANG=C ssh-add -l",
			" ssh-add -l", "ssh-add", "*ssh-add -l"},
		"excluded-command": {"ssh-add -l", "ssh-add -L", "nvidia-smi"},
		"sandbox-off":      {"*", "* *", "**"},
		"":                 {"", "  "},
	} {
		for _, pattern := range patterns {
			doc, err := json.Marshal(map[string]any{"sandbox": map[string]any{"excludedCommands": []string{pattern}}})
			if err != nil {
				t.Fatal(err)
			}
			got := weakenings(t, Local, string(doc))
			if kind == "" && len(got) == 0 {
				continue
			}
			if len(got) != 1 || got[0].Kind != kind || got[0].Bypasses() != (kind == "excluded-any") ||
				got[0].Fails() != (kind != "excluded-command") {
				t.Errorf("%q, want %q: %+v", pattern, kind, got)
			}
		}
	}
}
