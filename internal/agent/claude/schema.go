// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: which keys a runtime knows is read out of its own binary,
// which holds its schemas as JavaScript text (2.1.224 to 2.1.329). What is not
// found where it was is an error; no text of the runtime but names of keys
// leaves this file.

package claude

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/lazy"
)

// closing returns the index behind the bracket that closes the one at s[i], -1
// if there is none.
func closing(s []byte, i int) int {
	depth := 0
	for ; i < len(s); i++ {
		switch c := s[i]; c {
		case '{', '[', '(':
			depth++
		case '}', ']', ')':
			if depth--; depth == 0 {
				return i + 1
			}
		default:
			if i = skipLiteral(s, i); i < 0 {
				return -1
			}
		}
	}
	return -1
}

// skipLiteral returns the last index of the string, template or pattern that
// begins at s[i], i itself where none does, -1 where it does not end.
func skipLiteral(s []byte, i int) int {
	switch c := s[i]; {
	case c == '"' || c == '\'':
		for i++; i < len(s) && s[i] != c; i++ {
			if s[i] == '\\' {
				i++
			}
		}
	case c == '`':
		for i++; i < len(s) && s[i] != c; i++ {
			if s[i] == '\\' {
				i++
			} else if s[i] == '$' && i+1 < len(s) && s[i+1] == '{' {
				if i = closing(s, i+1) - 1; i < 0 {
					return -1
				}
			}
		}
	case c == '/' && i > 0 && bytes.IndexByte([]byte("(,=:[!&|?{};"), s[i-1]) >= 0:
		class := false
		for i++; i < len(s) && (class || s[i] != '/'); i++ {
			switch s[i] {
			case '\\':
				i++
			case '[':
				class = true
			case ']':
				class = false
			}
		}
	}
	if i >= len(s) {
		return -1
	}
	return i
}

// parts splits the object or array literal at s[i] at its commas.
func parts(s []byte, i int) [][]byte {
	end := closing(s, i)
	if end < 0 {
		return nil
	}
	s = s[i+1 : end-1]
	var list [][]byte
	from := 0
	for j := 0; j < len(s); j++ {
		switch s[j] {
		case '{', '[', '(':
			if j = closing(s, j) - 1; j < 0 {
				return nil
			}
		case ',':
			list = append(list, s[from:j])
			from = j + 1
		default:
			if j = skipLiteral(s, j); j < 0 {
				return nil
			}
		}
	}
	return append(list, s[from:])
}

var (
	member = lazy.Regexp(`^("[^"]+"|[A-Za-z_$][\w$-]*):`)
	// schema is what the value of a key in a schema begins with: a name, or an
	// arrow in front of one.
	schema = lazy.Regexp(`^(\([^()]*\)=>)?[({A-Za-z_$]`)
	spread = lazy.Regexp(`^\.\.\.[^(]*&&\{`)
	// shapes is where schemas begin that stand apart from that of the settings.
	shapes = lazy.Regexp(`shape:\(\)=>\(\{`)
)

// keysOf lists the keys of the schema literal at s[i], with those of literals
// within as "key.nested". A literal that is no schema has none.
func keysOf(s []byte, i int) (list []string) {
	for _, part := range parts(s, i) {
		if at := spread().FindIndex(part); at != nil {
			list = append(list, keysOf(part, at[1]-1)...)
			continue
		}
		m := member().FindSubmatch(part)
		if m == nil {
			continue
		}
		name, value := strings.Trim(string(m[1]), `"`), part[len(m[0]):]
		if !schema().Match(value) {
			return nil
		}
		list = append(list, name)
		for _, nested := range within(value) {
			list = append(list, name+"."+nested)
		}
	}
	if !slices.ContainsFunc(list, func(k string) bool { return !slices.Contains(options, k) }) {
		return nil
	}
	return list
}

// options are keys of literals that are no schemas but arguments of checks.
var options = []string{"message", "error", "code", "path", "default", "abort", "params", "when"}

// within lists the keys of the literals that a schema's value holds.
func within(value []byte) (list []string) {
	for i := 0; i < len(value); i++ {
		if value[i] != '{' {
			if i = skipLiteral(value, i); i < 0 {
				break
			}
			continue
		}
		keys := keysOf(value, i)
		if keys == nil {
			continue // a function's body, perhaps with a schema in it
		}
		list = append(list, keys...)
		if i = closing(value, i) - 1; i < 0 {
			break
		}
	}
	return list
}

// around lists the keys of the innermost literal that holds the mark and has
// this key among its own.
func around(b []byte, mark, key string) []string {
	for at := 0; ; {
		i := bytes.Index(b[at:], []byte(mark))
		if i < 0 {
			return nil
		}
		at += i
		for j := at; j > max(0, at-80_000); j-- {
			if b[j] == '{' && (b[j-1] == '(' || bytes.HasSuffix(b[:j], []byte("return"))) {
				if keys := keysOf(b[:min(len(b), at+400_000)], j); slices.Contains(keys, key) {
					return keys
				}
			}
		}
		at += len(mark)
	}
}

// fewest is how many keys the settings' schema has at least: fewer mean that it
// was not found.
const fewest = 50

// SettingsKeys lists every settings key that the runtime with these bytes
// knows, dotted, in byte order.
func SettingsKeys(b []byte) ([]string, error) {
	var keys []string
	var near []byte
	for at := 0; len(keys) < fewest; {
		mark := bytes.Index(b[at:], []byte(`.describe("JSON Schema reference for Claude Code settings")`))
		if mark < 0 {
			return nil, errors.New("the schema of the settings is not where it was in the runtime")
		}
		at += mark + 1
		if from := bytes.LastIndex(b[:at], []byte("{$schema")); from > at-1000 {
			near = b[max(0, from-600_000):min(len(b), from+600_000)]
			keys = keysOf(near, from-max(0, from-600_000))
		}
	}
	for _, s := range shapes().FindAllIndex(near, -1) {
		keys = append(keys, keysOf(near, s[1]-1)...)
	}
	for _, inner := range []struct{ prefix, key string }{
		{"permissions", "disableBypassPermissionsMode"}, {"sandbox", "failIfUnavailable"},
		{"sandbox.network", "allowedDomains"},
		{"sandbox.filesystem", "denyRead"}, {"sandbox.credentials", "allowPlaintextInject"},
	} {
		found := around(b, inner.key+":", inner.key)
		if len(found) < 3 && inner.prefix != "sandbox.credentials" { // an older runtime has none
			return nil, fmt.Errorf("the schema of %s is not where it was in the runtime", inner.prefix)
		}
		for _, k := range found {
			keys = append(keys, inner.prefix+"."+k)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys), nil
}
