// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package lazy compiles a regular expression when it is first asked for: a hook
// starts at every call and needs few of them.
//
// Contract: what is compiled is a constant of the program; one that is no
// expression panics when it is asked for.
package lazy

import (
	"regexp"
	"sync"
)

// compiled are the expressions that Compiled was asked for.
var compiled sync.Map

// Compiled is an expression of a table, which is compiled when it is first asked for.
func Compiled(expression string) *regexp.Regexp {
	p, known := compiled.Load(expression)
	if !known {
		p, _ = compiled.LoadOrStore(expression, regexp.MustCompile(expression))
	}
	return p.(*regexp.Regexp) // nothing else is put there
}

// Regexp returns what compiles expression once, at the first call.
func Regexp(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
