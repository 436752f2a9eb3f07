// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a word has values only if literals, the home, and variables whose values are known say them.
// Nothing is guessed.

package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/steward-setup/steward-setup/internal/lazy"
)

// MaxValues bounds how many values a word may have.
const MaxValues = 16

// Value is one value of a word: as text, and as a pattern in which only what the shell would expand is special.
type Value struct {
	Text, Pattern string
	// Glob says that there are wildcards in it that the shell expands.
	Glob bool
}

// Literal is a value that is nothing but text.
func Literal(s string) Value { return Value{Text: s, Pattern: escapeGlob(s)} }

var globEscaper = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`)

func escapeGlob(s string) string { return globEscaper.Replace(s) }

// Product appends each of b to each of a; nil if either is unknown, or there would be too many, or too long ones.
func Product(a, b []Value) (all []Value) {
	if len(a)*len(b) > MaxValues {
		return nil
	}
	for _, v := range a {
		for _, w := range b {
			if len(v.Text)+len(w.Text) > MaxLine {
				return nil
			}
			all = append(all, Value{v.Text + w.Text, v.Pattern + w.Pattern, v.Glob || w.Glob})
		}
	}
	return all
}

// Scope says what stands for something else in a word.
type Scope struct {
	// Var gives the values of a variable, nil if they are not known, and whether it is set as far as is known.
	Var func(name string) (values []Value, set bool)
	// Output gives what commands print, nil if it is not known; no Output knows none.
	Output func(list []*syntax.Stmt) []Value
	// Splits says whether the shell makes no word, several words or names of files of an expansion without quotes.
	Splits func(part syntax.WordPart, values []Value) bool
	// Dollar says that the shell knows $'...', which to sh is a dollar sign and a word.
	Dollar bool
	// Else gives the text for a part that has no value, or several; without it the whole word is not known.
	Else func(part syntax.WordPart) string
}

// Word gives the values of a word, nil if they are not known. A "~" that begins it alone, or before a slash, is the
// home; "~name" is not known.
func (s Scope) Word(w *syntax.Word) []Value {
	begins := ""
	if len(w.Parts) > 0 {
		if lit, is := w.Parts[0].(*syntax.Lit); is {
			begins = lit.Value
		}
	}
	if !strings.HasPrefix(begins, "~") {
		return s.parts(w.Parts, false)
	}
	switch {
	case strings.HasPrefix(begins, "~/"), begins == "~" && len(w.Parts) == 1:
	case s.Else != nil:
		return s.parts(w.Parts, false)
	default:
		return nil
	}
	home, _ := s.Var("HOME")
	rest := append([]syntax.WordPart{&syntax.Lit{Value: begins[1:]}}, w.Parts[1:]...)
	return Product(home, s.parts(rest, false))
}

// Whole is the scope of an assignment, whose value no shell splits.
func (s Scope) Whole() Scope {
	s.Splits = func(syntax.WordPart, []Value) bool { return false }
	return s
}

// Assigned gives the values of a word that a variable is set to, nil if they are not known: a "~/" behind a colon is
// the home, too.
func (s Scope) Assigned(w *syntax.Word) []Value {
	home := &syntax.DblQuoted{Parts: []syntax.WordPart{&syntax.ParamExp{Param: &syntax.Lit{Value: "HOME"}}}}
	var parts []syntax.WordPart
	for _, part := range w.Parts {
		lit, is := part.(*syntax.Lit)
		if !is {
			parts = append(parts, part)
			continue
		}
		for i, text := range strings.Split(lit.Value, ":~/") {
			if i > 0 {
				parts, text = append(parts, &syntax.Lit{Value: ":"}, home), "/"+text
			}
			parts = append(parts, &syntax.Lit{Value: text})
		}
	}
	return s.Word(&syntax.Word{Parts: parts})
}

func (s Scope) parts(parts []syntax.WordPart, quoted bool) []Value {
	all := []Value{{}}
	for _, part := range parts {
		values := s.part(part, quoted)
		if s.Else != nil && len(values) != 1 {
			values = []Value{Literal(s.Else(part))}
		}
		if all = Product(all, values); all == nil {
			return nil
		}
	}
	return all
}

// The backslashes that the shell takes away, outside and inside of double quotes, and what it expands of what is left
// outside of them. Braces that other parts of the word may close are taken for those that expand.
var (
	escaped       = lazy.Regexp(`(?s)\\(.)`)
	escapedQuoted = lazy.Regexp("(?s)\\\\([$`\"\\\\])")
	continued     = strings.NewReplacer("\\\n", "")
	wildcard      = lazy.Regexp(`[*?]|\[[^\]]+\]`)
	braces        = lazy.Regexp(`\{[^}]*(,|\.\.|$)`)
)

func (s Scope) part(part syntax.WordPart, quoted bool) (values []Value) {
	switch p := part.(type) {
	case *syntax.Lit:
		if quoted {
			return []Value{Literal(unescaped(p.Value, true))}
		}
		lit := continued.Replace(p.Value)
		bare := escaped().ReplaceAllString(lit, "")
		if braces().MatchString(bare) {
			return nil
		}
		pattern := escaped().ReplaceAllStringFunc(lit, func(s string) string { return escapeGlob(s[1:]) })
		return []Value{{unescaped(p.Value, false), pattern, wildcard().MatchString(bare)}}
	case *syntax.SglQuoted:
		if p.Dollar && (!s.Dollar || strings.Contains(p.Value, `\`)) {
			return nil
		}
		return []Value{Literal(p.Value)}
	case *syntax.DblQuoted:
		return s.parts(p.Parts, true)
	case *syntax.ParamExp:
		s.Else = nil // one that is known in part stays as it is written
		values = s.param(p, quoted)
	case *syntax.CmdSubst:
		if s.Output != nil {
			values = s.Output(p.Stmts)
		}
	}
	if !quoted && s.Splits(part, values) {
		return nil
	}
	return values
}

// param knows $X, ${X}, ${X:-word}, ${X:=word} and ${X:?word}, with or without the colon.
func (s Scope) param(p *syntax.ParamExp, quoted bool) (values []Value) {
	if !plainParam(p) {
		return nil
	}
	have, set := s.Var(p.Param.Value)
	if p.Exp == nil {
		return have
	}
	var other []Value // what stands for a variable that is not set
	orNull := p.Exp.Op == syntax.DefaultUnsetOrNull || p.Exp.Op == syntax.ErrorUnsetOrNull ||
		p.Exp.Op == syntax.AssignUnsetOrNull
	switch p.Exp.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
		switch {
		case p.Exp.Word == nil:
			other = []Value{{}}
		case quoted:
			other = s.parts(p.Exp.Word.Parts, true)
		default:
			other = s.Word(p.Exp.Word)
		}
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
	default:
		return nil
	}
	if !set {
		return other
	}
	for _, v := range have {
		switch {
		case v.Text != "" || !orNull:
			values = append(values, v)
		case other == nil:
			return nil
		default:
			values = append(values, other...)
		}
	}
	return values
}

// plainParam says whether an expansion is a variable, perhaps with a word in its place, and nothing more.
func plainParam(p *syntax.ParamExp) bool {
	return p.Param != nil && p.Flags == nil && !p.Excl && !p.Length && !p.Width && !p.IsSet && p.NestedParam == nil &&
		p.Index == nil && len(p.Modifiers) == 0 && p.Slice == nil && p.Repl == nil && p.Names == 0
}

// texts are the texts of values, and whether one has wildcards; ok is false if they are not known.
func texts(values []Value) (list []string, glob, ok bool) {
	for _, v := range values {
		list, glob = append(list, v.Text), glob || v.Glob
	}
	return list, glob, values != nil
}

// literals are values that are nothing but texts.
func literals(texts []string) (values []Value) {
	for _, text := range texts {
		values = append(values, Literal(text))
	}
	return values
}

// splits says whether a value outside of quotes is no word, several, or names of files.
func splits(v Value) bool { return v.Text == "" || !v.Glob && strings.ContainsAny(v.Text, " \t\n*?[") }
