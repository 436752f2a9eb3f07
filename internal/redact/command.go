// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: of a command that somebody else wrote, the program is
// shown, and what names files, packages and options; every other argument may
// be a secret, and is hidden.

package redact

import (
	"net/url"
	"path"
	"strings"
)

// Command returns a command line without the arguments that may be secrets:
// programs, paths, names of options and files, small numbers and references to
// variables stay.
func Command(line string) string {
	spans := shellWords(line)
	words := make([]string, len(spans))
	for i, w := range spans {
		words[i] = line[w.from:w.to]
	}
	for from, i := 0, 0; i <= len(words); i++ {
		if i == len(words) || strings.Trim(words[i], ";&|<>()") == "" {
			copy(words[from:i], Words(words[from:i]))
			if from = i + 1; from < len(words) && words[i] == "<<<" { // what the program reads
				if !shownWord(strings.Trim(words[from], `"'`)) {
					words[from] = Mark
				}
				from++
			}
		}
	}
	var b strings.Builder
	done := 0
	for i, w := range spans {
		b.WriteString(line[done:w.from])
		b.WriteString(words[i])
		done = w.to
	}
	b.WriteString(line[done:])
	return Text(b.String())
}

// runners start what their first arguments name: so many words of them stay
// that are no option's value.
var runners = map[string]int{"npx": 1, "bunx": 1, "uvx": 1, "python": 1, "python3": 1, "node": 1, "ruby": 1, "perl": 1,
	"git": 1, "cargo": 1, "go": 1, "make": 1, "just": 1, "ruff": 1, "swiftlint": 1, "pre-commit": 1, "lefthook": 1,
	"for": 2, "docker": 2, "podman": 2, "uv": 2, "pnpm": 2, "yarn": 2, "bun": 2, "pipx": 2, "npm": 2, "deno": 2}

// grammar are words of the shell's own, in front of a command or in a condition: none of them is anybody's secret.
var grammar = []string{"if", "then", "elif", "else", "fi", "while", "until", "do", "done", "esac", "in", "!", "time",
	"{", "}", "[", "]", "[[", "]]", "=", "==", "!="}

// switches are options of runners that take no value, or one that names what
// is started.
var switches = []string{"-y", "--yes", "-q", "--quiet", "-i", "-t", "-it", "--rm", "-m", "--init", "--"}

// Words is Command for a program and its arguments, word by word.
func Words(words []string) (out []string) {
	names, program, value := 0, false, false
	for _, w := range words {
		bare := strings.Trim(w, `"'`)
		name, v, joined := strings.Cut(bare, "=")
		switch {
		case w == "", !value && isOne(w, grammar) && (!program || !lower(w[0])):
			out = append(out, w)
			program = program || strings.ContainsAny(w, "[]=") // behind it stands no program
			continue
		case strings.HasPrefix(bare, "-"):
			switch {
			case joined && shownWord(v):
				out = append(out, w)
			case joined:
				out = append(out, name+"="+Mark)
			case !strings.HasPrefix(bare, "--") && len(bare) > 2 && (len(bare) > 4 || strings.ToLower(bare) != bare ||
				strings.ContainsAny(bare, "0123456789")):
				out = append(out, bare[:2]+Mark)
			default:
				out = append(out, w)
			}
			value = !joined && !isOne(bare, switches)
			continue
		case !program && joined && !strings.ContainsAny(name, "/.~"):
			if !shownWord(v) {
				w = name + "=" + Mark
			}
			out = append(out, w)
			continue
		case !program:
			program, names = true, runners[path.Base(bare)]
			out = append(out, Text(w))
		case shownWord(bare):
			out = append(out, w)
		case strings.Contains(bare, "://"):
			out = append(out, URL(bare))
		case names > 0 && !value && joined && !strings.HasPrefix(v, "="): // make's variables; x==1 is a version
			out = append(out, name+"="+Mark)
		case names > 0 && !value && !random(bare):
			names--
			out = append(out, w)
		default:
			out = append(out, Mark)
		}
		value = false
	}
	return out
}

// shownWord says whether an argument names a file, a variable or a small
// number.
func shownWord(w string) bool {
	switch {
	case w == "" || w == "-" || strings.Contains(w, "://") || strings.ContainsAny(w, " \t\n") || random(w):
		return w == "" || w == "-"
	case strings.HasPrefix(w, "$"), strings.HasPrefix(w, "~"), strings.HasPrefix(w, "/"), strings.HasPrefix(w, "./"),
		strings.HasPrefix(w, "../"), w == ".":
		return true
	case strings.HasPrefix(w, "@") && strings.Count(w, "/") == 1:
		return true // a package
	case len(w) <= 5 && digits(w):
		return true
	}
	ext := path.Ext(w)
	return len(ext) > 1 && len(ext) <= 5 && len(ext) < len(w) && strings.Trim(ext[1:], "abcdefghijklmnopqrstuvwxyz") == ""
}

// random says whether a part of a word is so long, with letters and digits,
// that it may be a token.
func random(w string) bool {
	for part := range strings.FieldsFuncSeq(w, func(r rune) bool { return r > 'z' || !base64Byte(byte(r)) }) {
		if len(part) >= 16 && strings.ContainsAny(part, "0123456789") && strings.Trim(part, "0123456789-_") != "" {
			return true
		}
	}
	return false
}

// segments of a URL's path that say what is served there.
var segments = []string{"", "mcp", "sse", "api", "http", "stream", "server", "servers", "message", "messages", "ws",
	"rpc"}

// URL returns an address without what may be a secret in it: user, password,
// query, fragment, and the parts of the path but for those that every server
// has (mcp, sse, v1). What is no address is redacted as text.
func URL(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return Text(address)
	}
	parts := strings.Split(u.EscapedPath(), "/")
	for i, part := range parts {
		version := len(part) > 1 && len(part) <= 3 && part[0] == 'v' && digits(part[1:])
		if !isOne(part, segments) && !version {
			parts[i] = Mark
		}
	}
	shown := u.Scheme + "://" + u.Host + strings.Join(parts, "/")
	if u.RawQuery != "" || u.Fragment != "" {
		shown += "?" + Mark
	}
	return Text(shown)
}

// shellWords splits a command line at blanks and operators outside quotes.
// Quotes stay.
func shellWords(s string) (words []span) {
	begin := -1
	end := func(i int) {
		if begin >= 0 {
			words = append(words, span{begin, i})
		}
		begin = -1
	}
	var open byte
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case open != 0:
			if c == '\\' && open == '"' {
				i++
			} else if c == open {
				open = 0
			}
		case c <= ' ':
			end(i)
		case strings.IndexByte(";&|<>()", c) >= 0 && !(c == '(' && i > 0 && s[i-1] == '$'):
			end(i)
			from := i
			for i+1 < len(s) && s[i+1] == c {
				i++
			}
			words = append(words, span{from, i + 1})
		default:
			if begin < 0 {
				begin = i
			}
			if quote(c) {
				open = c
			}
			if c == '\\' {
				i++
			}
		}
	}
	end(len(s))
	return words
}
