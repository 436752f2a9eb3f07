// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: of a comment it has to be certain that it is one; what may
// be more is kept.

package shellrc

import (
	"bytes"
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/steward-setup/steward-setup/internal/lazy"
	"github.com/steward-setup/steward-setup/internal/shell"
)

// Text is a line of an rc file without comments, with those that it continues.
type Text struct {
	Line int
	Text string
}

// Lines are the lines of the text b of an rc file of s.
func Lines(s Shell, b []byte) []Text {
	b = bytes.Clone(b[:min(len(b), maxFile)])
	if s == Fish || s == Tcsh || !blankComments(s, b) {
		blankSharps(b)
	}
	var lines []Text
	joined := false
	for i, line := range strings.Split(string(b), "\n") {
		line, more := strings.CutSuffix(line, `\`)
		if joined {
			lines[len(lines)-1].Text += line
		} else {
			lines = append(lines, Text{i + 1, line})
		}
		joined = more
	}
	return lines
}

// blankComments takes away the comments that the parser finds, and says whether
// it understood the text.
func blankComments(s Shell, b []byte) (ok bool) {
	tree, err := shell.Parsed(string(portable(s, validUTF8(b))), languages[s], syntax.KeepComments(true))
	if err != nil {
		return false
	}
	syntax.Walk(tree, func(n syntax.Node) bool {
		if c, is := n.(*syntax.Comment); is {
			blank(b[min(c.Pos().Offset(), uint(len(b))):min(c.End().Offset(), uint(len(b)))])
		}
		return true
	})
	return true
}

// blankSharps takes away the comments of a text that no parser understands: a
// comment with a quote in it may be the end of a text in quotes.
func blankSharps(b []byte) {
	for len(b) > 0 {
		line, rest, _ := bytes.Cut(b, []byte("\n"))
		for i, c := range line {
			starts := i == 0 || line[i-1] == ' ' || line[i-1] == '\t' || line[i-1] == ';'
			if c == '#' && starts && !bytes.ContainsAny(line[i:], "'\"`") && bytes.Count(line[:i], []byte("'"))%2 == 0 &&
				bytes.Count(line[:i], []byte(`"`))%2 == 0 {
				blank(line[i:])
				break
			}
		}
		b = rest
	}
}

func blank(b []byte) {
	for i := range b {
		b[i] = ' '
	}
}

// zshFlags is an expansion with flags of zsh: ${=names}, ${(f)text}.
var zshFlags = lazy.Regexp(`\$\{([=~^]+|\([^()}\n]*\))[A-Za-z_]`)

// portable is a file for bash without the flags that only zsh has, every byte
// in its place. bash reads them without a word, and refuses them only when it
// comes to expand one: a file for both shells has them behind a condition.
func portable(s Shell, b []byte) []byte {
	if s != Bash {
		return b
	}
	return zshFlags().ReplaceAllFunc(b, func(m []byte) []byte {
		plain := bytes.Repeat([]byte("_"), len(m))
		copy(plain, "${")
		plain[len(m)-1] = m[len(m)-1]
		return plain
	})
}

// shortFor is a loop of zsh over words in parentheses, and what follows on its line (zshmisc(1), "Alternate forms for
// complex commands"): for f (~/.zsh/*.zsh) source $f.
var shortFor = lazy.Regexp(`\bfor[ \t]+(\w+)[ \t]+\(((?:[^()\n]|\([^()\n]*\))*)\)[ \t]*([^\n]*)`)

// endOfCommand is where the command of such a loop ends before its line does.
var endOfCommand = lazy.Regexp(`;|[ \t][#}]|\|\||&&`)

// longFor is a file of zsh with such loops as the parser reads them, every line in its place.
func longFor(s Shell, b []byte) []byte {
	if s != Zsh || !bytes.Contains(b, []byte("for")) {
		return b
	}
	return shortFor().ReplaceAllFunc(b, func(m []byte) []byte {
		part := shortFor().FindSubmatch(m)
		head, rest := fmt.Appendf(nil, "for %s in %s", part[1], part[2]), part[3]
		switch {
		case len(rest) == 0, rest[0] == ';':
			return append(head, rest...)
		case bytes.HasPrefix(rest, []byte("do ")), string(rest) == "do":
			return append(append(head, "; "...), rest...)
		case rest[0] == '{':
			inner, ends := bytes.CutSuffix(bytes.TrimRight(rest, " \t"), []byte(" }"))
			if !ends {
				return m
			}
			return fmt.Appendf(head, "; do %s; done", bytes.TrimRight(inner[1:], "; \t"))
		}
		end := len(rest)
		if at := endOfCommand().FindIndex(rest); at != nil {
			end = at[0]
		}
		return fmt.Appendf(head, "; do %s; done%s", rest[:end], rest[end:])
	})
}
