// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package proc

import (
	"slices"
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
		s := BySSH(GitSyncHead("host:x"), command)
		if !slices.Contains(s.extra, "GIT_SSH_COMMAND="+want) {
			t.Errorf("%q: %q", command, s.extra)
		}
	}
}
