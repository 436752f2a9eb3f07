// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package model plays the model to a real agent runtime: a scripted API on
// loopback. It makes the calls that it is told to, in order, and keeps what the
// runtime answered.
//
// Contract: it listens on 127.0.0.1 and connects to nothing. Whatever is sent
// to it costs bounded memory. How a runtime speaks to its model is a Protocol.
package model

import (
	"encoding/json"
	"fmt"
)

// Act is what a call does, whatever a runtime calls the tool that does it.
type Act string

// The acts, and what stands in their Input.
const (
	Run        Act = "run"         // command; hosts, which the call says that it needs
	RunOutside Act = "run-outside" // command, which asks to run outside the sandbox
	Read       Act = "read"        // file_path
	Write      Act = "write"       // file_path, content
	Edit       Act = "edit"        // file_path, old_string, new_string
	Fetch      Act = "fetch"       // url
	Message    Act = "message"     // socket, content: writes to a unix socket
	Mention    Act = "mention"     // file_path, in a text that the model did not write
	UsePlanted Act = "use-planted" // what was planted for the agent to load
	Delegate   Act = "delegate"    // place: starts another agent in a place of that kind
)

// Call is one call of a tool. Without an Act it is in the words of the runtime:
// Tool and what becomes the JSON input of it.
type Call struct {
	Act   Act
	Tool  string
	Input map[string]any
}

// Do is a call that does something, with the members of its input: NAME, value, …
func Do(act Act, pairs ...string) Call {
	input := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		input[pairs[i]] = pairs[i+1]
	}
	return Call{Act: act, Input: input}
}

// Bash is a call that runs a command line.
func Bash(command string) Call { return Do(Run, "command", command) }

// BashOutside is one that asks to run outside the sandbox.
func BashOutside(command string) Call { return Do(RunOutside, "command", command) }

// Line is the command line of a call that runs one; ok is false for any other.
func (c Call) Line() (line string, ok bool) {
	line, ok = c.Input["command"].(string)
	return line, ok
}

// Turn is the calls that are made in one message; the runtime may run them at
// the same time.
type Turn []Call

// Result is what a call got back.
type Result struct {
	// Text is the content without the runtime's own reminders at its end.
	Text  string
	Error bool
}

// Request is a request as it arrived.
type Request struct {
	Method, Path string
	// Header has canonical names ("X-Api-Key") and the first value of each.
	Header map[string]string
	Body   []byte
}

// ID names the call i of turn t for the runtime.
func ID(t, i int) string { return fmt.Sprintf("toolu_%d_%d", t, i) }

// Protocol is how a runtime speaks to its model.
type Protocol interface {
	// Hear reads a request; nil if it asks for no message.
	Hear(Request) Heard
	// Beside answers what a runtime asks of its vendor's endpoint beside messages.
	Beside(Request) (status int, body []byte, contentType string)
}

// Heard is a request for a message.
type Heard interface {
	// Results are the replies in it, by the ID of their call.
	Results() map[string]Result
	// Offers says whether the model may make a call. The runtime's side calls, for
	// a title or a classification, offer none.
	Offers(Call) bool
	// Sandbox is what it tells the model about the sandbox, "" if nothing.
	Sandbox() string
	// Unlooked are what the model may pass, NAME=VALUE, where a rule decides by the
	// value and nobody has looked at this one.
	Unlooked() []string
	// Answer is the message that makes the calls of a turn, which has this number,
	// or none: turn is nil then.
	Answer(turn Turn, number int) (body []byte, contentType string)
}

// finished says whether every call of the script has a result.
func finished(script []Turn, done map[string]Result) bool {
	for t, turn := range script {
		for i := range turn {
			if _, ok := done[ID(t, i)]; !ok {
				return false
			}
		}
	}
	return true
}

// next returns the first turn that has no results yet, and its number; nil if
// the script is over, or if the request offers none of the turn's calls.
func next(script []Turn, m Heard, done map[string]Result) (Turn, int) {
	for t, turn := range script {
		answered, offered := 0, false
		for i, c := range turn {
			if _, ok := done[ID(t, i)]; ok {
				answered++
			}
			offered = offered || m.Offers(c)
		}
		switch {
		case answered == len(turn):
			continue
		case offered:
			return turn, t
		}
		return nil, 0
	}
	return nil, 0
}

// Object is a JSON object in the making.
type Object map[string]any

// Encode is a value as JSON. It panics where that cannot be: what is encoded was
// read, or is a constant, or a script.
func Encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}
