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

	"github.com/steward-setup/steward-setup/internal/lazy"
)

// call reads a command.
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
	switch {
	case base == "command": // -v, -V
	case slices.Contains([]string{"cd", "pushd", "popd"}, base):
		p.Moves = true
	case base == "echo":
		p.print(args[0], p.joined(words(args[1:], "-n", "-e", "-E", "-ne", "-en"), fed))
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
	case slices.Contains(shells, base):
		p.shell(args, s)
	case base == "." || base == "source":
		p.other(args[1:min(2, len(args))])
	case slices.Contains(copyists, base):
		p.copies(args, s)
	case base == "jq" || base == "yq":
		p.jq(args, s)
	case silent(name, args):
		if (!Builtin(base) || base == "pwd") && !counting(base, args) {
			p.reports, p.inPart = true, Said{source(c), p.at(c)}
		}
	case python().MatchString(base), runs && !fetching(base), slices.Contains(scripted, base):
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
	for _, v := range p.aliases[name] {
		for _, text := range p.texts(v.word, v.in, 0) {
			_, line, _ := strings.Cut(text, "=")
			p.codes(args[0], []string{line + behind})
		}
	}
}

// codes reads lines that the shell is given as text.
func (p *printing) codes(n syntax.Node, texts []string) {
	for _, text := range texts {
		if strings.ContainsFunc(text, unknown) || p.depth >= maxPrinted || !p.spend(1+len(text)/64) {
			p.loose(n)
			return
		}
		tree, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
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
	line := false
	for i, w := range args[1:] {
		text := bare(w)
		switch {
		case strings.HasPrefix(text, "-") && !strings.HasPrefix(text, "--"):
			line = line || strings.Contains(text, "c")
		case strings.HasPrefix(text, "--"):
		case line:
			p.codes(w, p.texts(w, p.in, 0))
			return
		default:
			p.other(args[1+i : 2+i])
			return
		}
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
			case isFrom(w):
				files++
				p.fromCommands(w)
			default:
				files++
				p.file(w)
			}
		}
	}
	for _, d := range s.Redirs {
		if d.Op == syntax.RdrIn && files == 0 {
			files++
			if isFrom(d.Word) {
				p.fromCommands(d.Word)
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

// isFrom says whether a word is the output of commands, as a file.
func isFrom(w *syntax.Word) bool {
	if len(w.Parts) != 1 {
		return false
	}
	c, is := w.Parts[0].(*syntax.ProcSubst)
	return is && c.Op == syntax.CmdIn
}

func (p *printing) fromCommands(w *syntax.Word) {
	p.stmts(w.Parts[0].(*syntax.ProcSubst).Stmts, streams{true})
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

// file notes a file that is printed as it is.
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

// script notes the script or the code that an interpreter is given.
func (p *printing) script(base string, args []*syntax.Word, s *syntax.Stmt) {
	code := func(n syntax.Node, texts []string) {
		for _, text := range texts {
			p.Codes = append(p.Codes, Code{Said{text, p.at(n)}, base})
		}
	}
	for i, w := range args[1:] {
		switch text := bare(w); {
		case (codeOption().MatchString(text) || text == "eval") && i+2 < len(args):
			code(args[i+2], p.texts(args[i+2], p.in, 0))
			return
		case slices.Contains([]string{"-m", "-p", "--print", "-pe", "-ne"}, text):
			p.loose(args[0])
			return
		case text == "run" || strings.HasPrefix(text, "-"):
		case strings.ContainsAny(text, "/."):
			names, ok := p.named(w)
			if !ok {
				p.loose(w)
			}
			for _, name := range names {
				if ok && !strings.Contains(name, "/") { // no shell looks for it
					name = "./" + name
				}
				p.Others = append(p.Others, Said{name, p.at(w)})
			}
			return
		default:
			p.loose(args[0])
			return
		}
	}
	if given, at := p.given(s); at != nil {
		code(at, given)
		return
	}
	p.loose(args[0])
}

// codeOption is an option with code behind it.
var codeOption = lazy.Regexp(`^(-[A-Za-z]*[ceEr]|--eval)$`)

// jq notes what jq prints: what its filter makes, with the words of its options as
// JSON, or what it takes from its input.
func (p *printing) jq(args []*syntax.Word, s *syntax.Stmt) {
	raw, null, filter := false, false, (*syntax.Word)(nil)
	for i := 1; i < len(args); i++ {
		text := bare(args[i])
		switch {
		case text == "--arg" || text == "--argjson" || text == "--slurpfile" || text == "--rawfile":
			i += 2
		case text == "--indent" || text == "-L":
			i++
		case strings.HasPrefix(text, "--"):
			raw = raw || text == "--raw-output" || text == "--join-output"
			null = null || text == "--null-input"
		case strings.HasPrefix(text, "-") && len(text) > 1:
			raw = raw || strings.ContainsAny(text, "rj")
			null = null || strings.Contains(text, "n")
			if strings.Contains(text, "i") && filepath.Base(bare(args[0])) == "yq" {
				return // in place
			}
		case filter == nil:
			filter = args[i]
		}
	}
	if filter == nil {
		p.loose(args[0])
		return
	}
	for _, text := range p.texts(filter, p.in, 0) {
		made := strings.TrimSpace(text)
		mark := jsonRune
		if raw {
			mark = anyRune
		}
		_, given := p.given(s)
		switch {
		case strings.ContainsFunc(text, unknown):
			mark = anyRune
		case made == "." && !null && given == nil:
			mark = inputRune
		case makes().MatchString(made):
			p.print(filter, []string{text})
			continue
		}
		p.print(filter, []string{string(mark)})
	}
}
