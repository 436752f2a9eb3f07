// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whose words are the output of a line is told apart: those that
// stand in the line, those of a file, and those of a program that nobody knows here.

package shell

import (
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/steward-setup/steward-setup/internal/lazy"
)

// Said is a word of a line, as it is written, with its place.
type Said struct {
	Text string
	From int
}

// Printed is what a line may print.
type Printed struct {
	// Words are those that it may print: arguments, here-documents, values of
	// variables.
	Words []Said
	// Others are the files that it prints, and the programs and scripts whose
	// output is its own.
	Others []Said
	// Given are programs that print words of what they read, which for a hook are
	// the agent's.
	Given []Said
}

// Prints says what a line, or a script, may print to its standard output. ok is
// false if it is no line of a shell that can be parsed.
func Prints(line string) (p Printed, ok bool) {
	tree, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
	if err != nil {
		return p, false
	}
	w := printing{}
	w.stmts(tree.Stmts, true)
	return w.Printed, true
}

// printing reads one line; within counts lines within it, captured variables that
// are given an output.
type printing struct {
	Printed
	within, captured int
}

func (p *printing) stmts(list []*syntax.Stmt, open bool) {
	for _, s := range list {
		p.stmt(s, open)
	}
}

// stmt reads a statement; open says that its output is the line's.
func (p *printing) stmt(s *syntax.Stmt, open bool) {
	for _, d := range s.Redirs {
		number := ""
		if d.N != nil {
			number = d.N.Value
		}
		switch d.Op {
		case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll, syntax.DplOut:
			own := d.Op == syntax.DplOut && d.Word.Lit() == "1" || d.Word.Lit() == "/dev/stdout"
			open = open && (own || number != "" && number != "1")
		case syntax.Hdoc, syntax.DashHdoc:
			p.word(d.Hdoc, open)
		case syntax.WordHdoc:
			p.word(d.Word, open)
		}
	}
	syntax.Walk(s, func(n syntax.Node) bool {
		switch c := n.(type) {
		case *syntax.Stmt:
			if c == s {
				return true
			}
			p.stmt(c, open)
			return false
		case *syntax.BinaryCmd:
			if c.Op != syntax.Pipe && c.Op != syntax.PipeAll {
				return true
			}
			p.stmt(c.X, open && passesOn(c.Y))
			p.stmt(c.Y, open)
			return false
		case *syntax.Assign:
			p.word(c.Value, true)
			if c.Value != nil {
				p.captured++
				syntax.Walk(c.Value, func(n syntax.Node) bool {
					inner, is := n.(*syntax.Stmt)
					if is {
						p.stmt(inner, open)
					}
					return !is
				})
				p.captured--
			}
			return false
		case *syntax.CallExpr:
			p.call(c, open)
		case *syntax.Redirect:
			return false
		}
		return true
	})
}

// word notes a word, which may be printed.
func (p *printing) word(w *syntax.Word, open bool) {
	if w != nil && open {
		p.Words = append(p.Words, Said{source(w), int(w.Pos().Offset())})
	}
}

// passesOn says whether a command prints what it is given.
func passesOn(s *syntax.Stmt) bool {
	c, is := s.Cmd.(*syntax.CallExpr)
	if !is {
		return true
	}
	args := program(c.Args)
	if len(args) == 0 {
		return true
	}
	name := filepath.Base(bare(args[0]))
	_, prints := printers[name]
	return slices.Contains(shells, name) || prints && !slices.ContainsFunc(args[1:], func(w *syntax.Word) bool {
		return slices.Contains([]string{"-q", "-qE", "-qi", "-qF", "-c", "--quiet", "--silent"}, bare(w))
	})
}

// shells are the programs that run what they read.
var shells = []string{"sh", "bash", "dash", "zsh", "ksh", "ash"}

// program are the words of a command from the program on that it starts: without
// a wrapper, its options and what it counts.
func program(args []*syntax.Word) []*syntax.Word {
	for len(args) > 0 && passed(bare(args[0])) {
		args = args[1:]
	}
	return args
}

// bare is a word without what quotes.
func bare(w *syntax.Word) string {
	return strings.NewReplacer(`"`, "", "'", "", `\`, "").Replace(source(w))
}

// call notes what a command prints.
func (p *printing) call(c *syntax.CallExpr, open bool) {
	args := program(c.Args)
	if len(args) == 0 || !open {
		return
	}
	name := bare(args[0])
	for _, w := range args[1:] {
		p.word(w, true)
	}
	base := filepath.Base(name)
	_, prints := printers[base]
	_, interprets := interpreters[base]
	_, runs := runners[base]
	switch {
	case slices.Contains(shells, base), base == "eval":
		p.inner(args[1:])
	case base == "." || base == "source":
		p.other(args[1:min(2, len(args))])
	case base == "jq" || base == "yq":
		if p.captured == 0 && slices.ContainsFunc(args[1:], func(w *syntax.Word) bool {
			return slices.Contains([]string{"-r", "-j", "--raw-output", "--join-output"}, bare(w))
		}) {
			p.Given = append(p.Given, Said{name, int(args[0].Pos().Offset())})
		}
	case prints && !printers[base]:
		p.other(args[1:])
	case python().MatchString(base), interprets && !silent(base), runs && !fetching(base):
		p.script(args)
	case !silent(base):
		p.other(args[:1])
	}
}

// inner notes what a shell prints: a line in its words, or a script.
func (p *printing) inner(args []*syntax.Word) {
	if p.within++; p.within > maxWithin {
		return
	}
	for _, w := range args {
		text, is := quotedText(w)
		if !is {
			p.other([]*syntax.Word{w})
			continue
		}
		within, ok := Prints(text)
		if ok {
			for _, s := range within.Words {
				s.From = int(w.Pos().Offset())
				p.Words = append(p.Words, s)
			}
			for _, s := range within.Others {
				s.From = int(w.Pos().Offset())
				p.Others = append(p.Others, s)
			}
		}
	}
	p.within--
}

// quotedText is the text of a word that is one quoted string.
func quotedText(w *syntax.Word) (string, bool) {
	if len(w.Parts) != 1 {
		return "", false
	}
	switch q := w.Parts[0].(type) {
	case *syntax.SglQuoted:
		return q.Value, true
	case *syntax.DblQuoted:
		text := strings.TrimSuffix(strings.TrimPrefix(source(q), `"`), `"`)
		return unescaped(text, true), strings.Contains(text, " ")
	}
	return "", false
}

// other notes files and programs by their words.
func (p *printing) other(words []*syntax.Word) {
	for _, w := range words {
		if text := bare(w); text != "" && !strings.HasPrefix(text, "-") {
			p.Others = append(p.Others, Said{text, int(w.Pos().Offset())})
		}
	}
}

// script notes the script that an interpreter is given; code in its words is among
// those.
func (p *printing) script(args []*syntax.Word) {
	for _, w := range args[1:] {
		switch text := bare(w); {
		case slices.Contains([]string{"-c", "-e", "-E", "-p", "--eval", "--print"}, text):
			return
		case text == "-m":
			p.other(args[:1])
			return
		case strings.ContainsAny(text, "/.") && !strings.HasPrefix(text, "-"):
			p.other([]*syntax.Word{w})
			return
		}
	}
}

// duration is what timeout(1) and nice(1) take before a program.
var duration = lazy.Regexp(`^[0-9.]+[smhd]?$`)

// passed says whether a word stands before the program that a command starts.
func passed(word string) bool {
	_, wraps := wrappers[word]
	name, _, set := strings.Cut(word, "=")
	return wraps || slices.Contains([]string{"env", "exec", "command", "builtin"}, word) || strings.HasPrefix(word, "-") ||
		set && !strings.Contains(name, "/") || duration().MatchString(word)
}

// fetching says whether a program starts one that it fetches.
func fetching(name string) bool {
	return slices.Contains([]string{"npx", "bunx", "pnpx", "uvx", "pipx"}, name)
}

// silent says whether a program is known to print nothing of its own choice.
func silent(name string) bool {
	_, runs := runners[name]
	switch {
	case fetching(name):
		return false
	case Builtin(name), slices.Contains(data, name), slices.Contains(configured, name), runs:
		return true
	}
	return slices.Contains(strings.Fields("git gh find rg awk gawk mawk sed gsed tmux flock"), name) ||
		outputs[name].options != "" || makers[name] > 0 || copiers[name] != ""
}
