// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what verify says of symlinks to what is not there yet, and of
// symlinks of managed settings, is what both launches do with them.

package iso_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// TestACommandCreatesWhatASymlinkLeadsTo: a command writes what a skill of the
// user's, a file of managed-settings.d and the managed MCP servers lead to, and the
// next session runs it outside the sandbox. What a directory of the user's own, or
// managed-settings.json, leads to it cannot create. Run with 2.1.330 and 2.1.324.
func TestACommandCreatesWhatASymlinkLeadsTo(t *testing.T) {
	inBothLaunches(t, func(t *testing.T, l *lab, start func(script ...model.Turn) session) {
		link := func(target, name string) {
			at := filepath.Join(l.home, name)
			testenv.Link(t, filepath.Join(l.project, target), at)
		}
		hook := func(name string) string {
			return `{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"` +
				l.put("run-"+name, l.mark(name, "exit 0")) + `"}]}]}}`
		}
		l.put("p/seed/plugin.json", `{"name":"q"}`)
		l.put("p/seed/hooks.json", hook("plugin"))
		l.put("p/seed/dropin.json", hook("drop-in"))
		l.put("p/seed/mcp.json", `{"mcpServers":{"x":{"command":"`+l.put("run-server", l.mark("server", "exit 1"))+`"}}}`)
		link("plug", ".claude/skills/q")
		link("agents", ".claude/agents")
		link("dropin.json", "etc/managed-settings.d/a.json")
		link("mcp.json", "etc/managed-mcp.json")
		link("managed.json", "etc/managed-settings.json")
		l.withEtc("etc")
		plant := "mkdir -p plug/.claude-plugin plug/hooks agents; cp seed/plugin.json plug/.claude-plugin; " +
			"cp seed/hooks.json plug/hooks; cp seed/dropin.json seed/mcp.json .; cp seed/dropin.json managed.json; " +
			"cp README.md agents/a.md; for f in plug/hooks/hooks.json dropin.json mcp.json managed.json agents/a.md; do " +
			"[ -s $f ] && echo wrote $f; done; true"
		s := start(calls(model.Bash(plant), nothing)...)
		for _, name := range []string{"plugin", "drop-in", "server"} {
			if l.marked(name) {
				t.Fatalf("the %s ran before a command created it", name)
			}
		}
		var wrote []string
		for line := range strings.Lines(s.text(t, 0)) {
			if name, is := strings.CutPrefix(strings.TrimSpace(line), "wrote "); is {
				wrote = append(wrote, name)
			}
		}
		if want := []string{"plug/hooks/hooks.json", "dropin.json", "mcp.json"}; !slices.Equal(wrote, want) {
			t.Errorf("commands wrote %q, want %q", wrote, want)
		}
		s = start(calls(nothing)...)
		for _, name := range []string{"plugin", "drop-in", "server"} {
			if !l.marked(name) {
				t.Errorf("the %s did not run outside the sandbox:\n%s", name, s.out)
			}
		}
	})
}

// TestManagedSettingsBehindASymlinkOfTheProject: the runtime keeps what they lead
// to, and a command replaces the symlink on the way. Run with 2.1.330 and 2.1.324.
func TestManagedSettingsBehindASymlinkOfTheProject(t *testing.T) {
	inBothLaunches(t, func(t *testing.T, l *lab, start func(script ...model.Turn) session) {
		l.put("org/settings.json", "{}")
		testenv.Link(t, filepath.Join(l.home, "org"), filepath.Join(l.project, "org"))
		testenv.Link(t, filepath.Join(l.project, "org/settings.json"), filepath.Join(l.home, "etc/managed-settings.json"))
		l.put("p/seed.json", `{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"`+
			l.put("run", l.mark("managed", "exit 0"))+`"}]}]}}`)
		l.withEtc("etc")
		l.put("p/plant.sh", "rm org; mkdir org; cp seed.json org/settings.json\n") // in a line it prompts
		start(calls(model.Bash("sh plant.sh"), nothing)...)
		if info, err := os.Lstat(filepath.Join(l.project, "org")); err != nil || !info.IsDir() || l.marked("managed") {
			t.Fatalf("the symlink is not replaced, or ran already: %v", err)
		}
		if s := start(calls(nothing)...); !l.marked("managed") {
			t.Errorf("the hook did not run outside the sandbox:\n%s", s.out)
		}
	})
}

// TestACommandWritesTheListOfMarketplaces: a plugin of the user's is then another
// one, in the project. Run with 2.1.330 and 2.1.324.
func TestACommandWritesTheListOfMarketplaces(t *testing.T) {
	inBothLaunches(t, func(t *testing.T, l *lab, start func(script ...model.Turn) session) {
		// marketAt puts a marketplace with the plugin there, and is the list that names it.
		marketAt := func(dir, hooks string) string {
			l.put(dir+"/.claude-plugin/marketplace.json",
				`{"name":"team","owner":{"name":"t"},"plugins":[{"name":"lint","source":"./lint"}]}`)
			l.put(dir+"/lint/.claude-plugin/plugin.json", `{"name":"lint","version":"1.0.0"}`)
			l.put(dir+"/lint/hooks/hooks.json", hooks)
			at := filepath.Join(l.home, dir)
			return `{"team":{"source":{"source":"directory","path":"` + at + `"},"installLocation":"` + at +
				`","lastUpdated":"2026-01-01T00:00:00.000Z"}}`
		}
		l.put("p/known.json", marketAt("market", `{"hooks":{}}`))
		l.put("p/seed.json", marketAt("p/mk", `{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"`+
			l.put("run", l.mark("plugin", "exit 0"))+`"}]}]}}`))
		l.put(".claude/settings.json", `{"enabledPlugins":{"lint@team":true}}`)
		l.put("p/plant.sh", "cat seed.json >known.json && echo planted\n")
		testenv.Link(t, filepath.Join(l.project, "known.json"),
			filepath.Join(l.home, ".claude/plugins/known_marketplaces.json"))
		s := start(calls(model.Bash("sh plant.sh"), nothing)...)
		if !strings.Contains(s.text(t, 0), "planted") || l.marked("plugin") {
			t.Fatalf("nothing was planted, or it ran already: %s", s.text(t, 0))
		}
		if s := start(calls(nothing)...); !l.marked("plugin") {
			t.Errorf("the plugin's hook did not run outside the sandbox:\n%s", s.out)
		}
	})
}
