// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whatever way an rc file has to run what commands may write,
// its line is named; and what changes the directory, or keeps a path for later,
// is not.

package checks_test

import (
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/report"
)

// rcLines are faults of one line each in an rc file, answered alike.
func rcLines(want report.Status, file string, lines ...string) (list []Fault) {
	for _, line := range lines {
		name := file[strings.LastIndexByte(file, '/')+1:] + " has " + strings.ReplaceAll(line, "/", "∕")
		list = append(list, rcFault(strings.ReplaceAll(name, "\n", " ⏎ "), file, line, file, want))
	}
	return list
}

var rcNameFaults = slices.Concat(rcLines(report.Fail, "~/.bashrc",
	"for f in ~/code/*/env.sh; do . $f; done",
	"source /dev/stdin < ~/code/tracker/env.sh",
	`eval "$(<~/code/tracker/env.sh)"`,
	"complete -C ~/code/tracker/bin/x git",
	`PROMPT_COMMAND=(true "[[ -r .rc ]] && source .rc")`,
	`starship_precmd_user_func=load; load() { [ -f .rc ] && . ./.rc; }`,
	`cd() { builtin cd "$@" && [ -f .env ] && export $(grep -v '^#' .env | xargs); }`,
	"source ./*.sh",
	"P=~/code/tracker; (cd $P && ./agent)",
	"cd ~/code/tracker-fix; make -s list",
), rcLines(report.Fail, "~/.kshrc",
	`cd() { command cd "$@"; [ -f .env ] && . ./.env; }`,
), inAll(&zshSetup, rcLines(report.Fail, "~/.zshrc",
	"prompt_mine() { source ./.segment }",
	"for f (~/code/tracker/*.zsh(N)) source $f",
)), rcLines(report.Warn, "~/.bashrc",
	"source ~/code/{tracker,other}/env.sh",
	`eval "$(PYENV_ROOT=.tools pyenv init -)"`,
	"export rvm_trust_rvmrcs_flag=1",
	`load() { . "$1"; }; load ~/code/tracker/env.sh`,
	`while IFS= read -r l; do export "$l"; done < ~/code/tracker/vars`,
	"[[ $(~/code/tracker/bin/x) == a ]] && true",
	"case $(~/code/tracker/bin/x) in a) ;; esac",
	"for i in $(~/code/tracker/bin/x); do true; done",
	"(( $(~/code/tracker/bin/x) ))",
	"coproc ~/code/tracker/bin/x",
	`P=~/code/tracker/bin/x; PS1='$($P) $ '`,
	"export INPUTRC=~/code/tracker/inputrc",
	"P=~/code/tracker; (${P%/}/agent)",
	"enable -f ~/code/tracker/x.so x",
	`_build() { COMPREPLY=($(make -qp | grep "$2")); }; complete -F _build build`,
), inAll(&zshSetup, rcLines(report.Warn, "~/.zshrc",
	"emulate zsh -c '. ~/code/tracker/env.zsh'",
	"repeat 1 source ~/code/tracker/env.zsh",
	"source =(cat ~/code/tracker/env.zsh)",
	"hash -d t=~/code/tracker; source ~t/env.zsh",
)), inAll(&fishSetup, rcLines(report.Warn, "~/.config/fish/config.fish",
	"source < ~/code/tracker/x.fish",
	"PYENV_ROOT=.tools pyenv init - | source",
	"set v (~/code/tracker/bin/x)",
)), []Fault{
	inShell(&zshSetup, Fault{Name: "a start file of zsh in the directory that .zshenv names sources a file of the project",
		Breaks: "policy-invariants", Want: report.Fail, Voids: true, Where: "~/.config/zsh/.zprofile#source",
		Break: func(m *Machine) {
			m.write("~/.zshenv", "ZDOTDIR=~/.config/zsh\n", 0o644)
			m.write("~/.config/zsh/.zprofile", "source ~/code/tracker/env.zsh\n", 0o644)
			m.write("~/.config/zsh/.zshrc", m.readOr("~/.zshrc"), 0o644)
		}}),
	{Name: "a directory of modules is what a command prints from the directory", Breaks: "policy-invariants",
		Want: report.Warn, Where: "~/.bashrc#NODE_PATH", Break: func(m *Machine) {
			m.write("~/.bashrc", m.read("~/.bashrc")+"export NODE_PATH=\"$(cat ./.modules)\"\n", 0o644)
		}},
	{Name: "an rc file sources what the file that sources it has named", Breaks: "policy-invariants",
		Want: report.Warn, Where: "~/.shell/main.sh",
		Break: func(m *Machine) {
			m.write("~/.shell/main.sh", "# all of it\nsource \"$DOT/env.sh\"\n", 0o644)
			m.write("~/.bashrc", m.read("~/.bashrc")+"export DOT=~/code/tracker\n. ~/.shell/main.sh\n", 0o644)
		}}})

func inAll(on *setup, list []Fault) []Fault {
	for i := range list {
		list[i] = inShell(on, list[i])
	}
	return list
}

// usualNames are lines that name the project and run nothing of it.
const usualNames = `
# . ~/code/tracker/env.sh was here; it's gone
alias t='cd ~/code/tracker' n="cd $HOME/code/tracker/notes"
alias tb='cd ~/code/tracker && make'
export PROJECTS=~/code TRACKER="$HOME/code/tracker"
tracker() { cd "$TRACKER" || return; }
if [ -d ~/code/tracker ]; then echo "in ~/code/tracker"; fi
case $PWD in ~/code/tracker*) echo tracker ;; esac
[[ $PWD == ~/code/tracker* ]] && cd "$TRACKER/src"
alias ts='git -C ~/code/tracker status' tl='less ~/code/tracker/README.md'
`
