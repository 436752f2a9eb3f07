// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package rehearsal runs the installed agent runtime against a scripted model
// on a stage, and says what each scripted call got back.
//
// Contract: a session has a stage of its own, so that none sees what another
// did. Its settings are the user's and the project's reduced to what a policy
// is made of: no helper or server of theirs takes part, no variable but a
// switch that keeps files from being attached, and hooks only where they are
// what is rehearsed. What is reported was seen in the
// runtime's structured output, by the scripted model, by a listener on the
// stage, or in the stage's own files; never concluded from the words of a
// reply where there is another channel.
package rehearsal

import (
	"fmt"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/report"
)

// Mode says which settings a session has.
type Mode string

// The modes.
const (
	// Policy: sandbox and permissions of every scope, no hooks.
	Policy Mode = "policy"
	// Twin: no settings at all, so that nothing but the stage limits a
	// call.
	Twin Mode = "twin"
	// Hooks: as Policy, and the user's hooks.
	Hooks Mode = "hooks"
)

// Session is one start of the agent.
type Session struct {
	// Name tells the sessions of a report apart.
	Name   string
	Launch report.Launch
	Mode   Mode
	// Dir is where it starts, absolute. A directory that is not on the
	// stage is made.
	Dir string
	// Terminal: it is no print mode but what a person starts, on a
	// terminal of its own and against the first-party endpoint, in the
	// permission mode that comes of the settings.
	Terminal bool
	// StatusLine, on a terminal, is the file in which what the runtime tells a
	// status line is left, a plain path; "" for none.
	StatusLine string
	// Turns is what the model does.
	Turns []model.Turn
	// Env is planted in the environment, NAME=value.
	Env []string
	// Files are laid on the stage beside everything else, Watch are read
	// when the session is over.
	Files []fs.Laid
	Watch []string
	// Programs are those that its calls need beside the theatre's.
	Programs []string
	// Over are read-only files that stand, for the session, in the place of
	// files of the host that the stage shows as they are.
	Over []fs.Laid
	// Status are arguments by which the runtime itself is asked what is in force, with
	// the same settings; nil asks nothing.
	Status []string
	// Offers are what commands find on the stage.
	Offers []Offer
	// Remotes are hosts that have a git repository.
	Remotes Remotes
	// Outside are calls of Tool that are made on the stage beside the
	// session, by nobody's agent: a control that needs no runtime.
	Outside [][]string
	// Timed says that Raw.Times is wanted.
	Timed bool
}

// Port is where the stage's listener is, on proc.StageAddress.
const Port = 8480

// Raw is what came out of a session, as it came. It can be saved and read
// again.
type Raw struct {
	Session string `json:"session"`
	// Agent is the name of the agent that it is of.
	Agent string `json:"agent,omitempty"`
	// Stream is the runtime's output, a document a line.
	Stream string `json:"stream"`
	Stderr string `json:"stderr"`
	// Exit is the runtime's exit code, Failed why it did not end by itself.
	Exit   int    `json:"exit"`
	Failed string `json:"failed,omitempty"`
	// Terminal says that it was on a terminal: Stream is then what the
	// runtime's own record of the session says of the calls. Played says
	// that the runtime came to the end of the script.
	Terminal bool `json:"terminal,omitempty"`
	Played   bool `json:"played,omitempty"`
	// Results are what the model was told, by the id of the call.
	Results map[string]model.Result `json:"results"`
	// Asked says that the model was asked at all; Sandbox is what the
	// first request says about the sandbox ("" if nothing).
	Asked   bool   `json:"asked"`
	Sandbox string `json:"sandbox,omitempty"`
	// Unlooked are what the model may pass and nobody has looked at.
	Unlooked []string `json:"unlooked,omitempty"`
	// Sent are the nonces of canaries that the model was sent, in a reply or
	// beside it.
	Sent []string `json:"sent,omitempty"`
	// Hits are the paths that the listener was asked for.
	Hits []string `json:"hits,omitempty"`
	// Files are the watched files that exist, at most 64 kB of each.
	Files map[string]string `json:"files,omitempty"`
	// Status is what the runtime answered about its sandbox.
	Status string `json:"status,omitempty"`
	// NotOffered says what could not be offered, and why.
	NotOffered map[OfferKind]string `json:"not_offered,omitempty"`
	// Outside is what the calls beside the session printed.
	Outside []string `json:"outside,omitempty"`
	// Times is set where it was asked for.
	Times *Times `json:"times,omitempty"`
}

// job is what the stage's own process is told.
type job struct {
	Session Session   `json:"session"`
	Files   []fs.Laid `json:"files"`
	Environ []string  `json:"environ"`
	// Agent is the name of the agent, Args are its arguments, Records is the
	// directory of its records, Endpoint the host of its vendor's API.
	Agent    string   `json:"agent"`
	Runtime  string   `json:"runtime"`
	Args     []string `json:"args"`
	Records  string   `json:"records"`
	Endpoint string   `json:"endpoint"`
	Self     string   `json:"self"`
	Listen   string   `json:"listen"`
	// Clean has the clean-env launch let through what the session needs.
	Clean string `json:"clean"`
	// Heavy says that it does without the agent's variables of a light session.
	Heavy bool `json:"heavy,omitempty"`
}

func (j job) agent() agent.Agent { return agent.Named(j.Agent) }

// Call is what came of one scripted call.
type Call struct {
	agent.Told
	// Ended says that the stage's tool said its last word: what it did not
	// get before, it was refused.
	Ended bool
	// Shared says that the command did something else besides: who kept it from
	// running perhaps meant that.
	Shared bool
	// Text is the reply.
	Text string
}

func (raw Raw) agent() agent.Agent { return agent.Named(raw.Agent) }

// Record is what the agent's own channels say of the session.
func (raw Raw) Record() agent.Record { return raw.agent().Read(raw.Stream) }

// Calls reads the session once, and returns what came of call i of turn t.
func (raw Raw) Calls() func(t, i int) Call {
	record := raw.Record()
	return func(t, i int) Call {
		id := model.ID(t, i)
		result, made := raw.Results[id]
		if !made {
			return Call{Told: agent.Told{Decision: agent.NotMade}}
		}
		c := Call{Told: record.Told(id, result.Text)}
		before, after, ended := cutLine(result.Text, toolEnds)
		c.Text, c.Ended = strings.TrimSpace(before+"\n"+after), ended
		return c
	}
}

// Call returns what came of call i of turn t.
func (raw Raw) Call(t, i int) Call { return raw.Calls()(t, i) }

// Complete says whether the session came to its end: nil, or a *report.Error
// with what it broke off at. A complete session may still lack the result of a
// call (Raw.Call).
func (raw Raw) Complete() error {
	const unknownAfter = "what it would have done after that is unknown"
	broken := func(what, why string) error {
		return &report.Error{Code: report.ExitLeft, Where: "session " + raw.Session, What: what, Why: why,
			Next: "keep everything that it said:  ", Lines: []report.Line{{Words: "verify --transcript FILE"}}}
	}
	switch {
	case raw.Failed != "":
		return broken("did not end by itself: "+raw.Failed, unknownAfter)
	case !raw.Asked:
		return broken(fmt.Sprintf("never asked the model: the runtime ended with exit code %d%s", raw.Exit,
			lastWords(raw.Stderr, raw.Stream)), "nothing was tested in it")
	case raw.Terminal && !raw.Played:
		return broken(fmt.Sprintf("broke off: the runtime ended with exit code %d before the last call",
			raw.Exit), unknownAfter)
	case !raw.Terminal && !raw.Record().Ended():
		return broken(fmt.Sprintf("broke off: the runtime ended with exit code %d and without a result%s", raw.Exit,
			lastWords(raw.Stderr, "")), unknownAfter)
	}
	return nil
}

// lastWords is the last line of the first text that has one.
func lastWords(texts ...string) string {
	for _, text := range texts {
		text = strings.TrimSpace(text)
		if _, own, ok := strings.Cut(text, "steward-setup: "); ok { // claude-iso refuses: its first line says what
			text, _, _ = strings.Cut(own, "\n")
		}
		if i := strings.LastIndexByte(text, '\n'); i >= 0 {
			text = text[i+1:]
		}
		if text != "" {
			return ": " + text[:min(len(text), 300)]
		}
	}
	return ""
}
