// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"slices"
	"strings"
	"testing"
)

func TestCommandsOfALine(t *testing.T) {
	for line, want := range map[string]string{
		"git push":                       "git push",
		"cd x && git 'push' -f; echo ok": "cd x|git push -f|echo ok",
		"if git diff | grep -q x; then curl \"$URL\"; fi": `git diff|grep -q x|curl $URL`,
		"echo $(gh api user)":                             "gh api user|echo $(gh api user)",
		"A=1 make -C ~/x":                                 "A=1 make -C ~/x",
		"a && b | c; d & e":                               "a|b|c|d|e",
		`echo "a b" 'c d' e\ f`:                           "echo a b c d e f",
		"x $(y z) w":                                      "y z|x $(y z) w",
		"cat <<E\nno $(yes)\nE\nafter":                    "yes|cat|after",
		"cat <<'E'\n$(no)\nE\nafter":                      "cat|after",
		"for i in a b; do c $i; done":                     "c $i",
		"case x in x) a;; y) b;; esac":                    "a|b",
		"f() { a; }; f":                                   "a|f",
		"D=/x; cat $D/y ${D}/z":                           "D=/x|cat /x/y /x/z",
		"export D=/x; cat $D":                             "export D=/x|cat /x",
		"cat $HOME/x ~/y":                                 "cat /h/x ~/y",
		"a > out 2>&1 < in":                               "a",
		"echo $((1 + 2)) b":                               "echo $((1 + 2)) b",
		"diff <(a) <(b)":                                  "a|b|diff <(a) <(b)",
		"time a b":                                        "time a b",
		"time { a; b; }":                                  "a|b",
		"HOME=/x true; cat $HOME/k":                       "HOME=/x true|cat /h/k",
		"[[ -f x ]] && a":                                 "[[ -f x ]]|a",
		"a # b; c":                                        "a",
		"a; 'unended b":                                   "a|'unended b",
		"'":                                               "'",
		"":                                                "",
	} {
		var got []string
		for _, c := range Commands(line, "/h") {
			got = append(got, c.Text())
		}
		if got := strings.Join(got, "|"); got != want {
			t.Errorf("%.60q: %q, want %q", line, got, want)
		}
	}
	c := Commands("a > out < in $X", "")[0]
	if !slices.Equal(c.To, []string{"out"}) || !slices.Equal(c.From, []string{"in"}) || !c.Open {
		t.Errorf("%+v", c)
	}
}

func FuzzCommands(f *testing.F) {
	for _, line := range []string{"a; b | c $(d) > e", "<<A <<B\n`$(\nA", "(((", strings.Repeat("$(", 100) + "a",
		"A+=1 B[2]=3 C=(1 2) d", "export -p A=1 B"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		for _, c := range Commands(line, "/h") {
			if c.Words == nil && c.From == nil && c.To == nil {
				t.Errorf("%q has an empty command", line)
			}
		}
	})
}
