// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a question is understood before it is answered: what it
// names is one thing, spelled in full. What is said of a variable is said of
// its name; its value is never read.

// Package access says who may read, write, reach, run or see something in a
// session of the agent, and which file and line of the settings decide it.
//
// Contract: nothing is started but git, the runtime's --version and, for
// claude-iso, bwrap to see whether a sandbox starts here (proc.SandboxTrial);
// nothing is written. What is said of the runtime was measured with Claude Code 2.1.329 on
// Linux; the tests of steps/doctor hold it against the runtime.
package access

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
)

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
	DoesLeave = "runs it unsandboxed when the agent asks for that"
	DoesSee   = "sees it"
)

// OfVariable is about a variable, by its name.
func OfVariable(r host.Reader, subject string) (Question, error) {
	if len(subject) > 1 && subject[0] == '$' {
		subject = subject[1:]
	}
	if !syntax.ValidName(subject) {
		return Question{}, &report.Error{Code: report.ExitUsage, Where: subject, What: "is not a variable name",
			Next: "for example: --explain-env GITHUB_TOKEN"}
	}
	v := Variable(subject)
	q := Question{Subject: v, Text: subject}
	if _, set := r.System().Lookup(subject); !set {
		q.Notes = append(q.Notes, report.Note{Text: "it is not set now; this is what would happen to it"})
	}
	return q, nil
}

// Variable is the name of one.
type Variable string

// OwnVariables cannot be planted on a stage: the first two are set for the
// runtime there, the last one never reaches a command.
var OwnVariables = []string{claude.KeyVariable, claude.AddressVariable, claude.TokenVariable}

// Rule says who sees it.
func (v Variable) Rule(s *Start) ([]report.Ruling, []report.Note) {
	agent := report.Ruling{Who: WhoAgent, Does: DoesSee, Answer: report.Denied}
	kept, why := s.vars(string(v))
	set := s.Settings.Scalar(claude.KeyEnv.Below(string(v))...)
	switch {
	case set.Value != nil:
		agent.Answer, agent.Why = report.Allowed, "settings set it for the agent, overriding your environment"
		by := s.At(set.Candidate, claude.KeyEnv.Below(string(v))...)
		by.Text = "env." + string(v) + " (" + set.Scope.String() + ")" // never the value
		agent.By = []report.Evidence{by}
	case kept:
		agent.Answer, agent.Why, agent.By = report.Allowed, "passed on", []report.Evidence{report.EnvEvidence(s.Name(), why)}
	default:
		agent.Why, agent.By = "claude-iso removes it", []report.Evidence{report.EnvEvidence(s.Name(), why)}
	}
	command := report.Ruling{Who: WhoCommand, Does: DoesSee, Answer: agent.Answer, Why: agent.Why, By: agent.By}
	on, off := s.Sandboxed()
	if agent.Answer != report.Allowed {
		command.Why = "it does not reach the agent"
		return []report.Ruling{command, agent}, nil
	}
	var notes []report.Note
	withheld, masked := v.withheld(s)
	switch {
	case v == claude.TokenVariable:
		command.Answer, command.Why = report.Denied, "the runtime removes it from commands itself"
		command.By = []report.Evidence{report.EnvEvidence("claude 2.1.329", "measured")}
	case !on:
		command.Why, command.By = "no sandbox is in force: a command has the agent's environment", []report.Evidence{off}
	case len(withheld) > 0:
		command.Answer, command.Why, command.By = report.Denied, "removed from sandboxed commands", withheld
	case len(masked) > 0:
		command.Answer, command.Why, command.By = report.Unclear,
			"masked in user scope; in project scope the value is not masked", masked
	default:
		command.Why = "nothing removes it from commands"
		command.By = append(slices.Clone(agent.By), noEntry(claude.KeyCredentialVariables, "names"))
	}
	if len(withheld) > 0 {
		notes = append(notes, report.Note{Text: "credentials.envVars is read by 2.1.187 and later; an older runtime passes " +
			"the variable on"})
	}
	return []report.Ruling{command, agent}, notes
}

// withheld are the entries of credentials.envVars that name the variable.
func (v Variable) withheld(s *Start) (denied, masked []report.Evidence) {
	for _, c := range s.Settings.Credentials(claude.KeyCredentialVariables) {
		if c.Ignored != "" || c.Name != string(v) {
			continue
		}
		if at := s.At(c.Candidate, claude.KeyCredentialVariables...); c.Mode == claude.Mask {
			masked = append(masked, at)
		} else {
			denied = append(denied, at)
		}
	}
	return denied, masked
}
