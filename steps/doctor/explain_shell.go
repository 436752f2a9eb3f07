// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a command line is taken apart as the runtime does before
// it asks its rules: every simple command in it, also within substitutions,
// groups, functions and control flow; what is quoted stays text. What another
// program would take apart again (sh -c, eval, find -exec) is one command, as
// it is for the runtime (measured with Claude Code 2.1.329).

package doctor

import (
	"slices"
	"strings"
)

// maxCommand bounds a command line that is explained, in bytes, maxNested
// how deep substitutions in it may go, maxValue what is followed of a variable.
const (
	maxCommand = 16 << 10
	maxNested  = 32
	maxValue   = 256 // of a variable, in bytes: a program's name and a path fit
)

// simple is one simple command of a line: its words without their quotes, and
// the files that it is redirected from and to.
type simple struct {
	words    []string
	from, to []string
	// text is the part of the line that it stands in.
	text string
	// open says that a word of it is known to the shell alone.
	open bool
}

// splitLine returns the simple commands of a line; those of a substitution come
// before the command that it stands in.
func splitLine(line, home string) []simple {
	p := &shell{src: line[:min(len(line), maxCommand)], vars: map[string]string{"HOME": home}}
	p.list(0)
	return p.found
}

// shell reads a line from left to right.
type shell struct {
	src   string
	at    int
	found []simple
	vars  map[string]string
	depth int
	// here are the delimiters of the here-documents that begin on this line.
	here []heredoc
}

type heredoc struct {
	end    string
	quoted bool
}

// keywords stand before a command; drops begin or end what is none.
var (
	keywords = []string{"if", "then", "else", "elif", "do", "while", "until", "!", "{"}
	drops    = []string{"fi", "done", "esac", "}", "for", "select", "case", "function", "in"}
)

// list reads commands up to an unquoted end, or to the end of the line.
func (p *shell) list(end byte) {
	p.depth++
	defer func() { p.depth-- }()
	c, start := simple{}, p.at
	flush := func() {
		for len(c.words) > 0 && slices.Contains(keywords, c.words[0]) {
			c.words = c.words[1:]
		}
		c.text = strings.TrimSpace(p.src[start:min(p.at, len(p.src))])
		switch {
		case len(c.words) > 0 && slices.Contains(drops, c.words[0]):
		case len(c.words) > 0, c.from != nil, c.to != nil:
			p.assign(c.words)
			p.found = append(p.found, c)
		}
		c = simple{}
	}
	for p.at < len(p.src) {
		switch ch := p.src[p.at]; {
		case ch == end && end != 0:
			flush()
			p.at++
			return
		case ch == ' ' || ch == '\t' || ch == '\r':
			p.at++
		case strings.HasPrefix(p.src[p.at:], "\\\n"):
			p.at += 2
		case ch == '\n':
			flush()
			p.at++
			p.documents()
			start = p.at
		case strings.HasPrefix(p.src[p.at:], "&>"):
			p.at++
		case strings.IndexByte(";&|", ch) >= 0:
			flush()
			p.at++
			start = p.at
		case ch == ')': // the pattern of a case
			c = simple{}
			p.at++
			start = p.at
		case ch == '(':
			p.at++
			if len(c.words) == 1 && p.at < len(p.src) && p.src[p.at] == ')' { // a function begins
				p.at++
				c = simple{}
				start = p.at
				break
			}
			p.nested(')')
		case ch == '#':
			for p.at < len(p.src) && p.src[p.at] != '\n' {
				p.at++
			}
		case ch == '<' || ch == '>':
			p.redirect(&c)
		default:
			word, open := p.word()
			if p.at < len(p.src) && (p.src[p.at] == '<' || p.src[p.at] == '>') && strings.Trim(word, "0123456789") == "" {
				break // the descriptor of a redirection
			}
			c.words, c.open = append(c.words, word), c.open || open
		}
	}
	flush()
}

// nested reads a list within the line, as far as nesting is followed.
func (p *shell) nested(end byte) {
	if p.depth >= maxNested {
		p.at = len(p.src)
		return
	}
	p.list(end)
}

// assign remembers the assignments that a command begins with.
func (p *shell) assign(words []string) {
	for _, w := range words {
		name, value, ok := strings.Cut(w, "=")
		if !ok || !isName(name) {
			return
		}
		p.vars[name] = value[:min(len(value), maxValue)] // values may be made of values
	}
}

// redirect reads a redirection, a here-document's beginning, or a process
// substitution.
func (p *shell) redirect(c *simple) {
	rest := p.src[p.at:]
	switch {
	case strings.HasPrefix(rest, "<("), strings.HasPrefix(rest, ">("):
		p.at += 2
		p.nested(')')
		return
	case strings.HasPrefix(rest, "<<<"):
		p.at += 3
		p.target()
		return
	case strings.HasPrefix(rest, "<<"):
		p.at += len("<<")
		if p.at < len(p.src) && p.src[p.at] == '-' {
			p.at++
		}
		from := p.at
		end := p.target()
		p.here = append(p.here, heredoc{end, strings.ContainsAny(p.src[from:p.at], `'"\`)})
		return
	}
	op := rest[:1]
	p.at++
	for p.at < len(p.src) && strings.IndexByte("<>|&", p.src[p.at]) >= 0 {
		op += p.src[p.at : p.at+1]
		p.at++
	}
	file := p.target()
	switch {
	case file == "", strings.HasSuffix(op, "&") && strings.Trim(file, "0123456789-") == "":
	case strings.HasPrefix(op, "<"):
		c.from = append(c.from, file)
	default:
		c.to = append(c.to, file)
	}
}

// target is the word behind a redirection.
func (p *shell) target() string {
	for p.at < len(p.src) && (p.src[p.at] == ' ' || p.src[p.at] == '\t') {
		p.at++
	}
	word, _ := p.word()
	return word
}

// documents passes over the here-documents that the last line began; a
// substitution in one whose delimiter is not quoted is a command.
func (p *shell) documents() {
	for _, h := range p.here {
		for p.at < len(p.src) {
			line, _, _ := strings.Cut(p.src[p.at:], "\n")
			begin := p.at
			p.at = min(len(p.src), p.at+len(line)+1)
			if strings.TrimLeft(line, "\t") == h.end {
				break
			}
			if !h.quoted && strings.ContainsAny(line, "$`") {
				inner := &shell{src: line, vars: p.vars, depth: p.depth}
				inner.expansions()
				p.found = append(p.found, inner.found...)
				p.at = max(p.at, begin)
			}
		}
	}
	p.here = nil
}

// expansions reads text in which only substitutions mean anything.
func (p *shell) expansions() {
	for p.at < len(p.src) {
		switch p.src[p.at] {
		case '\\':
			p.at += 2
		case '$', '`':
			p.expand()
		default:
			p.at++
		}
	}
	p.at = min(p.at, len(p.src))
}
