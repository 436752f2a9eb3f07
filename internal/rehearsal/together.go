// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: several words of the tool in one command are told apart by
// lines that no file and no variable can print: what cannot be told apart has
// no parts.

package rehearsal

import (
	"fmt"
	"io"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/stage"
)

// toolAll does several words, one after the other; partEnds stands between
// them.
const (
	toolAll  = "all"
	partEnds = "+"
)

// Bounds of a command of several words, in bytes: the runtime cuts a reply off
// after 30,000 characters, and 2.1.329 does not read a command line of more
// than 10,000. A path is written twice as long where it is sealed.
const (
	maxReply    = 26_000
	maxTogether = 8_000
)

// perWord is what a reply has for each word of a command beside the word itself
// (twice, in an error) and what is shown of a file, in bytes: the value of a
// variable that was planted, an error, the name of a part.
const perWord = 80

// Together puts command lines of the tool into as few as their bounds allow,
// and says for each in which of the new ones it is, and as which part. Each of
// them Joins.
func Together(lines []string) (together []string, at [][2]int) {
	var parts, reply, length int
	for _, line := range lines {
		words, _ := alone(line)
		each := perWord
		if strings.HasPrefix(words, ToolRead+" ") {
			each += maxSaid
		}
		r, l := maxSaid, 3
		for word := range strings.FieldsSeq(words) {
			r += 2*len(word) + each
			l += 2*len(word) + len(sealedBy) + 1
		}
		if parts == 0 || reply+r > maxReply || length+l > maxTogether {
			together, parts, reply, length = append(together, stage.Self+" stage "+toolAll), 0, 0, 0
		} else {
			words = partEnds + " " + words
		}
		last := len(together) - 1
		together[last] += " " + words
		at = append(at, [2]int{last, parts})
		parts, reply, length = parts+1, reply+r, length+l
	}
	return together, at
}

// Joins says whether a command line is the tool's alone, so that Together
// takes it.
func Joins(line string) bool {
	_, ok := alone(line)
	return ok
}

// alone are the words of a line that is the tool's and nothing else's.
func alone(line string) (words string, ok bool) {
	words, ok = strings.CutPrefix(line, stage.Self+" stage ")
	return words, ok && !strings.ContainsAny(words, ";|&<>$`\\#\n") && !strings.HasPrefix(words, toolAll+" ")
}

// several does the words of Together.
func several(out io.Writer, environ env.Env, words []string) (failed error) {
	n := 0
	for len(words) > 0 {
		end := 0
		for end < len(words) && words[end] != partEnds {
			end++
		}
		if end > 0 {
			if err := do(out, environ, words[0], words[1:end]); err != nil {
				fmt.Fprintln(out, err)
				failed = err
			}
		}
		fmt.Fprintln(out, partEnd(n))
		words, n = words[min(end+1, len(words)):], n+1
	}
	return failed
}

// partEnd is the line that ends a part. What is read is printed with its line
// breaks as spaces: no file can hold such a line.
func partEnd(n int) string { return fmt.Sprintf("(part %d has ended)", n) }

// Part is what came of part n of a command of so many parts. A command that
// never ran has no parts, and neither has a reply that was cut short or in
// which they cannot be told apart: then it is the whole reply, which did not
// end.
func (c Call) Part(n, of int) Call {
	c.Shared = true
	rest, ended := c.Text, c.Ended
	parts := make([]string, 0, of)
	for i := range of {
		part, after, found := cutLine(rest, partEnd(i))
		if !found || strings.Contains(after, partEnd(i)) {
			c.Ended = false
			return c
		}
		parts, rest = append(parts, part), after
	}
	c.Text, c.Ended = strings.TrimSpace(parts[n]), ended
	return c
}

// cutLine cuts a text at the first line that is line.
func cutLine(text, line string) (before, after string, found bool) {
	if before, after, found = strings.Cut("\n"+text+"\n", "\n"+line+"\n"); !found {
		return text, "", false
	}
	return before, after, true
}
