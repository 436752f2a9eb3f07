// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: as much of the Messages API as Claude Code 2.1.141 to 2.1.330
// need, measured: streamed and plain messages, empty answers to everything else.

package play

import (
	"encoding/json"
	"strings"

	"github.com/steward-setup/steward-setup/internal/model"
)

// Serve serves a script to a runtime that AddressVariable leads to it.
func Serve(script ...model.Turn) (*model.Server, error) { return model.Start(Claude{}, script...) }

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

// Results implements model.Heard.
func (m message) Results() map[string]model.Result {
	found := map[string]model.Result{}
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
				found[short(b.ID)] = model.Result{Text: textOf(b.Content), Error: b.Error}
			}
		}
	}
	return found
}

// textOf returns the text of a reply without the runtime's own reminders at its end.
func textOf(content json.RawMessage) string {
	text, _, _ := strings.Cut(strings.Join(texts(content), ""), "\n\n<system-reminder>")
	return text
}

// Hear implements model.Protocol.
func (Claude) Hear(r model.Request) model.Heard {
	var m message
	path, _, _ := strings.Cut(r.Path, "?")
	if r.Method != "POST" || path != "/v1/messages" || json.Unmarshal(r.Body, &m) != nil {
		return nil
	}
	return m
}

// Offers implements model.Heard.
func (m message) Offers(c model.Call) bool {
	name := toolOf(c).Name
	for _, tool := range m.Tools {
		if tool.Name == name {
			return true
		}
	}
	return false
}

// Sandbox implements model.Heard: a block of text with this heading, up to the next
// one (measured with 2.1.329; 2.1.141 has none).
func (m message) Sandbox() string {
	for _, part := range m.Messages {
		for _, text := range texts(part.Content) {
			if _, rest, ok := strings.Cut(text, "## Bash command sandbox"); ok {
				rest, _, _ = strings.Cut(rest, "\n## ")
				return rest
			}
		}
	}
	return ""
}

// texts are the texts of a message's content: a string, or blocks.
func texts(content json.RawMessage) []string {
	var one string
	if json.Unmarshal(content, &one) == nil {
		return []string{one}
	}
	var blocks []struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(content, &blocks) // anything else has no text
	var list []string
	for _, b := range blocks {
		list = append(list, b.Text)
	}
	return list
}
