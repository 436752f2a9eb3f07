// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the agent's own tools do, where no rule decides or the runtime
// does not follow one, is said as the runtime does it.

package explain

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// toolsRead are read by a tool, toolsWrite written; askedFor are names that a project has.
const (
	toolsRead = `o/x al/x ed/x wr/x as/x de/x dw/x add/x uadd/x ladd/x ladd2/x locadd/x ual/x p/x p/sub/x p/out/x lo/x
		.claude/debug/x .claude/skills/x/x .claude/skills/al/x .claude/agents/x.md .claude/commands/x.md .claude/plans/x.md
		.claude/plugins/x .claude/tasks/x .claude/teams/x .claude/CLAUDE.md .claude/rules/a.md .claude/todos/x
		.claude/output-styles/x.md .claude/projects/x`
	toolsWrite = `o/w al/w ed/w wr/w as/w de/w dw/w add/w uadd/w locadd/w p/w p/sub/w p/out/w .bashrc p/.git/x p/.bashrc
		p/.claude/worktrees/a/x p/.env ed/.npmrc`
	askedFor = `.gitconfig .gitmodules .bashrc .bash_profile .zshrc .zprofile .profile .zshenv .zlogin .zlogout
		.bash_login .bash_aliases .bash_logout .envrc .ripgreprc .mcp.json .claude.json .npmrc .yarnrc .yarnrc.yml .pnp.cjs
		.pnp.loader.mjs .pnp.js .pnp.data.json .pnpmfile.cjs bunfig.toml .bunfig.toml .bazelrc .bazelversion .bazeliskrc
		.pre-commit-config.yaml lefthook.yml .lefthook.yml lefthook.yaml .lefthook.yaml gradle-wrapper.properties
		maven-wrapper.properties .devcontainer.json pyrightconfig.json .git/x .vscode/x .idea/x .claude/x .husky/x .cargo/x
		.devcontainer/x .yarn/x .mvn/x .config/git/x .config/x Makefile package.json CLAUDE.md AGENTS.md .env .GIT/x .Bashrc
		node_modules/x .githooks/x hooks/x .ssh/x .netrc .claude/skills/s/x .claude/commands/x .claude/agents/x
		.claude/plans/x .claude/worktrees/a/.git/x`
)

func TestToolsAreJudgedWhereNoRuleDecides(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	testenv.Claude(t)
	var everywhere string
	for name := range strings.FieldsSeq(askedFor) {
		everywhere += " p/" + name + " p/deep/" + name + " ed/" + name
	}
	for _, c := range []struct {
		// set is what permissions have besides.
		set   map[string]any
		write string
	}{
		{nil, toolsWrite + everywhere},
		{map[string]any{"defaultMode": "acceptEdits"}, toolsWrite},
		{map[string]any{"blockReadsOutsideWorkingDirectories": true, "defaultMode": "dontAsk"}, toolsWrite},
		{map[string]any{"blockWritesOutsideWorkingDirectories": true}, toolsWrite},
	} {
		l := newLab(t)
		permissions := map[string]any{
			"allow": []string{"Read(~/al/**)", "Edit(~/ed/**)", "Write(~/wr/**)", "Edit(/**)", "Edit(~/.bashrc)",
				"Read(~/.claude/skills/al/**)"},
			"ask":                   []string{"Read(~/as/**)"},
			"deny":                  []string{"Read(~/de/**)", "Edit(~/dw/**)"},
			"additionalDirectories": []string{"~/add"},
		}
		maps.Copy(permissions, c.set)
		l.settings("p/.claude/settings.json", map[string]any{"permissions": permissions})
		l.settings("p/.claude/settings.local.json", map[string]any{"permissions": map[string]any{
			"additionalDirectories": []string{"~/locadd"}}})
		l.settings(".claude/settings.json", map[string]any{"permissions": map[string]any{
			"additionalDirectories": []string{"~/uadd", "~/ladd", "~/radd2"}, "allow": []string{"Read(~/ual/**)"}}})
		l.trust()
		for link, to := range map[string]string{"ladd": "radd", "ladd2": "radd2", "p/out": "../o", "lo": "p/sub"} {
			err := os.MkdirAll(filepath.Join(filepath.Dir(l.path(link)), to), 0o755)
			if err := errors.Join(err, os.Symlink(to, l.path(link))); err != nil {
				t.Fatal(err)
			}
		}
		var calls []model.Call
		for p := range strings.FieldsSeq(toolsRead) {
			l.put(p, "CONTENT\n")
			calls = append(calls, model.Call{Tool: "Read", Input: map[string]any{"file_path": l.path(p)}})
		}
		for p := range strings.FieldsSeq(c.write) {
			calls = append(calls, model.Call{Tool: "Write", Input: map[string]any{"file_path": l.path(p), "content": "new"}})
		}
		s := l.start()
		for i, played := range l.playAsked(calls) {
			if got := l.ofFile(s, calls[i]); got.Answer != decided[played.Decision] || len(got.By) == 0 {
				t.Errorf("%v: %s of %v: said %q (%s, %v), the runtime %q: %.200s", c.set, calls[i].Tool,
					calls[i].Input["file_path"], got.Answer, got.Why, got.By, played.Decision, played.Text)
			}
		}
	}
}
