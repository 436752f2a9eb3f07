// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a small reader for the csh commands that matter here. What
// stands in a condition is taken for met. A quote or a bracket that does not end
// makes the rest of the file unread. (tcsh(1): Lexical structure, Control flow,
// Builtin commands.)

package shellrc

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/shell"
)

// cshWord is one word: as written, and without its quotes.
type cshWord struct{ raw, text string }

type cshReader struct {
	src       []byte
	pos, line int
	scope
	file *File
}

func (u User) readCsh(f *File, b []byte) {
	r := &cshReader{src: b, line: 1, scope: newScope(u), file: f}
	for {
		line, words, ok, err := r.next()
		if err != nil {
			f.Unread = fmt.Errorf("%d: %w", line, err)
			return
		}
		if !ok {
			return
		}
		r.command(line, words)
	}
}

var errCshOpen = errors.New("a quote does not end")

// next returns the words of the next command and the line that it begins on; ok
// is false at the end of the text.
func (r *cshReader) next() (line int, words []cshWord, ok bool, err error) {
	line = r.line
	for r.pos < len(r.src) {
		c := r.src[r.pos]
		switch {
		case c == ' ' || c == '\t' || c == '\r':
			r.pos++
		case c == '\\' && r.pos+1 < len(r.src) && r.src[r.pos+1] == '\n':
			r.pos, r.line = r.pos+2, r.line+1
		case c == '\n', c == ';', c == '|', c == '&':
			if r.pos++; c == '\n' {
				r.line++
			}
			return line, words, true, nil
		case c == '#':
			r.pos += len(upTo(r.src[r.pos:], '\n'))
		case c == '(' || c == ')' || c == '<' || c == '>':
			r.pos++
			words = append(words, cshWord{raw: string(c), text: string(c)})
		default:
			if len(words) == 0 {
				line = r.line
			}
			w, err := r.word()
			if err != nil {
				return line, nil, false, err
			}
			words = append(words, w)
		}
	}
	return line, words, len(words) > 0, nil
}

// word reads one word. "!" is history wherever it stands, unless a backslash is
// before it; in a file that is sourced it is not, so that it stays as it is.
func (r *cshReader) word() (cshWord, error) {
	var text strings.Builder
	start, quote := r.pos, byte(0)
	for ; r.pos < len(r.src); r.pos++ {
		c := r.src[r.pos]
		switch {
		case c == '\\' && r.pos+1 < len(r.src) && (quote == 0 || r.src[r.pos+1] == '!' || r.src[r.pos+1] == '\n'):
			if r.pos++; r.src[r.pos] == '\n' {
				r.line++
			}
			text.WriteByte(r.src[r.pos])
			continue
		case c == '\n' && quote != 0:
			return cshWord{}, errCshOpen
		case quote == 0 && (c == '\'' || c == '"' || c == '`'), c == quote && quote != 0:
			if quote == 0 {
				quote = c
			} else {
				quote = 0
			}
			if c != '`' {
				continue
			}
		case quote == 0 && strings.IndexByte(" \t\r\n;|&()<>", c) >= 0:
			return cshWord{string(r.src[start:r.pos]), text.String()}, nil
		}
		text.WriteByte(c)
	}
	if quote != 0 {
		return cshWord{}, errCshOpen
	}
	return cshWord{string(r.src[start:r.pos]), text.String()}, nil
}

// command follows one command; what stands in front of another one is taken off.
func (r *cshReader) command(line int, words []cshWord) {
	for len(words) > 0 && slices.Contains([]string{"if", "else", "while", "switch", "then", ")", "nohup", "time", "@"},
		words[0].raw) {
		if words = words[1:]; len(words) > 0 && words[0].raw == "(" {
			words = behind(words)
		}
	}
	if len(words) == 0 {
		return
	}
	def := Def{File: r.file.Path, Line: line}
	args := words[1:]
	switch name := words[0].text; {
	case name == "alias" && len(args) > 1:
		def.Name, def.Value = args[0].text, AliasOfCsh(joined(args[1:], func(w cshWord) string { return w.text }))
		r.file.Aliases = append(r.file.Aliases, def)
	case name == "unalias" && len(args) > 0:
		r.file.Aliases = slices.DeleteFunc(r.file.Aliases, func(d Def) bool { return d.Name == args[0].text })
	case name == "setenv" && len(args) > 1:
		def.Name, def.Value = args[0].text, args[1].text
		r.file.Sets = append(r.file.Sets, def)
	case name == "set" && len(args) > 0:
		r.assigned(def, args)
	case name == "source" && len(args) > 0:
		from := args[len(args)-1]
		addSource(r.file, Ref{File: r.file.Path, Line: line, Text: from.raw}, r.path(from))
	case name == "foreach", name == "end", name == "endif", name == "endsw", name == "breaksw", name == "alias",
		name == "case", strings.HasSuffix(name, ":"):
	default:
		def.Value = joined(words, func(w cshWord) string { return w.raw })
		r.file.Calls = append(r.file.Calls, def)
	}
}

// behind are the words behind a condition in brackets.
func behind(words []cshWord) []cshWord {
	depth := 0
	for i, w := range words {
		switch w.raw {
		case "(":
			depth++
		case ")":
			if depth--; depth == 0 {
				return words[i+1:]
			}
		}
	}
	return nil
}

// assigned notes the list of directories that "set path = (...)" sets, which the
// shell exports as PATH.
func (r *cshReader) assigned(def Def, args []cshWord) {
	name, _, _ := strings.Cut(args[0].text, "=")
	var list []string
	for _, w := range args[1:] {
		if !slices.Contains([]string{"=", "(", ")"}, w.raw) {
			list = append(list, w.text)
		}
	}
	if name == "path" && len(list) > 0 {
		def.Name, def.Value = "PATH", strings.ReplaceAll(strings.Join(list, ":"), "$path", "$PATH")
		r.file.Sets = append(r.file.Sets, def)
	}
}

// path is a file that a word names, nil if only the running shell knows it.
func (r *cshReader) path(w cshWord) []shell.Value {
	text := w.text
	for _, home := range []string{"~/", "$HOME/", "${HOME}/", "$home/", "${home}/"} {
		if rest, ok := strings.CutPrefix(text, home); ok && strings.HasPrefix(strings.Trim(w.raw, `"`), home) {
			text = r.user.Home + "/" + rest
			break
		}
	}
	if strings.ContainsAny(text, "$`*?[{") {
		return nil
	}
	return []shell.Value{shell.Literal(text)}
}

// joined are words as other shells write them.
func joined(words []cshWord, of func(cshWord) string) string {
	var list []string
	for _, w := range words {
		list = append(list, of(w))
	}
	return strings.Join(list, " ")
}

// AliasOfCsh is an alias of csh as other shells write it: its own arguments stand
// behind it, unless it says where ("!*").
func AliasOfCsh(text string) string {
	for _, all := range []string{"!*", "!:*"} {
		text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), all))
		text = strings.ReplaceAll(text, all, `"$@"`)
	}
	return text
}
