// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a question that several packages ask is answered by one
// function. What a second answer would be made of is found in their text.

package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// cutting are the functions of strings that compare or take off a beginning.
var cutting = []string{"HasPrefix", "CutPrefix", "TrimPrefix"}

// ownContainment lists the comparisons of a path with a directory and a slash
// behind it: sixteen of them answered in four ways what lies in "/", and what
// in "".
func ownContainment(srcs []source) []string {
	var bad []string
	for _, s := range srcs {
		if s.test() || s.room() == "internal/host/pathname" {
			continue
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 2 || !calls(call, "strings", cutting) {
				return true
			}
			sum, ok := call.Args[1].(*ast.BinaryExpr)
			if !ok || sum.Op != token.ADD {
				return true
			}
			_, fixed := sum.X.(*ast.BasicLit)
			if slash, ok := sum.Y.(*ast.BasicLit); ok && !fixed && slash.Value == `"/"` {
				bad = append(bad, fmt.Sprintf("%s: whether a path lies in a directory is asked of internal/host/pathname", s.at(n)))
			}
			return true
		})
	}
	return bad
}

// ownRelative lists the places that join a path that is not absolute to a directory,
// or put what a path leads to in its place: twenty and ten of them said what
// pathname.From and host.Resolved say.
func ownRelative(srcs []source) []string {
	var bad []string
	for _, s := range srcs {
		if s.test() || s.room() == "internal/host/pathname" || s.path == "internal/host/othernames.go" {
			continue
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			branch, ok := n.(*ast.IfStmt)
			if !ok || branch.Else != nil || len(branch.Body.List) != 1 {
				return true
			}
			set, ok := branch.Body.List[0].(*ast.AssignStmt)
			if !ok || len(set.Lhs) != 1 {
				return true
			}
			cond, to, from := types.ExprString(branch.Cond), types.ExprString(set.Lhs[0]), types.ExprString(set.Rhs[0])
			if cond == "!filepath.IsAbs("+to+")" && strings.HasPrefix(from, "filepath.Join(") &&
				strings.HasSuffix(from, ", "+to+")") {
				bad = append(bad, fmt.Sprintf("%s: a path from a directory is pathname.From", s.at(n)))
			}
			if got, ok := branch.Init.(*ast.AssignStmt); ok && cond == "err == nil" && len(got.Rhs) == 1 &&
				types.ExprString(got.Lhs[0]) == from && strings.HasSuffix(types.ExprString(got.Rhs[0]), ".Resolve("+to+")") {
				bad = append(bad, fmt.Sprintf("%s: where a path leads, or itself, is host.Resolved", s.at(n)))
			}
			return true
		})
	}
	return bad
}

// ownExpansion lists the places that take "~/" off a path: twenty-five did, to put the
// home there.
func ownExpansion(srcs []source) []string {
	var bad []string
	for _, s := range srcs {
		if s.test() {
			continue
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 2 || !calls(call, "strings", []string{"CutPrefix", "TrimPrefix"}) {
				return true
			}
			if text, ok := call.Args[1].(*ast.BasicLit); ok && text.Value == `"~/"` {
				bad = append(bad, fmt.Sprintf("%s: what ~/x stands for is pathname.Expand", s.at(n)))
			}
			return true
		})
	}
	return bad
}

// calls says whether a call is of one of a package's functions.
func calls(call *ast.CallExpr, pkg string, names []string) bool {
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || !slices.Contains(names, f.Sel.Name) {
		return false
	}
	of, ok := f.X.(*ast.Ident)
	return ok && of.Name == pkg
}

// rulesByHand lists the texts that are searched for the beginning of a
// permission rule: such a search takes a rule for one that the runtime skips.
func rulesByHand(srcs []source) []string {
	var bad []string
	for _, s := range srcs {
		if s.test() || s.room() == "internal/agent/claude" {
			continue
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && len(call.Args) == 2 && calls(call, "strings", cutting) {
				if text, ok := call.Args[1].(*ast.BasicLit); ok && ruleBegin.MatchString(text.Value) {
					bad = append(bad, fmt.Sprintf("%s: a rule is taken apart by claude.SplitRule", s.at(n)))
				}
			}
			return true
		})
	}
	return bad
}

var ruleBegin = regexp.MustCompile("^[\"`][A-Z][A-Za-z]+\\(")

// filesByHand lists the names of the runtime's own files outside the room that
// knows them.
func filesByHand(srcs []source) []string {
	own := []string{".claude", ".claude.json", "settings.json", "settings.local.json", "CLAUDE.md"}
	var bad []string
	for _, s := range srcs {
		if s.test() || ast.IsGenerated(s.ast) || s.room() == "internal/agent/claude" {
			continue
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			if name, err := strconv.Unquote(lit.Value); err == nil && slices.Contains(own, name) {
				bad = append(bad, fmt.Sprintf("%s: %q is named in internal/agent/claude", s.at(n), name))
			}
			return true
		})
	}
	return bad
}

func TestFilesOfTheRuntimeHaveOneHome(t *testing.T) { report(t, filesByHand(program(t))) }

func TestRulesHaveOneHome(t *testing.T) { report(t, rulesByHand(program(t))) }

func TestContainmentHasOneHome(t *testing.T) { report(t, ownContainment(program(t))) }

func TestRelativePathsHaveOneHome(t *testing.T) { report(t, ownRelative(program(t))) }

func TestTheHomeOfAPathHasOneHome(t *testing.T) { report(t, ownExpansion(program(t))) }

func TestTheOneHomeRulesFind(t *testing.T) {
	for name, tt := range map[string]struct {
		path, body string
		bad        bool
	}{
		"a prefix":          {"steps/x/x.go", `strings.HasPrefix(path, dir+"/")`, true},
		"a cut":             {"steps/x/x.go", `strings.CutPrefix(path, p.Home()+"/")`, true},
		"with a suffix off": {"steps/x/x.go", `strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")`, true},
		"a constant":        {"steps/x/x.go", `strings.HasPrefix(path, "~"+"/")`, false},
		"a key":             {"steps/x/x.go", `strings.HasPrefix(key, above+".")`, false},
		"a tilde":           {"steps/x/x.go", `strings.CutPrefix(path, "~/")`, true},
		"a rule":            {"steps/x/x.go", `strings.CutPrefix(rule, "Read(")`, true},
		"a rule's content":  {"steps/x/x.go", `strings.HasPrefix(rule, "WebFetch(domain:")`, true},
		"another text":      {"steps/x/x.go", `strings.HasPrefix(text, "(see below")`, false},
		"the home of rules": {"internal/agent/claude/x.go", `strings.HasPrefix(rule, "Bash(")`, false},
		"a file's name":     {"steps/x/x.go", `strings.Join(nil, "settings.json")`, true},
		"a longer name":     {"steps/x/x.go", `strings.Join(nil, "my-settings.json")`, false},
		"the home of files": {"internal/agent/claude/x.go", `strings.Join(nil, ".claude")`, false},
		"from a directory":  {"steps/x/x.go", `if !filepath.IsAbs(p) { p = filepath.Join(dir, p) }`, true},
		"a part of another": {"steps/x/x.go", `if !filepath.IsAbs(p) { p = filepath.Join(dir, q) }`, false},
		"where it leads":    {"steps/x/x.go", `if real, err := r.Resolve(p); err == nil { p = real }`, true},
		"where others lead": {"steps/x/x.go", `if real, err := r.Resolve(p); err == nil { q = real }`, false},
		"the home of it":    {"internal/host/pathname/x.go", `strings.HasPrefix(path, dir+"/")`, false},
	} {
		text := "package x\nimport \"strings\"\nfunc f() { " + tt.body + " }"
		srcs := example(t, tt.path, text)
		got := slices.Concat(ownContainment(srcs), ownRelative(srcs), ownExpansion(srcs), rulesByHand(srcs),
			filesByHand(srcs))
		if (len(got) > 0) != tt.bad {
			t.Errorf("%s: %s", name, strings.Join(got, "\n"))
		}
	}
}
