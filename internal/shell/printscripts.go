// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: an interpreter prints what its script or its code does, and jq
// what its filter makes.

package shell

import (
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// script notes the script or the code that an interpreter is given.
func (p *printing) script(base string, args []*syntax.Word, s *syntax.Stmt) {
	code := func(n syntax.Node, texts []string) {
		for _, text := range texts {
			p.Codes = append(p.Codes, Code{Said{text, p.at(n)}, base})
		}
	}
	lang := spoken(base)
	skip, c := false, codings[lang]
	for i, w := range args[1:] {
		text := bare(w)
		option, _, joined := strings.Cut(text, "=")
		switch {
		case skip:
			skip = false
		case listed(c.loads, option) && i+2 < len(args):
			if skip = !joined; skip {
				p.loaded(args[i+2])
			}
		case listed(c.valued, text):
			skip = true
		case isOption(lang, text, "-p --print"), text == "-m", lang == "python" && isOption(lang, text, "-m"):
			// each line, what the code makes, a module
			p.loose(args[0])
			return
		case TakesCode(base, text) && i+2 < len(args):
			code(args[i+2], p.texts(args[i+2], p.in, 0))
			return
		case text == "run" || strings.HasPrefix(text, "-"):
		case strings.ContainsAny(text, "/."):
			p.loaded(w)
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

// loaded notes a script that an interpreter is given.
func (p *printing) loaded(w *syntax.Word) {
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
}

// jqNamed are options of jq(1) with a name behind them, and a value or a file.
var jqNamed = strings.Fields("--arg --argjson --slurpfile --rawfile")

// jq notes what jq prints: what its filter makes, with the words of its options as
// JSON, or what it takes from its input.
func (p *printing) jq(args []*syntax.Word, s *syntax.Stmt) {
	raw, null, filter := false, false, (*syntax.Word)(nil)
	for i := 1; i < len(args); i++ {
		text := bare(args[i])
		switch {
		case slices.Contains(jqNamed, text):
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
