// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a proposal is a pure function of what was read and what
// was answered; asking again with other answers makes another proposal.

package report

import (
	"cmp"
	"slices"
	"strings"
)

// Proposal is a plan together with the questions that shaped it. Skipping a
// section or answering a question never edits a plan: it makes a new one.
type Proposal struct {
	Plan      Plan
	Questions []Question
	// Unfinished says that there is no plan before the questions are
	// answered.
	Unfinished bool
	// Table, if set, is what was found, shown before the page of its
	// section.
	Table *Table
	// Facts are what the screens' header shows.
	Facts Facts
}

// Facts are the few things about the machine and the project that every
// screen shows.
type Facts struct {
	// Project is the worktree's root, Branch what is checked out there;
	// both are empty outside a repository.
	Project, Branch string
	// Home is the user's home, for showing paths as ~.
	Home string
	// OS, Distro and Runtime name the machine: "linux", "debian 12",
	// "2.1.329" ("" if the runtime was not found), and Program is what that is called.
	OS, Distro, Program, Runtime string
}

// QuestionsOf lists the questions of one section, in order.
func (p Proposal) QuestionsOf(section ID) []Question {
	var qs []Question
	for _, q := range p.Questions {
		if q.Section == section {
			qs = append(qs, q)
		}
	}
	return qs
}

// Table lists what a search found: those things about which there is something
// to say, those to decide first.
type Table struct {
	Section ID
	// Title and Summary say what was searched for and what it came to.
	Title, Summary string
	Rows           []Row
	// Rest counts what is not listed, "" for nothing.
	Rest string
}

// Row is one thing that was found.
type Row struct {
	// Mark is one sign; Status is its colour, "" for none.
	Mark   string
	Status Status
	// Path names the thing, State says in a few words what becomes of it.
	Path, State string
	// Details are sentences, each with a label.
	Details []Detail
}

// Detail is one sentence about a row.
type Detail struct{ Label, Text string }

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
