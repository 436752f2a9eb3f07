// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the user's own instructions import is told to the
// model without a prompt, by both launches, whatever the Read rules say
// (measured with 2.1.329 and 2.1.324). A file there that commands may write can
// import every other.

package iso

import (
	"path/filepath"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/host"
)

// OwnInstructions looks through the instructions of the user's own that the
// runtime reads in every session: CLAUDE.md and rules of the user's directory,
// symlinks among the rules followed. open says whether commands may write a
// path, be it there or not. Its other texts (output styles, agents, notes of the
// model) import nothing.
func OwnInstructions(h host.Reader, open func(path string) bool) []Lead {
	w := &instructions{h: h, open: open}
	agent := h.Places().AgentDir
	w.file(filepath.Join(agent, claude.Instructions))
	w.rules(filepath.Join(agent, "rules"), 0)
	return w.leads
}

// InstructionsAbove looks through the instructions of the directories above a
// project, which a plain session reads too. What these import of other places
// is read once external imports are allowed.
func InstructionsAbove(h host.Reader, root string, open func(path string) bool) []Lead {
	w := &instructions{h: h, open: open}
	for dir := root; dir != filepath.Dir(dir); {
		dir = filepath.Dir(dir)
		w.file(filepath.Join(dir, claude.Instructions))
		w.file(filepath.Join(dir, "CLAUDE.local.md"))
		w.agents(dir)
		if own := filepath.Join(dir, claude.Dir); host.Real(h, own) != host.Real(h, h.Places().AgentDir) {
			w.file(filepath.Join(own, claude.Instructions))
			w.rules(filepath.Join(own, "rules"), 0)
		}
	}
	return w.leads
}

// OwnMentions looks through a text of the user's own that is sent as a prompt
// (a skill or a command, or loop.md): the runtime adds the files that it names
// with @, relative to the start directory, and not what those name. A Read rule
// that names such a file keeps it out (measured with 2.1.329 and 2.1.324).
func OwnMentions(h host.Reader, start, file, text string, open func(path string) bool) []Lead {
	w := &instructions{h: h, open: open}
	w.mentions(start, file, text, 1)
	return w.leads
}
