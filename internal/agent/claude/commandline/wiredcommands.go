// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what of settings the runtime runs as a command is found
// by its key.

package commandline

import (
	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
)

// WiredCommand is a command line in settings, and what calls it. With args it
// is started without a shell. event is that of a hook.
type WiredCommand struct {
	Command, Args *settings.Value
	What, Event   string
}

// Wired lists the command lines of a document that the runtime runs.
func Wired(l settings.ScopedDoc) []WiredCommand {
	var list []WiredCommand
	add := func(v, args *settings.Value, what, event string) {
		if v != nil && v.Kind == settings.Str {
			list = append(list, WiredCommand{v, args, what, event})
		}
	}
	for _, h := range l.Doc.Hooks() {
		command, args := h.Entry.Command()
		add(command, args, "a "+h.Event+" hook", h.Event)
	}
	for _, starts := range []struct {
		key  claude.KeyPath
		what string
	}{{claude.KeyStatusLine, "the status line"}, {claude.KeySubagentStatusLine, "the status line of subagents"},
		{claude.KeyFileSuggestion, "the file suggestion"}} {
		command, _ := l.Doc.Get(starts.key...).Command()
		add(command, nil, starts.what, "")
	}
	for _, helper := range claude.Helpers {
		add(l.Doc.Get(helper), nil, helper, "")
	}
	return list
}
