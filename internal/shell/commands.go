// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a line that is not understood gives no commands, never
// some of them.

package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Commands lists the commands of a line, those in conditions, loops, pipes and
// substitutions among them, each as its words with a space between: the text
// that a rule for commands sees. A word that only the running shell knows stays
// as it is written. A line that is not understood gives none.
func Commands(line, home string) []string {
	if len(line) > maxLine {
		return nil
	}
	tree, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
	if err != nil {
		return nil
	}
	var list []string
	syntax.Walk(tree, func(n syntax.Node) bool {
		call, ok := n.(*syntax.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		var words []string
		for _, arg := range call.Args {
			text, ok := wordOf(arg, home)
			if !ok {
				text = line[arg.Pos().Offset():arg.End().Offset()]
			}
			words = append(words, text)
		}
		list = append(list, strings.Join(words, " "))
		return true
	})
	return list
}
