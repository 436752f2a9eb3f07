// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the sandbox binds commands; the agent's own tools are held
// by rules, and each credential is asked for by each tool.

package probe

import (
	"slices"

	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/stage"
)

// ByTools asks for every credential with the tools that Claude Code itself runs:
// Read, and Edit, which tells whether a text is in a file. Edit and Write follow
// Read rules: "File is covered by a Read deny rule" (measured with 2.1.329).
// 2.1.324 and 2.1.329 have no Grep and Glob: both are answered with "No such
// tool available". Of a file that a text names, attaches asks once: the runtime
// attaches every file or none that a rule does not name.
func (f Inputs) ByTools() []Probe {
	var reads, edits []Probe
	for _, c := range slices.Concat(f.Canaries, f.Outside) {
		read, edit := f.byTools(c)
		reads = append(reads, read)
		if read.Ruled {
			edits = append(edits, edit)
		}
	}
	return slices.Concat(reads, edits)
}

// BySomeTools asks for one credential that every policy has a Read rule for, with
// both tools, and for a file beside the session that must be readable: a rule that
// is in force holds all that it names.
func (f Inputs) BySomeTools() []Probe {
	for _, c := range f.Canaries {
		if read, edit := f.byTools(c); read.Required && read.Exposed == "" && !pathname.Within(c.Path, f.Root) {
			return []Probe{f.Controls()[1], read, edit}
		}
	}
	return nil
}

func (f Inputs) byTools(c stage.Canary) (read, edit Probe) {
	read = Probe{ID: "tool-read:" + f.show(c.Path), Title: "reads " + f.show(c.Path) + " with the Read tool",
		Call: tool("Read", "file_path", c.Path), Below: Rule,
		Subject: c.Path, Through: Through{Reply: c.Nonce}, Neighbour: ControlRead, Exposed: f.Exposed(c.Path)}
	read.Ruled, read.Required = f.Ruled(c.Path)
	edit = read
	edit.ID, edit.Title, edit.Turn = "tool-edit:"+f.show(c.Path), "changes "+f.show(c.Path)+" with the Edit tool", 1
	edit.Call = model.Call{Tool: "Edit", Input: map[string]any{"file_path": c.Path, "old_string": c.Nonce,
		"new_string": c.Nonce + f.value(c.Path)}}
	edit.Through = Through{File: c.Path, Text: f.value(c.Path)}
	return read, edit
}
