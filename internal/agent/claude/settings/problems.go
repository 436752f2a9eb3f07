// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the runtime would throw away is said before it does
// so, since it says nothing itself. What the tables do not know is not
// judged.

package settings

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/steward-setup/steward-setup/internal/report"
)

// Loss is what the runtime throws away because of a problem.
type Loss uint8

// The losses: the whole file, or only the value at the problem's place (one
// rule, one hook, one key).
const (
	WholeFile Loss = iota + 1
	ThisValue
)

// Problem is something in a document that the runtime does not accept.
type Problem struct {
	Path      []string
	Line, Col int
	Loss      Loss
	// Message says what is wrong, without repeating the value.
	Message string
}

// What is the problem as a sentence without its place.
func (p Problem) What() string {
	if len(p.Path) == 0 {
		return p.Message
	}
	return KeyPath(p.Path) + " is wrong: " + p.Message
}

// droppedSize is the size above which the runtime takes nothing of a settings
// file (measured with 2.1.329).
const droppedSize = 2 << 20

// maxNesting is the depth in brackets below which the runtime ignores values.
const maxNesting = 64

// Problems lists what the runtime would throw away of a user, project or local
// document, in the order of the document. Managed documents are read more
// leniently: a wrong type costs only its own key there. A document is judged
// once: every check asks, and a file may hold thousands of rules.
func Problems(d *Doc) []Problem {
	d.judged.Do(func() { d.problems = problemsOf(d) })
	return slices.Clone(d.problems)
}

func problemsOf(d *Doc) (list []Problem) {
	found := func(path []string, v *Value, loss Loss, message string) {
		list = append(list, Problem{slices.Clone(path), v.Line, v.Col, loss, message})
	}
	if len(d.Bytes()) > droppedSize {
		found(nil, d.Root, WholeFile, fmt.Sprintf("the file has %d bytes, more than %d", len(d.Bytes()), droppedSize))
	}
	document().judge(nil, d.Root, found)
	judgeRules(d.Root, found)
	judgeHooks(d.Root, found)
	judgeNesting(nil, d.Root, 1, found)
	slices.SortStableFunc(list, func(a, b Problem) int { return cmp.Or(a.Line-b.Line, a.Col-b.Col) })
	return list
}

// Check parses a settings file and refuses it if the runtime would drop it
// whole. The error is a *report.Error with exit code 65 and the place of the
// first reason.
func Check(path string, b []byte) (*Doc, error) {
	d, err := Parse(path, b)
	if err != nil {
		return nil, err
	}
	return notDropped(d)
}

// Accept is Check for those who judge and do not write: it takes a document
// that Read takes.
func Accept(path string, b []byte) (*Doc, error) {
	d, _, err := Read(path, b)
	if err != nil {
		return nil, err
	}
	return notDropped(d)
}

func notDropped(d *Doc) (*Doc, error) {
	for _, p := range Problems(d) {
		if p.Loss == WholeFile {
			return nil, &report.Error{Code: report.ExitMalformed, Where: fmt.Sprintf("%s:%d:%d", d.Path, p.Line, p.Col),
				What: p.What(), Why: WhyIgnored, Next: "correct this value"}
		}
	}
	return d, nil
}

// finding takes a problem of the value v at path.
type finding func(path []string, v *Value, loss Loss, message string)

// judgeNesting reports the outermost values that are too deep to be read.
func judgeNesting(path []string, v *Value, depth int, found finding) {
	if v.Kind != Object && v.Kind != Array {
		return
	}
	if depth > maxNesting {
		found(path, v, ThisValue, fmt.Sprintf("nested more than %d deep: the runtime ignores it", maxNesting))
		return
	}
	v.each(func(key string, child *Value) { judgeNesting(append(path, key), child, depth+1, found) })
}
