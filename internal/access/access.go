// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a question is understood before it is answered: what it
// names is one thing, spelled in full.

// Package access says who may read, write, reach, run or see something in a
// session of the agent, and which file and line of the settings decide it.
//
// Contract: nothing is started but git, the runtime's --version and, for
// claude-iso, bwrap to see whether a sandbox starts here (proc.SandboxTrial);
// nothing is written. What is said of the runtime was measured with Claude Code 2.1.329 on
// Linux; the tests of steps/doctor hold it against the runtime.
package access

import "github.com/steward-setup/steward-setup/internal/report"

// Subject is what a question is about: a File, a Host, a Line or a Variable.
type Subject interface {
	// Rule says what a session may do with it.
	Rule(s *Start) (rulings []report.Ruling, notes []report.Note)
}

// Question is a subject as it was understood.
type Question struct {
	Subject
	// Text spells it in full, Notes are to be known beside every answer.
	Text  string
	Notes []report.Note
}

// Who does something, as a ruling says it.
const (
	WhoCommand = "a sandboxed command"
	WhoNamed   = "a command that names it (cat, cp, grep)"
	WhoRead    = "the Read tool"
	WhoWrite   = "the Edit and Write tools"
	WhoFetch   = "the WebFetch tool"
	WhoBash    = "the Bash tool"
	WhoAgent   = "the agent itself, with its hooks and servers"
)

// What they do.
const (
	DoesRead  = "reads it"
	DoesWrite = "writes it"
	Connects  = "connects to it"
	WriteIt   = "write it"
	DoesReach = "reaches it"
	ViaProxy  = "reaches it through the proxy"
	PastProxy = "reaches it past the proxy"
	DoesRun   = "runs it"
	evade     = "runs it unsandboxed when the agent asks for that"
	DoesSee   = "sees it"
)
