// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: JSON is read once, without building values and without
// recursion, and is understood exactly when encoding/json would. A document
// of 1 MiB takes encoding/json several times the budget of a hook.

package hook

import (
	"errors"
	"strings"
)

// maxDepth is encoding/json's bound for nested values.
const maxDepth = 10000

// errSyntax is the error of a text that is no JSON, errEnd that of one that
// ends too early.
var (
	errSyntax = errors.New("not JSON")
	errEnd    = errors.New("unexpected end of JSON")
)

// value is a value of a JSON document and where it stands.
type value struct {
	// depth counts the objects and arrays around it.
	depth int
	// top is the member of the outermost object that it is or lies in, key
	// the member of the innermost; "" in an array. Both as written, with
	// quotes.
	top, key string
	// container is where the innermost object or array begins.
	container int
	// raw is the value as written; of an object or array its first byte.
	raw string
}

// frame is an object or array that is open.
type frame struct {
	object bool
	start  int
}

// walk calls visit with each value of the JSON text s that is a member of an
// object or an element of an array. A string that the end of s cuts off is
// visited as it is, before errEnd is returned.
func walk(s string, visit func(value)) error {
	end, err := walkValue(s, 0, visit)
	if err == nil && blanks(s, end) < len(s) {
		return errSyntax
	}
	return err
}

// walkValue is walk for the value that begins at s[i]; what follows it is not
// looked at. It returns where the value ends.
func walkValue(s string, i int, visit func(value)) (end int, err error) {
	var stack []frame
	var top, key string
	for {
		// A value, or the end of an empty container.
		if i = blanks(s, i); i == len(s) {
			return i, errEnd
		}
		switch c := s[i]; {
		case c == '{' || c == '[':
			if len(stack) == maxDepth {
				return i, errSyntax
			}
			if n := len(stack); n > 0 {
				visit(value{n, top, key, stack[n-1].start, s[i : i+1]})
			}
			stack = append(stack, frame{c == '{', i})
			key = ""
			i++
			if c == '[' {
				if i = blanks(s, i); i == len(s) || s[i] != ']' {
					continue
				}
			} else if i = blanks(s, i); i == len(s) || s[i] != '}' {
				if key, i, err = member(s, i); err != nil {
					return i, err
				}
				if len(stack) == 1 {
					top = key
				}
				continue
			}
			i++
			stack = stack[:len(stack)-1]
		default:
			var at int
			at, err = scalar(s, i)
			if n := len(stack); n > 0 && (err == nil || c == '"' && errors.Is(err, errEnd)) {
				visit(value{n, top, key, stack[n-1].start, s[i:at]})
			}
			if i = at; err != nil {
				return i, err
			}
		}
		// What follows a value: a comma, or the end of containers.
		for {
			if len(stack) == 0 {
				return i, nil
			}
			if i = blanks(s, i); i == len(s) {
				return i, errEnd
			}
			in := stack[len(stack)-1]
			if s[i] == ',' {
				i++
				if key = ""; in.object {
					if key, i, err = member(s, blanks(s, i)); err != nil {
						return i, err
					}
					if len(stack) == 1 {
						top = key
					}
				}
				break
			}
			if in.object && s[i] != '}' || !in.object && s[i] != ']' {
				return i, errSyntax
			}
			stack = stack[:len(stack)-1]
			i++
		}
	}
}

// member reads a key and its colon, and returns the key and what follows.
func member(s string, i int) (key string, next int, err error) {
	if i == len(s) {
		return "", i, errEnd
	}
	if s[i] != '"' {
		return "", i, errSyntax
	}
	end, err := text(s, i)
	if err != nil {
		return "", end, err
	}
	key = s[i:end]
	if i = blanks(s, end); i == len(s) {
		return key, i, errEnd
	}
	if s[i] != ':' {
		return key, i, errSyntax
	}
	return key, i + 1, nil
}

// scalar returns the end of the string, number or literal at s[i].
func scalar(s string, i int) (end int, err error) {
	switch c := s[i]; {
	case c == '"':
		return text(s, i)
	case c == '-' || '0' <= c && c <= '9':
		return number(s, i)
	}
	for _, word := range [...]string{"true", "false", "null"} {
		if s[i] != word[0] {
			continue
		}
		if strings.HasPrefix(s[i:], word) {
			return i + len(word), nil
		}
		if strings.HasPrefix(word, s[i:]) {
			return len(s), errEnd
		}
	}
	return i, errSyntax
}

// text returns the end of the string at s[i].
func text(s string, i int) (end int, err error) {
	for i++; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return i + 1, nil
		case c < ' ':
			return i, errSyntax
		case c == '\\':
			if i++; i == len(s) {
				return i, errEnd
			}
			if s[i] == 'u' {
				for range 4 {
					if i++; i == len(s) {
						return i, errEnd
					}
					if !hex(s[i]) {
						return i, errSyntax
					}
				}
			} else if strings.IndexByte(`"\/bfnrt`, s[i]) < 0 {
				return i, errSyntax
			}
		}
	}
	return i, errEnd
}

func hex(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f' }

// number returns the end of the number at s[i].
func number(s string, i int) (end int, err error) {
	if s[i] == '-' {
		i++
	}
	if i < len(s) && s[i] == '0' {
		i++
	} else if i, err = digits(s, i); err != nil {
		return i, err
	}
	if i < len(s) && s[i] == '.' {
		if i, err = digits(s, i+1); err != nil {
			return i, err
		}
	}
	if i < len(s) && s[i]|0x20 == 'e' {
		if i++; i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		if i, err = digits(s, i); err != nil {
			return i, err
		}
	}
	return i, nil
}

// digits returns the end of the digits at s[i], of which there has to be one.
func digits(s string, i int) (end int, err error) {
	if i == len(s) {
		return i, errEnd
	}
	start := i
	for i < len(s) && '0' <= s[i] && s[i] <= '9' {
		i++
	}
	if i == start {
		return i, errSyntax
	}
	return i, nil
}

func blanks(s string, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\n' || s[i] == '\r' || s[i] == '\t') {
		i++
	}
	return i
}
