// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package model plays the model to a real agent runtime: a scripted Messages
// API on loopback. It makes the tool calls that it is told to, in order, and
// keeps what the runtime answered.
//
// Contract: it listens on 127.0.0.1 and connects to nothing. Whatever is sent
// to it costs bounded memory. It speaks as much of the protocol as Claude Code
// 2.1.141 to 2.1.329 need, measured: streamed and plain messages, empty
// answers to everything else.
package model

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
)

// Call is one tool call. Input is what becomes its JSON input.
type Call struct {
	Tool  string
	Input map[string]any
}

// Bash is a call of the Bash tool.
func Bash(command string) Call {
	return Call{Tool: claude.ToolBash, Input: map[string]any{"command": command, "description": "scripted"}}
}

// BashOutside is one that asks to run outside the sandbox.
func BashOutside(command string) Call {
	c := Bash(command)
	c.Input[claude.BypassInput] = true
	return c
}

// Line is the command line of a Bash call; ok is false for any other.
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

// message is what is read of a request to the Messages API.
type message struct {
	Model  string `json:"model"`
	Stream bool   `json:"stream"`
	// Safeguards are the checks that the runtime asks the API for.
	Safeguards []struct {
		Type string `json:"type"`
	} `json:"safeguards"`
	Tools []struct {
		Name string `json:"name"`
	} `json:"tools"`
	Messages []struct {
		// Content is a string, or blocks.
		Content json.RawMessage `json:"content"`
	} `json:"messages"`
}

// results returns the tool results in a conversation, by the id of their call.
func (m message) results() map[string]Result {
	found := map[string]Result{}
	for _, part := range m.Messages {
		var blocks []struct {
			Type    string          `json:"type"`
			ID      string          `json:"tool_use_id"`
			Content json.RawMessage `json:"content"`
			Error   bool            `json:"is_error"`
		}
		if json.Unmarshal(part.Content, &blocks) != nil {
			continue // a string
		}
		for _, b := range blocks {
			if b.Type == "tool_result" {
				found[Short(b.ID)] = Result{textOf(b.Content), b.Error}
			}
		}
	}
	return found
}

// textOf returns the text of a content: a string, or blocks of text.
func textOf(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) != nil {
		var blocks []struct {
			Text string `json:"text"`
		}
		_ = json.Unmarshal(content, &blocks) // anything else has no text
		for _, b := range blocks {
			text += b.Text
		}
	}
	text, _, _ = strings.Cut(text, "\n\n<system-reminder>")
	return text
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
// the script is over, or if the request offers none of the turn's tools: such
// are the runtime's side calls, for a title or a classification.
func next(script []Turn, m message, done map[string]Result) (Turn, int) {
	for t, turn := range script {
		answered := 0
		for i := range turn {
			if _, ok := done[ID(t, i)]; ok {
				answered++
			}
		}
		if answered == len(turn) {
			continue
		}
		for _, tool := range m.Tools {
			if slices.ContainsFunc(turn, func(c Call) bool { return c.Tool == tool.Name }) {
				return turn, t
			}
		}
		return nil, 0
	}
	return nil, 0
}
