// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

func TestFilesUnderOtherNames(t *testing.T) {
	for line, want := range map[string]string{
		`bash /dev/stdin < "$CLAUDE_PROJECT_DIR"/x`: "runs /h/p/x",
		`bash /dev/fd/3 3< "$CLAUDE_PROJECT_DIR"/x`: "runs /h/p/x",
		"python3 /proc/self/fd/0 < x":               "runs /h/p/sub/x",
		"cat x | bash /dev/stdin":                   "gap",
		"/h/p*/tools/x":                             "decides /h/p/tools/x, decides /h",
		"bash /h/?/s*/tools/x":                      "decides /h/p/sub/tools/x, decides /h",
		`fish -c "$CLAUDE_PROJECT_DIR"/x`:           "runs /h/p/x",
		"fish x":                                    "runs /h/p/sub/x",
		"fish -c 'set -x'":                          "",
		"fish --strange":                            "gap",
		"curl -K c https://a.example/":              "runs /h/p/sub/c",
		"curl -s https://a.example/":                "",
		"sha512sum x":                               "",
		"ruby -nE utf-8 x.rb":                       "gap",
		"ls | xargs tar cf a.tar":                   "gap",
		"ls | xargs tar cf a.tar --":                "",
		// Where cd goes in a substitution.
		`D="$(cd -P . && pwd)"; bash "$D/x"`:            "runs /h/p/sub/x",
		`cd() { :; }; D="$(cd .. && pwd)"; bash "$D/x"`: "gap",
	} {
		got := said(place.Line(line))
		if strings.Contains(line, "*") || strings.Contains(line, "?") {
			if !strings.Contains(got, strings.Split(want, ",")[0]) {
				t.Errorf("%s: %q, want %q", line, got, want)
			}
			continue
		}
		if got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

func TestWritesOfDownloads(t *testing.T) {
	for line, want := range map[string]string{
		"curl -o ~/.bashrc https://a.example/":  "/h/.bashrc",
		"curl -so ~/x https://a.example/":       "/h/x",
		"curl -sHfoo https://a.example/":        "",
		"curl -O https://a.example/x":           "/h/p/sub",
		"curl --output=/h/y https://a.example/": "/h/y",
		"wget -P ~/bin https://a.example/x":     "/h/bin",
		"dd if=x of=/h/.profile":                "/h/.profile",
		"sed -i s/a/b/ ~/.bashrc":               "/h/.bashrc",
		"sed s/a/b/ ~/.bashrc":                  "",
	} {
		var got []string
		for _, u := range place.Line(line).Uses {
			if u.Kind == Writes {
				got = append(got, u.Path)
			}
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s: %q, want %q", line, s, want)
		}
	}
}

// TestBracketsWithoutEnd: the parser's own stack is no bound, and what it cannot take is an error.
func TestBracketsWithoutEnd(t *testing.T) {
	for _, text := range []string{strings.Repeat("(", maxBrackets+1), "((" + strings.Repeat("a[", maxBrackets+1),
		strings.Repeat("{ ", maxBrackets+1)} {
		if _, err := Parsed(text, syntax.LangBash); err != errNested {
			t.Errorf("%.10q: %v", text, err)
		}
	}
	if _, err := Parsed(strings.Repeat("${a} ", maxBrackets+1), syntax.LangBash); err != nil {
		t.Errorf("variables are no brackets: %v", err)
	}
	if tree, err := Parsed("a; (", syntax.LangBash); err == nil || len(tree.Stmts) != 1 {
		t.Errorf("what stands before an error is %v, %v", tree, err)
	}
}
