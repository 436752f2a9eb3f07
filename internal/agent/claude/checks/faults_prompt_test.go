// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a start file by which the shell evaluates what git prints, or a
// file of the directory, is named; one that only shows it is not.

package checks_test

import (
	"strings"

	"github.com/steward-setup/steward-setup/internal/report"
)

// prompting is a start file whose prompt starts what a command wrote.
func prompting(name, line string) Fault {
	return rcFault("your shell evaluates "+name, "~/.bashrc", line, "", report.Fail)
}

var promptFaults = []Fault{
	prompting("a branch's name in a prompt", `PS1="\w $(git branch --show-current) \\$ "`),
	prompting("a branch's name, by way of functions and a variable",
		`b() { git branch | sed -n 1p; }; p() { local n; n=$(b); PS1="[$n] \w \$ "; }; PROMPT_COMMAND="p; $PROMPT_COMMAND"`),
	prompting("a file of the directory in a prompt", `p() { PS1="$(cat .version) \$ "; }; PROMPT_COMMAND=p`),
	prompting("a file of the directory as a number", `p() { local n=$(< .n); (( n > 3 )) && echo; }; PROMPT_COMMAND=p`),
	prompting("a file of the directory where numbers are compared",
		`p() { n=$(head -1 .n); [[ $n -gt 3 ]] && echo; }; PROMPT_COMMAND=p`),
	prompting("a branch's name behind a number",
		`p() { git status --porcelain | wc -l; git branch; }; PROMPT_COMMAND='PS1="$(p) \w"'`),
	prompting("a tag's name", `p() { eval "V=$(git describe --tags)"; }; PROMPT_COMMAND=p`),
	prompting("a word of a file in a prompt", `p() { PS1="$(cut -d . -f 1 VERSION) \$ "; }; PROMPT_COMMAND=p`),
	prompting("what gawk prints of a file in a prompt",
		`p() { PS1="$(gawk -F = '/^v/ {print $2}' .env) \$ "; }; PROMPT_COMMAND=p`),
	prompting("the first line of a sorted file in a prompt",
		`p() { PS1="$(sort -k 2 .n | head -n 1) \$ "; }; PROMPT_COMMAND=p`),
	prompting("what rg finds in a file", `p() { PS1="$(rg -m 1 version Cargo.toml) \$ "; }; PROMPT_COMMAND=p`),
	prompting("a value of a file in a prompt", `p() { PS1="$(jq -r .version package.json) \$ "; }; PROMPT_COMMAND=p`),
	prompting("what code prints of a file", `p() { PS1="$(node -p "require('./package.json').version") \$ "; }; PROMPT_COMMAND=p`),
	prompting("what other code prints of a file",
		`p() { PS1="$(python3 -c 'print(open("VERSION.txt").read())') \$ "; }; PROMPT_COMMAND=p`),
	prompting("what is printed of a file line by line",
		`p() { PS1="$(perl -ne 'print if /version/' Cargo.toml) \$ "; }; PROMPT_COMMAND=p`),
	prompting("the path below the repository", `p() { PS1="$(git rev-parse --show-prefix) \$ "; }; PROMPT_COMMAND=p`),
	rcFault("your shell exports a file of the directory line by line, at each prompt", "~/.bashrc",
		`PROMPT_COMMAND='while read -r l; do export "$l"; done < .env'`, "", report.Fail),
	rcFault("your shell evaluates a file of the directory line by line, with each cd", "~/.bashrc",
		`load() { while read -r l; do eval "export $l"; done < .env; }; cd() { builtin cd "$@"; load; }`, "", report.Fail),
	rcFault("your shell exports an array of a file of the directory", "~/.bashrc",
		`mapfile -t a < .env; export "${a[@]}"`, "", report.Fail),
	inShell(&fishSetup, rcFault("fish exports a file of the directory line by line", "~/.config/fish/config.fish",
		`function e --on-variable PWD; for l in (cat .env); set -gx (string split -m1 = $l); end; end`, "", report.Fail)),
	inShell(&zshSetup, rcFault("a segment of powerlevel10k is a file of the directory", "~/.zshrc",
		`POWERLEVEL9K_CUSTOM_X="./prompt.sh"`, "", report.Fail)),
	inShell(&zshSetup, rcFault("zsh evaluates a branch's name, by another word for the option", "~/.zshrc",
		`set -o promptsubst; precmd() { RPROMPT="$(git branch --show-current)" }`, "", report.Fail)),
	inShell(&zshSetup, rcFault("zsh evaluates a branch's name in a prompt", "~/.zshrc",
		`setopt prompt_subst; precmd() { PROMPT="%~ $(git -C . rev-parse --abbrev-ref HEAD) %# " }`, "", report.Fail)),
}

// shownPrompts only show what git prints, or count it.
var shownPrompts = []string{
	`PS1='\w $(git branch --show-current) \$ '`,
	`PS1="\w \$(git branch --show-current) \\$ "`,
	`G='$(git branch --show-current)'; PS1="\w $G \$ "`,
	`p() { GIT=$(git branch --show-current); PS1='\w $GIT \$ '; }; PROMPT_COMMAND=p`,
	`q() { local n=$(git status --porcelain | wc -l); (( n > 0 )) && D="*"; PS1="\w$D \$ "; }; PROMPT_COMMAND=q`,
	`r() { local t=$(git log -1 --format=%ct); (( t > 5 )) && A=old; }; PROMPT_COMMAND=r`,
	`PROMPT_COMMAND='__git_ps1 "\u" "\\\$ "'; PS1="[$(hostname -s)] $(cat /etc/debian_chroot) \$ "`,
	`PS1="$(hostname -f | cut -d . -f 1) \$ "; PS2="$(uname -a | head -n 1)> "`,
	`v() { PS1="$(node -p 'process.version') $(node --version) \w \$ "; }; PROMPT_COMMAND=v`,
	`e() { PS1="$(perl -e 'print time - $^T') $(ruby -e 'print RUBY_VERSION') \w \$ "; }; PROMPT_COMMAND="v; e"`,
	`T="$(git rev-parse --show-toplevel)"; PS1="$(git rev-parse --short HEAD) \w \$ "`,
	`mem=$(free -m | grep -i mem: | cut -d ' ' -f 2)`,
	`K="$(uname -r | awk -F. '{print $1}')"; (( K > 4 && mem > 1000 )); eval "$(dircolors -b | sed -e 's/01;/00;/')"`,
	`p() { PS1="$(sort ~/.n | uniq -f 1) $(rg -m 1 x ~/.x) $(sort -T tmp -k 2 /etc/issue) \$ "; }; PROMPT_COMMAND=p`,
	`up() { local d=$(head -n 1 < /proc/uptime | cut -d. -f1); (( d / 60 )); }; PROMPT_COMMAND=up`,
	`m() { local a=$(git status --porcelain | grep -c '^ M'); (( a > 1 )); }; PROMPT_COMMAND=m`,
	`while read -r k v; do export LAST="$v"; done < ~/.hosts; load() { while read -r l; do export "$l"; done < .env; }`,
	`for k in a b; do eval "f_$k() { echo $k; }"; done; POWERLEVEL9K_CUSTOM_T="date +%H"; alias e='export $(cat .env)'`,
	`n=$(cat ~/.counter); (( n++ )); title() { printf '%s' "$(git branch --show-current)"; }; eval "$(dircolors -b)"`,
}

var healthyPrompts = []Variant{{Name: "prompts that show the branch", Setup: on(func(s *setup) {
	s.after = func(m *Machine) {
		m.write("~/.bashrc", m.readOr("~/.bashrc")+strings.Join(shownPrompts, "\n")+"\n", 0o644)
	}
})}}
