// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what verify says of the user's own files is what both
// launches do: parts of them that lie in the project can be written there, and
// run outside the sandbox; whole directories are kept.

package iso_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/model"
)

// TestTheUsersOwnFilesRunOutside was run with 2.1.330 and 2.1.324.
func TestTheUsersOwnFilesRunOutside(t *testing.T) {
	inBothLaunches(t, func(t *testing.T, l *lab, start func(script ...model.Turn) session) {
		link := func(target, name string) {
			l.put(filepath.Join(filepath.Dir(name), "README"), "")
			if err := os.Symlink(filepath.Join(l.home, target), filepath.Join(l.home, name)); err != nil {
				t.Fatal(err)
			}
		}
		run := func(name string) string { return l.put("p/run/"+name, l.mark(name, "exit 1")) }
		hooks := func(name string) string { return strings.ReplaceAll(startHook, "HOME/evil/X", run(name)) }
		front := func(name string) string {
			return strings.NewReplacer("HOME/evil/X", run(name), "X", "x").Replace(front(frontHooks))
		}

		l.put("p/notes/x/SKILL.md", front("skill"))
		link("p/notes/x", ".claude/skills/x")
		l.put("p/cmds/c.md", front("command"))
		link("p/cmds", ".claude/commands/team")
		l.put("p/plug/.claude-plugin/plugin.json", `{"name":"plug"}`)
		l.put("p/plug/hooks/hooks.json", hooks("plugin"))
		link("p/plug", ".claude/skills/plug")
		l.put("p/mk/.claude-plugin/marketplace.json", strings.ReplaceAll(market["p/mk/.claude-plugin/marketplace.json"], "X",
			"x"))
		l.put("p/mk/x/.claude-plugin/plugin.json", `{"name":"x"}`)
		l.put("p/mk/x/hooks/hooks.json", hooks("marketplace"))
		l.put("p/whole/a.md", "")
		link("p/whole", ".claude/agents")
		l.put(".claude/settings.json", `{"permissions":{"allow":["Skill"]},"enabledPlugins":{"x@m":true},"extraKnownMarketplaces":{"m":{"source":{"source":"directory","path":"`+l.project+`/mk"}}}}`)
		server := func(name string) string {
			return `"mcpServers":{"` + name + `":{"command":"` + l.put("srv/"+name, l.mark(name, "exit 1")) + `"}}`
		}
		l.put(".claude.json", `{"hasCompletedOnboarding":true,`+server("everywhere")+`,"projects":{"`+l.project+
			`":{"hasTrustDialogAccepted":true,`+server("one project")+`}}}`)

		skill := func(name string) model.Call { return model.Call{Tool: "Skill", Input: map[string]any{"skill": name}} }
		files := "notes/x/SKILL.md cmds/c.md plug/hooks/hooks.json mk/x/hooks/hooks.json whole/a.md"
		script := calls(model.Bash("for f in "+files+"; do (echo >> $f) 2>/dev/null && echo wrote $f; done; true"),
			skill("x"), skill("team:c"), nothing)
		s := start(script...)
		wrote := strings.Fields(strings.ReplaceAll(s.text(t, 0), "wrote ", ""))
		if want := strings.Fields(files)[:4]; !slices.Equal(wrote, want) {
			t.Errorf("commands wrote %q, want %q", wrote, want)
		}
		for _, name := range []string{"skill", "command", "plugin", "marketplace", "everywhere"} {
			if !l.marked(name) {
				t.Errorf("the hook or server of the %s did not run outside the sandbox:\n%s", name, s.out)
			}
		}
		// claude-iso loads the settings of the user, and this server counts as local ones.
		if plain := !strings.HasSuffix(t.Name(), "/iso"); l.marked("one project") != plain {
			t.Errorf("the server of one project ran: %v, want %v", !plain, plain)
		}
	})
}

// TestHooksModulesRunOutside was run with 2.1.332: a module of a plugin starts a program of the
// project.
func TestHooksModulesRunOutside(t *testing.T) {
	inBothLaunches(t, func(t *testing.T, l *lab, start func(script ...model.Turn) session) {
		l.put("p/run/module", l.mark("module", "exit 1"))
		l.put(".claude/skills/mod/.claude-plugin/plugin.json", `{"name":"mod"}`)
		l.put(".claude/skills/mod/hooks/hooks.json", `{"modules":["./register.ts"]}`)
		l.put(".claude/skills/mod/hooks/register.ts", "export const register = (on) => {\n"+
			"  on('session.start', async ($, e, next) => { await $.process.run(['./run/module']); return next(e) })\n}\n")
		if s := start(calls(nothing)...); !l.marked("module") {
			t.Errorf("the module started nothing outside the sandbox:\n%s", s.out)
		}
	})
}
