// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: no answer of a plan stands without its reason.

package report

import (
	"cmp"
	"slices"
	"strings"
)

// Answered is a question with the answer that a plan was made with, and why it
// has that answer.
type Answered struct {
	Question Question
	Values   []string
	Why      string
}

// Decided says that the answer follows: there is nothing to choose.
func (a Answered) Decided() bool { return a.Question.Decided != "" && a.Why == a.Question.Decided }

// Value is the answer in a few words: its options by their values, as a flag
// takes them.
func (a Answered) Value() string {
	said := slices.DeleteFunc(slices.Clone(a.Values), func(v string) bool { return v == "" })
	return cmp.Or(strings.Join(said, ", "), "none")
}

// Answered lists every question of the proposal with its answer, in order;
// given are the answers that it was made with.
func (p Proposal) Answered(given Answers) []Answered {
	var list []Answered
	for _, q := range p.Questions {
		a := Answered{Question: q, Values: given.Of(q)}
		_, answered := given[q.ID]
		switch {
		case answered:
			a.Why = "your answer"
		case q.Decided != "":
			a.Why = q.Decided
		case q.DefaultFrom != "":
			a.Why = "from " + q.DefaultFrom
		default:
			a.Why = cmp.Or(q.Reason, "the default")
		}
		list = append(list, a)
	}
	return list
}
