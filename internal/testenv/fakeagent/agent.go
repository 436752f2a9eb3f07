// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package fakeagent is a second agent runtime, for tests: what another one would
// call its files, rules, tools, requests and evidence, it calls otherwise than
// Claude Code does. Its program is the test binary (Tests).
//
// Contract: it knows no package of Claude Code's, and holds its rules by real
// means: a bwrap of its own, and a refusal of its own.
package fakeagent

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/model"
)

// Agent is it behind the seam. It has no session on a terminal, no tool that edits,
// fetches or sends messages, and loads nothing that a command could plant.
type Agent struct{}

func init() { agent.Add(Agent{}) }

// What it calls its own things. word is its first argument.
const (
	name    = "fake"
	own     = "." + name
	rules   = "rules"
	address = "FAKE_MODEL"
	light   = "FAKE_LIGHT"
	word    = "fake-agent"
)

// verbs are its tools.
var verbs = map[model.Act]string{model.Run: "run", model.Read: "open", model.Write: "save"}

func (Agent) Name() string { return name }

func (Agent) Layout(places env.Places) agent.Layout {
	return agent.Layout{Program: name, Own: filepath.Join(places.Home, own), Dir: own, Settings: []string{rules},
		Secrets: []agent.Secret{{Path: "login", Before: "login=", After: "\n"}}}
}

// Start keeps of every file of rules the lines that are rules: "start PROGRAM" is
// code.
func (Agent) Start(r host.Reader, s agent.Start) (agent.Started, error) {
	started := agent.Started{Args: []string{word}}
	for _, dir := range append([]string{r.Places().Home}, s.Dirs...) {
		path := filepath.Join(dir, own, rules)
		b, err := r.Read(path)
		if err != nil || !s.Settings {
			continue
		}
		kept := ""
		for line := range strings.Lines(string(b)) {
			if !strings.HasPrefix(line, "start ") {
				kept += line
			}
		}
		started.Files = append(started.Files, fs.Laid{Path: path, Mode: 0o644, Data: []byte(kept)})
	}
	return started, nil
}

func (Agent) Diverts(host.Reader) (string, error)         { return "", nil }
func (Agent) Clean(host.Reader, string) (string, fs.Laid) { return "", fs.Laid{} }
func (Agent) Reaches(url, _ string) []string              { return []string{address + "=" + url} }
func (Agent) Light() []string                             { return []string{light + "=1"} }
func (Agent) Planted(string, string) []fs.Laid            { return nil }
func (Agent) Mentioned(string) []fs.Laid                  { return nil }
func (Agent) Kept([]byte) string                          { return "" }
func (Agent) Says(model.Call, string) agent.Saying        { return "" }
func (Agent) Beside(model.Request) (int, []byte, string)  { return 404, nil, "" }

func (Agent) Tool(c model.Call) (agent.Tool, bool) {
	verb, has := verbs[c.Act]
	return agent.Tool{Name: verb, Input: c.Input}, has
}

// asking is what it asks its model with: what it can do, and what became of the
// calls so far.
type asking struct {
	Can     []string `json:"can"`
	Wall    string   `json:"wall"`
	Answers []answer `json:"answers"`
}

type answer struct {
	Of   string `json:"of"` // TURN/CALL
	Text string `json:"text"`
}

// order is a line of what the model answers; none is the end.
type order struct {
	Of   string         `json:"of"`
	Verb string         `json:"verb"`
	With map[string]any `json:"with"`
}

// idOf is model.ID of its own name for a call.
func idOf(of string) string {
	var t, i int
	_, _ = fmt.Sscanf(of, "%d/%d", &t, &i)
	return model.ID(t, i)
}

func (Agent) Hear(r model.Request) model.Heard {
	var a asking
	if r.Method != "POST" || r.Path != "/turn" || json.Unmarshal(r.Body, &a) != nil {
		return nil
	}
	return a
}

func (a asking) Results() map[string]model.Result {
	list := map[string]model.Result{}
	for _, one := range a.Answers {
		list[idOf(one.Of)] = model.Result{Text: one.Text}
	}
	return list
}

func (a asking) Offers(c model.Call) bool { return slices.Contains(a.Can, verbs[c.Act]) }

func (a asking) Sandbox() string { return a.Wall }

func (a asking) Unlooked() []string { return nil }

func (a asking) Answer(turn model.Turn, number int) (body []byte, contentType string) {
	for i, c := range turn {
		body = append(append(body, model.Encode(order{fmt.Sprintf("%d/%d", number, i), verbs[c.Act], c.Input})...), '\n')
	}
	return body, "text/plain"
}

// record is what it printed: "TURN/CALL what became of it" lines, and "bye".
type record struct {
	agent.Record
	told  map[string]string
	ended bool
}

func (Agent) Read(stream string) agent.Record {
	r := record{told: map[string]string{}}
	for line := range strings.Lines(stream) {
		of, what, told := strings.Cut(strings.TrimSpace(line), " ")
		if told {
			r.told[idOf(of)] = what
		}
		r.ended = r.ended || of == "bye"
	}
	return r
}

func (r record) Ended() bool             { return r.ended }
func (r record) Mode() string            { return "" }
func (r record) Hooks() []agent.HookRun  { return nil }
func (r record) Times() []agent.CallTime { return nil }
func (r record) Told(id, _ string) agent.Told {
	what, why, _ := strings.Cut(r.told[id], " by ")
	decisions := map[string]agent.Decision{"done": agent.Ran, "never": agent.Rule, "asks": agent.Asked}
	if d, known := decisions[what]; known {
		return agent.Told{Decision: d, Why: why}
	}
	return agent.Told{Decision: agent.Cut, Why: what}
}
