// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the real clients are asked on the host for the version of
// the engine behind the user's socket, and on the stage for that of something
// that answers like one: no engine ever takes part in a trial.

package doctor

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/trial"
)

// engineKind is one of the two clients.
type engineKind struct {
	name string
	// variable names the engine's address, if it is set.
	variable string
	// sockets are where it is looked for; one that begins with "$" is below
	// XDG_RUNTIME_DIR.
	sockets []string
	server  func(address string) proc.Spec
	// current is the address that the client itself has chosen, and the name
	// of that choice; "" if there is none. nil for a client without such.
	current func(context.Context, *bench) (name, address string)
	// line is the call inside; the variable says where to.
	line string
}

func (k engineKind) probe(title string) probe {
	return probe{id: report.ID(k.name), title: title, outside: k.outside, asks: k.asks}
}

// outside asks the engine of the user for its version.
func (k engineKind) outside(ctx context.Context, b *bench) control {
	if _, err := b.r.Look(k.name); err != nil {
		return absent(k.name+" is not installed", report.CommandEvidence(k.name, err.Error()))
	}
	address, from := b.r.System().Get(k.variable), k.variable
	if address == "" && k.current != nil {
		var name string
		if name, address = k.current(ctx, b); address != "" {
			from = "the context " + name
		}
	}
	socket, unix := strings.CutPrefix(address, "unix://")
	switch {
	case strings.HasPrefix(address, "/"):
		return absent(from+" is a path, not an address: unix:// is missing", report.EnvEvidence(from, "begins with /"))
	case address != "" && !unix:
		return absent(from+" names no unix socket: the network decides, see egress",
			report.EnvEvidence(from, "does not begin with unix"))
	case address == "":
		if socket = k.find(b); socket == "" {
			return absent("no service of "+k.name+" is running: no socket",
				report.FileEvidence(strings.Join(k.places(b), ", "), "is not there"))
		}
	}
	res := b.r.Run(ctx, k.server("unix://"+socket))
	if said := report.CommandEvidence(res.Line, res.Text()); !res.OK() {
		return absent("the service of "+k.name+" does not answer: "+trial.Line(string(res.Stderr)+res.Text()), said)
	}
	c := control{status: report.Pass, summary: "version " + res.Text(),
		evidence: []report.Evidence{report.CommandEvidence(res.Line, res.Text())}, socket: b.onStage(socket)}
	if address != "" {
		c.evidence = append(c.evidence, report.EnvEvidence(from, address))
	}
	c.offers = []rehearsal.Offer{{Kind: rehearsal.OfferEngine, At: c.socket, Word: engineWord}}
	c.vars = map[string]string{"SOCKET": c.socket}
	c.environ = []string{k.variable + "=unix://" + c.socket}
	return c
}

// engineWord is the version of what answers on the stage.
const engineWord = "0.0.0-of-the-stage"

func (k engineKind) places(b *bench) []string {
	var list []string
	for _, s := range k.sockets {
		dir := b.r.System().Get("XDG_RUNTIME_DIR")
		switch rest, own := strings.CutPrefix(s, "$"); {
		case !own:
			list = append(list, filepath.Join(b.r.System().Root, s))
		case filepath.IsAbs(dir):
			list = append(list, dir+rest)
		}
	}
	return list
}

func (k engineKind) find(b *bench) string {
	for _, path := range k.places(b) {
		if isSocket(b, path) {
			return path
		}
	}
	return ""
}

func (k engineKind) asks(_ *bench, c control) []ask {
	return []ask{
		{id: k.name, title: k.name + " version", call: bash(k.line), through: trial.Through{Reply: engineWord}, entry: k.name,
			layer: bySocket(k.name + "-reach"), price: socketPrice(k.name+"-reach",
				"containers can mount and change all your files",
				"calls of "+k.name+" alone run unsandboxed (excludedCommands), "+
					"but containers can mount and change all your files")},
		reach(k.name+"-reach", c.socket),
	}
}
