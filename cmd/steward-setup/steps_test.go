// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a line that somebody is told to type is one that this
// program understands.

package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// alone marks a literal that is a line and nothing else.
const alone = ", alone"

// linesInSources are what follows the program's name in the literals of its own sources.
func linesInSources(t *testing.T) map[string]string {
	t.Helper()
	lines := map[string]string{}
	for _, room := range []string{"../../steps", "../../internal", "."} {
		err := filepath.WalkDir(room, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			files := token.NewFileSet()
			tree, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(tree, func(n ast.Node) bool {
				lit, ok := n.(*ast.BasicLit)
				if !ok || lit.Kind != token.STRING {
					return true
				}
				text, err := strconv.Unquote(lit.Value)
				if err != nil || strings.Contains(text, "\n") {
					return true
				}
				at := files.Position(lit.Pos()).String()
				if line, whole := strings.CutPrefix(text, "steward-setup "); whole {
					lines[at+alone] = line
					return true
				}
				for i, line := range strings.Split(text, "steward-setup ")[1:] {
					lines[fmt.Sprintf("%s, call %d", at, i+1)] = line
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return lines
}

// misses is the first word of a line that the program would not understand,
// "" if there is none. What follows the line is left: words that are no flag
// behind the command, and all behind a word that is put in later.
func misses(root *cobra.Command, line string) string {
	cmd, named := root, false
	for _, word := range strings.Fields(line) {
		word = strings.TrimRight(word, ".,:;)'\"`")
		switch flag, _, _ := strings.Cut(word, "="); {
		case strings.ContainsAny(word, "%<&|("):
			return ""
		case strings.HasPrefix(flag, "--") && len(flag) > 2:
			if flag != "--help" && cmd.Flags().Lookup(flag[2:]) == nil && cmd.InheritedFlags().Lookup(flag[2:]) == nil &&
				!strings.Contains(cmd.Long, flag) {
				return flag
			}
		case named:
		default:
			next, _, err := cmd.Find([]string{word})
			if err != nil || next == cmd {
				if named = true; cmd != root && cmd.HasSubCommands() {
					return word
				}
				if cmd == root {
					return "" // the name in a sentence
				}
				continue
			}
			cmd = next
		}
	}
	return ""
}

// TestNoLineIsWrittenWithTheProgramsName: report.Own and report.Line make one, which is
// printed as the program is called there.
func TestNoLineIsWrittenWithTheProgramsName(t *testing.T) {
	root := newRoot(&app{})
	for at, line := range linesInSources(t) {
		cmd, _, err := root.Find(strings.Fields(line))
		if strings.HasSuffix(at, alone) && err == nil && cmd != root {
			t.Errorf("%s: steward-setup %s", at, line)
		}
	}
}

func TestEveryLineThatIsPrintedIsUnderstood(t *testing.T) {
	root := newRoot(&app{})
	all := linesInSources(t)
	if len(all) < 40 {
		t.Fatalf("only %d lines were found", len(all))
	}
	for at, line := range all {
		if word := misses(root, line); word != "" {
			t.Errorf("%s: steward-setup %s: %q is not understood", at, line, word)
		}
	}
	for line, want := range map[string]string{"install --plna": "--plna", "scope whole": "whole",
		"verify --live=never --project /x": "",
		"doctor --try-fix ssh-agent":       "", "wrote this --file": ""} {
		if got := misses(root, line); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}
