// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a proposal is a pure function of what was read and what
// was answered; asking again with other answers makes another proposal.

package report

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
