// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is said of a variable is said of its name; its value
// is never read.

package doctor

import (
	"slices"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
)

const (
	whoAgent = "the agent itself, with its hooks and servers"
	doesSee  = "sees it"
)

// envQuestion is about a variable, by its name.
func envQuestion(r host.Reader, subject string) (judgment, error) {
	if len(subject) > 1 && subject[0] == '$' {
		subject = subject[1:]
	}
	if !isName(subject) {
		return judgment{}, &report.Error{Code: report.ExitUsage, Where: subject, What: "is not a variable name",
			Next: "for example: --explain-env GITHUB_TOKEN"}
	}
	v := variable(subject)
	q := judgment{subject: subject, rule: v.rule, trial: v.trial()}
	if _, set := r.System().Lookup(subject); !set {
		q.notes = append(q.notes, report.Note{Text: "it is not set now; this is what would happen to it"})
	}
	return q, nil
}

type variable string

// ownVariables the runtime takes from its commands by itself, also without a
// sandbox (measured with 2.1.329); the first two it needs on a stage.
var ownVariables = []string{"ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "CLAUDE_CODE_OAUTH_TOKEN"}

func (v variable) rule(s *start) ([]report.Ruling, []report.Note) {
	agent := report.Ruling{Who: whoAgent, Does: doesSee, Answer: report.Denied}
	kept, why := s.vars(string(v))
	set := s.e.Scalar("env", string(v))
	switch {
	case set.Value != nil:
		agent.Answer, agent.Why = report.Allowed, "settings set it for the agent, overriding your environment"
		by := s.at(set.Candidate, "env", string(v))
		by.Text = "env." + string(v) + " (" + set.Scope.String() + ")" // never the value
		agent.By = []report.Evidence{by}
	case kept:
		agent.Answer, agent.Why, agent.By = report.Allowed, "passed on", []report.Evidence{report.EnvEvidence(name(s.launch), why)}
	default:
		agent.Why, agent.By = "claude-iso removes it", []report.Evidence{report.EnvEvidence(name(s.launch), why)}
	}
	command := report.Ruling{Who: whoCommand, Does: doesSee, Answer: agent.Answer, Why: agent.Why, By: agent.By}
	on, off := s.sandboxed()
	if agent.Answer != report.Allowed {
		command.Why = "it does not reach the agent"
		return []report.Ruling{command, agent}, nil
	}
	var notes []report.Note
	withheld, masked := v.withheld(s)
	switch {
	case !on:
		command.Why, command.By = "no sandbox is in force: a command has the agent's environment", []report.Evidence{off}
	case len(withheld) > 0:
		command.Answer, command.Why, command.By = report.Denied, "removed from sandboxed commands", withheld
	case len(masked) > 0:
		command.Answer, command.Why, command.By = report.Unclear, "masked in user scope; in project scope the value is not masked", masked
	case slices.Contains(ownVariables[2:], string(v)):
		command.Answer, command.Why = report.Denied, "the runtime removes it from commands itself"
		command.By = []report.Evidence{report.EnvEvidence("claude 2.1.329", "measured")}
	default:
		command.Why = "nothing removes it from commands"
		command.By = append(slices.Clone(agent.By), report.FileEvidence("sandbox.credentials.envVars", "no entry of any scope names it"))
	}
	if len(withheld) > 0 {
		notes = append(notes, report.Note{Text: "credentials.envVars is read by 2.1.187 and later; an older runtime passes the variable on"})
	}
	return []report.Ruling{command, agent}, notes
}

// withheld are the entries of credentials.envVars that name the variable.
func (v variable) withheld(s *start) (denied, masked []report.Evidence) {
	for _, c := range s.e.List("sandbox", "credentials", "envVars") {
		n, mode := c.Value.Get("name"), c.Value.Get("mode")
		if c.Ignored != "" || n == nil || n.Text != string(v) {
			continue
		}
		if mode != nil && mode.Text == "mask" {
			masked = append(masked, s.at(c, "sandbox", "credentials", "envVars"))
		} else {
			denied = append(denied, s.at(c, "sandbox", "credentials", "envVars"))
		}
	}
	return denied, masked
}
