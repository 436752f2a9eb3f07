// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a machine that is set up well in an unusual way is never
// told that something failed, nor left without an answer.

package checks_test

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	ours "github.com/steward-setup/steward-setup/internal/agent/claude/setup"
	"github.com/steward-setup/steward-setup/internal/report"
)

// Variant is a healthy machine that is not the usual one.
type Variant struct {
	Name  string
	Setup setup
	// Warns are the checks that answer with a warning, each with the reason
	// why it must.
	Warns map[report.ID]string
}

// on is the usual machine with something changed.
func on(change func(*setup)) setup {
	s := usualSetup
	change(&s)
	return s
}

// withStores: one inode for the store and the project, and for the store and a
// global program; none for all three (docs of pnpm 9.15.9, of uv 0.9).
var withStores = on(func(s *setup) {
	s.before = func(m *Machine) {
		for store, others := range map[string][]string{
			"~/.local/share/pnpm/store/v3/files/ab/1-exec": {"~/code/tracker/node_modules/.pnpm/a@1.0.0/node_modules/a/cli.js"},
			"~/.local/share/pnpm/store/v3/files/ab/2-exec": {
				"~/.local/share/pnpm/global/5/.pnpm/b@1.0.0/node_modules/b/cli.js"},
			"~/.cache/uv/archive-v0/x/a/cli.py": {"~/code/tracker/.venv/lib/python3.11/site-packages/a/cli.py"},
			"~/.cache/uv/archive-v0/y/b/cli.py": {"~/.local/share/uv/tools/b/lib/python3.11/site-packages/b/cli.py",
				"~/code/other/.venv/lib/python3.11/site-packages/b/cli.py"},
		} {
			m.write(store, "x\n", 0o755)
			for _, other := range others {
				m.write(other+".txt", "", 0o644)
				m.hardLink(store, other)
			}
		}
		m.symlink("../.pnpm/a@1.0.0/node_modules/a", "~/code/tracker/node_modules/.bin/a")
	}
})

// followsBelow is what no setting closes where the policy is not the project's own.
var followsBelow = map[report.ID]string{
	"effective-sandbox": "a command can write settings in a subdirectory, which the next plain start there follows"}

var healthy = slices.Concat(elsewhereMachines, []Variant{
	{Name: "the usual machine", Setup: usualSetup},
	developersMachine,
	otherVCSOfOwn,
	privateGroup,
	{Name: "dotfiles: settings and rc file are links", Setup: on(func(s *setup) {
		s.before = func(m *Machine) {
			m.write(userFile, "{\"model\": \"opus\"}\n", 0o600)
			m.move(userFile, "~/dotfiles/claude/settings.json")
			m.move("~/.bashrc", "~/dotfiles/bashrc")
			m.symlink(m.at("~/tools/nvm"), "~/.nvm")
		}
	})},
	{Name: "a session that was killed left empty files", Setup: on(func(s *setup) {
		s.after = func(m *Machine) {
			for _, name := range []string{"agents", "commands", "output-styles", "workflows", "routines",
				"launch.json", "loop.md", "scheduled_tasks.json"} {
				m.write("~/code/tracker/.claude/"+name, "", 0o444)
			}
		}
	})},
	{Name: "scripts linked into the sync repository", Setup: on(func(s *setup) {
		s.before = func(m *Machine) {
			m.write("~/.claude-config/scripts/.keep", "", 0o644)
			m.git(m.at("~/.claude-config"), "init", "--quiet")
		}
	})},
	{Name: "a sync repository, linked", Setup: withSync},
	{Name: "a sync repository that one entry opens and another closes", Setup: on(func(s *setup) {
		s.before = func(m *Machine) {
			withSync.before(m)
			m.write(userFile,
				`{"sandbox": {"filesystem": {"allowWrite": ["~/.claude-config/memory"], "denyWrite": ["~/.claude-config"]}}}`,
				0o600)
		}
	}), Warns: map[report.ID]string{"policy-invariants": "what may be written can be read, too"}},
	{Name: "hooks call the small program beside ours", Setup: withHookProgram},
	{Name: "packages of pnpm and uv, hard links into their stores, as are other global programs", Setup: withStores},
	{Name: "the rich status line", Setup: on(func(s *setup) { s.answers = report.Answers{"status-line": {"rich"}} })},
	{Name: "hooks of the user's own beside ours", Setup: on(func(s *setup) {
		s.before = func(m *Machine) {
			m.write(userFile, `{
    "hooks": {
        "PreToolUse": [
            { "matcher": "Bash", "hooks": [ { "type": "command", "command": "~/bin/log-command" } ] },
            { "matcher": "Edit|Write", "hooks": [ { "type": "command", "command": "~/bin/lint" } ] }
        ],
        "Stop": [ { "hooks": [ { "type": "command", "command": "notify-send done" } ] } ]
    }
}
`, 0o600)
			m.write("~/bin/log-command", "#!/bin/sh\n", 0o755)
			m.write("~/bin/lint", "#!/bin/sh\n", 0o755)
		}
	})},
	{Name: "the distribution's versions, with a local override", Setup: on(func(s *setup) {
		s.before = func(m *Machine) {
			m.says("bwrap", "bubblewrap 0.8.0")
			m.says("socat", "socat version 1.7.4.4 on 06 Nov 2022 08:15:51")
			m.write("~/.config/steward-setup/pinned-versions.local.toml",
				"[tools.bubblewrap]\nversion = \"0.8.0\"\n\n[tools.socat]\nversion = \"1.7.4.4\"\n", 0o644)
		}
	})},
	{Name: "the policy in user settings", Setup: wholeUser, Warns: followsBelow},
	{Name: "a policy in user settings beside the project's", Setup: floored},
	{Name: "whole-user scope", Setup: on(func(s *setup) {
		s.answers = report.Answers{"policy-to": {"user"}}
		s.after = func(m *Machine) {
			m.write("~/.claude/git-hooks/post-checkout", m.read("~/.claude/scripts/sandbox-add-project-root.sh"), 0o755)
			m.write("~/.gitconfig", m.read("~/.gitconfig")+"[core]\n\thooksPath = ~/.claude/git-hooks\n", 0o644)
		}
	}), Warns: followsBelow},
	{Name: "whole-user scope by the command", Setup: on(func(s *setup) { s.after = sharedHooks })},
	{Name: "a rule approves skills, and those that approve reading are left out", Setup: on(func(s *setup) {
		s.after = func(m *Machine) {
			m.add(userFile, "permissions.allow", "Skill")
			m.set(userFile, "skillOverrides.keybindings-help", "user-invocable-only")
		}
	})},
	{Name: "the policy in local settings", Setup: on(func(s *setup) {
		s.answers = report.Answers{"policy-to": {"local"}}
	}), Warns: followsBelow},
	{Name: "an rc file with what users have in one", Setup: on(func(s *setup) {
		s.before = func(m *Machine) { m.write("~/.bashrc", usualRC+usualNames+ownPaths+usualPrompts+laterAsItIs, 0o644) }
	}), Warns: map[report.ID]string{"policy-invariants": "the Tab key has make read the project's Makefile"}},
	{Name: "bash, which becomes fish", Setup: on(func(s *setup) {
		s.before = func(m *Machine) {
			m.write("~/.bashrc", "shopt -q login_shell && LOGIN_OPTION='--login' || LOGIN_OPTION=''\n"+
				"[[ $- == *i* ]] && exec fish $LOGIN_OPTION\n", 0o644)
			m.write("~/.config/fish/config.fish", "starship init fish | source\nabbr -a gco git checkout\n", 0o644)
		}
	})},
	{Name: "zsh", Setup: on(func(s *setup) { s.env = map[string]string{"SHELL": "/usr/bin/zsh"} })},
	{Name: "zsh with ZDOTDIR", Setup: on(func(s *setup) {
		s.env = map[string]string{"SHELL": "/usr/bin/zsh", "ZDOTDIR": "~/.config/zsh"}
		s.before = func(m *Machine) { m.write("~/.config/zsh/.zshrc", "autoload -Uz compinit && compinit\n", 0o644) }
	})},
	{Name: "zsh with powerlevel10k, and plugins and mise that ask", Setup: on(func(s *setup) {
		s.env = map[string]string{"SHELL": "/usr/bin/zsh", "USER": "dev"}
		s.before = func(m *Machine) {
			m.write("~/.zshrc", `if [[ -r "${XDG_CACHE_HOME:-$HOME/.cache}/p10k-instant-prompt-${(%):-%n}.zsh" ]]; then
  source "${XDG_CACHE_HOME:-$HOME/.cache}/p10k-instant-prompt-${(%):-%n}.zsh"
fi
DISABLE_VENV_CD=1
plugins=(git docker virtualenvwrapper)
export MISE_TRUSTED_CONFIG_PATHS=~/work
export NVM_DIR="$([ -z "${XDG_CONFIG_HOME-}" ] && printf %s "${HOME}/.nvm" || printf %s "${XDG_CONFIG_HOME}/nvm")"
export SDKMAN_DIR="$HOME/.sdkman" PYENV_ROOT=~/.pyenv ASDF_DATA_DIR="${ASDF_DATA_DIR:-$HOME/.asdf}"
eval "$(just --completions bash)"
ZINIT_HOME="${XDG_DATA_HOME:-${HOME}/.local/share}/zinit/zinit.git"
if [ ! -d "$ZINIT_HOME" ]; then
  mkdir -p "$(dirname $ZINIT_HOME)"
  git clone https://github.com/zdharma-continuum/zinit.git "$ZINIT_HOME"
fi
source "${ZINIT_HOME}/zinit.zsh"
zinit light zsh-users/zsh-autosuggestions
`, 0o644)
		}
	})},
	{Name: "zsh with the directories that users add to its path", Setup: on(func(s *setup) {
		s.env = map[string]string{"SHELL": "/usr/bin/zsh"}
		s.before = func(m *Machine) { m.write("~/.zshrc", ownPaths+"path+=(~/bin /opt/y/bin)\npath+=/opt/z/bin\n", 0o644) }
	})},
	{Name: "fish", Setup: on(func(s *setup) { s.env = map[string]string{"SHELL": "/usr/bin/fish"} })},
	{Name: "fish with the directories that users add to PATH", Setup: on(func(s *setup) {
		s.env = map[string]string{"SHELL": "/usr/bin/fish"}
		s.before = func(m *Machine) {
			m.write("~/.config/fish/config.fish", "set -gx PATH (brew --prefix)/bin ~/bin $PATH\n"+
				"fish_add_path -g ~/.local/bin ~/.cargo/bin\nfish_add_path --path --append ~/tools\n", 0o644)
		}
	})},
	{Name: "CLAUDE_CONFIG_DIR elsewhere", Setup: on(func(s *setup) {
		s.env = map[string]string{"CLAUDE_CONFIG_DIR": "~/cc"}
	})},
	{Name: "XDG directories elsewhere", Setup: on(func(s *setup) {
		s.env = map[string]string{"XDG_CONFIG_HOME": "~/xdg/config", "XDG_STATE_HOME": "~/xdg/state",
			"XDG_CACHE_HOME": "~/xdg/cache"}
	})},
	{Name: "settings that begin with a byte order mark", Setup: on(func(s *setup) {
		s.after = func(m *Machine) {
			for _, name := range []string{userFile, projectFile, localFile} {
				m.write(name, "\ufeff"+m.read(name), 0o644)
			}
		}
	})},
	{Name: "settings with keys of other things", Setup: on(func(s *setup) {
		s.before = func(m *Machine) {
			m.write(userFile, `{"model": "opus", "theme": "dark", "includeCoAuthoredBy": false, "cleanupPeriodDays": 30}`, 0o600)
			m.write(projectFile, `{"$schema": "https://json.schemastore.org/claude-code-settings.json", "model": "sonnet"}`,
				0o644)
		}
	})},
	{Name: "user settings switch the sandbox off, the project's switch it on", Setup: on(func(s *setup) {
		s.before = func(m *Machine) { m.set(userFile, "sandbox.enabled", false) }
	})},
	{Name: "a project outside the home", Setup: on(func(s *setup) {
		s.project, s.worktree = "srv/tracker",
			"srv/tracker-fix"
	})},
	{Name: "a repository without linked worktrees", Setup: on(func(s *setup) { s.worktree = "" })},
	{Name: "paths with spaces and letters beyond ASCII", Setup: on(func(s *setup) {
		s.home, s.project, s.worktree = "home/ana müller", "home/ana müller/mein projekt", "home/ana müller/zweig ✓"
	})},
	{Name: "instructions that are links within the repository", Setup: on(func(s *setup) {
		s.after = func(m *Machine) {
			m.write("~/code/tracker/AGENTS.md", "Be brief.\n", 0o644)
			m.symlink("AGENTS.md", "~/code/tracker/CLAUDE.md")
			m.symlink(m.at("~/code/tracker/AGENTS.md"), "~/code/tracker-fix/CLAUDE.local.md")
		}
	})},
	{Name: "instructions that import the project's own", Setup: on(func(s *setup) {
		s.after = func(m *Machine) {
			m.write("~/code/tracker/docs/style.md", "See @missing.md, @types/node and ana@example.org.\n", 0o644)
			m.write("~/code/tracker/CLAUDE.md", "@docs/style.md\n@README.md\n", 0o644)
		}
	})},
	{Name: "an MCP server that the user has reviewed", Setup: reviewedServers},
	{Name: "a hook of the project's that the user has approved", Setup: approvedHook},
	{Name: "a login file that reads the rc file", Setup: on(func(s *setup) {
		s.before = func(m *Machine) { m.write("~/.profile", "[ -f ~/.bashrc ] && . ~/.bashrc\n", 0o644) }
	})},
	{Name: "the user lets commands read gh's configuration",
		Setup: on(func(s *setup) { s.answers = report.Answers{"gh-config": {"yes"}} }),
		Warns: map[report.ID]string{"policy-invariants": "every command can read the token there: chosen, and listed with " +
			"its price"}},
	{Name: "the project sets what chooses words and waiting times, and has a skill", Setup: on(func(s *setup) {
		s.after = func(m *Machine) {
			m.set(projectFile, "env", map[string]any{"LANG": "C.UTF-8", "LC_ALL": "C", "TZ": "UTC", "NO_COLOR": "1", "CI": "1",
				"BASH_DEFAULT_TIMEOUT_MS": "600000",
				"DISABLE_AUTOUPDATER":     "1", "ENABLE_TOOL_SEARCH": "1", "CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS": "1",
				"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"})
			m.write("~/code/tracker/.claude/skills/x/SKILL.md", "---\nname: x\ndescription: about git hooks\n"+
				"allowed-tools: Bash\n---\nhooks: none\n", 0o644)
		}
	})},
	{Name: "bypassPermissions by default, which the policy closes", Setup: on(func(s *setup) {
		s.after = func(m *Machine) { m.set(userFile, "permissions.defaultMode", "bypassPermissions") }
	})},
	{Name: "auto mode by default, which the policy closes", Setup: on(func(s *setup) {
		s.after = func(m *Machine) {
			m.set(userFile, "permissions.defaultMode", "auto")
			m.set(userFile, "skipAutoPermissionPrompt", true)
		}
	})},
	{Name: "sessions start in plan mode", Setup: on(func(s *setup) {
		s.after = func(m *Machine) { m.set(userFile, "permissions.defaultMode", "plan") }
	})},
	{Name: "an activated .venv", Setup: on(func(s *setup) { s.after = activate }),
		Warns: map[report.ID]string{"policy-invariants": "a command may put a program there that the next start runs " +
			"outside the sandbox"}},
	{Name: "an activated .venv that commands may not write", Setup: on(func(s *setup) {
		s.after = func(m *Machine) {
			m.add(projectFile, "sandbox.filesystem.denyWrite", "./.venv")
			activate(m)
			m.approve()
		}
	})},
	{Name: "directories of the project behind all others on PATH", Setup: on(func(s *setup) {
		s.after = func(m *Machine) {
			m.write("~/code/tracker/node_modules/.bin/rg", "#!/bin/sh\n", 0o755)
			m.Env["PATH"] = m.host().System().Get("PATH") + ":" + m.at("~/code/tracker/node_modules/.bin") + ":."
		}
	}), Warns: map[report.ID]string{"policy-invariants": "a program that is not installed is taken from there"}},
	{Name: "an .envrc that was allowed and loads nothing of the project",
		Setup: on(func(s *setup) { s.after = ownEnvrc })},
	{Name: "an .envrc that was changed since it was allowed", Setup: on(func(s *setup) { s.after = changedEnvrc })},
	{Name: "hooks of the user's own that run nothing of the project", Setup: ordinaryHooks},
	{Name: "hooks of the user's own by shims that take installed versions alone", Setup: choosingShims},
	{Name: "notes of the model where the runtime keeps them", Setup: ownNotes},
	{Name: "hooks of the user's own that notify, log and archive", Setup: quietHooks},
	{Name: "hooks of the user's own that write and print files outside the project", Setup: hooksOutside},
	{Name: "MCP servers of the user's own with variables that load nothing of the project", Setup: ordinaryServers,
		Warns: map[report.ID]string{"mcp-servers": "they are new to the machine"}},
	{Name: "git with pagers, filters, helpers and aliases of the user's own", Setup: ordinaryGit},
	{Name: "a hook of the user's own that runs prettier",
		Setup: hookOf("jq -r .tool_input.file_path | xargs prettier --write"),
		Warns: map[report.ID]string{"policy-invariants": "prettier runs prettier.config.js of the project as code; " +
			"--no-config keeps it from that"}},
	{Name: "a home by way of a link", Setup: on(func(s *setup) { s.before = linkedHome })},
	{Name: "an alias that says more, and logs to the home", Setup: on(func(s *setup) {
		s.after = func(m *Machine) {
			m.write("~/.bashrc", m.read("~/.bashrc")+"alias claude='LC_ALL=C claude --verbose --debug-file ~/x.log'\n", 0o644)
		}
	})},
	{Name: "a function that hands everything on", Setup: on(func(s *setup) {
		s.after = func(m *Machine) {
			m.write("~/.bashrc", m.read("~/.bashrc")+"claude() {\n  command claude --continue \"$@\"\n}\n", 0o644)
		}
	})},
	{Name: "a function that names the window, and hands everything on", Setup: on(func(s *setup) {
		s.after = func(m *Machine) {
			m.write("~/.bashrc", m.read("~/.bashrc")+"claude() {\n  printf '\\033]0;%s\\007' \"claude ${PWD##*/}\"\n"+
				"  command claude \"$@\"\n  echo done >&2\n}\n", 0o644)
		}
	})},
	{Name: "a script on PATH that starts the agent and nothing else", Setup: on(func(s *setup) {
		s.after = func(m *Machine) { ownScript(m, "export LANG=C.UTF-8\nexec "+m.dir+"/bin/claude --verbose \"$@\"\n") }
	})},
	{Name: "every offer of install taken", Setup: on(func(s *setup) {
		s.answers = report.Answers{"strict-allowlist": {"yes"}, "standing-approval": {"yes"}, "alias": {"yes"},
			"sandbox-only": {"yes"}, "domains": everyDomain()}
	})},
}, otherShells, gitStates, healthyKeys, healthyVariables, healthyRuntime, healthyPrompts, healthyFrames, healthyMods,
	[]Variant{fullHome, healthyMounts, healthyLayers, managedRules,
		settingsBelow, hooksBelow}, healthyIdle, healthyCarriers)

// everyDomain chooses every group of hosts that install offers.
func everyDomain() (groups []string) {
	for _, q := range ours.Questions() {
		if q.ID == "domains" {
			for _, o := range q.Options {
				groups = append(groups, o.Value)
			}
		}
	}
	return groups
}

// try builds the machine and asks it.
func (v Variant) try(t *testing.T) seen {
	m := build(t, v.Setup)
	findings := m.verify()
	var warned []report.ID
	for _, f := range findings {
		switch f.Status {
		case report.Fail, report.Unknown:
			t.Errorf("a healthy machine is told:\n%s", told(m, []report.Finding{f}, nil))
		case report.Warn:
			warned = append(warned, f.Check)
		}
	}
	slices.Sort(warned)
	if diff := gocmp.Diff(slices.Sorted(maps.Keys(v.Warns)), warned); diff != "" {
		t.Errorf("other warnings than those that are known (- known, + given):\n%s%s", diff,
			told(m, findings, allPass(findings)))
	}
	if got := report.Judge(findings, false); got != report.Protected {
		t.Errorf("the verdict is %s", got)
	}
	reads := []string{}
	for _, id := range warned {
		reads = append(reads, "`"+string(id)+"`: "+v.Warns[id])
	}
	return seen{name: v.Name, reads: cmp.Or(strings.Join(reads, "; "), "none")}
}

// allPass are the statuses of a machine on which everything passes.
func allPass(findings []report.Finding) map[report.ID]report.Status {
	m := map[report.ID]report.Status{}
	for _, f := range findings {
		m[f.Check] = report.Pass
		if f.Status == report.Skip {
			m[f.Check] = report.Skip
		}
	}
	return m
}
