// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what directories around the start bring into a plain
// session is shown with the real runtime, and that the launch leaves it out.

package iso_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// TestDirectoriesAroundTheStart was run with 2.1.329 and 2.1.324. No prompt
// stands in front of the servers, and the sandbox hides the home.
func TestDirectoriesAroundTheStart(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	for launch, want := range map[string][]string{
		"plain": {"CLAUDE.local.md", "CLAUDE.md", "server of home", "server of project", "server of start",
			"settings CLAUDE.md"},
		"claude-iso": nil,
	} {
		t.Run(launch, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			l.approve()
			l.put(".claude.json", `{"hasCompletedOnboarding":true,"projects":{"`+l.project+`":{"hasTrustDialogAccepted":true}}}`)
			for dir, name := range map[string]string{"": "home", "p": "project", "p/sub": "start", "p/sub/deep": "deep"} {
				l.put(filepath.Join(dir, ".mcp.json"), `{"mcpServers":{"`+name+`":{"command":"`+
					l.put("run/"+name, l.mark("server of "+name, "exit 1"))+`"}}}`)
			}
			links := map[string]string{"CLAUDE.md": "p/sub/a/CLAUDE.md", "CLAUDE.local.md": "p/sub/b/CLAUDE.local.md",
				"settings CLAUDE.md": "p/sub/c/.claude/CLAUDE.md"}
			var script []model.Call
			for what, name := range links {
				l.put(name+".txt", "")
				if err := os.Symlink(l.put("notes/"+what, "CANARY "+what+"\n"), filepath.Join(l.home, name)); err != nil {
					t.Fatal(err)
				}
				file := strings.TrimSuffix(filepath.Dir(name), "/.claude") + "/x.txt"
				l.put(file, "x")
				script = append(script, readTool(filepath.Join(l.home, file)))
			}
			l.put("p/sub/i/CLAUDE.md", "Read @~/notes/imported\n")
			l.put("notes/imported", "CANARY imported\n")
			l.put("p/sub/i/x.txt", "x")
			script = append(script, readTool(l.project+"/sub/i/x.txt"), nothing)
			var s session
			if launch == "plain" {
				s = l.plain("p/sub", calls(script...)...)
			} else {
				s = l.hardened("p/sub", iso.Options{}, calls(script...)...)
			}
			s.text(t, len(script)-1)
			var seen []string
			for _, name := range []string{"home", "project", "start", "deep"} {
				if l.marked("server of " + name) {
					seen = append(seen, "server of "+name)
				}
			}
			for _, what := range append(slices.Sorted(maps.Keys(links)), "imported") {
				if s.Told("CANARY " + what + "\\n") {
					seen = append(seen, what)
				}
			}
			if slices.Sort(seen); !slices.Equal(seen, want) {
				t.Errorf("%q, want %q\n%s", seen, want, s.out)
			}
		})
	}
}
