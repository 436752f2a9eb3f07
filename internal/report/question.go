// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: one table of questions feeds the wizard's forms, the
// command line's flags and the line that applies a plan, so that they cannot
// disagree: every answer that a screen can take, a flag can give.

package report

import "slices"

// QuestionKind says how a question is answered.
type QuestionKind string

// The kinds. A Confirm is answered "yes" or "no"; a Choice with one option's
// value; a Multi with any number of them; a Text with one line, a List with
// any number of lines.
const (
	Confirm QuestionKind = "confirm"
	Choice  QuestionKind = "choice"
	Multi   QuestionKind = "multi"
	Text    QuestionKind = "text"
	List    QuestionKind = "list"
)

// Question is one thing that only the user can decide.
type Question struct {
	// ID is also the name of the flag that answers it: --<id>.
	ID      ID
	Section ID
	Kind    QuestionKind
	Title   string
	// Help says what the answer changes; Price what it costs.
	Help, Price string
	Options     []Option
	// Default is the documented answer when nobody is asked.
	Default []string
	// DefaultFrom says where a default that was read from the machine
	// comes from ("go.mod in the repository"); empty if it is fixed.
	DefaultFrom string
	// Reason says why a fixed default is what it is, in a few words.
	Reason string
	// Ask says that nobody can decide it for the user: the recommended way
	// asks it, too.
	Ask bool
	// Decided says from what on the machine, or from which other answer, the
	// default follows: then the question is never asked. It is empty where
	// the user decides. A flag is honoured all the same.
	Decided string
	// Once says that an answer holds for what was there when it was given: it
	// is no default of a later run.
	Once bool
}

// Option is one possible answer of a Choice or a Multi.
type Option struct {
	Value, Label, Note string
}

// Answers holds what was answered, by question; what is missing has its
// default.
type Answers map[ID][]string

// Of returns the answer to q: the one given, else the default.
func (a Answers) Of(q Question) []string {
	if v, ok := a[q.ID]; ok {
		return v
	}
	return q.Default
}

// Yes reports a Confirm question's answer.
func (a Answers) Yes(q Question) bool {
	v := a.Of(q)
	return len(v) == 1 && v[0] == "yes"
}

// With returns a copy of a in which id is answered by v.
func (a Answers) With(id ID, v ...string) Answers {
	b := make(Answers, len(a)+1)
	for k, old := range a {
		b[k] = slices.Clone(old)
	}
	b[id] = v
	return b
}

// WithDefault returns q with another default, and where that came from.
func (q Question) WithDefault(from string, values ...string) Question {
	q.Default, q.DefaultFrom = values, from
	return q
}

// DecidedBy returns q with the one answer that it has here, and what decides.
func (q Question) DecidedBy(by string, values ...string) Question {
	q.Default, q.DefaultFrom, q.Decided = values, "", by
	return q
}

// YesNo is a Confirm question's answer as a value.
func YesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}
