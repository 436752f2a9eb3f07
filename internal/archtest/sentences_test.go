// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a sentence stands once in the program
// (docs/adr/0021-a-sentence-stands-once.md), so that a change of its wording is
// made in one place, and whoever says it elsewhere too takes it from there.

package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// sentence is how many words a text has that stands once; of fewer, two that are
// alike may mean different things.
const sentence = 4

// repeating are the files of rows that may be alike, with the reason.
var repeating = map[string]string{
	"internal/agent/claude/...":   "a row for each key and variable of the runtime: several have the same effect",
	"internal/catalog/subject.go": "the words of other programs, by what stands before and behind a name",
	"internal/testenv/...":        "of tests alone",
}

// words counts those of a text that have a letter and are no option or verb of a
// format.
func words(text string) int {
	n := 0
	for word := range strings.FieldsSeq(text) {
		if strings.ContainsFunc(word, unicode.IsLetter) && !strings.HasPrefix(word, "-") && !strings.HasPrefix(word, "%") {
			n++
		}
	}
	return n
}

// texts calls seen for every text of a file, one that goes on in the next line
// as a whole.
func (s source) texts(seen func(text string, at ast.Node)) {
	var sums func(e ast.Expr) []ast.Expr
	sums = func(e ast.Expr) []ast.Expr {
		if sum, ok := e.(*ast.BinaryExpr); ok && sum.Op == token.ADD {
			return append(sums(sum.X), sums(sum.Y)...)
		}
		return []ast.Expr{e}
	}
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		if !ok {
			_, imports := n.(*ast.ImportSpec)
			return !imports
		}
		parts := sums(e)
		for i := 0; i < len(parts); {
			run := literals(parts[i:])
			if len(run) > 0 {
				seen(strings.Join(run, ""), parts[i])
				i += len(run)
				continue
			}
			if len(parts) > 1 {
				ast.Inspect(parts[i], visit)
			}
			i++
		}
		return len(parts) == 1
	}
	ast.Inspect(s.ast, visit)
}

// twice lists the sentences that stand in several places.
func twice(srcs []source) []string {
	places := map[string][]string{}
	tables := slices.Collect(maps.Keys(repeating))
	for _, s := range srcs {
		if s.test() || ast.IsGenerated(s.ast) || within(s.path, tables) {
			continue
		}
		s.texts(func(text string, at ast.Node) {
			if words(text) >= sentence {
				places[text] = append(places[text], s.at(at))
			}
		})
	}
	var bad []string
	for _, text := range slices.Sorted(maps.Keys(places)) {
		if at := places[text]; len(at) > 1 {
			bad = append(bad, fmt.Sprintf("%s: %.80q stands here too: %s", at[0], text, strings.Join(at[1:], ", ")))
		}
	}
	return bad
}

func TestASentenceStandsOnce(t *testing.T) { report(t, twice(program(t))) }

func TestTheRuleOfSentencesFinds(t *testing.T) {
	for name, tt := range map[string]struct {
		path, body string
		bad        bool
	}{
		"the same twice":     {"steps/x/x.go", `f("one two three four", "one two three four")`, true},
		"over two lines":     {"steps/x/x.go", "f(\"one two \"+\n\"three four\", `one two three four`)", true},
		"beside a value":     {"steps/x/x.go", `f(x+" one two three four", g(y)+" one two three four"+z)`, true},
		"in a call of a sum": {"steps/x/x.go", `f(x+g("one two three four"), "one two three four")`, true},
		"a constant":         {"steps/x/x.go", `const c = "one two three four"; f(c, c, "one two three four")`, true},
		"taken from one":     {"steps/x/x.go", `const c = "one two three four"; f(c, c+"!")`, false},
		"another":            {"steps/x/x.go", `f("one two three four", "one two three five")`, false},
		"three words":        {"steps/x/x.go", `f("one two three", "one two three")`, false},
		"options":            {"steps/x/x.go", `f("one two three -v", "one two three -v")`, false},
		"verbs":              {"steps/x/x.go", `f("%s is %s, %s", "%s is %s, %s")`, false},
		"a table":            {"internal/agent/claude/x.go", `f("one two three four", "one two three four")`, false},
		"a test":             {"steps/x/x_test.go", `f("one two three four", "one two three four")`, false},
	} {
		text := "package x\nfunc f(...string) { " + tt.body + " }"
		if got := twice(example(t, tt.path, text)); (len(got) > 0) != tt.bad {
			t.Errorf("%s: %s", name, strings.Join(got, "\n"))
		}
	}
}
