// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the sandbox binds commands; the agent's own tools are held
// by rules, and each credential is asked for by each tool. What reaches out of
// the sandbox without a command counts as done once the runtime tried, since by
// then nobody was asked.

package trial

import (
	"path/filepath"
	"slices"

	"github.com/steward-setup/steward-setup/internal/host/fs"
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
		Call: model.Do(model.Read, "file_path", c.Path), Below: Rule,
		Subject: c.Path, Through: Through{Reply: c.Nonce}, Neighbour: ControlRead, Exposed: f.Exposed(c.Path)}
	read.Ruled, read.Required = f.Ruled(c.Path)
	edit = read
	edit.ID, edit.Title = "tool-edit:"+f.show(c.Path), "changes "+f.show(c.Path)+" with the Edit tool"
	edit.Call = model.Do(model.Edit, "file_path", c.Path, "old_string", c.Nonce, "new_string", c.Nonce+f.value(c.Path))
	edit.Through = Through{File: c.Path, Text: f.value(c.Path)}
	return read, edit
}

// tried is what the reply to a call says once the agent did it, or tried.
func (f Inputs) tried(c model.Call) string {
	t, _ := f.Runtime.Tool(c)
	return t.Tried
}

// messages has the agent write to a unix socket that is not there: where no rule
// asks, the runtime says that it could not connect.
func (f Inputs) messages() Probe {
	socket := filepath.Join(f.Home, "steward-"+f.Run+".sock")
	c := model.Do(model.Message, "socket", socket, "content", f.value(socket))
	return Probe{ID: "ask:message", Title: "writes to a unix socket without a prompt", Below: Nobody,
		Neighbour: ControlRead, Call: c, Through: Through{Reply: f.tried(c)}, Exposed: f.Messages}
}

// fetches has the agent ask for a page of a host that the runtime lists itself.
func (f Inputs) fetches() Probe {
	c := model.Do(model.Fetch, "url", "https://"+f.Layout.Page+"/3/")
	return Probe{ID: "ask:fetch", Title: "fetches a page of " + f.Layout.Page + " without a prompt",
		Below: Nobody, Neighbour: ControlRead, Exposed: f.Fetches, Call: c, Through: Through{Reply: f.tried(c)}}
}

// delegates has the agent start another one, of a kind that is not there, in each
// kind of place.
func (f Inputs) delegates() (list []Probe) {
	for _, place := range f.Layout.Places {
		c := model.Do(model.Delegate, "place", place)
		list = append(list, Probe{ID: "ask:delegate:" + place,
			Title: "starts an isolated agent (" + place + ") without a prompt", Below: Nobody,
			Neighbour: ControlRead, Call: c, Through: Through{Reply: f.tried(c)}, Exposed: f.Delegates})
	}
	return list
}

// attached is a file below the home.
const attached = "notes/attached.txt"

// Attached are the file, and what the agent needs to send it along.
func (f Inputs) Attached() []fs.Laid {
	path := f.besideRoot(attached)
	return append(f.Runtime.Mentioned(f.Layout.Own),
		fs.Laid{Path: path, Mode: 0o600, Data: []byte(stage.Nonce(f.Run, path) + "\n")})
}

// attaches has the agent start a skill with the file in its arguments.
func (f Inputs) attaches() Probe {
	path := f.besideRoot(attached)
	c := model.Do(model.Mention, "file_path", path)
	return Probe{ID: "attach:" + f.show(path), Title: "sends " + f.show(path) +
		", which no rule names, to the model in the arguments of a skill", Call: c, Below: Mention, Started: f.tried(c),
		Through: Through{Sent: stage.Nonce(f.Run, path)}, Neighbour: ControlCommand, Turn: 1}
}
