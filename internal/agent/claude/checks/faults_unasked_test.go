// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a shell calls by itself at a prompt, by whatever name
// and through however many functions, is a line that runs in the project.

package checks_test

import (
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/report"
)

// called is a function of a start file that the shell calls by itself; the
// first line that defines one is what is named.
func called(on *setup, file, text string) Fault {
	line, _, _ := strings.Cut(text, "\n")
	f := rcFault("a shell calls by itself ("+file+"): "+strings.ReplaceAll(text, "\n", "; "), file, text, file+"#"+line,
		report.Fail)
	f.On = on
	return f
}

// trustedOnce is a program that runs what lies in a directory which was trusted.
func trustedOnce(text, trust string) Fault {
	f := called(nil, "~/.bashrc", text)
	then := f.Break
	f.Name += ", and the project was trusted"
	f.Break = func(m *Machine) {
		then(m)
		m.write(trust, "x\n", 0o644)
	}
	return f
}

// unaskedFaults are such functions.
var unaskedFaults = slices.Concat(
	[]Fault{trustedOnce(`eval "$(shadowenv init bash)"`, "~/code/tracker/.shadowenv.d/.trust-0123456789abcdef")},
	each(func(text string) Fault { return called(nil, "~/.bashrc", text) },
		"env_here() { . ./.env.sh; }\nPROMPT_COMMAND=env_here", "env_here() { [ -f .env.sh ] && source .env.sh; }\n"+
			"PROMPT_COMMAND+=(env_here)",
		"env_here() { [ -f .env.sh ] && source .env.sh; }\nenv_here",
		"env_here() { . ./.env.sh; }\nall_of_it() { env_here; }\ntrap all_of_it DEBUG",
		"env_here() { source \"$PWD/.env.sh\"; }\nPROMPT_COMMAND=env_here",
		`env_here() { local d; d=$(git rev-parse --show-toplevel); [ -f "$d/.env.sh" ] && source "$d/.env.sh"; }`+
			"\nPROMPT_COMMAND=env_here",
		`env_here() { eval "$(cat .env 2>/dev/null)"; }`+"\nPROMPT_COMMAND=env_here", `. "$PWD/.envrc"`),
	each(func(text string) Fault { return called(&zshSetup, "~/.zshrc", text) },
		"env_here() { [[ -f .env.sh ]] && source .env.sh }\nautoload -U add-zsh-hook; add-zsh-hook precmd env_here",
		"env_here() { source ./.env.sh }\nprecmd_functions+=(env_here)",
		"env_here() { source ./.env.sh }\nzle -N zle-line-init env_here"),
	each(func(text string) Fault { return called(&fishSetup, "~/.config/fish/config.fish", text) },
		"function env_here --on-variable PWD; test -f .env.fish; and source ./.env.fish; end",
		"function other; source $PWD/.env.fish; end\nfunction fish_prompt; other; end"),
	each(func(text string) Fault { return called(nil, "~/.bashrc", text) },
		`PROMPT_COMMAND='eval "$(cat .vars 2>/dev/null)"'`, `PROMPT_COMMAND='source <(cat .vars)'`,
		"PS1='$(eval \"$(cat .vars)\") $ '", "enter() { builtin cd \"$@\" && . ./.env.sh; }\nalias cd=enter"),
	each(func(text string) Fault { return called(nil, "~/.bashrc", text) },
		`command_not_found_handle() { [ -x "./scripts/$1" ] && "./scripts/$@"; }`,
		`command_not_found_handle() { node_modules/.bin/"$@"; }`,
		"env_here() { [ -r \"$1\" ] && . \"$1\"; }\ncd() { builtin cd \"$@\"; env_here \"$PWD/.env.sh\"; }",
		"env_here() { local f; . \"${1}\"; }\nPROMPT_COMMAND='[ -f .env.sh ] && env_here .env.sh'",
		`PROMPT_COMMAND='eval "$(< .vars)"'`, `PROMPT_COMMAND='export $(cat .vars)'`,
		"cd() { builtin cd \"$@\"; export $(grep -v '^#' ./.vars | xargs); }",
		"env_here() { . \"$F\"; }\nF=.env.sh; PROMPT_COMMAND=env_here",
		"_m() { COMPREPLY=($(./manage.py --list)); }\ncomplete -F _m m"),
	each(func(text string) Fault { return called(&fishSetup, "~/.config/fish/config.fish", text) },
		"function here --on-variable PWD; cat .vars | source; end", "cat ~/code/tracker/x.fish | source"),
	each(func(text string) Fault { return called(nil, "~/.bashrc", text) },
		"export MISE_TRUSTED_CONFIG_PATHS=~/work:$HOME/code", "MISE_TRUSTED_CONFIG_PATHS=~/code/tracker",
		"export SDKMAN_DIR=$HOME/code/tracker/sdk"),
	each(func(text string) Fault { return called(&zshSetup, "~/.zshrc", text) },
		`source "${XDG_DATA_HOME:-$HOME/code/tracker}/x-${(%):-%n}.zsh"`),
	each(func(text string) Fault { return called(&fishSetup, "~/.config/fish/config.fish", text) },
		"set -gx MISE_TRUSTED_CONFIG_PATHS ~/code"),
	each(func(text string) Fault { return warned(called(nil, "~/.bashrc", text)) },
		"AUTOENV_ASSUME_YES=1", "export INPUTRC=.inputrc", "export KUBECONFIG=./kubeconfig",
		"export STARSHIP_CONFIG=.starship", "export PYENV_ROOT=.pyenv",
		`eval "$(test -x $HOME/bin/hermit && $HOME/bin/hermit shell-hooks --print --bash)"`,
		"PROMPT_COMMAND='make -s version'", "PS1='$(make -s version) $ '", "PS1='`npm run -s v` $ '",
		`PROMPT_COMMAND='PATH="$PWD/node_modules/.bin:$PATH"'`, `cd() { builtin cd "$@"; export PATH="$PWD/bin:$PATH"; }`),
	each(func(text string) Fault { return warned(called(&zshSetup, "~/.zshrc", text)) },
		"ZSH_DOTENV_PROMPT=false", "PYTHON_AUTO_VRUN=true", "plugins=(git virtualenvwrapper)",
		"plugins=(\n  git\n  poetry-env\n)", "antigen bundle MichaelAquilina/zsh-autoswitch-virtualenv",
		"zinit snippet OMZP::pipenv",
		"chpwd() { [[ -d node_modules/.bin ]] && path=($PWD/node_modules/.bin $path) }",
		"setopt PROMPT_SUBST; RPROMPT='$(make -s version)'"),
	each(func(text string) Fault { return warned(called(&fishSetup, "~/.config/fish/config.fish", text)) },
		"function here --on-event fish_prompt; set -gx PATH $PWD/bin $PATH; end"),
)

// warned is a fault that leaves room for doubt.
func warned(f Fault) Fault {
	f.Want, f.Voids = report.Warn, false
	return f
}

// usualPrompts are functions that a shell calls and that run nothing of the
// project, and one that only the user calls.
var usualPrompts = strings.TrimPrefix(`
parse_git() { git status --porcelain 2>/dev/null | wc -l; git branch --show-current; }
venv_here() { [ -n "$VIRTUAL_ENV" ] && echo "($(basename "$VIRTUAL_ENV"))"; }
__prompt() { local e=$?; PS1='$(parse_git) $(venv_here) \w'; history -a; [ -f package.json ] && node --version; }
PROMPT_COMMAND=__prompt
PROMPT_COMMAND='history -a; printf "\033]0;%s\007" "${PWD##*/}"; __vte_prompt_command'
PS1='${debian_chroot:+($debian_chroot)}\u@\h:\w$(__git_ps1 " (%s)")$(git branch --show-current 2>/dev/null | sed "s/.*/ &/")\$ '
PS1='$(basename "$PWD") $(date +%H:%M) $(kubectl config current-context) $(node --version) $(python3 --version) $ '
export FZF_DEFAULT_COMMAND='fd --type f .' FZF_CTRL_T_COMMAND="fd . ." ZSH_DOTENV_PROMPT=true CARGO_TARGET_DIR=./target
export UV_PROJECT_ENVIRONMENT=.venv KUBECONFIG=$HOME/.kube/config:$HOME/.kube/work NIX_CONFIG='x = y'
_make_targets() { COMPREPLY=($(compgen -W "$(make -qp | awk -F: '/^[a-z]/ {print $1}')" -- "$2")); }
complete -F _make_targets make
export $(dbus-launch) "$(cat ~/.name)=1"
log_to() { echo "$2" >> "$1"; cat "$1"; }
say() { log_to ~/.said "$1"; }
cd() { builtin cd "$@" && say ./here; }
act() { source .venv/bin/activate; }
`, "\n")
