// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package rehearsal

import "testing"

func TestASessionOnATerminalHasTheUsersShell(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for _, c := range []struct {
		shell    string
		terminal bool
		want     string
	}{
		{"/bin/bash", true, "/bin/bash"},
		{"/bin/bash", false, "/bin/sh"},
		{l.put("bin/zsh", "#!/bin/sh\n", 0o755), true, "/bin/sh"},
		{"/bin/none", true, "/bin/sh"},
		{"", true, "/bin/sh"},
	} {
		if got := l.theatre("/bin/true", "SHELL="+c.shell).shell(Session{Terminal: c.terminal}); got != c.want {
			t.Errorf("%q, on a terminal %v: %s, want %s", c.shell, c.terminal, got, c.want)
		}
	}
}
