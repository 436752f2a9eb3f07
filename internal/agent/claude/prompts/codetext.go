// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: code is told from comments and from texts in it, byte by byte,
// so that words of a text are no call, and a call in the hole of a text is one.

package prompts

import (
	"bytes"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/lazy"
	"github.com/steward-setup/steward-setup/internal/shell"
)

// codeText is the text of a program in one language: python, node, ruby or perl. Both
// views are as long as the text.
type codeText struct {
	by string
	// said is without comments, patterns and documentation; calls is also without
	// what stands in texts, but for their holes and the names of modules.
	said, calls string
	// texts are where the texts in it end, by where they begin.
	texts map[int]int
	// known says of names whether their values are, false while they are looked at.
	known map[string]bool
	// lists are the parameters of its functions, names where one declaration goes on with another name: nil
	// before they are looked for.
	lists []parameters
	names map[int]bool
	// values are those of names that were looked for.
	values map[string][]span
	// left is how many bytes may still be read to tell what calls are given, open where a text does not end on
	// its line, so that other code may be hidden: -1 if nowhere.
	left, open int
	// module says that other code calls its functions; starts and renames that subprocess is taken apart, or
	// has another name.
	module, starts, renames bool
}

// maxRead bounds them: twenty times the longest script, so that thousands of calls that end nowhere are given up.
const maxRead = 20 * maxAnswer

// lexer reads a text into the views.
type lexer struct {
	text, by    string
	said, calls []byte
	texts       map[int]int
	// left is how many bytes may still be read for patterns, open where a text first does not end on its line,
	// -1 if all do.
	left, open int
}

func readCode(text, by string) *codeText {
	l := lexer{text, shell.LanguageOf(by), []byte(text), []byte(text), map[int]int{}, maxRead, -1}
	l.code(0, false)
	return &codeText{by: l.by, said: string(l.said), calls: string(l.calls), texts: l.texts, known: map[string]bool{},
		values: map[string][]span{}, left: l.left, open: l.open}
}

// blank blanks a part of a view, but for the ends of lines.
func blank(view []byte, from, to int) {
	for i := from; i < min(to, len(view)); i++ {
		if view[i] != '\n' {
			view[i] = ' '
		}
	}
}

// drop blanks a comment in both views up to the mark that ends it, and says where the next code is: the end
// of the line is code.
func (l *lexer) drop(from, opens int, mark string) int {
	end := len(l.text)
	if i := strings.Index(l.text[from+opens:], mark); i >= 0 {
		end = from + opens + i + len(strings.TrimSuffix(mark, "\n"))
	}
	blank(l.said, from, end)
	blank(l.calls, from, end)
	return end
}

// code reads code up to its end, or to the brace that ends a hole.
func (l *lexer) code(i int, hole bool) int {
	node, depth := l.by == "node", 0
	var conditions []bool // of the open brackets
	condition := false    // what is closed last is that of a statement
	for ; i < len(l.text); i++ {
		rest := l.text[i:]
		switch c := rest[0]; {
		case node && strings.HasPrefix(rest, "//"), i == 0 && strings.HasPrefix(rest, "#!"), c == '#' && !hole &&
			(l.by == "python" || !node && onlySpace(l.calls[:i])):
			i = l.drop(i, 1, "\n") - 1
		case node && strings.HasPrefix(rest, "/*"):
			i = l.drop(i, 2, "*/") - 1
		case c == '"' || c == '\'' || node && c == '`':
			l.texts[i] = l.quoted(i, hole || depth > 0)
			i = l.texts[i] - 1
		case node && c == '/' && patternAt(l.calls[:i], condition):
			i = l.pattern(i)
		case strings.IndexByte("([{", c) >= 0:
			depth++
			conditions = append(conditions, node && c == '(' && conditional().Match(l.calls[max(0, i-12):i]))
		case strings.IndexByte(")]}", c) >= 0:
			if depth == 0 && hole && c == '}' {
				return i
			}
			if depth > 0 {
				depth--
				condition, conditions = conditions[depth], conditions[:depth]
			}
		}
	}
	return len(l.text)
}

// onlySpace says whether nothing stands before on a line.
func onlySpace(before []byte) bool {
	before = bytes.TrimRight(before, " \t")
	return len(before) == 0 || before[len(before)-1] == '\n'
}

// loads finds words in front of the name of a module.
var loads = lazy.Regexp(`(\b(require|import)\s*\(|\bfrom|\bimport)\s*$`)

// conditional ends with a word whose brackets hold a condition, explains with the name of an argument
// that only a usage message prints.
var (
	conditional = lazy.Regexp(`\b(if|while|for|with)\s*$`)
	explains    = lazy.Regexp(`\b(help|description|epilog|usage|metavar)\s*=\s*$`)
)

// quoted reads a text, and the code in its holes; within says that it stands in brackets.
func (l *lexer) quoted(i int, within bool) (end int) {
	mark, begin := l.text[i:i+1], i
	for begin > 0 && i-begin < 2 && strings.IndexByte("rRbBuUfFtT", l.text[begin-1]) >= 0 {
		begin--
	}
	if begin > 0 && grants.IsWord(l.text[begin-1]) || l.by != "python" {
		begin = i
	}
	if triple := strings.Repeat(mark, 3); l.by == "python" && strings.HasPrefix(l.text[i:], triple) {
		mark = triple
	}
	hole := map[string]string{"python": "{", "node": "${", "ruby": "#{"}[l.by]
	holes := l.by == "python" && strings.ContainsAny(l.text[begin:i], "fFtT") || l.by == "node" && mark == "`" ||
		l.by == "ruby" && mark == `"`
	named := l.by == "node" && loads().Match(l.calls[max(0, i-24):i])
	from, k, hollow := i+len(mark), i+len(mark), false
	for k < len(l.text) && !strings.HasPrefix(l.text[k:], mark) {
		switch {
		case l.text[k] == '\\':
			k += 2
		case l.text[k] == '\n' && (mark == `"` || mark == "'"):
			blank(l.calls, from, k)
			l.opens(i)
			return k
		case holes && l.by == "python" && strings.HasPrefix(l.text[k:], "{{"):
			k += 2
		case holes && strings.HasPrefix(l.text[k:], hole):
			blank(l.calls, from, k+len(hole)-1)
			from, hollow = l.code(k+len(hole), true)+1, true
			k = from
		default:
			k++
		}
	}
	if !named {
		blank(l.calls, from, k)
	}
	if k >= len(l.text) {
		l.opens(i)
	}
	end = min(k+len(mark), len(l.text))
	before, behind := bytes.TrimRight(l.calls[:begin], " \t"), strings.TrimLeft(l.text[end:], " \t\r")
	starts := len(before) == 0 || before[len(before)-1] == ';' || before[len(before)-1] == '\n' &&
		!bytes.HasSuffix(before, []byte("\\\n"))
	alone := starts && !within && (behind == "" || strings.IndexByte("\n;#", behind[0]) >= 0)
	if l.by == "python" && !hollow && (alone || explains().Match(l.calls[max(0, begin-24):begin])) {
		blank(l.said, begin, end)
	}
	return end
}

// opens notes a text that does not end: quotes in patterns of Perl and Ruby are read as texts.
func (l *lexer) opens(at int) {
	if l.open < 0 || at < l.open {
		l.open = at
	}
}

// walk reads code from a place up to the bracket that closes there; each is told the signs outside
// of inner brackets and of texts, and ends it.
func (c *codeText) walk(from int, each func(i int, b byte) (ends bool)) int {
	depth := 0
	for i := from; i < len(c.calls) && c.left > 0; i++ {
		if end, is := c.texts[i]; is {
			c.left -= end - i
			i = end - 1
			continue
		}
		c.left--
		b := c.calls[i]
		closes := strings.IndexByte(")]}", b) >= 0
		if closes && depth == 0 || depth == 0 && each(i, b) {
			return i
		}
		if closes {
			depth--
		} else if strings.IndexByte("([{", b) >= 0 {
			depth++
		}
	}
	return len(c.calls)
}

// patternAt says whether a slash behind code begins a pattern: no value is before it, perhaps a condition.
func patternAt(before []byte, condition bool) bool {
	before = bytes.TrimRight(before, " \t\r\n")
	if len(before) == 0 {
		return true
	}
	ofWord := func(r rune) bool { return r < 128 && grants.IsWord(byte(r)) }
	word := string(before[len(bytes.TrimRightFunc(before, ofWord)):])
	if word != "" {
		return slices.Contains(strings.Fields("return typeof case in of delete void throw new else do await yield"), word)
	}
	last := before[len(before)-1]
	if bytes.HasSuffix(before, []byte("++")) || bytes.HasSuffix(before, []byte("--")) {
		return false
	}
	return last == ')' && condition || bytes.IndexByte([]byte(")]\"'`$/"), last) < 0
}

// pattern reads a pattern on one line, and says where it ends; without an end it is none.
func (l *lexer) pattern(i int) int {
	class := false
	for k := i + 1; k < len(l.text) && l.text[k] != '\n' && l.left > 0; k++ {
		l.left--
		switch c := l.text[k]; {
		case c == '\\':
			k++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			blank(l.said, i+1, k)
			blank(l.calls, i+1, k)
			return k
		}
	}
	return i
}
