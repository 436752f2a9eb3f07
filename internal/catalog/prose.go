// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a line that speaks about an error, in code, a test, a document
// or a history, is not one.

package catalog

import (
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/lazy"
)

// quotation says whether a line is one of a file that was searched or printed:
// "FILE.EXT:LINE:" stands before it, or the marks of a comment or a list.
func quotation(line string) bool {
	line = strings.TrimSpace(line)
	return listed(line) || placed(line)
}

// placed says whether "FILE.EXT:LINE:" stands before a line.
func placed(line string) bool {
	file, rest, _ := strings.Cut(line, ":")
	number, _, numbered := strings.Cut(rest, ":")
	return numbered && number != "" && strings.Trim(number, "0123456789") == "" && strings.Contains(file, ".") &&
		!strings.Contains(file, " ")
}

// listed says whether the marks of a comment or a list stand before a line.
func listed(line string) bool {
	for _, mark := range []string{"//", "/*", "<!--", "- ", "* "} {
		if rest, ok := strings.CutPrefix(toLower(line), mark); ok {
			rest = strings.TrimSpace(rest)
			return !slices.ContainsFunc(verbose[mark], func(s string) bool { return strings.HasPrefix(rest, s) })
		}
	}
	return false
}

// verbose are the beginnings of lines that curl -v writes behind "* ", and gh and
// the runtime behind "- ".
var verbose = map[string][]string{
	"* ": {"connect tunnel failed", "could not resolve ", "received http code ", "proxy connect aborted", "connect to ",
		"failed to connect "},
	"- ": {"the token in ", "/"},
}

// spoken are marks of lines that speak about an error: the code that makes one,
// the assertion of a test, the name of one, the message of a commit. Those of
// spokenFirst begin the line.
var (
	spoken = []string{"throw new ", "expect(", "describe(", ".tothrow", "errors.new(", "errorf(",
		"panic(", "#[error(", "bail!(", "() =>", "=> {", " ... ok", " means that ", "got \"", "want \""}
	spokenFirst = []string{"✓ ", "✔ ", "√ ", "pass ", "ok ", "not ok ", "it('", "it(\"", "fix:", "feat:", "docs:",
		"chore:", "fixed:", "fix ", "* feat", "* fix", "stash@{",
		"if you ", "when ", "why ", "how ", "note that ", "a command that "}
)

// asserts are the same for words that names hold too: they stand alone, outside
// of a path, and no error follows what is raised, as in a trace on one line. Of weighed
// both words stand on the line: a test says what it got, and what it wanted. Where it
// wanted no error, what it got is one, and so is what somebody tells.
var (
	asserts = lazy.Regexp(`(^|[^\w/-])assert\w*([^\w/-]|$)`)
	raises  = lazy.Regexp(`(^|[^\w/-])raise [\w.]+`)
	raised  = lazy.Regexp(`[ )][\w.]*(error|exception): `)
	weighed = lazy.Regexp(`\bgot\b.*\bwant(ed)?\b|\bwant(ed)?\b.*\bgot\b|` +
		`\bexpected\b.*\b(got|was|were|received|actual|actually|instead)\b`)
	wantsNone = lazy.Regexp(`\b(expected|want(ed)?):? (<?nil\b|no err|success)|\b(i|we)\b`)
	paths     = lazy.Regexp(`[^\s'"(]*/[^\s'"]*`)
)

// asserted says whether a line in small letters is an assertion, or code that
// raises an error.
func asserted(line string) bool {
	if strings.Contains(line, "assert") && asserts().MatchString(paths().ReplaceAllString(line, "/")) {
		return true
	}
	at := raises().FindStringIndex(line)
	return at != nil && !raised().MatchString(line[at[1]:])
}

// committed says whether a line is that of a commit in a list: its short name
// stands first, or behind the lines of a graph or the name of a branch.
func committed(line string) bool {
	line = strings.TrimLeft(line, "*|/\\_^ ")
	branch, rest, spaced := strings.Cut(line, " ")
	if spaced && strings.Trim(branch, "abcdefghijklmnopqrstuvwxyz-/.") == "" {
		line = strings.TrimLeft(rest, " ")
	}
	name, _, more := strings.Cut(line, " ")
	return more && len(name) >= 7 && len(name) <= 40 && strings.Trim(name, "0123456789abcdef") == "" &&
		strings.ContainsAny(name, "abcdef") && strings.ContainsAny(name, "0123456789")
}

// prose says whether a line speaks about an error, as a document, code or the
// message of a commit does: by the marks of these, or since its words stand
// between backquotes, or a verb follows them.
func prose(line string) bool {
	line = toLower(strings.TrimSpace(line))
	begins := func(mark string) bool { return strings.HasPrefix(line, mark) }
	if asserted(line) || weighed().MatchString(line) && !wantsNone().MatchString(line) ||
		strings.HasPrefix(line, "● ") && !strings.HasPrefix(line, "● bash(") || committed(line) ||
		slices.ContainsFunc(spokenFirst, begins) ||
		slices.ContainsFunc(spoken, func(mark string) bool { return strings.Contains(line, mark) }) {
		return true
	}
	quote := line
	if quotation(line) {
		quote = line[1+strings.LastIndexByte(line[:1+strings.Index(line, "`")], ':'):]
	}
	if rest, ok := strings.CutPrefix(strings.TrimSpace(quote), "`"); ok {
		inner, _, closed := strings.Cut(rest, "`")
		return closed && strings.Contains(inner, " ")
	}
	for _, end := range []string{"permitted", "denied", "refused", "read-only file system", "file or directory"} {
		_, rest, _ := strings.Cut(line, end)
		verb, _, more := strings.Cut(strings.TrimPrefix(strings.TrimLeft(rest, "`'\""), " "), " ")
		if more && slices.Contains([]string{"was", "is", "are", "means"}, verb) {
			return true
		}
	}
	return false
}
