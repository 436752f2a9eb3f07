// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package rehearsal

import (
	"os"
	"path/filepath"
	"testing"
)

func TestASessionOnATerminalHasTheUsersShell(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	link := filepath.Join(filepath.Dir(l.put("bin/x", "", 0o644)), "sh")
	if err := os.Symlink("/bin/bash", link); err != nil {
		t.Fatal(err)
	}
	bash, err := filepath.EvalSymlinks("/bin/bash")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		shell    string
		terminal bool
		want     string
	}{
		{"/bin/bash", true, "/bin/bash"},
		{"/bin/bash", false, "/bin/sh"},
		{l.put("bin/zsh", "#!/bin/sh\n", 0o755), true, "/bin/sh"},
		{link, true, bash}, // which the stage does not have
		{"/bin/none", true, "/bin/sh"},
		{"", true, "/bin/sh"},
	} {
		if got := l.theatre("/bin/true", "SHELL="+c.shell).shell(Session{Terminal: c.terminal}); got != c.want {
			t.Errorf("%q, on a terminal %v: %s, want %s", c.shell, c.terminal, got, c.want)
		}
	}
}
