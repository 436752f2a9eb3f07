// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the runtime calls its keys, tools, events, modes and
// variables stands in internal/agent/claude, so that a second runtime, or
// another name in a new version, is one package's matter.

package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const runtimeRoom = "internal/agent/claude"

// acceptedValues are the tables of what the runtime accepts as the value of each
// key, nested as its documents are; internal/agent/claude/settings compares them with it.
var acceptedValues = []string{"internal/agent/claude/settings/known.go",
	"internal/agent/claude/settings/knownsandbox.go",
	"internal/agent/claude/settings/hookshape.go"}

// names are what only the runtime calls something.
type names struct {
	words map[string]bool // wherever they stand
	paths map[string]bool // dotted, and the single keys of the document
}

// camel says whether a word has a capital behind its first letter: no other
// word of these sources does.
func camel(s string) bool {
	return len(s) > 1 && strings.ToLower(s[1:]) != s[1:] && !strings.ContainsAny(s, " ./*():$_-")
}

// namesOf reads the names out of the room that knows them: the rows of its
// tables, the paths of keys and the words.
func namesOf(srcs []source) names {
	n := names{map[string]bool{}, map[string]bool{}}
	addPath := func(path string) {
		n.paths[path] = true
		for _, key := range strings.Split(path, ".") {
			n.words[key] = n.words[key] || camel(key)
		}
	}
	for _, s := range srcs {
		if s.test() || s.room() != runtimeRoom {
			continue
		}
		ast.Inspect(s.ast, func(node ast.Node) bool {
			switch x := node.(type) {
			case *ast.KeyValueExpr:
				if id, ok := x.Key.(*ast.Ident); ok && id.Name == "Path" {
					if path, ok := literal(x.Value); ok && !strings.HasSuffix(path, ".json") {
						addPath(path)
					}
				}
			case *ast.CompositeLit:
				if id, ok := x.Type.(*ast.Ident); ok && id.Name == "KeyPath" {
					addPath(strings.Join(literals(x.Elts), "."))
				}
			case *ast.GenDecl:
				for _, spec := range x.Specs {
					if v, ok := spec.(*ast.ValueSpec); ok && x.Tok == token.CONST {
						for _, word := range literals(v.Values) {
							n.words[word] = n.words[word] || camel(word) || ownVariable(word) ||
								slices.Contains([]string{"Bash", "Read", "Edit", "Write", "Skill"}, word)
						}
					}
				}
			}
			return true
		})
	}
	return n
}

func literal(e ast.Expr) (string, bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(lit.Value)
	return s, err == nil
}

// literals are the strings that a list begins with.
func literals(list []ast.Expr) (texts []string) {
	for _, e := range list {
		s, ok := literal(e)
		if !ok {
			break
		}
		texts = append(texts, s)
	}
	return texts
}

// ownVariable says whether a text names a variable of the runtime's; those of
// claude-iso are this program's.
func ownVariable(s string) bool {
	return (strings.HasPrefix(s, "CLAUDE_") || strings.HasPrefix(s, "ANTHROPIC_")) &&
		!strings.HasPrefix(s, "CLAUDE_ISO_") && !strings.Contains(s, "*")
}

// pathArguments says at which argument of a reader of settings a path begins.
var pathArguments = map[string]int{"Get": 0, "Scalar": 0, "List": 0, "Strings": 0, "AnyTrue": 0, "At": 1,
	"RemoveKey": 1}

// keysByHand lists the runtime's names outside the room that knows them.
func keysByHand(srcs []source) []string {
	known := namesOf(srcs)
	var bad []string
	for _, s := range srcs {
		if s.test() || ast.IsGenerated(s.ast) || s.room() == runtimeRoom || slices.Contains(acceptedValues, s.path) {
			continue
		}
		tags := map[*ast.BasicLit]bool{}
		found := func(n ast.Node, name string) {
			bad = append(bad, fmt.Sprintf("%s: %q is named in %s", s.at(n), name, runtimeRoom))
		}
		ast.Inspect(s.ast, func(node ast.Node) bool {
			switch x := node.(type) {
			case *ast.Field:
				if x.Tag != nil {
					tags[x.Tag] = true
				}
			case *ast.CallExpr:
				f, ok := x.Fun.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				if at, reads := pathArguments[f.Sel.Name]; reads && len(x.Args) > at {
					if path := literals(x.Args[at:]); len(path) > 1 && known.paths[path[0]] {
						found(x.Args[at], strings.Join(path, "."))
					}
				}
			case *ast.CompositeLit:
				if path := literals(x.Elts); len(path) > 1 && known.paths[strings.Join(path, ".")] {
					found(x, strings.Join(path, "."))
				}
			case *ast.BasicLit:
				name, ok := literal(x)
				if !ok || tags[x] {
					return true
				}
				name = strings.TrimSuffix(name, "=")
				dotted := strings.Contains(name, ".") && known.paths[name]
				if known.words[name] || dotted || ownVariable(name) && !strings.Contains(name, " ") {
					found(x, name)
				}
			}
			return true
		})
	}
	return bad
}

func TestKeysOfTheRuntimeHaveOneHome(t *testing.T) { report(t, keysByHand(program(t))) }

// TestTheKeyRuleFinds, with a room of its own that knows a few names.
func TestTheKeyRuleFinds(t *testing.T) {
	room := example(t, runtimeRoom+"/x.go", `package claude
var KeyDenyRead = KeyPath{"sandbox", "denyRead"}
var rows = []Key{{Path: "sandbox"}}
const ToolBash = "Bash"`)
	for name, tt := range map[string]struct {
		path, body string
		bad        bool
	}{
		"a key alone":          {"steps/x/x.go", `f("denyRead")`, true},
		"a dotted path":        {"steps/x/x.go", `f("sandbox.denyRead")`, true},
		"a path":               {"steps/x/x.go", `d.Get("sandbox", "x")`, true},
		"a list that is one":   {"steps/x/x.go", `f([]string{"sandbox", "denyRead"})`, true},
		"a tool":               {"steps/x/x.go", `f("Bash")`, true},
		"a variable":           {"steps/x/x.go", `f("CLAUDE_CONFIG_DIR")`, true},
		"a variable and =":     {"steps/x/x.go", `f("ANTHROPIC_BASE_URL=" + x)`, true},
		"a variable of ours":   {"steps/x/x.go", `f("CLAUDE_ISO_ALLOW")`, false},
		"an ordinary word":     {"steps/x/x.go", `f("sandbox")`, false},
		"a sentence":           {"steps/x/x.go", `f("denyRead hides it")`, false},
		"the room":             {runtimeRoom + "/y.go", `f("denyRead")`, false},
		"the accepted values":  {"internal/agent/claude/settings/known.go", `f("denyRead")`, false},
		"a test":               {"steps/x/x_test.go", `f("denyRead")`, false},
		"another reader's key": {"steps/x/x.go", `d.Get("plan", "id")`, false},
	} {
		srcs := append(slices.Clone(room), example(t, tt.path, "package x\nfunc g() { "+tt.body+" }")...)
		if got := keysByHand(srcs); (len(got) > 0) != tt.bad {
			t.Errorf("%s: %s", name, strings.Join(got, "\n"))
		}
	}
}
