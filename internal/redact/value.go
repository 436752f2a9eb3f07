// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what stands behind a credential-shaped name is hidden,
// whatever language writes it, and nothing else of that line is.

package redact

import (
	"path"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host/env"
)

// maxName bounds the names that are looked at, in bytes; a longer run of
// name bytes is data.
const maxName = 128

// maxEscapes bounds how often a quote may be escaped, and with it how far
// ahead a search for its counterpart can be repeated.
const maxEscapes = 8

// secretValue looks at the name that starts at s[i] and returns where the
// secret that belongs to it begins and ends; from == to means that there is
// none. It reads no further than the end of the value's line.
func secretValue(s string, i int) (from, to int) {
	end := i
	for end < len(s) && end-i <= maxName && nameByte(s[end]) {
		end++
	}
	name := s[i:end]
	if end-i > maxName {
		return 0, 0
	}
	if end == len(s) {
		return passwordFlag(s, i, end)
	}
	flag := name[0] == '-'
	if from, to = userFlag(s, i, end); to > from {
		return from, to
	}
	if strings.EqualFold(name, "bearer") && blank(s[end]) {
		from = skipBlanks(s, end)
		to = run(s, from, tokenByte)
		if to-from >= 16 && strings.ContainsAny(s[from:to], "0123456789") {
			return from, to
		}
		return 0, 0
	}
	if from, to = passwordFlag(s, i, end); to > from {
		return from, to
	}
	if at := setTo(s, i, end); at > 0 {
		return value(s, at, false)
	}
	at, colon := assigned(s, end)
	if at == 0 && flag && blank(s[end]) {
		if at = skipBlanks(s, end); at < len(s) && s[at] == '-' {
			return 0, 0
		}
	}
	if at == 0 && flag {
		at, colon = nextString(s, end), true
	}
	if at > 0 && slices.Contains(env.Helpers(), name) {
		return helperArguments(s, at, colon)
	}
	if at > 0 && flag && keyFlag(name) && !CredentialName(name) {
		if from, to = value(s, at, colon); from == at {
			to = insideQuotes(s, from, to)
		}
		if plainKey(s[from:to]) && !isOne(name, []string{"--otp"}) { // digits, as a rule
			return 0, 0
		}
		return from, to
	}
	if at > 0 && !colon && listedName(s, i, name) {
		return value(s, at, false)
	}
	if at == 0 || !CredentialName(name) && name != "_auth" { // npm's, user and password in base64
		return 0, 0
	}
	if colon && isOne(strings.TrimPrefix(strings.ToLower(name), "proxy-"),
		[]string{"authorization", "cookie", "set-cookie"}) {
		return headerValue(s, at)
	}
	if colon && !flag && blank(s[at-1]) && refusal(s[at:]) {
		return 0, 0
	}
	if colon && (sourceLine(name, s[end:]) || name == "passwd" && strings.HasSuffix(s[:i], "/etc/") && atLine(s[end:])) {
		return 0, 0
	}
	if rest, rule := strings.CutPrefix(s[end:], ":*)"); rule && (rest == "" || !nameByte(rest[0])) {
		return 0, 0 // the end of a permission rule: Bash(get-secret:*)
	}
	return value(s, at, colon)
}

// insideQuotes is the end of the word in s[from:to] where the line that it ends is itself
// in quotes, as in JSON: at the quote behind which that text ends or goes on.
func insideQuotes(s string, from, to int) int {
	i := from + strings.IndexAny(s[from:to], "\"'")
	if i < from || i+1 < len(s) && !stops(s[i+1], true) && s[i+1] != ':' {
		return to
	}
	for i > from && s[i-1] == '\\' {
		i--
	}
	return i
}

// listedName says whether the name at s[i] is one of a list in which a short one holds a
// secret: the signature of an address (Azure's shared access signatures), and the password
// of a connection string ("Uid=u;Pwd=x").
func listedName(s string, i int, name string) bool {
	if i == 0 {
		return false
	}
	switch s[i-1] {
	case '?', '&':
		return isOne(name, []string{"sig", "signature", "auth"})
	case ';':
		at, _ := assigned(s, i+len(name))
		path := at > 0 && at < len(s) && strings.IndexByte("/~$.", s[at]) >= 0 // the variable of a shell
		return isOne(name, []string{"pwd"}) && strings.Contains(lineBefore(s, i), "=") && !path
	}
	return false
}

// sourceLine says whether a name with what follows it is a place in a program's
// source, as compilers and logs write it: credentials.cc:131.
func sourceLine(name, rest string) bool {
	return slices.Contains(sources, path.Ext(name)) && atLine(rest)
}

// atLine says whether rest is the line of a file, as it follows the file's name.
func atLine(rest string) bool {
	if rest[0] != ':' {
		return false
	}
	end := run(rest, 1, func(c byte) bool { return '0' <= c && c <= '9' })
	return end > 1 && end <= maxSourceLine && (end == len(rest) || strings.IndexByte(" \t\r\n:)]", rest[end]) >= 0)
}

// sources are the endings of files of source text, maxSourceLine is a colon and the
// digits of a line of one.
var sources = []string{".c", ".cc", ".cpp", ".go", ".h", ".java", ".js", ".kt", ".php", ".py", ".rb", ".rs",
	".swift", ".ts"}

const maxSourceLine = 6

// assigned returns where the value begins that is assigned to the name that
// ends at s[i] (0: none), and whether by a colon. Between name and separator
// may stand what closes a quoted or indexed name: `"`, `\"`, `"]`, a backtick.
func assigned(s string, i int) (at int, colon bool) {
	end := min(len(s), i+8)
	for i < end && (s[i] == '\\' || delimiter(s[i]) || s[i] == ']' && quote(s[i-1])) {
		i++
	}
	i = skipBlanks(s, i)
	if i >= len(s) {
		return 0, false
	}
	switch s[i] {
	case '=':
		i = run(s, i, func(c byte) bool { return c == '=' || c == '>' })
	case ':':
		colon = true
		if i++; i < len(s) && (s[i] == ':' || s[i] == '/') {
			return 0, false
		}
		if i < len(s) && s[i] == '=' {
			i++
		}
	default:
		return 0, false
	}
	return skipBlanks(s, i), colon
}

// value returns the extent of the value at s[i]: a quoted string without its
// quotes, or a shell word; in flow text (JSON, YAML) a word also ends at a
// comma or a closing bracket. A list, an object, a reference and a literal
// that cannot be a secret have none.
func value(s string, i int, flow bool) (from, to int) {
	if open := escapes(s, i); open < len(s) && quote(s[open]) {
		from = open + 1
		to, after := closed(s, from, s[open], open-i)
		if literal(s[from:to], s[open] == '\'') {
			return 0, 0
		}
		if after < len(s) && !stops(s[after], true) {
			return i, wordEnd(s, after, flow) // "a"b is one shell word
		}
		return from, to
	}
	if i < len(s) && (s[i] == '{' || s[i] == '[' && !strings.HasPrefix(s[i:], Mark)) {
		return 0, 0
	}
	to = wordEnd(s, i, flow)
	if literal(s[i:to], false) {
		return 0, 0
	}
	return i, to
}

// refusals are what a system says of a file (strerror(3)). Behind the name of
// one, "…/credentials: No such file or directory", they are no secret: whoever
// knows the phrase knows all that it shows.
var refusals = [...]string{"No such file or directory", "No such file", "Permission denied", "Operation not permitted",
	"Read-only file system", "Is a directory", "Not a directory", "File exists"}

// refusal says whether s begins with one of refusals, and nothing of a word
// follows it.
func refusal(s string) bool {
	for _, phrase := range refusals {
		if rest, ok := strings.CutPrefix(s, phrase); ok && (rest == "" || !nameByte(rest[0]) && !quote(rest[0])) {
			return true
		}
	}
	return false
}

// escapes returns the end of the backslashes at s[i].
func escapes(s string, i int) int {
	return run(s[:min(len(s), i+maxEscapes)], i, func(c byte) bool { return c == '\\' })
}

// closed looks from s[i] on for the quote q that ends a string whose opening
// quote had n backslashes before it, since the text was quoted again around
// it. It returns where the string ends and what follows begins; both are the
// end of the line if the quote is missing. Of k backslashes before a quote, n
// are the text's and each further n+1 stand for one of the string's own; an
// odd number of those makes the quote a part of the string.
func closed(s string, i int, q byte, n int) (to, after int) {
	k := 0
	for ; i < len(s) && s[i] != '\n' && s[i] != '\r'; i++ {
		switch {
		case s[i] == '\\':
			k++
			continue
		case s[i] == q && (k < n || (k-n)%(2*n+2) == 0):
			return i - min(k, n), i + 1
		}
		k = 0
	}
	return i, i
}

// wordEnd returns the end of the shell word at s[i]: quotes and escapes may
// stand in it, and the mark of an earlier pass is one letter of it.
func wordEnd(s string, i int, flow bool) int {
	for i < len(s) {
		switch c := s[i]; {
		case strings.HasPrefix(s[i:], Mark):
			i += len(Mark)
		case c == '\\' && i+1 < len(s) && s[i+1] != '\n':
			i += 2
		case c == '"' || c == '\'':
			_, i = closed(s, i+1, c, 0)
		case stops(c, flow):
			return i
		default:
			i++
		}
	}
	return min(i, len(s))
}

// headerValue returns the extent of an HTTP header's value: to the closing
// quote or the end of the line, without the name of the scheme.
func headerValue(s string, i int) (from, to int) {
	i = run(s, i, func(c byte) bool { return c == '\\' || quote(c) || c == ' ' })
	to = i
	for to < len(s) && !delimiter(s[to]) && s[to] != '\n' && s[to] != '\r' {
		to++
	}
	if to > i && to < len(s) && s[to-1] == '\\' {
		to--
	}
	for _, scheme := range []string{"bearer", "basic", "token", "digest", "negotiate"} {
		if n := len(scheme); to-i > n && strings.EqualFold(s[i:i+n], scheme) && !alnum(s[i+n]) {
			i = min(to, run(s, i+n, func(c byte) bool { return c == '\\' || c == ' ' }))
			break
		}
	}
	return i, to
}

// userPassword returns the password of a "user:password" argument, or all of
// it where a quote stands elsewhere than around it. A pair of numbers is a
// user and a group.
func userPassword(s string, i int) (from, to int) {
	from = i
	if i < len(s) && (s[i] == '"' || s[i] == '\'') {
		from++
	}
	user := run(s, from, func(c byte) bool { return c != ':' && !quote(c) && !stops(c, false) })
	to = wordEnd(s, i, false)
	if user >= to || s[user] != ':' {
		if strings.IndexByte(s[i:to], ':') >= 0 {
			return i, to
		}
		return 0, 0
	}
	if from > i {
		end, after := closed(s, from, s[i], 0)
		if after < to {
			return i, to
		}
		to = end
	}
	if digits(s[user+1 : to]) {
		return 0, 0
	}
	return user + 1, to
}

// literal says whether a value is none: empty, a word for yes, no or nothing, or a reference
// to a variable or a command. In single quotes "$" and a backtick are letters.
func literal(v string, single bool) bool {
	switch v {
	case "", "true", "false", "null", "none", "None", "nil", "YES", "NO", "yes", "no":
		return true
	}
	if single || len(v) == 1 {
		return false
	}
	if v[0] == '`' {
		return v[len(v)-1] == '`'
	}
	if v[0] != '$' {
		return false
	}
	if v[1] == '(' {
		return true
	}
	name := strings.TrimSuffix(strings.TrimPrefix(v[1:], "{"), "}")
	return strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}

// stops says whether c ends an unquoted value.
func stops(c byte, flow bool) bool {
	return c <= ' ' || strings.IndexByte(";&|<>()`", c) >= 0 || flow && (c == ',' || c == '}' || c == ']')
}

// quote says whether c opens and closes a value. A backtick does not: a shell
// runs what stands between two of them, so that is a reference, not a secret.
func quote(c byte) bool { return c == '"' || c == '\'' }

// delimiter says whether c closes a name or a header.
func delimiter(c byte) bool { return quote(c) || c == '`' }

func blank(c byte) bool { return c == ' ' || c == '\t' }

func skipBlanks(s string, i int) int { return run(s, i, blank) }
