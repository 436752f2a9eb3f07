// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a hook is wired once, beside the hooks that are there, in
// the block whose matcher is exactly its own.

package settings

import (
	"strconv"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
)

// WireHook returns the edits that have d run a command on an event for the tools of a
// matcher: none if a block with exactly that matcher already does. They belong to d as it
// is: splice them before wiring the next hook, or use Merge for several. Splice refuses
// them where the hooks of d do not have the runtime's shape.
func WireHook(d *Doc, event, matcher, command string) []Edit {
	entry, path := CommandEntry(command), claude.KeyHooks.Below(event)
	place := findHook(d.Get(path...), matcher, entry)
	switch {
	case place.hook >= 0:
		return nil
	case place.block >= 0:
		return []Edit{Append(place.hooks(path), entry)}
	}
	return []Edit{Append(path, Dict(Pair("matcher", String(matcher)), Pair(BlockHooks, List(entry))))}
}

// place is where a hook stands among an event's blocks: -1 for what there is
// none of.
type place struct{ block, hook int }

// hooks is the path of the block's array of hooks, below the event's.
func (p place) hooks(event []string) []string {
	return append(below(event, strconv.Itoa(p.block)), BlockHooks)
}

// findHook looks in the blocks with exactly this matcher for entry, as it is or
// else for one that runs the same. Without either, the place is that of the
// first such block.
func findHook(blocks *Value, matcher string, entry *Value) place {
	first, same := place{-1, -1}, place{-1, -1}
	for i, block := range ItemsOf(blocks) {
		hooks := block.Get(BlockHooks)
		if m, ok := matcherOf(block); !ok || m != matcher || hooks == nil || hooks.Kind != Array {
			continue
		}
		if first.block < 0 {
			first.block = i
		}
		for j, hook := range hooks.Items {
			if hook.Equal(entry) {
				return place{i, j}
			}
			if same.block < 0 && sameHook(hook, entry) {
				same = place{i, j}
			}
		}
	}
	if same.block >= 0 {
		return same
	}
	return first
}

// matcherOf returns the matcher of a block; one that has none matches like "".
func matcherOf(block *Value) (string, bool) {
	if block.Kind != Object {
		return "", false
	}
	m := block.Get("matcher")
	switch {
	case m == nil:
		return "", true
	case m.Kind != Str:
		return "", false
	}
	return m.Text, true
}

// sameHook says whether a and b run the same command with the same arguments;
// hooks that are not commands are the same if all of them is.
func sameHook(a, b *Value) bool {
	command := String("command")
	if !command.Equal(a.Get("type")) || !command.Equal(b.Get("type")) {
		return a.Equal(b)
	}
	return a.Get("command").Equal(b.Get("command")) && a.Get("args").Equal(b.Get("args"))
}

// isHookEvent says whether the array at path holds an event's blocks.
func isHookEvent(path []string) bool { return len(path) == 2 && path[0] == claude.KeyHooks.Leaf() }

// blocks unites the blocks of an event hook by hook; one that has no matcher
// and hooks to tell it by is an element like any other.
func (m *merger) blocks(path []string, want *Value) {
	for _, block := range want.Items {
		have := m.doc.Get(path...)
		if m.err != nil {
			return
		}
		matcher, ok := matcherOf(block)
		hooks := block.Get(BlockHooks)
		if !ok || hooks == nil || hooks.Kind != Array || findHook(have, matcher, nil).block < 0 {
			m.block(path, have, block)
			continue
		}
		for _, hook := range hooks.Items {
			at := findHook(m.doc.Get(path...), matcher, hook)
			if at.hook < 0 {
				m.append(at.hooks(path), []*Value{hook})
			} else {
				m.value(below(at.hooks(path), strconv.Itoa(at.hook)), hook)
			}
			if m.err != nil {
				return
			}
		}
	}
}

// block adds a whole block unless it is there.
func (m *merger) block(path []string, have, block *Value) {
	for i, b := range have.Items {
		if b.Equal(block) {
			m.kept(below(path, strconv.Itoa(i)))
			return
		}
	}
	m.append(path, []*Value{block})
}

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
	for _, event := range MembersOf(d.Get(claude.KeyHooks...)) {
		for _, block := range event.Value.Items {
			for _, hook := range ItemsOf(block.Get(BlockHooks)) {
				list = append(list, WiredHook{event.Key, block, hook})
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
