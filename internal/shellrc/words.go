// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a variable has values only if the file itself sets it, or it is one that says where the user's
// files lie.

package shellrc

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/steward-setup/steward-setup/internal/lazy"
	"github.com/steward-setup/steward-setup/internal/shell"
)

// scope holds the variables whose values are known.
type scope struct {
	user User
	vars map[string][]shell.Value // nil: set, but not known
}

func newScope(u User) scope {
	vars := map[string][]shell.Value{"HOME": {shell.Literal(u.Home)}}
	maps.Copy(vars, u.vars)
	return scope{user: u, vars: vars}
}

func (s *scope) set(name string, values []shell.Value) { s.vars[name] = values }

// get returns a variable's values, and whether the variable is set as far as
// is known.
func (s *scope) get(name string) (values []shell.Value, set bool) {
	if v, ok := s.vars[name]; ok {
		return v, true
	}
	if name == "__fish_config_dir" { // fish(1), "Special variables"
		return []shell.Value{shell.Literal(s.user.fishDir())}, true
	}
	v := s.user.Getenv(name)
	if name == "ZDOTDIR" {
		v = cmp.Or(v, s.user.zsh)
	}
	if v != "" && (name == "ZDOTDIR" || strings.HasPrefix(name, "XDG_")) {
		return []shell.Value{shell.Literal(v)}, true
	}
	return nil, false
}

// all are the values of several words, nil if one of them is unknown.
func all[W any](words []W, of func(W) []shell.Value) (list []shell.Value) {
	for _, w := range words {
		values := of(w)
		if values == nil || len(list)+len(values) > shell.MaxValues {
			return nil
		}
		list = append(list, values...)
	}
	return list
}

// plain is a word that has one value, or "".
func (w *walker) plain(word *syntax.Word) string {
	if v := w.word(word); len(v) == 1 && !v[0].Glob {
		return v[0].Text
	}
	return ""
}

// plains are words that have one value each, or "".
func (w *walker) plains(words []*syntax.Word) (texts []string) {
	for _, word := range words {
		texts = append(texts, w.plain(word))
	}
	return texts
}

// braced are words with each of their braces as a word of its own. One with more of them than a variable may have
// values stays as it is.
func braced(words []*syntax.Word) (list []*syntax.Word) {
	for _, word := range words {
		split, whole := &syntax.Word{Parts: slices.Clone(word.Parts)}, len(list)
		if !syntax.SplitBraces(split) {
			list = append(list, word)
			continue
		}
		for w, err := range expand.BracesSeq(nil, split) {
			if list = append(list, w); err != nil || len(list)-whole > shell.MaxValues {
				list = append(list[:whole], word)
				break
			}
		}
	}
	return list
}

// word returns the values of a word, nil if they are not known.
func (w *walker) word(word *syntax.Word) []shell.Value { return w.values().Word(word) }

// assigned returns the values of a word that a variable is set to, nil if they are not known.
func (w *walker) assigned(word *syntax.Word) []shell.Value { return w.values().Whole().Assigned(word) }

// values says what stands for something else in a word of the file.
func (w *walker) values() shell.Scope { return shell.Scope{Var: w.get, Splits: w.splits, Dollar: true} }

// splits says whether an expansion without quotes is several words or names of files. The home is taken for one word.
// In zsh it is one (zshexpn(1), PARAMETER EXPANSION).
func (w *walker) splits(_ syntax.WordPart, values []shell.Value) bool {
	return !w.zsh && slices.ContainsFunc(values, func(v shell.Value) bool {
		return !v.Glob && strings.ContainsAny(strings.ReplaceAll(v.Text, w.user.Home, ""), " \t\n*?[")
	})
}

// becomes is set where other ways through the file may leave the variable as it is: what it had counts, too.
func (w *walker) becomes(name string, values []shell.Value) {
	if have := w.vars[name]; w.maybe > 0 && values != nil {
		values = append(slices.Clone(have), slices.DeleteFunc(slices.Clone(values), func(v shell.Value) bool {
			return slices.Contains(have, v)
		})...)
		if len(values) > shell.MaxValues {
			values = nil
		}
	}
	w.set(name, values)
}

// qualifiers end a pattern of zsh that only some of the files match (zshexpn(1), Glob Qualifiers).
var qualifiers = lazy.Regexp(`\([^()|]*\)$`)

// cwd has, among the variables, the directories that the shell may be in besides the one where it begins: no variable
// is called so.
const cwd = "cd "

// options are those of cd (cd -P DIR); a number is a directory of the stack.
var options = lazy.Regexp(`^-[A-Za-z]+$`)

// goes notes where a cd leads. One to a place that only the running shell knows counts for nothing.
func (w *walker) goes(args []*syntax.Word) {
	to := []shell.Value{shell.Literal(w.user.Home)}
	for len(args) > 0 && options().MatchString(w.text(args[0])) {
		args = args[1:]
	}
	if len(args) > 0 {
		to = w.word(args[0])
	}
	if len(to) == 1 && !to[0].Glob && !strings.HasPrefix(to[0].Text, "-") {
		w.becomes(cwd, w.inDirs(to))
	}
}

// inDirs are paths, and, of a relative one, what it is in the directories that the shell may be in.
func (w *walker) inDirs(paths []shell.Value) []shell.Value {
	for _, path := range slices.Clone(paths) {
		if !filepath.IsAbs(path.Text) {
			below := shell.Product([]shell.Value{shell.Literal("/")}, []shell.Value{path})
			paths = append(paths, shell.Product(w.vars[cwd], below)...)
		}
	}
	return paths
}

// expanded is a variable in a line, be it in quotes: what is quoted for a trap is expanded later.
var expanded = lazy.Regexp(`\$\{?([A-Za-z_]\w*)`)

// before is Def.Before of a line.
func (w *walker) before(line string) string {
	var b strings.Builder
	put := func(values []shell.Value, between, command string) {
		for i, text := range asWords(values) {
			if i > 0 {
				b.WriteString(between)
			}
			b.WriteString(command + text + "; ")
		}
	}
	put(w.vars[cwd], "", "cd ")
	seen := map[string]bool{"HOME": true, "PATH": true}
	for _, m := range expanded().FindAllStringSubmatch(line, -1) {
		if name := m[1]; !seen[name] {
			seen[name] = true
			put(w.vars[name], "test && ", name+"=")
		}
	}
	return b.String()
}

// asWords are values as words of a line; none if one of them cannot be written so.
func asWords(values []shell.Value) (words []string) {
	for _, v := range values {
		text, err := v.Pattern, error(nil)
		if !v.Glob {
			text, err = syntax.Quote(v.Text, syntax.LangBash)
		}
		if err != nil || v.Glob && strings.ContainsAny(text, " \t\n'\"`$;&|<>()") {
			return nil
		}
		words = append(words, text)
	}
	return words
}

// addSource files a sourced operand under what is known of it. A relative
// path is unknown: it depends on the directory or on PATH.
func addSource(f *File, ref Ref, values []shell.Value) {
	known := slices.DeleteFunc(slices.Clone(values), func(v shell.Value) bool { return !filepath.IsAbs(v.Text) })
	if len(known) == 0 || len(known) < len(values) {
		f.Dynamic = append(f.Dynamic, ref)
	}
	for _, v := range known {
		r := ref
		if r.Path, r.Glob = filepath.Clean(v.Text), v.Glob; v.Glob {
			r.Path = filepath.Clean(v.Pattern)
			if f.Shell == Zsh {
				r.Path = qualifiers().ReplaceAllString(r.Path, "")
			}
		}
		f.Sources = append(f.Sources, r)
	}
}
