// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package scripts_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/shellrc"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// TestTheAliasStartsTheProgram in the shells themselves, with its arguments and
// whatever is in its path; so does the alias of claude that leads to it.
func TestTheAliasStartsTheProgram(t *testing.T) {
	for shell, kind := range map[string]shellrc.Shell{"dash": shellrc.POSIX, "ksh": shellrc.Ksh, "mksh": shellrc.Mksh,
		"tcsh": shellrc.Tcsh} {
		for _, name := range []string{"plain", "with space", "it's", "a!b $HOME `x`"} {
			t.Run(shell+" "+name, func(t *testing.T) {
				testenv.Need(t, shell)
				dir := t.TempDir()
				program := filepath.Join(dir, name, "steward-setup")
				testenv.Write(t, program, "#!/bin/sh\nprintf '<%s>' \"$@\"\n", 0o755)
				line, err := scripts.IsoAliasLine(kind, program)
				if err != nil {
					t.Fatal(err)
				}
				rc := filepath.Join(dir, "rc")
				testenv.Write(t, rc, line+"\n"+scripts.AliasLine(kind, "claude")+"\nclaude-iso a 'b c'\nclaude -p d\n", 0o644)
				cmd := exec.Command(shell, rc)
				if shell == "tcsh" {
					cmd = exec.Command(shell, "-f", rc)
				}
				cmd.Env = testenv.Env(t, dir)
				out, err := cmd.CombinedOutput()
				if got := string(out); err != nil || got != "<iso><a><b c><iso><-p><d>" {
					t.Errorf("%s: %q %v", line, got, err)
				}
				// What the user pastes is understood when it is read again.
				u := shellrc.User{Home: dir, Getenv: func(string) string { return "" }}
				if defs := u.Read(kind, "rc", []byte(line)).Aliases; len(defs) != 1 || defs[0].Name != "claude-iso" ||
					!strings.HasSuffix(defs[0].Value, " iso") {
					t.Errorf("%s is read as %+v", line, defs)
				}
			})
		}
	}
}
