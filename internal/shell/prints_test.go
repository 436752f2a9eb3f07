// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package shell_test

import (
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/shell"
)

func TestPrints(t *testing.T) {
	for line, want := range map[string]struct{ words, others, given string }{
		`echo yes`:                       {words: "yes"},
		`echo yes > /tmp/x`:              {},
		`echo no >&2; exit 2`:            {words: "2"},
		`echo yes 2> /dev/null`:          {words: "yes"},
		`x=yes; echo "$x"`:               {words: `yes "$x"`},
		`printf '%s' yes | cat`:          {words: "'%s' yes"},
		`printf '%s' yes | wc -l`:        {words: "-l"},
		"cat <<END\nyes\nEND\n":          {words: "yes"},
		`cat ~/answer.json`:              {words: "~/answer.json", others: "~/answer.json"},
		`~/bin/decide`:                   {others: "~/bin/decide"},
		`~/bin/decide > /dev/null 2>&1`:  {},
		`timeout 5 python3 ~/a.py`:       {words: "~/a.py", others: "~/a.py"},
		`python3 -c 'print(1)'`:          {words: "-c 'print(1)'"},
		`sh -c 'echo yes'`:               {words: "-c 'echo yes' yes"},
		`x=$(decide); echo "$x"`:         {words: `$(decide) "$x"`, others: "decide"},
		`jq -r .tool_input.command`:      {words: "-r .tool_input.command", given: "jq"},
		`x=$(jq -r .cwd)`:                {words: "$(jq -r .cwd) -r .cwd"},
		`jq -r .x | grep -q y && exit 2`: {words: "-q y 2"},
		`npx decide`:                     {words: "decide", others: "npx"},
		`if true; then echo yes; fi`:     {words: "yes"},
	} {
		p, ok := shell.Prints(line)
		got := struct{ words, others, given string }{said(p.Words), said(p.Others), said(p.Given)}
		if !ok || got != want {
			t.Errorf("%s prints %+v, %v, want %+v", line, got, ok, want)
		}
	}
	if _, ok := shell.Prints(`echo "`); ok {
		t.Error("what is no line is taken for one")
	}
}

func said(list []shell.Said) string {
	var words []string
	for _, s := range list {
		words = append(words, strings.TrimSpace(s.Text))
	}
	return strings.Join(words, " ")
}
