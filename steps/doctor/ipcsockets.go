// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a socket that a program makes for its own processes is
// another question than one of the machine: nobody else listens there.

package doctor

import (
	"context"
	"path/filepath"

	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/trial"
)

// ipcSocket is the file's name, in the project and in TMPDIR.
const ipcSocket = "steward-ipc.sock"

// ipcOutside makes nothing outside: a socket there would be a file of the
// project's.
func ipcOutside(context.Context, *bench) control { return onCopy("sockets", "none was made outside") }

// ipcAsks are the ways that are in use: Node.js and Python give their children
// one end of a pair; nx, tsx, MSBuild and turbo listen at a path.
func ipcAsks(b *bench, c control) []ask {
	at := filepath.Join(b.inputs.Root, ipcSocket)
	c.vars["SOCKET"] = at
	listens := func(id, where, socket string) ask {
		return ask{id: id, title: "listens at a unix socket in " + where, call: tool(rehearsal.ToolIPC, socket, "/"+id),
			through: trial.Through{Reply: "/" + id}, entry: "unix-sockets", layer: byBind(id), price: anySocketPrice(id)}
	}
	return []ask{listens("ipc-tmp", "TMPDIR, as nx, tsx and MSBuild do", ipcSocket),
		listens("ipc-project", "the project, as development servers do", at),
		{id: "ipc-pair", title: "a pair of sockets between two processes", call: tool(rehearsal.ToolPair, "steward-pair"),
			through: trial.Through{Reply: "steward-pair"}, layer: byBind("ipc-pair")}}
}

// byBind tells who keeps a call from making a socket.
func byBind(id string) refuser { return bySystemCall(id, "the system call", "bind") }
