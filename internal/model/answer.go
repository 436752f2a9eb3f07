// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: an answer is one message; streamed, it is the same message
// in pieces, the whole input of a call in one of them.

package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
)

// object is a JSON object in the making.
type object map[string]any

// answer is a message: calls, or a short text if there are none.
func answer(m message, turn Turn, number int) (body []byte, contentType string) {
	blocks, stop := []object{{"type": "text", "text": "ok"}}, "end_turn"
	last := object{"stop_sequence": nil}
	if turn != nil {
		blocks, stop = nil, "tool_use"
		var ids []string
		for i, c := range turn {
			id := ID(number, i)
			if len(m.Safeguards) > 0 {
				id = long(id)
			}
			ids = append(ids, id)
			blocks = append(blocks, object{"type": "tool_use", "id": id, "name": c.Tool, "input": c.Input})
		}
		if approved := m.approval(ids); approved != nil {
			last["safeguard_results"] = approved
		}
	}
	last["stop_reason"] = stop
	head := object{"id": "msg_1", "type": "message", "role": "assistant", "model": m.Model, "stop_sequence": nil,
		"usage": object{"input_tokens": 1, "output_tokens": 1}}
	if !m.Stream {
		head["content"] = blocks
		maps.Copy(head, last)
		return encode(head), "application/json"
	}
	head["content"], head["stop_reason"] = []object{}, nil
	var b bytes.Buffer
	event(&b, "message_start", object{"message": head})
	for i, block := range blocks {
		start, delta := object{"type": "text", "text": ""}, object{"type": "text_delta", "text": block["text"]}
		if block["type"] == "tool_use" {
			start = object{"type": "tool_use", "id": block["id"], "name": block["name"], "input": object{}}
			delta = object{"type": "input_json_delta", "partial_json": string(encode(block["input"]))}
		}
		event(&b, "content_block_start", object{"index": i, "content_block": start})
		event(&b, "content_block_delta", object{"index": i, "delta": delta})
		event(&b, "content_block_stop", object{"index": i})
	}
	event(&b, "message_delta", object{"delta": last, "usage": object{"output_tokens": 1}})
	event(&b, "message_stop", object{})
	return b.Bytes(), "text/event-stream"
}

// event writes one server-sent event.
func event(b *bytes.Buffer, name string, data object) {
	data["type"] = name
	fmt.Fprintf(b, "event: %s\ndata: %s\n\n", name, encode(data))
}

func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // a script holds what JSON can hold
	}
	return b
}
