// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a small reader for the few fish commands that matter
// here. Blocks are followed so that a function's body is not taken for the
// file's own doing; a block that does not end makes the file unread.

package shellrc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/shell"
)

// fishBlock is an open block. While dead, its commands do not run when the
// file is read.
type fishBlock struct {
	kind string
	dead bool
	// of is the function whose body it is, counted from 1 in the file's; from
	// is where that begins.
	of, from int
}

type fishReader struct {
	fishLexer
	file   *File
	blocks []fishBlock
	dead   int // how many of blocks are dead
	// afterFalse says that the command before was "false".
	afterFalse bool
	// chained says that whether this command runs depends on the one before, piped that it is given what that prints.
	chained, piped bool
}

func (u User) readFish(f *File, b []byte) {
	r := &fishReader{fishLexer: fishLexer{src: b, line: 1, scope: newScope(u)}, file: f}
	f.vars = r.vars
	before := ""
	for {
		c, separator, ok, err := r.next(before)
		if err != nil {
			f.Unread = err
			return
		}
		if !ok {
			break
		}
		if err := r.command(c); err != nil {
			f.Unread = fmt.Errorf("%d: %w", c.line, err)
			return
		}
		if len(c.words) > 0 { // a line that ends in a pipe goes on
			before = separator
		}
	}
	if n := len(r.blocks); n > 0 {
		f.Unread = fmt.Errorf("a block (%s) does not end", r.blocks[n-1].kind)
	}
}

func (r *fishReader) live() bool { return r.dead == 0 }

func (r *fishReader) open(kind string, dead bool) {
	r.blocks = append(r.blocks, fishBlock{kind: kind})
	r.mark(len(r.blocks)-1, dead)
}

// mark says whether a block's commands run.
func (r *fishReader) mark(block int, dead bool) {
	switch was := r.blocks[block].dead; {
	case dead && !was:
		r.dead++
	case was && !dead:
		r.dead--
	}
	r.blocks[block].dead = dead
}

// command follows one command. Words that stand before another command
// (if, and, not ...) are taken off first.
func (r *fishReader) command(c fishCommand) error {
	words, and, negated := c.words, c.before == "&&", false
	r.chained, r.piped = and || c.before == "||", c.before == "|"
	cond := -1 // the block whose condition this command is
	for len(words) > 0 {
		switch words[0].raw {
		case "and":
			and, r.chained = true, true
		case "not", "!":
			negated = !negated
		case "or":
			r.chained = true
		case "time", "builtin", "command":
		case "begin":
			r.open("begin", false)
		case "if", "while":
			r.open(words[0].raw, false)
			cond = len(r.blocks) - 1
		case "else":
			if cond = len(r.blocks) - 1; cond < 0 || r.blocks[cond].kind != "if" {
				return fmt.Errorf("an else outside if")
			}
			r.mark(cond, false)
			if words = words[1:]; len(words) > 0 && words[0].raw == "if" {
				words = words[1:]
			}
			continue
		default:
			skipped := and && r.afterFalse
			r.afterFalse = !negated && len(words) == 1 && words[0].raw == "false"
			return r.run(c.line, words, skipped, cond)
		}
		words = words[1:]
	}
	return nil
}

// run follows the command proper; skipped says that it cannot run.
func (r *fishReader) run(line int, words []fishWord, skipped bool, cond int) error {
	if cond >= 0 {
		r.mark(cond, r.afterFalse)
	}
	name, args := words[0].raw, words[1:]
	switch name {
	case "for":
		if r.open("for", false); len(args) > 2 && args[1].raw == "in" {
			r.set(args[0].raw, all(args[2:], fishWord.known))
		}
	case "switch":
		r.open("switch", false)
	case "function":
		named := len(args) > 0 && r.live()
		if named {
			r.file.Functions = append(r.file.Functions, Def{File: r.file.Path, Line: line, Name: args[0].text(),
				Event: slices.ContainsFunc(args[1:], func(w fishWord) bool {
					option, _, _ := strings.Cut(w.raw, "=")
					return strings.HasPrefix(option, "--on-") || slices.Contains([]string{"-e", "-v", "-j", "-p", "-s"}, option)
				})})
		}
		if r.open("function", true); named {
			block := &r.blocks[len(r.blocks)-1]
			block.of, block.from = len(r.file.Functions), r.pos
		}
	case "end":
		if len(r.blocks) == 0 {
			return fmt.Errorf("an end without a block")
		}
		if block := r.blocks[len(r.blocks)-1]; block.of > 0 {
			text := strings.TrimRight(string(r.src[min(block.from, r.pos):r.pos]), "; \t\r\n")
			r.file.Functions[block.of-1].Body = strings.Trim(strings.TrimSuffix(text, "end"), "; \t\r\n")
		}
		r.mark(len(r.blocks)-1, false)
		r.blocks = r.blocks[:len(r.blocks)-1]
	}
	if skipped || !r.live() {
		return nil
	}
	switch name {
	case "source", ".":
		if len(args) > 0 && args[0].raw == "--" {
			args = args[1:]
		}
		// "source" alone and "source -" read what a command prints, and
		// so does a substitution.
		if len(args) > 0 && args[0].raw != "-" && !strings.HasPrefix(args[0].raw, "(") {
			addSource(r.file, Ref{File: r.file.Path, Line: line, Text: args[0].raw}, args[0].values)
		}
	case "set":
		r.assign(line, args)
	case "fish_add_path":
		for len(args) > 0 && strings.HasPrefix(args[0].raw, "-") { // none takes a value (fish_add_path(1))
			args = args[1:]
		}
		r.file.Sets = append(r.file.Sets, r.file.def(line, "PATH", substituted(args)))
	case "alias", "abbr":
		r.alias(line, args)
	case "functions":
		r.erase(line, args)
	case "return", "exit", "exec":
		if len(r.blocks) == 0 && cond < 0 && !r.chained && (name != "exec" || len(args) > 0) {
			r.file.Ends = append(r.file.Ends, r.file.def(line, name, name))
		}
	}
	switch name {
	case "set", "fish_add_path", "alias", "functions", "function", "end", "for", "switch", "case", "if", "while", "begin",
		"set_color", "test", "[", "status":
	default:
		r.called(r.file.def(line, "", substituted(words)))
	}
	return nil
}

// called notes a command that runs. "source" alone reads what is printed before it, and is one with that.
func (r *fishReader) called(c Def) {
	last := len(r.file.Calls) - 1
	if r.piped && last >= 0 && (c.Value == "source" || c.Value == "source -") {
		r.file.Calls[last].Value += " | source"
		return
	}
	r.file.Calls = append(r.file.Calls, c)
}

// substituted are words with what is known of them, and substitutions as other shells
// write them: fish has them without the dollar too.
func substituted(words []fishWord) string {
	var texts []string
	for _, w := range words {
		text := w.raw
		if len(w.values) == 1 && !strings.ContainsAny(w.values[0].Text, " \t\n'\"`$;&|<>()*?[\\") {
			text = w.values[0].Text
		}
		if !w.quoted() { // in quotes a bracket is one
			text = strings.NewReplacer("$(", "$(", "(", "$(").Replace(text)
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, " ")
}

// assign follows "set [FLAGS] NAME VALUE...".
func (r *fishReader) assign(line int, args []fishWord) {
	for len(args) > 0 && strings.HasPrefix(args[0].raw, "-") {
		switch flag := args[0].raw; {
		case flag == "--erase", flag == "--query", len(flag) > 1 && flag[1] != '-' && strings.ContainsAny(flag, "eq"):
			return
		}
		args = args[1:]
	}
	if len(args) > 1 {
		values := all(args[1:], fishWord.known)
		if have, before := r.vars[args[0].raw]; before && len(r.blocks) > 0 { // another branch may be the one
			if values = append(slices.Clone(have), values...); have == nil || len(values) > shell.MaxValues {
				values = nil
			}
		}
		r.set(args[0].raw, values)
		value := substituted(args[1:])
		if len(args) == 2 && args[1].quoted() {
			value = args[1].raw[1 : len(args[1].raw)-1]
		}
		r.file.Sets = append(r.file.Sets, r.file.def(line, args[0].raw, value))
	}
}

// erase follows "functions -e NAME...".
func (r *fishReader) erase(line int, args []fishWord) {
	if len(args) == 0 || args[0].raw != "-e" && args[0].raw != "--erase" {
		return
	}
	for _, arg := range args[1:] {
		r.file.Undone = append(r.file.Undone, r.file.def(line, arg.text(), "functions -e "+arg.raw))
	}
}

// alias follows "alias NAME=VALUE" and "alias NAME VALUE".
func (r *fishReader) alias(line int, args []fishWord) {
	for len(args) > 0 && strings.HasPrefix(args[0].raw, "-") {
		args = args[1:]
	}
	if len(args) == 0 {
		return
	}
	name, value, joined := strings.Cut(args[0].text(), "=")
	if !joined {
		if len(args) < 2 {
			return
		}
		var parts []string
		for _, w := range args[1:] {
			if w.values == nil {
				parts = append(parts, w.raw)
			} else {
				parts = append(parts, w.text())
			}
		}
		value = strings.Join(parts, " ")
	}
	r.file.Aliases = append(r.file.Aliases, r.file.def(line, name, value))
}
