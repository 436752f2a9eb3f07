// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package proc

import (
	"strings"
	"testing"
)

func TestTheUsersSSHDoesNotPrompt(t *testing.T) {
	for command, want := range map[string]string{
		"ssh -i key":           "ssh -i key -oBatchMode=yes",
		"/usr/bin/ssh -F file": "/usr/bin/ssh -F file -oBatchMode=yes",
		"plink -batch":         "plink -batch",
		"/opt/ssh-wrapper":     "/opt/ssh-wrapper",
		`"/opt/my tools/ssh"`:  `"/opt/my tools/ssh"`,
		" ":                    " ",
	} {
		got := ""
		for _, variable := range GitSyncHeads("host:x", command).extra {
			if value, is := strings.CutPrefix(variable, "GIT_SSH_COMMAND="); is {
				got = value // os/exec takes the last
			}
		}
		if got != want {
			t.Errorf("%q: %q", command, got)
		}
	}
}
