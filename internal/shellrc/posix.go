// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a statement counts if reading the file can run it in the
// shell itself. Conditions are taken for met, unless they say false; what a
// function, a subshell or a pipeline does is not what the file does. Of a text
// that the parser refuses, what can be read is read, line by line, and is
// never more than a perhaps.

package shellrc

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"github.com/steward-setup/steward-setup/internal/shell"
)

// languages are the shells as the parser knows them, but for bash, its zero value.
var languages = map[Shell]syntax.LangVariant{Zsh: syntax.LangZsh, POSIX: syntax.LangPOSIX,
	Ksh: syntax.LangMirBSDKorn, Mksh: syntax.LangMirBSDKorn}

func (u User) readPOSIX(f *File, s Shell, b []byte) {
	b = validUTF8(b)
	tree, err := shell.Parsed(string(portable(s, b)), languages[s])
	if long := longFor(s, b); err != nil && !bytes.Equal(long, b) { // else it stands in quotes alone
		t, again := shell.Parsed(string(portable(s, long)), languages[s])
		if again == nil || errorLine(again) > errorLine(err) {
			b, tree, err = long, t, again
		}
	}
	w := walker{scope: newScope(u), file: f, src: b, zsh: s == Zsh, unaliased: make(map[string]int)}
	if tree != nil { // what stands before an error still counts
		w.stmts(tree.Stmts)
	}
	i := -1
	f.Aliases = slices.DeleteFunc(f.Aliases, func(d Def) bool { i++; return i < w.unaliased[d.Name] })
	f.vars = w.vars
	if f.Unread = err; err != nil && tree != nil {
		w.linesAfter(errorLine(err), languages[s])
	}
}

type walker struct {
	scope
	file *File
	src  []byte
	zsh  bool // where "command ." is no builtin
	// maybe counts the conditions around the statement, evals the lines that
	// are evaluated around it.
	maybe, evals int
	// unaliased says, by name, how many of the file's aliases stood before
	// the last unalias of that name.
	unaliased map[string]int
}

func (w *walker) stmts(list []*syntax.Stmt) {
	for _, s := range list {
		w.stmt(s)
	}
}

func (w *walker) stmt(s *syntax.Stmt) {
	if s == nil {
		return
	}
	if s.Background || s.Coprocess || s.Disown {
		w.ran(s, w.text(s))
		return
	}
	switch c := s.Cmd.(type) {
	case *syntax.ArithmCmd, *syntax.TestClause, *syntax.LetClause:
		w.numbers(c)
	case *syntax.CallExpr:
		w.numbers(c)
		if len(s.Redirs) > 0 {
			w.ran(s, w.text(s))
		}
		w.call(c)
	case *syntax.DeclClause:
		w.numbers(c)
		w.assign(c.Args)
		w.ran(s, w.text(s))
	case *syntax.Block:
		w.stmts(c.Stmts)
	case *syntax.BinaryCmd:
		if c.Op != syntax.AndStmt && c.Op != syntax.OrStmt {
			w.ran(s, w.text(s))
			return
		}
		w.stmt(c.X)
		if !(c.Op == syntax.AndStmt && says(c.X, "false") || c.Op == syntax.OrStmt && says(c.X, "true")) {
			w.maybe++
			w.stmt(c.Y)
			w.maybe--
		}
	case *syntax.IfClause:
		w.maybe++
		for ; c != nil; c = c.Else {
			w.stmts(c.Cond)
			if len(c.Cond) != 1 || !says(c.Cond[0], "false") {
				w.stmts(c.Then)
			}
		}
		w.maybe--
	case *syntax.WhileClause, *syntax.ForClause, *syntax.CaseClause:
		w.maybe++
		if loop, is := c.(*syntax.ForClause); is {
			if words, is := loop.Loop.(*syntax.WordIter); is {
				w.set(words.Name.Value, all(braced(words.Items), w.word))
			}
		}
		shell.Inner(c, w.stmt)
		w.maybe--
	case *syntax.Subshell:
		w.ran(s, w.text(s))
	case *syntax.TimeClause:
		w.stmt(c.Stmt)
	case *syntax.FuncDecl:
		w.function(c)
	}
}

// says reports whether s is nothing but the command word (true or false).
func says(s *syntax.Stmt, word string) bool {
	call, ok := s.Cmd.(*syntax.CallExpr)
	return ok && !s.Negated && len(call.Args) == 1 && call.Args[0].Lit() == word
}

func (w *walker) function(c *syntax.FuncDecl) {
	names := c.Names
	if c.Name != nil {
		names = []*syntax.Lit{c.Name}
	}
	if len(names) == 0 {
		w.stmt(c.Body) // zsh runs a function without a name at once.
	}
	for _, name := range names {
		w.file.Functions = append(w.file.Functions, Def{File: w.file.Path, Line: int(name.Pos().Line()), Name: name.Value,
			Body: w.body(c.Body)})
	}
}

// body is a function's text. That of zsh, where "}" needs nothing before it, is
// written so that any shell reads it.
func (w *walker) body(s *syntax.Stmt) string {
	var b strings.Builder
	if !w.zsh || syntax.NewPrinter().Print(&b, s) != nil {
		return w.text(s)
	}
	return b.String()
}

func (w *walker) assign(list []*syntax.Assign) {
	for _, a := range list {
		if a.Name == nil || a.Naked {
			continue
		}
		w.element(a)
		switch {
		case a.Array != nil:
			w.noteSet(a, a.Name.Value, w.text(a.Array), a.Append)
		case a.Value != nil:
			w.noteValue(a)
		}
		switch {
		case a.Append || a.Array != nil || a.Index != nil:
			w.set(a.Name.Value, nil)
		case a.Value == nil:
			w.becomes(a.Name.Value, []shell.Value{{}})
		default:
			w.becomes(a.Name.Value, w.assigned(a.Value))
		}
	}
}

func (w *walker) call(c *syntax.CallExpr) {
	args := c.Args
	if len(args) == 0 {
		w.assign(c.Assigns)
		for _, a := range c.Assigns {
			w.ran(a, w.text(a))
		}
		return
	}
	w.called(c)
	name := w.plain(args[0])
	for name == "builtin" || name == "command" && !w.zsh {
		if args = args[shell.Passed(w.plains(args)):]; len(args) == 0 {
			return
		}
		name = w.plain(args[0])
	}
	line, args := int(args[0].Pos().Line()), args[1:]
	for len(args) > 0 && w.plain(args[0]) == "--" {
		args = args[1:]
	}
	for _, variable := range shell.Forgotten(name, w.plains(args)) {
		w.set(variable, nil)
	}
	switch name {
	case ".", "source":
		if len(args) == 0 {
			return
		}
		// The output of a command (<(cmd), =(cmd)) is no file that a user keeps.
		if _, generated := args[0].Parts[0].(*syntax.ProcSubst); !generated {
			addSource(w.file, Ref{File: w.file.Path, Line: line, Text: w.text(args[0])}, w.inDirs(w.word(args[0])))
		}
	case "cd", "chdir", "pushd":
		w.goes(args)
	case "export", "readonly": // no words of the grammar in POSIX
		for _, arg := range args {
			w.export(arg)
		}
	case "alias":
		for _, arg := range args {
			w.alias(arg)
		}
	case "eval":
		w.evaluate(line, args)
	case "hash":
		w.hashed(line, args)
	case "autoload":
		w.loaded(line, args)
	case "unset", "unfunction":
		if name == "unset" && (len(args) == 0 || w.plain(args[0]) != "-f") {
			return // variables
		}
		if name == "unset" {
			name, args = "unset -f", args[1:]
		}
		for _, arg := range args {
			w.file.Undone = append(w.file.Undone, w.file.def(line, w.plain(arg), name+" "+w.text(arg)))
		}
	case "return", "exit", "exec":
		if w.maybe == 0 && (name != "exec" || len(args) > 0) {
			w.file.Ends = append(w.file.Ends, w.file.def(line, name, name))
		}
	case "unalias":
		for _, arg := range args {
			w.unaliased[w.plain(arg)] = len(w.file.Aliases)
		}
	}
}

// export follows one NAME=VALUE. Whether a "~" in it expands depends on the
// shell.
func (w *walker) export(arg *syntax.Word) {
	if name, text, ok := strings.Cut(w.partly(arg), "="); ok {
		name, more := strings.CutSuffix(name, "+")
		w.noteSet(arg, name, text, more)
	}
	if v := w.word(arg); len(v) == 1 && !v[0].Glob {
		name, text, ok := strings.Cut(v[0].Text, "=")
		if ok && !strings.HasPrefix(text, "~") {
			w.becomes(name, []shell.Value{shell.Literal(text)})
			return
		}
	}
	name, _, _ := strings.Cut(w.text(arg), "=")
	w.set(name, nil)
}

// alias follows one NAME=VALUE; what is not literal in it stays as written.
func (w *walker) alias(arg *syntax.Word) {
	text := w.text(arg)
	if v := w.word(arg); len(v) == 1 {
		text = v[0].Text
	}
	if name, value, ok := strings.Cut(text, "="); ok {
		w.file.Aliases = append(w.file.Aliases, w.file.def(int(arg.Pos().Line()), name, value))
	}
}

// text is a word, or a statement, as it is written.
func (w *walker) text(word syntax.Node) string {
	start, end := word.Pos().Offset(), word.End().Offset()
	if start > end || end > uint(len(w.src)) {
		return ""
	}
	return string(w.src[start:end])
}

// validUTF8 puts a DEL in place of each byte that is not UTF-8, which the
// parser refuses and an old comment may well hold. No path that is looked for
// has a control character in it.
func validUTF8(b []byte) []byte {
	if utf8.Valid(b) {
		return b
	}
	b = bytes.Clone(b)
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			b[i] = 0x7f
		}
		i += n
	}
	return b
}

// errorLine is the line on which the parser gave up.
func errorLine(err error) int {
	var parse syntax.ParseError
	var lang syntax.LangError
	switch {
	case errors.As(err, &parse):
		return int(parse.Pos.Line())
	case errors.As(err, &lang):
		return int(lang.Pos.Line())
	}
	return 0
}

// linesAfter reads each line after line number last as a program of its own.
func (w *walker) linesAfter(last int, in syntax.LangVariant) {
	for i, line := range bytes.Split(w.src, []byte("\n")) {
		if i < last || !bytes.Contains(line, []byte("source")) && !bytes.Contains(line, []byte(". ")) {
			continue
		}
		tree, err := shell.Parsed(string(line), in)
		if err != nil {
			continue
		}
		alone := walker{scope: w.scope, file: &File{Path: w.file.Path}, src: line, zsh: w.zsh,
			unaliased: make(map[string]int)}
		alone.stmts(tree.Stmts)
		for _, ref := range alone.file.Sources {
			ref.Line = i + 1
			w.file.Maybe = append(w.file.Maybe, ref)
		}
	}
}
