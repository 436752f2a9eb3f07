// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whether a path lies in a directory is decided here and
// nowhere else, element by element: /home/ana is not in /home/an. A directory
// that is unknown ("") holds nothing.

// Package pathname compares paths as text: clean ones, absolute or below the
// same place. What a symlink leads to is asked of internal/host first.
package pathname

import (
	"iter"
	"path"
	"slices"
	"strings"
	"unicode/utf16"
)

// Within says whether path is dir or lies below it.
func Within(path, dir string) bool {
	if path == "" || dir == "" {
		return false
	}
	_, below := Below(path, dir)
	return below || path == dir || path == strings.TrimSuffix(dir, "/")
}

// WithinAny says whether path is one of dirs or lies below one.
func WithinAny(path string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool { return Within(path, dir) })
}

// Below says whether path lies below dir, and where there.
func Below(path, dir string) (rest string, ok bool) {
	if dir == "" {
		return "", false
	}
	if rest, ok = strings.CutPrefix(path, strings.TrimSuffix(dir, "/")); !ok || len(rest) < 2 || rest[0] != '/' {
		return "", false
	}
	return rest[1:], true
}

// Upward are dir and the directories above it, the nearest first.
func Upward(dir string) iter.Seq[string] { return UpTo(dir, "/") }

// UpTo is Upward as far as last.
func UpTo(dir, last string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for yield(dir) && dir != last && dir != path.Dir(dir) {
			dir = path.Dir(dir)
		}
	}
}

// From is path as a program sees it that runs in dir.
func From(dir, p string) string {
	if path.IsAbs(p) {
		return p
	}
	return path.Join(dir, p)
}

// Like says whether a name is like one of some patterns (path.Match). One that is no
// pattern is like itself alone.
func Like(name string, patterns ...string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		like, err := path.Match(pattern, name)
		return like || err != nil && pattern == name
	})
}

// Expand is the path that "~" or "~/x" stands for, clean, and whether p is such a
// one. Anything else is given back as it is: "~ana/x" is another user's, "a~" a name.
// The text decides: "~/../x" is beside the home as it is called, not beside where a
// symlink leads. So the runtime reads settings, rules and arguments (measured with
// 2.1.329); git and a shell leave ".." to the system.
func Expand(p, home string) (expanded string, tilde bool) {
	if p != "~" && !strings.HasPrefix(p, "~/") || home == "" {
		return p, false
	}
	return path.Join(home, p[1:]), true
}

// Tilde is path with "~" in the place of the home directory.
func Tilde(path, home string) string {
	if path == home && home != "" {
		return "~"
	}
	if rest, ok := Below(path, home); ok {
		return "~/" + rest
	}
	return path
}

// TildeIn is a sentence with "~" in the place of the home directory, where a word
// of it is a path there: not in quotes, nor in a longer word such as a rule.
func TildeIn(sentence, home string) string {
	if home == "" || home == "/" {
		return sentence
	}
	var out strings.Builder
	rest := sentence
	for {
		i := strings.Index(rest, home)
		if i < 0 {
			return out.String() + rest
		}
		before, after := rest[:i], rest[i+len(home):]
		begins := strings.HasSuffix(before, " ") || strings.HasSuffix(before, "(") || before == "" && out.Len() == 0
		behind := strings.TrimLeft(after, ",:;.)") // names may hold them, and then go on
		ends := behind == "" || behind[0] == ' ' || after[0] == '/'
		if out.WriteString(before); begins && ends {
			out.WriteString("~")
		} else {
			out.WriteString(home)
		}
		rest = after
	}
}

// Gone says of the target of a link, or of a path in a file, that it is not
// there.
func Gone(path string) string { return path + ", which does not exist" }

// NotDirectory follows a path that should be one.
const NotDirectory = " is not a directory"

// BrokenLink says that a path is a link to where nothing is.
func BrokenLink(to string) string { return "is a symlink to " + Gone(to) }

// BeforeWildcard is the directory above a pattern's first wildcard, and a path
// without one as it is.
func BeforeWildcard(pattern string) string {
	if i := strings.IndexAny(pattern, "*?["); i >= 0 {
		return path.Dir(pattern[:i+1])
	}
	return pattern
}

// Dashed is a path as one name: every UTF-16 unit but an ASCII letter or digit becomes
// "-". Two paths may have one name.
func Dashed(path string) string {
	var name strings.Builder
	for _, unit := range utf16.Encode([]rune(path)) {
		if unit >= 'a' && unit <= 'z' || unit >= 'A' && unit <= 'Z' || unit >= '0' && unit <= '9' {
			name.WriteByte(byte(unit))
		} else {
			name.WriteByte('-')
		}
	}
	return name.String()
}

// Word is a path, or anything else, as one word of a line for a POSIX shell, bash or
// zsh, whatever is in it. Plain characters stay as they are.
func Word(word string) string {
	plain := strings.IndexFunc(word, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			strings.ContainsRune("@%_+=:,./-", r))
	}) < 0
	if plain && word != "" && word[0] != '=' { // zsh expands =name
		return word
	}
	return Quoted(word)
}

// Quoted is such a word between quotes. No three quotes follow each other, so that
// zsh's RC_QUOTES changes nothing.
func Quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
