// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"strings"
	"testing"
)

// What is known of a word is what bash and dash make of it (each line was run).
func TestAWordHasTheValuesThatTheShellGivesIt(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"HOME=$(x); ~/x", "unclear /h/p/sub, gap"},
		{". -- ./x", "runs /h/p/sub/x"},
		{`./a{"b",c}`, "gap"},
		{"./a{b}", "runs /h/p/sub/a{b}"},
		{`X=; ${X:-/a}/x; "${X-/b}/y"`, "runs /a/x, runs /y"},
		{"Y=~/y; ${Y:?}/x", "runs /h/y/x"},
		{"envsubst < ~/a", ""},
		{`X="x y"; Y=$X; "./$Y"`, "runs /h/p/sub/x y"},
		{`X="x y"; export Y=$X; "./$Y"`, "gap"}, // dash splits it
		{"X=/a:~/b; PATH=$X tool", "decides /a, decides /h/b, unclear /h/p/sub"},
		{`X="/a:~/b"; PATH=$X tool`, "decides /a, decides /h/b, unclear /h/p/sub"},
		{`X=/a:~/b; "$X"`, "runs /a:/h/b"},
		{`X="/a:~/b"; "$X"`, "runs /a:~/b"},
		{"X=; bash $X", "gap"},
		{`[ a ] && X=--login || X=; exec fish $X`, "gap"},
		{"X=./x; unset -f X; $X", "runs /h/p/sub/x"},
		{"command -- ./x", "runs /h/p/sub/x"},
	} {
		if got := said(place.Line(c.line)); got != c.want {
			t.Errorf("%s: %q, want %q", c.line, got, c.want)
		}
	}
}

func TestTheFilesThatAProgramPrints(t *testing.T) {
	for line, want := range map[string]string{
		"cat a b": "a b", "head -n 5 a": "a", "head -n5 a": "a", "tail +3 a": "a", "cut -d , -f 1 a": "a",
		"column -t a": "a", "grep x a": "a", "grep -e x -e y a b": "a b", "grep --regexp=x a": "a", "sed -nf s a": "a",
		"sed --expression s/x/y/ a": "a", "awk -F: {print} a": "a", "jq --arg n v . a": "a", "jq -rf f a": "a",
		"perl x.pl a": "a", "tee a": "", "envsubst $X": "", "rm a": "",
	} {
		words, got := strings.Fields(line), []string{}
		for _, i := range PrintedFiles(words[0], words[1:]) {
			got = append(got, words[1+i])
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s prints %q, want %q", line, got, want)
		}
	}
}

// TestAVariableHoldsAPattern: what a pattern stands for runs by the variable that holds it, too, and is somebody's
// words wherever words are evaluated.
func TestAVariableHoldsAPattern(t *testing.T) {
	for line, want := range map[string]string{
		"for f in ~/d/*.sh; do . \"$f\"; done":       "decides /h/d",
		"f=~/d/*; n=$f; bash $n":                     "decides /h/d",
		"for f in ~/d/*; do $f; done":                "decides /h/d",
		"for f in ~/d/* ~/x; do bash $f; done":       "decides /h/d, decides /h/x",
		"for f in *; do ((f)); done":                 "gap",
		"for f in *; do test -v $f; done":            "gap",
		"for f in *; do cat > $f; done":              "gap",
		"for f in *; do tar cf ~/a.tar \"$f\"; done": "decides /h/p/sub, gap",
		"for f in *; do tar cf ~/a.tar -- $f; done":  "",
		"for f in *; do sqlite3 ~/a.db \"$f\"; done": "names /h/a.db, gap",
		"for f in *; do mpv \"$f\"; done":            "gap",
		"for f in *; do sed \"$f\" x; done":          "gap",
		"mpv *.mp4":                                  "",
		"read a[0]; unset b[1]; cat > c[1].txt":      "",
		"for f in ~/d/*; do cd $f; ./x; done":        "gap",
		"for f in ~/d/*; do grep -q x \"$f\"; done":  "",
	} {
		if got := said(place.Line(line)); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}
