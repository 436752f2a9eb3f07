// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a socket that a program makes for its own processes is
// another question than one of the machine: nobody else listens there.

package doctor

import (
	"context"
	"path/filepath"

	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/trial"
)

// ipcSocket is the file's name, in the project and in TMPDIR.
const ipcSocket = "steward-ipc.sock"

// ipcOutside makes nothing outside: a socket there would be a file of the
// project's.
func ipcOutside(context.Context, *bench) control {
	return control{status: report.Pass, unstarted: true, summary: triedOnCopy, vars: map[string]string{},
		evidence: []report.Evidence{report.EnvEvidence("sockets", "none was made outside: the same call runs on a copy of "+
			"your setup, with the sandbox and without")}}
}

// ipcAsks are the ways that are in use: Node.js and Python give their children
// one end of a pair; nx, tsx, MSBuild and turbo listen at a path.
func ipcAsks(b *bench, c control) []ask {
	at := filepath.Join(b.inputs.Root, ipcSocket)
	c.vars["SOCKET"] = at
	listens := func(id, where, socket string) ask {
		return ask{id: id, title: "listens at a unix socket in " + where, call: tool(rehearsal.ToolIPC, socket, "/"+id),
			through: trial.Through{Reply: "/" + id},
			entry:   "unix-sockets", layer: bySystemCall(id), price: anySocketPrice(id)}
	}
	return []ask{listens("ipc-tmp", "TMPDIR, as nx, tsx and MSBuild do", ipcSocket),
		listens("ipc-project", "the project, as development servers do", at),
		{id: "ipc-pair", title: "a pair of sockets between two processes", call: tool(rehearsal.ToolPair, "steward-pair"),
			through: trial.Through{Reply: "steward-pair"},
			layer:   bySystemCall("ipc-pair")}}
}

// bySystemCall reads from the call that was refused who did: no socket is made
// where seccomp refuses the family, and no file where a directory is read-only.
func bySystemCall(id string) func(*trial.Trial) (catalog.Refuser, report.Evidence) {
	return func(s *trial.Trial) (catalog.Refuser, report.Evidence) {
		call, text := refused(s, id)
		e := report.CommandEvidence("the system call", text)
		switch call {
		case "socket", "socketpair":
			return bySeccomp(e)
		case "bind":
			return catalog.Mount, e
		}
		return catalog.Several, e
	}
}

// plainSocket is where something listens on the stage, in a directory that no
// policy hides.
const plainSocket = "/run/steward/plain.sock"

// socketsOutside makes a socket, which is no file, and reaches for a path
// where there is none.
func socketsOutside(_ context.Context, b *bench) control {
	const what = "socket(AF_UNIX)"
	if err := model.UnixSocket(b.r.Places().State + "/none.sock"); err != nil {
		return control{status: report.Fail, summary: "refused outside too: " + err.Error(),
			evidence: []report.Evidence{report.CommandEvidence(what, err.Error())}}
	}
	return control{status: report.Pass, summary: "a socket can be made",
		evidence: []report.Evidence{report.CommandEvidence(what, "a socket was made")},
		offers:   []rehearsal.Offer{{Kind: rehearsal.OfferSocket, At: plainSocket}},
		vars:     map[string]string{"SOCKET": plainSocket}}
}

func socketsAsks(*bench, control) []ask {
	return []ask{{id: "own-socket", title: "opens a unix socket",
		call:    tool(rehearsal.ToolReach, "unix", plainSocket, "/own-socket"),
		through: trial.Through{Reply: "/own-socket"}, entry: "unix-sockets", layer: bySocket("own-socket"),
		price: anySocketPrice("own-socket")}}
}
