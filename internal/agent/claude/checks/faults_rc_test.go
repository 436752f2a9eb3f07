// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whatever an rc file runs, or has run later, of what
// commands may write is found with its file and line.

package checks_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// rcFault adds a line to an rc file. where is the place that is named, "" for
// the line itself.
func rcFault(name, file, line, where string, want report.Status) Fault {
	return Fault{Name: name, Breaks: "policy-invariants", Want: want, Voids: want == report.Fail,
		Where: orLine(where, file, line),
		Break: func(m *Machine) { m.write(file, m.readOr(file)+line+"\n", 0o644) }}
}

func orLine(where, file, line string) string {
	if where != "" {
		return where
	}
	return file + "#" + line
}

// inShell is a machine of a user with another login shell.
func inShell(on *setup, f Fault) Fault {
	f.On = on
	return f
}

var (
	zshSetup  = on(func(s *setup) { s.env = map[string]string{"SHELL": "/usr/bin/zsh"} })
	fishSetup = on(func(s *setup) { s.env = map[string]string{"SHELL": "/usr/bin/fish"} })
)

// temporary is a variable that leads into the directory for temporary files.
func temporary(variable string) Fault {
	place := fmt.Sprintf("/tmp/claude-%d/x", os.Getuid())
	f := exports(variable, place, report.Fail)
	f.Name = "the shell sets " + variable + " to a file of $TMPDIR"
	return f
}

var rcFaults = []Fault{
	temporary("BASH_ENV"),
	temporary("GIT_CONFIG_GLOBAL"),
	rcFault("an rc file sources a file of the project", "~/.bashrc", ". ~/code/tracker/env.sh", "", report.Fail),
	rcFault("an rc file sources a file of the project if it is there", "~/.bashrc",
		`[ -f "$HOME/code/tracker/env.sh" ] && source "$HOME/code/tracker/env.sh"`, "", report.Fail),
	rcFault("an rc file sources a file of a linked worktree", "~/.bashrc", "P=$HOME/code; . $P/tracker-fix/env.sh", "",
		report.Fail),
	rcFault("an rc file sources what is in a directory of the project", "~/.bashrc",
		"for f in ~/code/tracker/rc.d/*.sh; do . \"$f\"; done", "", report.Fail),
	rcFault("an rc file sources a file of the directory it starts in", "~/.bashrc", "[ -f ./.envrc ] && . ./.envrc", "",
		report.Fail),
	rcFault("an rc file sources what a variable names that another one names", "~/.bashrc",
		`n=one; one=~/code/tracker/env.sh; . "${!n}"`, "", report.Fail),
	rcFault("an rc file copies a program of the project to PATH", "~/.bashrc",
		"cp ~/code/tracker/foo ~/.local/bin/", "", report.Fail),
	rcFault("an rc file makes a file of the project a start file", "~/.bashrc",
		"ln -sf ~/code/tracker/foo ~/.bash_aliases", "", report.Fail),
	rcFault("an rc file writes a file of the project to PATH", "~/.bashrc",
		"cat ~/code/tracker/foo > ~/.local/bin/foo", "", report.Fail),
	inShell(&zshSetup, rcFault("an rc file of zsh names a file of the project by a group", "~/.zshrc",
		". $HOME/(code|x)/tracker/env.sh", "", report.Warn)),
	inShell(&zshSetup, rcFault("zsh runs a program of the project for a redirection alone", "~/.zshrc",
		"READNULLCMD=~/code/tracker/x", "", report.Fail)),
	rcFault("an rc file sources a file of $TMPDIR", "~/.bashrc", ". /tmp/claude/env.sh", "", report.Fail),
	rcFault("an rc file evaluates a file of the project", "~/.bashrc", `eval "$(cat ~/code/tracker/.envrc)"`, "",
		report.Fail),
	rcFault("an rc file evaluates what a program of the project prints", "~/.bashrc", `eval "$(~/code/tracker/bin/env)"`,
		"", report.Fail),
	rcFault("an rc file evaluates what nobody knows", "~/.bashrc", `eval "$(cat "$SETUP_FILE")"`, "", report.Warn),
	rcFault("an rc file starts a program of the project in the background", "~/.bashrc",
		"~/code/tracker/bin/agent --daemon &", "", report.Fail),
	rcFault("an rc file pipes a file of the project into a shell", "~/.bashrc", "cat ~/code/tracker/setup.sh | sh", "",
		report.Fail),
	rcFault("a prompt runs a program of the project", "~/.bashrc", "PROMPT_COMMAND='~/code/tracker/tools/prompt'", "",
		report.Fail),
	rcFault("a key runs a program of the project", "~/.bashrc", `bind -x '"\C-g": ~/code/tracker/tools/key'`, "",
		report.Fail),
	rcFault("completion runs a program of the project", "~/.bashrc", "complete -C ./tools/complete x", "", report.Fail),
	rcFault("the start of a GNOME session sources a file of the project", "~/.gnomerc", ". ~/code/tracker/env.sh", "",
		report.Fail),
	rcFault("the environment of the editor's server in WSL leads to a file of the project",
		"~/.vscode-server/server-env-setup", "export BASH_ENV=$HOME/code/tracker/x", "", report.Fail),
	rcFault("a window manager's start file exports a file of the project", "~/.config/river/init",
		"export NODE_OPTIONS=--require=$HOME/code/tracker/x.js", "", report.Fail),
	rcFault("the variables of a Wayland session are a file of the project", "~/.config/uwsm/env",
		". ~/code/tracker/env.sh", "", report.Fail),
	rcFault("a trap runs a program of the project", "~/.bashrc", "trap '~/code/tracker/tools/bye' EXIT", "", report.Fail),
	rcFault("an alias puts a program of the project in the place of ls", "~/.bashrc", "alias ls='~/code/tracker/tools/ls'",
		"", report.Fail),
	rcFault("a function cd sources a file of the directory", "~/.bashrc",
		`cd() { builtin cd "$@" && [ -f .env.sh ] && . ./.env.sh; }`, "", report.Fail),
	rcFault("an alias of the user's own runs a program of the project", "~/.bashrc",
		"alias track='~/code/tracker/tools/track'", "", report.Warn),
	rcFault("an rc file puts a directory of the project first on PATH", "~/.bashrc",
		`export PATH="$HOME/code/tracker/bin:$PATH"`, "", report.Warn),
	rcFault("an rc file sets BASH_ENV to a file of the project", "~/.bashrc",
		`export BASH_ENV="$HOME/code/tracker/env.sh"`, "", report.Fail),
	rcFault("a login file sources a file of the project", "~/.profile", ". ~/code/tracker/env.sh", "", report.Fail),
	{Name: "an rc file is a symlink into the project", Breaks: "policy-invariants", Want: report.Fail, Voids: true,
		Where: "~/.bash_aliases",
		Break: func(m *Machine) {
			m.write("~/code/tracker/aliases", "alias ll='ls -l'\n", 0o644)
			m.symlink(m.at("~/code/tracker/aliases"), "~/.bash_aliases")
			m.write("~/.bashrc", m.read("~/.bashrc")+"[ -f ~/.bash_aliases ] && . ~/.bash_aliases\n", 0o644)
		}},
	{Name: "a file that an rc file sources sources one of the project", Breaks: "policy-invariants", Want: report.Fail,
		Voids: true, Where: "~/.bashrc.d/work.sh#tracker",
		Break: func(m *Machine) {
			m.write("~/.bashrc.d/work.sh", "# work\n. ~/code/tracker/env.sh\n", 0o644)
			m.write("~/.bashrc", m.read("~/.bashrc")+"for f in ~/.bashrc.d/*; do . \"$f\"; done\n", 0o644)
		}},
	inShell(&zshSetup, rcFault("zsh loads functions of the project", "~/.zshrc", "fpath=(~/code/tracker/functions $fpath)",
		"", report.Fail)),
	inShell(&zshSetup, rcFault("zsh sources a file of the project in a hook", "~/.zshrc",
		"chpwd() { source ~/code/tracker/env.zsh }", "", report.Fail)),
	inShell(&fishSetup, rcFault("a snippet of fish sources a file of the project", "~/.config/fish/conf.d/work.fish",
		"source ~/code/tracker/env.fish", "", report.Fail)),
	rcFault("fish sources a file of the project, and the login shell is bash", "~/.config/fish/config.fish",
		"source ~/code/tracker/env.fish", "", report.Fail),
	rcFault("zsh sources a file of the project, and the login shell is bash", "~/.zshrc", ". ~/code/tracker/env.zsh", "",
		report.Fail),
	inShell(&zshSetup, rcFault("bash sources a file of the project, and the login shell is zsh", "~/.bash_profile",
		". ~/code/tracker/env.sh", "", report.Fail)),
	inShell(&fishSetup, rcFault("bash's rc file sources a file of the project, and the login shell is fish", "~/.bashrc",
		". ~/code/tracker/env.sh", "", report.Fail)),
}

// usualRC is what users have in an rc file.
var usualRC = strings.TrimPrefix(`
case $- in *i*) ;; *) return ;; esac
HISTCONTROL=ignoreboth
shopt -s histappend checkwinsize
[ -x /usr/bin/lesspipe ] && eval "$(SHELL=/bin/sh lesspipe)"
if [ -x /usr/bin/dircolors ]; then
    test -r ~/.dircolors && eval "$(dircolors -b ~/.dircolors)" || eval "$(dircolors -b)"
    alias ls='ls --color=auto'
fi
alias work='cd ~/code/tracker && make' gw=./gradlew
[ -f ~/.bash_aliases ] && . ~/.bash_aliases
[ -f /etc/bash_completion ] && ! shopt -oq posix && . /etc/bash_completion
export NVM_DIR="$HOME/.nvm"
[ -s "$NVM_DIR/nvm.sh" ] && \. "$NVM_DIR/nvm.sh"
. "$HOME/.cargo/env"
export PATH="$HOME/bin:$HOME/.local/bin:$PATH" GOPATH=$HOME/go EDITOR=vim
eval "$(/home/linuxbrew/.linuxbrew/bin/brew shellenv)"
eval "$(starship init bash)"
complete -C /usr/bin/terraform terraform
bind -x '"\C-g": /usr/bin/make notes'
eval "$(direnv hook bash)"
eval "$(pyenv init -)"
eval "$(rbenv init - bash)"
eval "$(zoxide init bash)"
eval "$(mise activate bash)"
eval "$(fnm env --use-on-cd)"
eval "$(ssh-agent -s)" > /dev/null
source <(kubectl completion bash)
__conda_setup="$('/opt/conda/bin/conda' 'shell.bash' 'hook' 2> /dev/null)"
if [ $? -eq 0 ]; then eval "$__conda_setup"; else export PATH="/opt/conda/bin:$PATH"; fi
build() { cd ~/code/tracker && make "$@"; }
PS1='\u@\h:\w\$ '
PROMPT_COMMAND='history -a'
trap 'echo bye' EXIT
`, "\n")

// passesFault sets CLAUDE_ISO_ALLOW for every launch.
func passesFault(name, line string) Fault {
	f := rcFault(name, "~/.bashrc", line, "", report.Warn)
	f.Breaks = "clean-env"
	return f
}

var passesFaults = []Fault{
	passesFault("CLAUDE_ISO_ALLOW is exported in an rc file", "export CLAUDE_ISO_ALLOW='NPM_TOKEN BASH_ENV'"),
	passesFault("a function claude sets CLAUDE_ISO_ALLOW", `claude() { CLAUDE_ISO_ALLOW=NPM_TOKEN claude-iso "$@"; }`),
	{Name: "CLAUDE_ISO_ALLOW is set in the shell", Breaks: "clean-env", Want: report.Warn, Where: "NPM_TOKEN",
		Break: func(m *Machine) { m.Env["CLAUDE_ISO_ALLOW"] = "NPM_TOKEN" }},
}

// TestAGlobalShellEnvironmentIsNoProjects: devbox global reads its own directory below
// ~/.local/share, wherever it is started (jetify-com/devbox, pull request 644; not run).
// conda and pixi source scripts of an environment that lies in the directory (their
// documentation; not run), and nothing of it for a name or a completion.
func TestAGlobalShellEnvironmentIsNoProjects(t *testing.T) {
	testenv.AsUser(t)
	healthy := build(t, usualSetup)
	for line, want := range map[string]report.Status{
		`eval "$(devbox global shellenv)"`: report.Pass, `eval "$(devbox shellenv)"`: report.Warn,
		`eval "$(pixi completion --shell bash)"`: report.Pass, `eval "$(pixi shell-hook)"`: report.Warn,
		`eval "$(devenv print-dev-env)"`: report.Warn, `conda activate work`: report.Pass,
		`PROMPT_COMMAND='conda activate ./env'`:                 report.Fail,
		`PROMPT_COMMAND='micromamba activate -p "$PWD/env" -q'`: report.Fail,
	} {
		m := copyOf(t, healthy)
		m.write("~/.bashrc", m.read("~/.bashrc")+line+"\n", 0o644)
		if f := m.judged("policy-invariants"); f.Status != want {
			t.Errorf("%s: %s", line, told(m, []report.Finding{f}, nil))
		}
	}
}
