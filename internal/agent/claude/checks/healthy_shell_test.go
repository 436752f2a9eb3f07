// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what version managers, prompts, editors and git's helpers leave in
// a shell and in ~/.gitconfig is no opening.

package checks_test

import "strings"

// developersShell are variables as such programs export them.
const developersShell = `
NVM_DIR=HOME/.nvm
NVM_BIN=HOME/.nvm/versions/node/v22.1.0/bin
PYENV_ROOT=HOME/.pyenv
PYENV_SHELL=bash
DIRENV_DIR=-PROJECT
DIRENV_FILE=PROJECT/.envrc
VIRTUAL_ENV=PROJECT/.venv
STARSHIP_SHELL=bash
STARSHIP_CONFIG=HOME/.config/starship.toml
GIT_ASKPASS=HOME/.vscode-server/bin/abc/extensions/git/dist/askpass.sh
VSCODE_GIT_ASKPASS_NODE=HOME/.vscode-server/bin/abc/node
VSCODE_GIT_ASKPASS_MAIN=HOME/.vscode-server/bin/abc/extensions/git/dist/askpass-main.js
VSCODE_GIT_IPC_HANDLE=/run/user/1000/vscode-git-1.sock
BROWSER=HOME/.vscode-server/bin/abc/bin/helpers/browser.sh
EDITOR=code --wait
VISUAL=vim
KUBE_EDITOR=emacsclient -nw -a ''
GIT_EDITOR=nvim -f
PAGER=less -FRX
GIT_PAGER=delta --dark
MANPAGER=sh -c 'col -bx | bat -l man -p'
SYSTEMD_PAGER=cat
AWS_PAGER=
LESSOPEN=| /usr/bin/lesspipe %s
LESSCLOSE=/usr/bin/lesspipe %s %s
GIT_SSH_COMMAND=ssh -i ~/.ssh/id_work -o IdentitiesOnly=yes
SSH_ASKPASS=/usr/bin/ksshaskpass
FZF_DEFAULT_COMMAND=fd --type f --hidden --exclude .git
FZF_CTRL_T_COMMAND=command find -L . -mindepth 1 -type f -print 2> /dev/null
JAVA_TOOL_OPTIONS=-Dfile.encoding=UTF-8 -Xmx2g -Duser.timezone=Europe/Berlin
GOFLAGS=-trimpath '-ldflags=-s -X example.com/x/y.Version=1/2' -ldflags=-X=example.com/x/y.V=1
NODE_OPTIONS=--max-old-space-size=4096 --no-warnings --conditions=a/b
RUBYOPT=-W0 -rbundler/setup
PERL5LIB=HOME/perl5/lib/perl5
PERL_MM_OPT=INSTALL_BASE=HOME/perl5
PYTHONSTARTUP=HOME/.pythonrc
VIMINIT=source ~/.config/vim/vimrc
INPUTRC=/etc/inputrc
MAKEFLAGS=-j8
CC=clang
CXX=ccache g++
LD=ld.lld
PKG_CONFIG=/usr/bin/pkg-config
GOENV=off
GOAUTH=netrc; git HOME/code
DOCKER_CONFIG=HOME/.config/docker
KUBECONFIG=HOME/.kube/config:HOME/.kube/work
TAR_OPTIONS=--exclude-vcs --checkpoint=100 --warning=no-unknown-keyword
MAVEN_ARGS=-T1C --no-transfer-progress
NIX_PATH=nixpkgs=channel:nixos-24.11:HOME/.nix-defexpr/channels
GTK_MODULES=gail:atk-bridge
CLOUDSDK_PYTHON=/usr/bin/python3
HGMERGE=meld
BAT_CONFIG_PATH=HOME/.config/bat/config
VALGRIND_OPTS=--leak-check=full
GRADLE_USER_HOME=HOME/.cache/gradle
M2_HOME=/opt/maven
`

const developersGit = `[user]
	name = x
	email = x@y.invalid
[core]
	pager = delta
	editor = code --wait
	sshCommand = ssh -i ~/.ssh/id_work -F /dev/null
	fsmonitor = true
[init]
	templateDir = ~/.git-template
[interactive]
	diffFilter = delta --color-only
[pager]
	log = delta --features \"side-by-side\"
[filter "lfs"]
	clean = git-lfs clean -- %f
	process = git-lfs filter-process
[filter "nbstripout"]
	clean = nbstripout
[filter "keys"]
	clean = sed -e 's/secret=.*/secret=/'
	smudge = cat
[diff "image"]
	textconv = exiftool
[diff "json"]
	textconv = jq --sort-keys .
[diff "gpg"]
	textconv = gpg --no-tty --decrypt
[merge "ours"]
	driver = true
[merge "lock"]
	driver = cp -f %B %A
[difftool "vscode"]
	cmd = code --wait --diff $LOCAL $REMOTE
[mergetool "meld"]
	cmd = meld "$LOCAL" "$BASE" "$REMOTE" --output "$MERGED"
[credential]
	helper = /usr/local/share/gcm-core/git-credential-manager
[credential "https://github.com"]
	helper = !gh auth git-credential
[credential "https://x.invalid"]
	helper = "!f() { echo username=x; echo \"password=$X_TOKEN\"; }; f"
[gpg "ssh"]
	program = /opt/1Password/op-ssh-sign
[sequence]
	editor = interactive-rebase-tool
[alias]
	fmt = !npx prettier --write .
`

// developersMachine is a machine with all of them.
var developersMachine = Variant{Name: "a developer's shell and git: version managers, editors, pagers, filters",
	Setup: on(func(s *setup) {
		s.after = func(m *Machine) {
			places := strings.NewReplacer("HOME/", m.Home+"/", "PROJECT", m.at("~/code/tracker"))
			for line := range strings.Lines(developersShell) {
				if name, value, is := strings.Cut(strings.TrimSuffix(line, "\n"), "="); is {
					m.Env[name] = places.Replace(value)
				}
			}
			m.write("~/.gitconfig", developersGit, 0o644)
		}
	})}

// namedElsewhere are lines that name files by variables of other start files, and that fetch a plugin manager.
const namedElsewhere = `export PYTHONSTARTUP="$XDG_CONFIG_HOME/python/rc" INPUTRC="$XDG_CONFIG_HOME"/readline/inputrc
export CARGO_HOME="$XDG_DATA_HOME/cargo" XDG_DATA_HOME=${XDG_DATA_HOME:="$HOME/.local/share"}
export LD_PRELOAD="$CORP_DIR/lib/x.so" NODE_PATH="$(npm root -g)" LD_LIBRARY_PATH="$CONDA_PREFIX/lib:$CUDA_HOME/lib64"
export SSH_AUTH_SOCK="${XDG_RUNTIME_DIR:-/run/user/$UID}/ssh-agent.socket" GIT_SSH_COMMAND="ssh -i $KEYS/work"
ZINIT_HOME="${XDG_DATA_HOME:-${HOME}/.local/share}/zinit/zinit.git"
[ -d "$ZINIT_HOME" ] || git clone --depth=1 https://github.com/zdharma-continuum/zinit.git "$ZINIT_HOME"
`

// elsewhereMachines are machines with these lines.
var elsewhereMachines = []Variant{
	{Name: "an rc file that names files by variables which other files set, and clones what it sources",
		Setup: on(func(s *setup) {
			s.before = func(m *Machine) { m.write("~/.bashrc", namedElsewhere, 0o644) }
		})},
	{Name: "zsh whose .zshenv says where its other files lie", Setup: on(func(s *setup) {
		s.env = map[string]string{"SHELL": "/usr/bin/zsh"}
		s.before = func(m *Machine) {
			m.write("~/.zshenv", "ZDOTDIR=~/.config/zsh\n. $ZDOTDIR/.zshenv\n", 0o644)
			m.write("~/.config/zsh/.zshenv", "export X=1\n", 0o644)
			m.write("~/.config/zsh/.zshrc", namedElsewhere+"source $ZDOTDIR/aliases.zsh\n", 0o644)
			m.write("~/.config/zsh/aliases.zsh", "alias g=git\n", 0o644)
		}
	})},
	{Name: "fish that names a socket by a variable", Setup: on(func(s *setup) {
		s.env = map[string]string{"SHELL": "/usr/bin/fish"}
		s.before = func(m *Machine) {
			m.write("~/.config/fish/config.fish", "set -gx SSH_AUTH_SOCK \"$XDG_RUNTIME_DIR/ssh-agent.socket\"\n", 0o644)
		}
	})},
}
