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

// Regexp returns what compiles expression once, at the first call.
func Regexp(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
