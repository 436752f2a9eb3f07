// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a variable in a configuration has the value of now, and
// its default too: the session may be started where it is not set.

package shell

import (
	"regexp"
	"strings"
	"sync"
)

// braced is a variable as the runtime replaces it in the configuration of a
// server (its reference of MCP).
var braced = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}`)
})

// Expand lists the values that a text of a server's configuration may have:
// ${NAME} and ${NAME:-default} are replaced. known is false where a variable
// has neither value nor default, and where getenv is nil; such a one is left
// as it is.
func Expand(text string, getenv func(string) string) (texts []string, known bool) {
	m := braced().FindStringSubmatchIndex(text)
	if m == nil {
		return []string{text}, !strings.Contains(text, "${")
	}
	known = getenv != nil
	var values []string
	if known {
		if value := getenv(text[m[2]:m[3]]); value != "" {
			values = append(values, value)
		}
	}
	if m[4] >= 0 {
		values = union(values, []string{text[m[4]:m[5]]})
	}
	if values == nil {
		values, known = []string{text[m[0]:m[1]]}, false
	}
	rest, restKnown := Expand(text[m[1]:], getenv)
	for _, value := range values {
		for _, end := range rest {
			if len(texts) < maxValues {
				texts = union(texts, []string{text[:m[0]] + value + end})
			}
		}
	}
	return texts, known && restKnown && len(values)*len(rest) <= maxValues
}
