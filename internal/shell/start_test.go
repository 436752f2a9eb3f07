// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"strings"
	"testing"
)

func TestStartOf(t *testing.T) {
	for text, want := range map[string]string{
		"X=1\nexec claude \"$@\"":                           "X claude",
		"set -e\nexport Y=2\nenv Z=3 claude --settings ~/s": "Y Z claude --settings /h/s",
		"set -x\nclaude":                                    "",
		"if a; then claude; fi":                             "",
		"cd /x && claude":                                   "",
		"{ :; nohup claude \"$@\"; }":                       "claude",
		// What talks around it.
		`printf '\033]0;x\007'; command claude "$@"; printf '\a'`:                                          "claude",
		`local s=$(date +%s); claude "$@"; echo $(( $(date +%s) - s ))`:                                    "claude",
		`if [ -n "$TMUX" ]; then tmux rename-window x; else echo "$(git rev-parse --git-dir)"; fi; claude`: "claude",
		`[[ -t 1 ]] && stty -ixon; command claude "$@"; local rc=$?; stty ixon; return $rc`:                "claude",
		`echo start >> ~/x.log; date > /dev/tty; claude; notify-send done &`:                               "claude",
		`local r; r=$(git rev-parse --show-toplevel); [ -n "$r" ] && echo "in $r"; claude "$@"`:            "claude",
		`echo x 2>&1; { date; } >&2; logger -t x '[a] $(b)'; [ "$x" -gt 2 ]; claude`:                       "claude",
		// What does more.
		`r=$(./x); claude`:                             "r claude",
		`http_proxy=x; claude`:                         "http_proxy claude",
		`echo '{}' > ~/.claude/settings.json; claude`:  "",
		`printf -v PATH x; claude`:                     "",
		`print -z x; claude`:                           "",
		`echo "$(claude --settings ~/s)"; claude`:      "",
		`echo ${PATH:=x}; claude`:                      "",
		`local PATH=x; claude`:                         "",
		`local https_proxy=x; claude`:                  "",
		`[ -t 1 ] && claude --settings ~/s; claude`:    "",
		`[ -t 1 ] && return; claude`:                   "",
		`if [ -t 1 ]; then alias claude=x; fi; claude`: "",
		`tmux rename-window "$(cat x)"; claude`:        "",
		`tmux run-shell ./x; claude`:                   "",
		`claude; claude --settings ~/s`:                "",
		`claude; return $(./x)`:                        "",
		`echo $((PATH=1)); claude`:                     "",
		`date | tee x; claude`:                         "",
		`echo x`:                                       "",
		`echo x >& ~/.bashrc; claude`:                  "",
		`echo "$(echo x >&$HOME/.bashrc)"; claude`:     "",
		`claude; echo x >& ~/.bashrc`:                  "",
		`echo x {PATH}>/dev/null; claude`:              "",
		`echo "$K" > /dev/tcp/h/1/a.log; claude`:       "",
		`local x='$(./x)'; echo "${x@P}"; claude`:      "",
		`[[ 'a[$(./x)]' -eq 0 ]]; claude`:              "",
		`test -v 'a[$(./x)]'; claude`:                  "",
		`[ -v "a[\$(./x)]" ]; claude`:                  "",
		`echo *(e:'./x':); claude`:                     "",
		`commands[claude]=./x; claude`:                 "commands claude",
		`argv=(-p x); claude "$@"`:                     "argv claude",
		`precmd_functions=(./x); claude`:               "precmd_functions claude",
		`logger -n example.org "$K"; claude`:           "",
		`say -o ~/.zshrc x; claude`:                    "",
	} {
		l, _, ok := StartOf(text, "/h")
		got := ""
		if ok {
			got = strings.Join(append(l.Env, l.Words...), " ")
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
