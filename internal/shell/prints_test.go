// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package shell_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/shell"
)

func TestPrints(t *testing.T) {
	type printed struct{ words, files, others, codes, loose string }
	for line, want := range map[string]printed{
		`echo yes`: {words: "yes"},
		`echo "{\"decision\":\"ask\",\"reason\":\"$(git log -1 --oneline)\"}"`: {
			words: `{"decision":"ask","reason":"?"}`, loose: "echo"},
		`x=$(pwd); printf '{"reason":"'; echo "$x"; echo '"}'`:                {words: `{"reason":" ? "}`, loose: "?"},
		`printf '{"reason":"'; git log -1; echo '"}'`:                         {words: `{"reason":" "}`, loose: "git log -1"},
		`echo "{\"n\":$(ls | wc -l),\"b\":\"$(git branch --show-current)\"}"`: {words: `{"n":?,"b":"?"}`},
		`echo "{\"n\":\"$(git branch -vv)\"}"`:                                {words: `{"n":"?"}`, loose: "echo"},
		`echo "at $(git log -1 --oneline)"`:                                   {words: "at ?"},
		`echo yes > /tmp/x`:                                                   {},
		`echo no >&2; exit 2`:                                                 {},
		`{ echo no >&2; } 2>&1`:                                               {words: "no"},
		`exec 3>&1 >/dev/null; echo no; echo yes >&3`:                         {words: "yes"},
		`echo yes 2> /dev/null`:                                               {words: "yes"},
		`x=yes; echo "$x"`:                                                    {words: "yes yes"},
		`printf '%s' yes | cat`:                                               {words: "yes"},
		`printf '%s' yes | wc -l`:                                             {},
		`echo no | f() { cat; }`:                                              {},
		"cat <<END\nyes\nEND\n":                                               {words: "yes"},
		`cat ~/answer.json`:                                                   {files: "~/answer.json"},
		`cat < ~/answer.json`:                                                 {files: "~/answer.json"},
		`x=$(<f); echo "$x"`:                                                  {words: "?", files: "f"},
		`mapfile -t x < f; echo "$x"`:                                         {words: "?", loose: `echo`},
		`read -r x; echo "Seen $x"`:                                           {words: "Seen ?"},
		`sed -n p f`:                                                          {loose: "sed -n p f"},
		`curl -s http://x.test/`:                                              {loose: "curl -s http://x.test/"},
		`curl -s http://x.test/ -o f`:                                         {},
		`ssh host decide`:                                                     {loose: "ssh host decide"},
		`x=$(curl -s x.test)`:                                                 {},
		`~/bin/decide`:                                                        {others: "~/bin/decide"},
		`~/bin/notify-send x`:                                                 {others: "~/bin/notify-send"},
		`notify-send "$x"`:                                                    {},
		`~/bin/decide > /dev/null 2>&1`:                                       {},
		`sudo -u bob ~/bin/decide`:                                            {others: "~/bin/decide"},
		`timeout 5 python3 ~/a.py`:                                            {others: "~/a.py"},
		`python3 a.py`:                                                        {others: "./a.py"},
		`python3 -c 'print(1)'`:                                               {codes: "print(1)"},
		"python3 - <<'E'\nprint(1)\nE\n":                                      {codes: "print(1)"},
		`node -p 1`:                                                           {loose: "node"},
		`node -pe 'f()'`:                                                      {loose: "node"},
		`jq -r .x | perl -lpe s/a/b/`:                                         {loose: "perl"},
		`perl -Mautodie a.pl`:                                                 {others: "./a.pl"},
		`perl -lpi -e s/a/b/ f`:                                               {},
		`ruby -r json -e 'f()'`:                                               {others: "./json", codes: "f()"},
		`perl -mPOSIX -e 'f()'`:                                               {codes: "f()"},
		`ruby -pi -e 'f()' f`:                                                 {},
		`php -nr 'f()'`:                                                       {codes: "f()"},
		`php -dmemory_limit=1 a.php`:                                          {others: "./a.php"},
		`php -d memory_limit=1 -E 'f()'`:                                      {codes: "f()"},
		`lua -lmpack a.lua`:                                                   {others: "./a.lua"},
		`python3 -um a.b`:                                                     {loose: "python3"},
		`node --env-file .env a.js`:                                           {others: "./a.js"},
		`perl -e 'f()'`:                                                       {codes: "f()"},
		`bash decide`:                                                         {others: "./decide"},
		`bash -euo pipefail a.sh`:                                             {others: "./a.sh"},
		`bash --rcfile a -o posix +O extglob -c 'jq .x'`:                      {words: "?", loose: ".x"},
		`sh -c 'echo yes'`:                                                    {words: "yes"},
		`bash -c 'jq .tool_input'`:                                            {words: "?", loose: ".tool_input"},
		`curl x.test | sh`:                                                    {loose: "curl x.test sh"},
		`x=$(decide); echo "$x"`:                                              {words: "?", others: "decide"},
		`jq -r .tool_input.command`:                                           {words: "?", loose: ".tool_input.command"},
		`jq . | tee ~/log`:                                                    {words: "?"},
		`x=$(jq -r .cwd)`:                                                     {},
		`jq -r .x | grep -q y && exit 2`:                                      {},
		`jq -r .x | while read -r f; do cp "$f" x; done`:                      {},
		`jq -r .x | xargs echo`:                                               {words: "?", loose: "echo"},
		`f() { jq -r "$1"; }; x=$(f .cwd); [ "$x" ]`:                          {},
		`deny() { echo "{\"decision\":\"$1\"}"; }; deny block`:                {words: `{"decision":"block"}`},
		`echo "{\"decision\":\"block\",\"reason\":\"$(jq -r .x)\"}"`:          {words: `{"decision":"block","reason":"?"}`, loose: "echo"},
		`printf '{"reason":'; jq .x; printf '}'`:                              {words: `{"reason": ? }`, loose: ".x"},
		`npx decide`:                                                          {loose: "npx decide"},
		`if true; then echo yes; fi`:                                          {words: "yes"},
		`git log -1 --format=%B`:                                              {loose: "git log -1 --format=%B"},
		`git --git-dir d status`:                                              {},
		`git --git-dir d diff -z`:                                             {loose: "git --git-dir d diff -z"},
		`git status`:                                                          {},
		`date "+$x"`:                                                          {words: "+?"},
		`"${0%/*}/decide"`:                                                    {others: "/s/decide"},
		`. "$(dirname "$0")/lib.sh"`:                                          {others: "/s/lib.sh"},
		`"$(git rev-parse --show-toplevel)/decide"`:                           {loose: `"$(git rev-parse --show-toplevel)/decide"`},
		`. ~/lib.sh; answer`:                                                  {others: "~/lib.sh", loose: "answer"},
		`source ~/lib.sh; notify-send x; cp a b; ~/bin/a`:                     {others: "~/lib.sh ~/bin/a"},
		`d=al; d+=low; echo "{\"decision\":\"$d\"}"`:                          {words: `al low {"decision":"al"} {"decision":"?"}`, loose: "echo"},
		`alias ok='echo yes'; ok`:                                             {words: "yes"},
		`alias ok='echo yes'`:                                                 {},
		`alias e=echo; e yes`:                                                 {words: "yes"},
		`alias ls='ls -l'; ls >&2`:                                            {},
		`alias a="$x"; a`:                                                     {loose: "a"},
		`echo yes | xargs`:                                                    {words: "yes"},
		`x=$(echo yes | xargs); [ "$x" ]`:                                     {},
		`jq -r .x | xargs`:                                                    {words: "?", loose: ".x"},
		`curl -s -XPOST x.test`:                                               {loose: `curl -s -XPOST x.test`},
		`curl -s x.test -o -`:                                                 {loose: `curl -s x.test -o -`},
		`curl -so- x.test`:                                                    {loose: `curl -so- x.test`},
		`curl -o /dev/stdout x.test`:                                          {loose: `curl -o /dev/stdout x.test`},
		`curl --output=/dev/stdout x.test`:                                    {loose: `curl --output=/dev/stdout x.test`},
		`xclip -o -selection clipboard`:                                       {loose: `xclip -o -selection clipboard`},
		`xsel -b -o`:                                                          {loose: `xsel -b -o`},
		`tar xOf a.tar`:                                                       {loose: `tar xOf a.tar`},
		`tmux show-buffer`:                                                    {loose: `tmux show-buffer`},
		`git submodule foreach decide`:                                        {loose: `git submodule foreach decide`},
		`git show "$x"`:                                                       {loose: `git show "$x"`},
		`git rev-parse "$x"`:                                                  {loose: `git rev-parse "$x"`},
		`git rebase --exec decide`:                                            {loose: `git rebase --exec decide`},
		`curl -sXPOST -o /dev/null x.test`:                                    {},
		`curl -sLo f x.test`:                                                  {},
		`tar xzf a`:                                                           {},
		`xclip -selection c`:                                                  {},
		`git rev-parse HEAD`:                                                  {},
		`git show HEAD`:                                                       {},
		`pwd`:                                                                 {},
		`jq -r .x | sed s/^/x/ >> ~/log`:                                      {},
		`jq -r .x | tee -a log >/dev/null`:                                    {},
		`jq -r .x | { cat; } > log`:                                           {},
		`ls -la; realpath x; seq 3`:                                           {},
		`ls`:                                                                  {loose: "ls"},
		`eval "$x"`:                                                           {loose: "eval"},
	} {
		p, ok := shell.Prints(line, "/s/x.sh")
		var codes []shell.Said
		for _, c := range p.Codes {
			codes = append(codes, c.Said)
		}
		got := printed{said(p.Words), said(p.Files), said(p.Others), said(codes), said(p.Loose)}
		if !ok || got != want {
			t.Errorf("%s prints\n%+v, %v, want\n%+v", line, got, ok, want)
		}
	}
	if _, ok := shell.Prints(`echo "`, ""); ok {
		t.Error("what is no line is taken for one")
	}
	if p, _ := shell.Prints(`cd x && ./decide`, ""); !p.Moves {
		t.Error("names are taken for those of the start")
	}
}

// TestPrintsSoon: what names itself, or calls itself, is read in a moment. That is counted
// in allocations, which the load of a machine does not change: 1.6 million took 1.2 s.
func TestPrintsSoon(t *testing.T) {
	const most = 5e6
	doubled := "a0=x\n"
	for i := range 60 {
		doubled += fmt.Sprintf("a%d=$a%d$a%d\n", i+1, i, i)
	}
	for line, loose := range map[string]bool{
		"out=\"\"\n" + strings.Repeat("[ -f a ] && out=\"$out- a missing\\n\"\n", 4) + `echo "Problems: $out"`: false,
		"x=a; x=$x$y; y=$x$x; x=$y$y; echo $x":                             true,
		doubled + "echo $a60":                                              true,
		"walk() { walk a; walk b; walk c; walk d; }; walk x":               false,
		"walk() { echo {; walk $1 | walk; walk >&2; }; walk x":             false,
		"walk() { x=$(walk)$(walk); echo $x; }; walk":                      true,
		"a() { b; c; b; }; b() { c; a; c; }; c() { a; b; a; }; a":          false,
		"w() { w a; w b; w c; }; jq -r .x | w":                             false,
		"f() { echo $1; eval 'f $1; f $1; f x$1'; }; f a":                  true,
		strings.Repeat("f() { g $1; g $1; }; g() { f $1; h; }; ", 4) + "f": false,
	} {
		var p shell.Printed
		var ok bool
		took := testing.AllocsPerRun(1, func() { p, ok = shell.Prints(line, "") })
		if !ok || (len(p.Loose) > 0) != loose || took > most {
			t.Errorf("%.60q gives %v, loose %.90q, with %.0f allocations", line, ok, said(p.Loose), took)
		}
	}
}

// said are words, with a mark for what nobody knows.
func said(list []shell.Said) string {
	var words []string
	for _, s := range list {
		words = append(words, strings.TrimSpace(strings.Map(func(r rune) rune {
			if r >= '\ue000' && r <= '\ue004' {
				return '?'
			}
			return r
		}, s.Text)))
	}
	return strings.Join(words, " ")
}

// FuzzPrints: every line has an answer, whose places lie within it.
func FuzzPrints(f *testing.F) {
	for _, s := range []string{"> x", "a | > x", "f() { > x; }; f | f", "exec > >(cat)", "cat <(echo a) <<E\n$(b)\nE",
		`x='{"a":' && printf '%s' "$x}"`, "trap 'echo a' EXIT", "eval \"$x\"",
		"read -r a b; mapfile -t c; echo $a ${c[0]}",
		`python3 -c 'print({"a":1})'`, "sh -c 'echo $1' x y", "if [[ a ]]; then echo; fi 2>&1 >/dev/null",
		"set -- a; shift; echo $@",
		"for i in $(a); do echo $i; done", "case $a in b) echo;; esac", "declare a=$(b) c; echo ${a:-$c}",
		"((a++)); coproc b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		p, ok := shell.Prints(line, "/h/x")
		for _, s := range p.Loose {
			if s.From < 0 || s.From > len(line) || !ok {
				t.Fatalf("%q gives %+v", line, s)
			}
		}
	})
}
