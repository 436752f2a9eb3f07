// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a word is the texts that it may be, with a mark where nobody
// knows here what stands there.

package shell

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// The marks: what nobody knows, a value of JSON that nobody knows, all that a hook
// is given, what a quiet program prints, or another, which is asked by itself, and
// what of it has words that others chose: a commit's, a file's.
const (
	anyRune   = '\ue000'
	jsonRune  = '\ue001'
	inputRune = '\ue002'
	otherRune = '\ue003'
	wordsRune = '\ue004'
)

func unknown(r rune) bool { return r >= anyRune && r <= wordsRune }

// value is what a variable is given: a word in a function, or what nobody knows.
type value struct {
	word *syntax.Word
	in   string
}

// learn gathers functions, and what variables and functions are given.
func (p *printing) learn(tree syntax.Node, in string) {
	p.learned++
	put := func(name string, w *syntax.Word) { p.known[name] = append(p.known[name], value{w, in}) }
	syntax.Walk(tree, func(n syntax.Node) bool {
		if c, is := n.(*syntax.FuncDecl); is && c.Name != nil {
			p.funcs[c.Name.Value] = c.Body
		}
		return true
	})
	syntax.Walk(tree, func(n syntax.Node) bool {
		switch c := n.(type) {
		case *syntax.FuncDecl:
			if c.Name != nil && c.Name.Value != in {
				p.learn(c.Body, c.Name.Value)
				return false
			}
		case *syntax.Assign:
			if c.Name == nil {
				break
			}
			p.Moves = p.Moves || c.Name.Value == "PATH"
			if c.Naked {
				break
			}
			if c.Value != nil && c.Array == nil && c.Index == nil {
				if c.Append { // behind what it is already
					put(c.Name.Value, nil)
				} else {
					put(c.Name.Value, c.Value)
				}
				if text := source(c.Value); !strings.Contains(text, "$(") {
					p.Words = append(p.Words, Said{text, p.at(c.Value)})
				}
			} else if c.Array != nil || c.Index != nil {
				put(c.Name.Value, nil)
			}
		case *syntax.WordIter:
			for _, w := range c.Items {
				put(c.Name.Value, w)
			}
			if len(c.Items) == 0 {
				put(c.Name.Value, nil)
			}
		case *syntax.CallExpr:
			p.gives(c, in, put)
		}
		return true
	})
}

// gives notes what a command gives to variables, and to the arguments of a
// function.
func (p *printing) gives(c *syntax.CallExpr, in string, put func(string, *syntax.Word)) {
	args, _ := program(c.Args)
	if len(args) == 0 {
		return
	}
	switch name := bare(args[0]); {
	case name == "." || name == "source":
		p.sourced = true
	case name == "alias":
		for _, w := range args[1:] {
			short, _, _ := strings.Cut(bare(w), "=")
			p.aliases[short] = append(p.aliases[short], value{w, in})
		}
	case p.funcs[name] != nil:
		for i, w := range args[1:] {
			put(fmt.Sprint(name, "\x00", i+1), w)
		}
	case slices.Contains([]string{"read", "mapfile", "readarray", "getopts"}, name):
		for _, w := range args[1:] {
			if text := bare(w); syntax.ValidName(text) {
				put(text, nil)
			}
		}
	case name == "printf" && len(args) > 2 && bare(args[1]) == "-v":
		put(bare(args[2]), nil)
	}
}

// maxTexts bounds the texts of a word.
const maxTexts = 24

// texts are those that a word of a function may be.
func (p *printing) texts(w *syntax.Word, in string, depth int) []string {
	if w == nil || depth > maxPrinted || !p.spend(1) {
		return []string{string(anyRune)}
	}
	return p.parts(w.Parts, in, depth, false)
}

func (p *printing) parts(parts []syntax.WordPart, in string, depth int, quoted bool) []string {
	list := []string{""}
	for _, part := range parts {
		if list = p.each(list, "", p.part1(part, in, depth, quoted)); len(list) > maxTexts {
			return []string{string(anyRune)}
		}
	}
	return list
}

// maxLong bounds the length of a text.
const maxLong = 256 << 10

// each are all texts of one list before those of another.
func (p *printing) each(list []string, between string, behind []string) (all []string) {
	for _, before := range list {
		for _, text := range behind {
			if long := len(before) + len(text); long > maxLong || !p.spend(long/1024) {
				return []string{string(anyRune)}
			}
			if text = before + between + text; !slices.Contains(all, text) {
				all = append(all, text)
			}
		}
	}
	return all
}

func (p *printing) part1(part syntax.WordPart, in string, depth int, quoted bool) []string {
	switch c := part.(type) {
	case *syntax.Lit:
		return []string{unescaped(c.Value, quoted)}
	case *syntax.SglQuoted:
		return []string{c.Value}
	case *syntax.DblQuoted:
		return p.parts(c.Parts, in, depth, true)
	case *syntax.ParamExp:
		return p.param(c, in, depth)
	case *syntax.CmdSubst:
		return p.captured(c, in, depth)
	case *syntax.ArithmExp:
		return []string{"0"}
	}
	return []string{string(anyRune)}
}

// environment are variables whose values nobody else chooses.
var environment = strings.Fields("HOME PWD OLDPWD USER LOGNAME HOSTNAME UID EUID RANDOM SECONDS LINENO EPOCHSECONDS " +
	"BASHPID PPID TMPDIR XDG_CACHE_HOME XDG_STATE_HOME XDG_CONFIG_HOME")

// self is the path of the script, or a directory above it.
func (p *printing) self(e *syntax.ParamExp) string {
	up := ""
	if e.Exp != nil && e.Exp.Word != nil {
		up = e.Exp.Word.Lit()
	}
	if p.path == "" || e.Repl != nil || e.Slice != nil || strings.ReplaceAll(up, "/*", "") != "" ||
		e.Exp != nil && e.Exp.Op != syntax.RemSmallSuffix {
		return string(anyRune)
	}
	at := p.path
	for range strings.Count(up, "/*") {
		at = filepath.Dir(at)
	}
	return at
}

// param are the values of a variable or an argument.
func (p *printing) param(e *syntax.ParamExp, in string, depth int) (list []string) {
	name := e.Param.Value
	switch {
	case e.Length, slices.Contains([]string{"?", "#", "$", "!", "-"}, name):
		return []string{"0"}
	case name == "0" || name == "BASH_SOURCE":
		return []string{p.self(e)}
	}
	values := p.known[name]
	if in != "" && !syntax.ValidName(name) {
		for i := 1; i < 10; i++ {
			if key := fmt.Sprint(in, "\x00", i); name == fmt.Sprint(i) || name == "@" || name == "*" {
				values = append(values, p.known[key]...)
			}
		}
	}
	computed := e.Repl != nil || e.Slice != nil || e.Excl || e.Exp != nil &&
		!slices.Contains([]syntax.ParExpOperator{syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset,
			syntax.AssignUnsetOrNull, syntax.ErrorUnset, syntax.ErrorUnsetOrNull}, e.Exp.Op)
	list = p.values(name, in, values, depth)
	switch {
	case slices.Contains(p.set, name) && values == nil:
		list = []string{"$" + name}
	case values == nil:
		list = []string{string(anyRune)}
	case computed && slices.ContainsFunc(list, func(s string) bool { return strings.ContainsFunc(s, unknown) }):
		list = []string{string(anyRune)}
	}
	if e.Exp != nil && !computed && e.Exp.Word != nil {
		list = append(list, p.texts(e.Exp.Word, in, depth+1)...)
	}
	slices.Sort(list)
	if list = slices.Compact(list); len(list) > maxTexts {
		return []string{string(anyRune)}
	}
	return list
}

// values are the texts of what a variable is given, which are worked out once. Of
// one that is given its own value nobody knows it.
func (p *printing) values(name, in string, values []value, depth int) []string {
	key := expansion{name, in, p.piped || p.fed, p.learned}
	if syntax.ValidName(name) {
		key.in = ""
	}
	if list, known := p.expanded[key]; known && list == nil && values != nil {
		return []string{string(anyRune)}
	} else if known {
		return slices.Clone(list)
	}
	p.expanded[key] = nil
	var list []string
	for _, v := range values {
		list = append(list, p.texts(v.word, v.in, depth+1)...)
	}
	p.expanded[key] = list
	return slices.Clone(list)
}

// captured are the texts that commands print into a word.
func (p *printing) captured(c *syntax.CmdSubst, in string, depth int) []string {
	if len(c.Stmts) == 1 && c.Stmts[0].Cmd == nil { // $(<file)
		for _, d := range c.Stmts[0].Redirs {
			p.note(&p.aside.Files, d.Word)
		}
		return []string{string(otherRune)}
	}
	if p.depth >= maxPrinted || depth > maxPrinted {
		return []string{string(anyRune)}
	}
	sub := &printing{path: p.path, set: p.set, known: p.known, funcs: p.funcs, in: in,
		from: max(1, p.at(c)), depth: p.depth + 1,
		capturing: true, fed: p.piped || p.fed, effort: p.effort, reading: map[entry]bool{}}
	for e := range p.reading {
		e.to, e.fed, e.piped = streams{true}, sub.fed, false
		sub.reading[e] = false
	}
	sub.stmts(c.Stmts, streams{true})
	p.Moves = p.Moves || sub.Moves
	p.aside.Files, p.aside.Others = append(p.aside.Files, sub.Files...), append(p.aside.Others, sub.Others...)
	p.aside.Codes = append(p.aside.Codes, sub.Codes...)
	var list []string
	for _, w := range sub.Words {
		list = append(list, w.Text)
	}
	switch {
	case len(sub.Loose) > 0:
		return []string{string(anyRune)}
	case len(sub.Others)+len(sub.Codes)+len(sub.Files) > 0, len(list) == 0 && !sub.reports:
		list = append(list, string(otherRune))
	}
	if sub.reports {
		list = append(list, string(wordsRune))
	}
	if len(list) > 1 {
		list = append(list, strings.Join(list, "\n"))
	}
	return list
}

// joined is what echo prints of its words.
func (p *printing) joined(args []*syntax.Word, fed bool) []string {
	list := []string{""}
	for i, w := range args {
		between := " "
		if i == 0 {
			between = ""
		}
		if list = p.each(list, between, p.texts(w, p.in, 0)); len(list) > maxTexts {
			return []string{string(anyRune)}
		}
	}
	if fed {
		for i := range list {
			list[i] += string(anyRune)
		}
	}
	return list
}

// printf prints a format and words in it; what begins it may be the first of them.
func (p *printing) printf(args []*syntax.Word, fed bool) {
	if len(args) > 2 && bare(args[1]) == "-v" {
		return
	}
	rest := words(args[1:], "--")
	if len(rest) == 0 {
		return
	}
	var list []string
	for _, format := range p.texts(rest[0], p.in, 0) {
		given := []string{format}
		for i, w := range rest[1:] {
			var next []string
			for _, text := range p.texts(w, p.in, 0) {
				for _, so := range given {
					if strings.Contains(so, "%s") || strings.Contains(so, "%b") {
						next = append(next, strings.Replace(strings.Replace(so, "%b", "%s", 1), "%s", text, 1))
					} else if strings.Trim(format, "%sb\\n \t") == "" && i > 0 || !strings.Contains(format, "%") {
						next = append(next, so+"\n"+text)
					} else {
						next = append(next, so)
					}
				}
			}
			if given = next; len(given) > maxTexts {
				given = []string{string(anyRune)}
			}
		}
		list = append(list, given...)
	}
	if fed {
		for i := range list {
			list[i] = strings.Replace(list[i], "%s", string(anyRune), 1) + string(anyRune)
		}
	}
	p.print(rest[0], list)
}

// escapedSpace is space as printf and echo are given it.
var escapedSpace = strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\r`, "\r")

// endsElse says whether a text ends in words behind which no object does.
func endsElse(text string) bool {
	at := strings.LastIndexFunc(text, unknown)
	_, size := utf8.DecodeRuneInString(text[max(at, 0):])
	tail := strings.TrimSpace(escapedSpace.Replace(text[at+size:]))
	return at >= 0 && tail != "" && !strings.HasSuffix(tail, "}") && !strings.Contains(tail, `\`)
}

// print notes texts that are printed. Nothing is an answer that begins with other
// words than an object, or has any behind it.
func (p *printing) print(n syntax.Node, texts []string) {
	for _, text := range texts {
		said := Said{text, p.at(n)}
		p.Words = append(p.Words, said)
		if p.capturing {
			continue
		}
		begins := strings.Trim(text, " \t\r\n\ufeff")
		marked := strings.Contains(begins, "\xee\x80") // as all marks begin
		strange := marked && strings.ContainsFunc(begins, func(r rune) bool { return r == anyRune || r == inputRune })
		// Words of others end no object that they stand behind, and what stands in one they do.
		within := strange || marked && strings.ContainsRune(begins, wordsRune)
		open := func() int { return strings.Count(begins, "{") - strings.Count(begins, "}") }
		switch {
		case begins == "":
		case begins[0] != '{' && within && endsElse(begins):
			p.inPart = said
		case strings.HasPrefix(begins, string(anyRune)), strings.HasPrefix(begins, string(jsonRune)),
			begins[0] == '{' && within:
			p.Loose = append(p.Loose, Said{source(n), said.From})
		case begins[0] == '{' && marked && strings.ContainsRune(begins, otherRune),
			strings.HasPrefix(begins, string(otherRune)):
			p.asked = true
		case begins[0] == '{' && open() > 0, begins[len(begins)-1] == '}' && open() < 0:
			p.part = said
		case within:
			p.inPart = said
		}
	}
}
