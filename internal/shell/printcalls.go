// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a command prints is read by what it is: the shell's own, a
// function, a copy of files, code for an interpreter, a quiet program; any other may
// print anything.

package shell

import (
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

func (p *printing) call(c *syntax.CallExpr, s *syntax.Stmt, to streams) {
	args, fed := program(c.Args)
	if !to[0] {
		return
	}
	if len(args) == 0 {
		if fed && !p.piped { // xargs alone
			p.print(c.Args[0], []string{string(anyRune)})
		}
		return
	}
	name := bare(args[0])
	if names, ok := p.named(args[0]); ok && len(names) == 1 {
		name = names[0]
	}
	base := filepath.Base(name)
	if body := p.funcs[name]; body != nil {
		p.function(name, body, to)
		return
	}
	if p.aliases[name] != nil && !p.opened[name] {
		p.alias(name, args)
		return
	}
	_, runs := runners[base]
	_, coded := codings[spoken(base)]
	switch {
	case base == "command": // -v, -V
	case slices.Contains([]string{"cd", "pushd", "popd"}, base):
		p.Moves = true
	case base == "echo":
		p.print(args[0], p.joined(words(args[1:], "-n", "-e", "-E", "-ne", "-en"), fed))
	case base == "print": // of zsh and ksh
		if rest := words(args[1:], "-r", "-n", "-l", "-P", "-R", "-rn", "-nr", "-rl", "-rP", "-", "--"); len(rest) > 0 &&
			!strings.HasPrefix(bare(rest[0]), "-u") {
			p.print(args[0], p.joined(rest, fed))
		}
	case base == "find":
		p.find(c, args, s, to)
	case base == "date":
		p.print(args[0], p.joined(args[1:], fed))
	case base == "dirname" && len(args) == 2:
		if names, ok := p.named(args[1]); ok && len(names) == 1 && filepath.IsAbs(names[0]) {
			p.print(args[0], []string{filepath.Dir(names[0])})
			return
		}
		p.loose(c)
	case base == "printf":
		p.printf(args, fed)
	case base == "eval":
		p.codes(args[0], p.joined(args[1:], fed))
	case base == "trap":
		p.codes(args[0], p.joined(args[1:min(2, len(args))], false))
	case slices.Contains(Shells, base):
		p.shell(args, s)
	case base == "." || base == "source":
		p.other(args[1:min(2, len(args))])
	case printers[base].whole:
		p.copies(args, s)
	case base == "jq" || base == "yq":
		p.jq(args, s)
	case silent(name, args):
		if (!Builtin(base) || base == "pwd") && !counting(base, args) {
			p.report(c)
		}
	case coded, runs && !fetching(base):
		p.script(base, args, s)
	case knows(name), p.sourced && !strings.Contains(name, "/"):
		p.loose(c)
	default:
		p.other(args[:1])
	}
}

// words are those of a command without options of these names at its beginning.
func words(args []*syntax.Word, options ...string) []*syntax.Word {
	for len(args) > 0 && slices.Contains(options, bare(args[0])) {
		args = args[1:]
	}
	return args
}

// function reads the body of a function where it is called. One that is read already
// prints no more than that, unless its output is a text that it is given itself.
func (p *printing) function(name string, body *syntax.Stmt, to streams) {
	if p.depth >= maxPrinted {
		p.loose(body)
		return
	}
	now := entry{name, to, p.piped, p.fed, p.learned}
	if same, again := p.reading[now]; again {
		if !same {
			p.loose(body)
		}
		return
	}
	if p.reading == nil {
		p.reading = map[entry]bool{}
	}
	p.reading[now] = true
	defer delete(p.reading, now)
	was := p.in
	p.in = name
	p.depth++
	p.stmt(body, to)
	p.depth--
	p.in = was
}

// alias reads the line that a word stands for, with the words behind it.
func (p *printing) alias(name string, args []*syntax.Word) {
	p.opened[name] = true
	defer delete(p.opened, name)
	behind := ""
	for _, w := range args[1:] {
		behind += " " + source(w)
	}
	for _, line := range p.standsFor(name) {
		p.codes(args[0], []string{line + behind})
	}
}

// standsFor are the lines that a word stands for.
func (p *printing) standsFor(name string) (lines []string) {
	for _, v := range p.aliases[name] {
		for _, text := range p.texts(v.word, v.in, 0) {
			_, line, _ := strings.Cut(text, "=")
			lines = append(lines, line)
		}
	}
	return lines
}

// aliased are the statements that a word stands for, nil if it is none.
func (p *printing) aliased(name string) (list []*syntax.Stmt) {
	for _, line := range p.standsFor(name) {
		tree, err := parsed(line)
		if err == nil && p.spend(1+len(line)/64) {
			list = append(list, tree.Stmts...)
		}
	}
	return list
}

// find prints paths that begin as its first words do, or runs a program with them.
func (p *printing) find(c *syntax.CallExpr, args []*syntax.Word, s *syntax.Stmt, to streams) {
	tests := slices.IndexFunc(args[1:], func(w *syntax.Word) bool {
		return strings.ContainsAny(bare(w)[:min(1, len(bare(w)))], "-(!")
	})
	if tests < 0 {
		tests = len(args) - 1
	}
	for _, w := range args[1 : 1+tests] {
		for _, text := range p.texts(w, p.in, 0) {
			if begins := []rune(text + "{")[0]; begins == '{' || unknown(begins) {
				p.loose(c)
				return
			}
		}
	}
	for i, w := range args {
		switch text := bare(w); {
		case slices.Contains([]string{"-printf", "-print0", "-ok", "-okdir"}, text):
			p.loose(c)
			return
		case text == "-exec" || text == "-execdir":
			behind := args[i+1:]
			if end := slices.IndexFunc(behind, func(w *syntax.Word) bool { return bare(w) == ";" || bare(w) == "+" }); end >= 0 {
				behind = behind[:end]
			}
			p.call(&syntax.CallExpr{Args: behind}, s, to)
		}
	}
	p.report(c)
}

// report notes a quiet program that prints words of others behind its own.
func (p *printing) report(c *syntax.CallExpr) { p.reports, p.inPart = true, Said{source(c), p.at(c)} }

// codes reads lines that the shell is given as text.
func (p *printing) codes(n syntax.Node, texts []string) {
	for _, text := range texts {
		if strings.ContainsFunc(text, unknown) || p.depth >= maxPrinted || !p.spend(1+len(text)/64) {
			p.loose(n)
			return
		}
		tree, err := parsed(text)
		if err != nil {
			p.loose(n)
			return
		}
		was := p.from
		p.from = max(1, p.at(n))
		p.depth++
		p.learn(tree, p.in)
		p.stmts(tree.Stmts, streams{true})
		p.depth--
		p.from = was
	}
}

// shell reads what a shell is started with: a line, a script, or what it is given.
func (p *printing) shell(args []*syntax.Word, s *syntax.Stmt) {
	c := shellOptions(bares(args[1:]))
	switch at := 1 + c.operand; {
	case at >= len(args):
	case c.line:
		p.codes(args[at], p.texts(args[at], p.in, 0))
		return
	default:
		p.loaded(args[at])
		return
	}
	if given, at := p.given(s); at != nil {
		p.codes(at, given)
		return
	}
	p.loose(args[0])
}

// given are the texts that a statement is given in its own words.
func (p *printing) given(s *syntax.Stmt) (texts []string, at *syntax.Word) {
	for _, d := range s.Redirs {
		switch d.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			return p.texts(d.Hdoc, p.in, 0), d.Hdoc
		case syntax.WordHdoc:
			return p.texts(d.Word, p.in, 0), d.Word
		}
	}
	return nil, nil
}

// copies reads a program that prints its files, or else what it is given. Of what a
// hook is given, all of it, no answer can be made.
func (p *printing) copies(args []*syntax.Word, s *syntax.Stmt) {
	files, whole := 0, len(args) == 1 || filepath.Base(bare(args[0])) == "tee"
	if filepath.Base(bare(args[0])) != "tee" {
		for _, w := range args[1:] {
			switch text := bare(w); {
			case strings.HasPrefix(text, "-") && text != "-", strings.Trim(text, "+0123456789") == "":
			case text == "-", text == "/dev/stdin", text == "/dev/fd/0":
			case procSubst(w, syntax.CmdIn) != nil:
				files++
				p.stmts(procSubst(w, syntax.CmdIn).Stmts, streams{true})
			default:
				files++
				p.file(w)
			}
		}
	}
	for _, d := range s.Redirs {
		if d.Op == syntax.RdrIn && files == 0 {
			files++
			if c := procSubst(d.Word, syntax.CmdIn); c != nil {
				p.stmts(c.Stmts, streams{true})
			} else {
				p.file(d.Word)
			}
		}
	}
	if texts, at := p.given(s); at != nil {
		files++
		p.print(at, texts)
	}
	switch {
	case files > 0 || p.piped:
	case p.fed || !whole:
		p.print(args[0], []string{string(anyRune)})
	default:
		p.print(args[0], []string{string(inputRune)})
	}
}

// named are the texts of a word that names a file or a program; false if it is
// computed from what nobody knows.
func (p *printing) named(w *syntax.Word) (names []string, ok bool) {
	fixed := true
	syntax.Walk(w, func(n syntax.Node) bool {
		if e, is := n.(*syntax.ParamExp); is {
			name := e.Param.Value
			fixed = fixed && p.known[name] == nil && syntax.ValidName(name) && name != "BASH_SOURCE"
		}
		_, is := n.(*syntax.CmdSubst)
		fixed = fixed && !is
		return true
	})
	if fixed {
		return []string{bare(w)}, true
	}
	names = p.texts(w, p.in, 0)
	return names, !slices.ContainsFunc(names, func(s string) bool { return strings.ContainsFunc(s, unknown) })
}

func (p *printing) file(w *syntax.Word) { p.note(&p.Files, w) }

// other notes programs and scripts by their words.
func (p *printing) other(list []*syntax.Word) { p.note(&p.Others, list...) }

// note adds what words name to a list; one that nobody knows is loose.
func (p *printing) note(list *[]Said, words ...*syntax.Word) {
	for _, w := range words {
		names, ok := p.named(w)
		if !ok {
			p.loose(w)
			continue
		}
		for _, name := range names {
			*list = append(*list, Said{name, p.at(w)})
		}
	}
}
