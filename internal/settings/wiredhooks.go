// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a document wires is read in one way. What does not
// have the form of a hook is none.

package settings

import "github.com/steward-setup/steward-setup/internal/agent/claude"

// BlockHooks is the key of a block of an event that holds its hooks.
const BlockHooks = "hooks"

// WiredHook is one hook of a document: its event, the block that it stands in,
// and itself.
type WiredHook struct {
	Event        string
	Block, Entry *Value
}

// Matcher is the matcher of the hook's block, nil if it has none.
func (h WiredHook) Matcher() *Value { return h.Block.Get("matcher") }

// Hooks lists the hooks of a document, in its order.
func (d *Doc) Hooks() (list []WiredHook) {
	events := d.Get(claude.KeyHooks...)
	if events == nil || events.Kind != Object {
		return nil
	}
	for _, event := range events.Members {
		for _, block := range event.Value.Items {
			if hooks := block.Get(BlockHooks); hooks != nil {
				for _, hook := range hooks.Items {
					list = append(list, WiredHook{event.Key, block, hook})
				}
			}
		}
	}
	return list
}

// HooksOn lists those of an event.
func (d *Doc) HooksOn(event string) (list []WiredHook) {
	for _, h := range d.Hooks() {
		if h.Event == event {
			list = append(list, h)
		}
	}
	return list
}

// CommandEntry is a hook, or a status line, that runs a command line.
func CommandEntry(line string) *Value {
	return Dict(Pair("type", String("command")), Pair("command", String(line)))
}

// Command is what a hook, a status line or a file suggestion starts: a command
// line, or with args a program and its arguments; nil for what it has not.
func (v *Value) Command() (command, args *Value) { return v.Get("command"), v.Get("args") }
