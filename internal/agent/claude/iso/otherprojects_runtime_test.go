// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what verify calls a part of another project is what commands
// write where an entry of the user's opens it.

package iso_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/model"
)

// TestCommandsWriteOtherProjects: entries of allowWrite open repositories that lie deep
// below, git directories by any name, and the settings of another project; the runtime
// keeps those of the start directory alone. Run with 2.1.330.
func TestCommandsWriteOtherProjects(t *testing.T) {
	inBothLaunches(t, func(t *testing.T, l *lab, start func(script ...model.Turn) session) {
		const entries = `["~/src","~/git/x.git","~/sub/.git/modules/x","~/other/.git/hooks","~/notes"]`
		opened := []string{"src/a/b/.git/config", "git/x.git/config", "sub/.git/modules/x/config",
			"other/.git/hooks/pre-commit", "notes/.claude/settings.json"}
		kept := []string{"p/.git/config", "p/.claude/settings.json"}
		command := "for f in " + strings.Join(append(opened, kept...), " ") + "; do echo '{}' > " + l.home + "/$f; done\n"
		for _, name := range opened {
			l.put(name, "")
		}
		before := map[string]string{}
		for _, name := range kept {
			before[name] = read(t, l, name)
		}
		l.put(".claude/settings.json", `{"sandbox":{"filesystem":{"allowRead":`+entries+`,"allowWrite":`+entries+`}}}`)
		l.put("p/plant.sh", command)
		s := start(calls(model.Bash("sh plant.sh"), nothing)...)
		for _, name := range opened {
			if got := read(t, l, name); got != "{}\n" {
				t.Errorf("%s holds %q: a command could not write it\n%s", name, got, s.out)
			}
		}
		for _, name := range kept {
			if got := read(t, l, name); got != before[name] {
				t.Errorf("%s holds %q: a command wrote it", name, got)
			}
		}
	})
}

// read is what a file below the home holds.
func read(t *testing.T, l *lab, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(l.home, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
