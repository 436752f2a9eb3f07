// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: an answer is one message; streamed, it is the same message
// in pieces, the whole input of a call in one of them.

package play

import (
	"bytes"
	"fmt"
	"maps"

	"github.com/steward-setup/steward-setup/internal/model"
)

// Answer is a message: calls, or a short text if there are none.
func (m message) Answer(turn model.Turn, number int) (body []byte, contentType string) {
	blocks, stop := []model.Object{{"type": "text", "text": "ok"}}, "end_turn"
	last := model.Object{"stop_sequence": nil}
	if turn != nil {
		blocks, stop = nil, "tool_use"
		var ids []string
		for i, c := range turn {
			id := model.ID(number, i)
			if len(m.Safeguards) > 0 {
				id = long(id)
			}
			ids = append(ids, id)
			tool := toolOf(c)
			blocks = append(blocks, model.Object{"type": "tool_use", "id": id, "name": tool.Name, "input": tool.Input})
		}
		if approved := m.approval(ids); approved != nil {
			last["safeguard_results"] = approved
		}
	}
	last["stop_reason"] = stop
	head := model.Object{"id": "msg_1", "type": "message", "role": "assistant", "model": m.Model, "stop_sequence": nil,
		"usage": model.Object{"input_tokens": 1, "output_tokens": 1}}
	if !m.Stream {
		head["content"] = blocks
		maps.Copy(head, last)
		return model.Encode(head), "application/json"
	}
	head["content"], head["stop_reason"] = []model.Object{}, nil
	var b bytes.Buffer
	event(&b, "message_start", model.Object{"message": head})
	for i, block := range blocks {
		start, delta := model.Object{"type": "text", "text": ""}, model.Object{"type": "text_delta", "text": block["text"]}
		if block["type"] == "tool_use" {
			start = model.Object{"type": "tool_use", "id": block["id"], "name": block["name"], "input": model.Object{}}
			delta = model.Object{"type": "input_json_delta", "partial_json": string(model.Encode(block["input"]))}
		}
		event(&b, "content_block_start", model.Object{"index": i, "content_block": start})
		event(&b, "content_block_delta", model.Object{"index": i, "delta": delta})
		event(&b, "content_block_stop", model.Object{"index": i})
	}
	event(&b, "message_delta", model.Object{"delta": last, "usage": model.Object{"output_tokens": 1}})
	event(&b, "message_stop", model.Object{})
	return b.Bytes(), "text/event-stream"
}

// event writes one server-sent event.
func event(b *bytes.Buffer, name string, data model.Object) {
	data["type"] = name
	fmt.Fprintf(b, "event: %s\ndata: %s\n\n", name, model.Encode(data))
}
