// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whose words are the output of a line is told apart: those that
// stand in the line, those of a file, of a script or of another program, and those
// of which nobody knows here. What is neither printed nor known to be silent is of
// the last kind.

package shell

import (
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Said is a word of a line, as it is written, with its place.
type Said struct {
	Text string
	From int
}

// Printed is what a line may print.
type Printed struct {
	// Words are those that it may print: of arguments, here-documents, variables.
	Words []Said
	// Files are those that it prints, Others the programs and scripts whose output
	// is its own.
	Files, Others []Said
	// Codes are texts in the language of an interpreter, in By.
	Codes []Code
	// Loose are commands of which nobody knows here what they print, or which
	// print what nobody knows at the beginning of a text or within an object.
	Loose []Said
	// Moves says that names of files and programs mean others in it.
	Moves bool
}

// Code is the text of a program for an interpreter.
type Code struct {
	Said
	By string
}

// Prints says what a line, or the script at a path, may print to its standard
// output; nobody else chooses the values of the variables set. ok is false if it is
// no line of a shell that can be parsed.
func Prints(line, path string, set ...string) (p Printed, ok bool) {
	tree, err := parsed(line)
	if err != nil {
		return p, false
	}
	w := printing{path: path, set: append(set, environment...),
		known: map[string][]value{}, funcs: map[string]*syntax.Stmt{},
		effort: &effort{left: maxEffort, expanded: map[expansion][]string{}, passing: map[string]bool{},
			aliases: map[string][]value{}, opened: map[string]bool{}}}
	w.learn(tree, "")
	w.stmts(tree.Stmts, streams{true})
	if w.part.Text != "" && w.inPart.Text != "" {
		w.Loose = append(w.Loose, w.inPart)
	}
	if w.left < 0 {
		w.Loose = append(w.Loose, Said{line, 0})
	}
	if w.asked {
		w.Files, w.Others = append(w.Files, w.aside.Files...), append(w.Others, w.aside.Others...)
		w.Codes = append(w.Codes, w.aside.Codes...)
	}
	return w.Printed, true
}

// streams say what of standard output, standard error and the others goes where
// the output of the line goes.
type streams [3]bool

// effort is what the reading of one line may cost, and what is known of it so far.
type effort struct {
	left int
	// learned counts the trees of which variables were learned.
	learned int
	// expanded are the values of variables, nil while they are worked out.
	expanded map[expansion][]string
	// passing are the functions of which it is asked whether they print what they are given.
	passing map[string]bool
	// aliases are the lines that a word stands for, opened those that are read.
	aliases map[string][]value
	opened  map[string]bool
	// sourced says that another file may give functions to the line.
	sourced bool
	// aside is what prints into words, asked that such words may decide the output.
	aside Printed
	asked bool
}

// expansion is a variable, or an argument in a function, as commands are given it.
type expansion struct {
	name, in string
	fed      bool
	learned  int
}

// maxEffort bounds the steps for one line: commands, words and the length of texts.
const maxEffort = 1 << 16

// spend says whether some steps may still be done.
func (e *effort) spend(steps int) bool {
	e.left -= steps
	return e.left >= 0
}

// entry is a function that is read, and how.
type entry struct {
	name       string
	to         streams
	piped, fed bool
	learned    int
}

// printing reads one line.
type printing struct {
	Printed
	*effort
	// reading are the functions that are read: true if into the same output.
	reading map[entry]bool
	// known are what variables and the arguments of functions are given, by name
	// and by "function\x00number".
	known map[string][]value
	// set are the variables whose values nobody else chooses.
	set   []string
	funcs map[string]*syntax.Stmt
	// in is the function that is read, path the script, from the place of the text that is read, if
	// it is another's; depth counts texts and functions within each other.
	in    string
	path  string
	from  int
	depth int
	// reports says that a quiet program prints words that others chose.
	reports bool
	// part is a text that begins an object and does not end it, or ends one that it does not begin, inPart
	// one with words that nobody knows.
	part, inPart Said
	// capturing says that the output is a text, piped and fed that a command is given
	// that of another: of one that is read with it, and of any.
	capturing, piped, fed bool
}

// maxPrinted bounds texts and functions within each other.
const maxPrinted = 12

func (p *printing) at(n syntax.Node) int {
	if p.from > 0 {
		return p.from
	}
	return int(n.Pos().Offset())
}

func (p *printing) loose(n syntax.Node) { p.Loose = append(p.Loose, Said{source(n), p.at(n)}) }

func (p *printing) stmts(list []*syntax.Stmt, to streams) {
	for _, s := range list {
		if c, is := s.Cmd.(*syntax.CallExpr); is && len(c.Args) == 1 && bare(c.Args[0]) == "exec" {
			p.intoCommands(s, to)
			to = p.redirected(s, to) // of the shell itself
			continue
		}
		p.stmt(s, to)
	}
}

// stmt reads a statement and those within it, by where their output goes.
func (p *printing) stmt(s *syntax.Stmt, to streams) {
	if !p.spend(1) {
		return
	}
	p.intoCommands(s, to)
	to = p.redirected(s, to)
	switch c := s.Cmd.(type) {
	case nil, *syntax.FuncDecl: // a redirection alone, what is read where it is called
	case *syntax.CallExpr:
		p.call(c, s, to)
	case *syntax.Block:
		p.stmts(c.Stmts, to)
	case *syntax.Subshell:
		p.stmts(c.Stmts, to)
	case *syntax.BinaryCmd:
		if c.Op == syntax.Pipe || c.Op == syntax.PipeAll {
			passed := to
			passed[0] = p.passesOn(c.Y, to)
			passed[1] = passed[1] || c.Op == syntax.PipeAll && passed[0]
			p.stmt(c.X, passed)
			p.fedStmts([]*syntax.Stmt{c.Y}, to)
			return
		}
		p.stmt(c.X, to)
		p.stmt(c.Y, to)
	default:
		Inner(c, func(s *syntax.Stmt) { p.stmt(s, to) })
	}
}

// fedStmts reads statements that are given the output of others.
func (p *printing) fedStmts(list []*syntax.Stmt, to streams) {
	was := p.piped
	p.piped = true
	p.stmts(list, to)
	p.piped = was
}

// intoCommands reads the commands that a statement's output is given as a file.
func (p *printing) intoCommands(s *syntax.Stmt, to streams) {
	for _, d := range s.Redirs {
		if c := procSubst(d.Word, syntax.CmdOut); c != nil {
			p.fedStmts(c.Stmts, to)
		}
	}
}

// procSubst is a word that is the output of commands (CmdIn) or their input, as a file;
// nil if it is not.
func procSubst(w *syntax.Word, op syntax.ProcOperator) *syntax.ProcSubst {
	if w != nil && len(w.Parts) == 1 {
		if c, is := w.Parts[0].(*syntax.ProcSubst); is && c.Op == op {
			return c
		}
	}
	return nil
}

// redirected says where the output of a statement goes.
func (p *printing) redirected(s *syntax.Stmt, to streams) streams {
	stream := func(number string) int {
		switch number {
		case "1":
			return 0
		case "2":
			return 1
		}
		return 2
	}
	for _, d := range s.Redirs {
		of := 0
		if d.N != nil {
			of = stream(d.N.Value)
		}
		goes := false
		if d.Word != nil {
			switch text := bare(d.Word); {
			case d.Op == syntax.DplOut && strings.Trim(text, "0123456789") == "" && text != "":
				goes = to[stream(text)]
			case text == "/dev/stdout", text == "/dev/fd/1", text == "/proc/self/fd/1":
				goes = to[0]
			case text == "/dev/stderr", text == "/dev/fd/2":
				goes = to[1]
			default:
				if c := procSubst(d.Word, syntax.CmdOut); c != nil {
					goes = slices.ContainsFunc(c.Stmts, func(s *syntax.Stmt) bool { return p.passesOn(s, to) })
				}
			}
		}
		switch d.Op {
		case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.DplOut:
			to[of] = goes
		case syntax.RdrAll, syntax.AppAll:
			to[0], to[1] = goes, goes
		}
	}
	return to
}

// passesOn says whether a command prints what it is given, as it is or changed.
func (p *printing) passesOn(s *syntax.Stmt, to streams) (yes bool) {
	if !p.spend(1) {
		return true
	}
	to = p.redirected(s, to)
	c, is := s.Cmd.(*syntax.CallExpr)
	if !is {
		if s.Cmd != nil {
			Inner(s.Cmd, func(s *syntax.Stmt) { yes = yes || p.passesOn(s, to) })
		}
		return yes
	}
	args, fed := program(c.Args)
	if len(args) == 0 {
		return fed && to[0] // xargs alone
	}
	called := bare(args[0])
	bodies := p.aliased(called)
	if body := p.funcs[called]; body != nil {
		bodies = []*syntax.Stmt{body}
	}
	if bodies != nil {
		if p.passing[called] {
			return false // what it does is seen already
		}
		p.passing[called] = true
		defer delete(p.passing, called)
		return slices.ContainsFunc(bodies, func(s *syntax.Stmt) bool { return p.passesOn(s, to) })
	}
	name := filepath.Base(called)
	return to[0] && (givesOn(name) || slices.Contains(Shells, name)) && !silent(name, args)
}
