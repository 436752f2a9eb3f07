// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a word has values only if the file itself says them: by
// literals, the home, and variables that it set from such words. Nothing is
// guessed.

package shellrc

import (
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxValues bounds how many values a word may have, maxWord how many bytes
// each: no path is longer (PATH_MAX of Linux).
const (
	maxValues = 16
	maxWord   = 4096
)

// value is one value of a word: as text, and as a pattern in which only what
// the shell would expand is special.
type value struct {
	text, pattern string
	glob          bool
}

func literal(s string) value { return value{text: s, pattern: escapeGlob(s)} }

var globEscaper = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`)

func escapeGlob(s string) string { return globEscaper.Replace(s) }

// scope holds the variables whose values are known.
type scope struct {
	user User
	vars map[string][]value // nil: set, but not known
}

func newScope(u User) scope {
	return scope{user: u, vars: map[string][]value{"HOME": {literal(u.Home)}}}
}

func (s *scope) set(name string, values []value) { s.vars[name] = values }

// get returns a variable's values, and whether the variable is set as far as
// is known.
func (s *scope) get(name string) (values []value, set bool) {
	if v, ok := s.vars[name]; ok {
		return v, true
	}
	if v := s.user.Getenv(name); v != "" && (name == "ZDOTDIR" || strings.HasPrefix(name, "XDG_")) {
		return []value{literal(v)}, true
	}
	return nil, false
}

// values are those of several words, nil if one of them is unknown.
func (s *scope) values(words []*syntax.Word) (all []value) {
	for _, word := range words {
		v := s.word(word)
		if v == nil || len(all)+len(v) > maxValues {
			return nil
		}
		all = append(all, v...)
	}
	return all
}

// plain is a word that has one value, or "".
func (s *scope) plain(word *syntax.Word) string {
	if v := s.word(word); len(v) == 1 && !v[0].glob {
		return v[0].text
	}
	return ""
}

// word returns the values of a word, nil if they are not known.
func (s *scope) word(word *syntax.Word) []value {
	all := []value{{}}
	for i, part := range word.Parts {
		var vs []value
		switch p := part.(type) {
		case *syntax.Lit:
			vs = s.unquoted(p.Value, i == 0)
		case *syntax.SglQuoted:
			if !p.Dollar || !strings.Contains(p.Value, `\`) {
				vs = []value{literal(p.Value)}
			}
		case *syntax.DblQuoted:
			vs = s.quoted(p)
		case *syntax.ParamExp:
			vs = s.param(p)
		}
		if all = product(all, vs); all == nil {
			return nil
		}
	}
	return all
}

// product appends each of b to each of a; nil if either is unknown.
func product(a, b []value) []value {
	if len(a)*len(b) == 0 || len(a)*len(b) > maxValues {
		return nil
	}
	var all []value
	for _, v := range a {
		for _, w := range b {
			if len(v.text)+len(w.text) > maxWord {
				return nil
			}
			all = append(all, value{v.text + w.text, v.pattern + w.pattern, v.glob || w.glob})
		}
	}
	return all
}

// unquoted reads a literal outside quotes: backslashes quote, a first "~/" is
// the home, "*?[" expand. Braces and "~name" are not known.
func (s *scope) unquoted(lit string, first bool) []value {
	var text, pattern strings.Builder
	glob := false
	if first && strings.HasPrefix(lit, "~") {
		if lit != "~" && !strings.HasPrefix(lit, "~/") {
			return nil
		}
		lit = lit[1:]
		text.WriteString(s.user.Home)
		pattern.WriteString(escapeGlob(s.user.Home))
	}
	for i := 0; i < len(lit); i++ {
		c := lit[i]
		switch c {
		case '{':
			return nil
		case '*', '?', '[':
			glob = true
			text.WriteByte(c)
			pattern.WriteByte(c)
			continue
		case '\\':
			if i++; i == len(lit) || lit[i] == '\n' {
				continue
			}
			c = lit[i]
		}
		text.WriteByte(c)
		pattern.WriteString(escapeGlob(string([]byte{c})))
	}
	return []value{{text.String(), pattern.String(), glob}}
}

func (s *scope) quoted(q *syntax.DblQuoted) []value {
	all := []value{{}}
	for _, part := range q.Parts {
		var vs []value
		switch p := part.(type) {
		case *syntax.Lit:
			vs = []value{literal(unescapeQuoted(p.Value))}
		case *syntax.ParamExp:
			vs = s.param(p)
		}
		if all = product(all, vs); all == nil {
			return nil
		}
	}
	return all
}

// unescapeQuoted takes away the backslashes that quote inside double quotes.
func unescapeQuoted(lit string) string {
	var b strings.Builder
	for i := 0; i < len(lit); i++ {
		if lit[i] == '\\' && i+1 < len(lit) && strings.IndexByte("$`\"\\\n", lit[i+1]) >= 0 {
			if i++; lit[i] == '\n' {
				continue
			}
		}
		b.WriteByte(lit[i])
	}
	return b.String()
}

// param knows $X, ${X} and ${X:-word}.
func (s *scope) param(p *syntax.ParamExp) []value {
	if p.Param == nil || p.Flags != nil || p.Excl || p.Length || p.Width || p.IsSet || p.NestedParam != nil ||
		p.Index != nil || len(p.Modifiers) > 0 || p.Slice != nil || p.Repl != nil || p.Names != 0 {
		return nil
	}
	vs, set := s.get(p.Param.Value)
	if p.Exp == nil {
		return vs
	}
	if p.Exp.Op != syntax.DefaultUnset && p.Exp.Op != syntax.DefaultUnsetOrNull {
		return nil
	}
	if set || p.Exp.Word == nil {
		return vs
	}
	return s.word(p.Exp.Word)
}

// addSource files a sourced operand under what is known of it. A relative
// path is unknown: it depends on the directory or on PATH.
func addSource(f *File, ref Ref, values []value) {
	known := slices.DeleteFunc(slices.Clone(values), func(v value) bool { return !filepath.IsAbs(v.text) })
	if len(known) == 0 || len(known) < len(values) {
		f.Dynamic = append(f.Dynamic, ref)
	}
	for _, v := range known {
		r := ref
		if r.Path, r.Glob = filepath.Clean(v.text), v.glob; v.glob {
			r.Path = filepath.Clean(v.pattern)
		}
		f.Sources = append(f.Sources, r)
	}
}
