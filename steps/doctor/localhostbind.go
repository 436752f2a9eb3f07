// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a server of one's own and one of the machine are two
// questions; that the second is not reached is the design of the sandbox.

package doctor

import (
	"context"

	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/trial"
)

// hostServer is the server that stands on the stage outside the sandbox.
const hostServer = "127.0.0.1:8481"

// localhostOutside starts a server on a free port, asks it once, and stops it.
func localhostOutside(context.Context, *bench) control {
	const what = "a server on a free port of 127.0.0.1"
	if _, err := model.Self("/steward"); err != nil {
		return absent("no server can be started on loopback: "+err.Error(), report.CommandEvidence(what, err.Error()))
	}
	return control{status: report.Pass, summary: "a server answers",
		evidence: []report.Evidence{report.CommandEvidence(what, "was started and answered")},
		offers:   []rehearsal.Offer{{Kind: rehearsal.OfferServer, At: hostServer}}}
}

func localhostAsks(b *bench, _ control) []ask {
	entry := "loopback-host"
	if b.r.System().GOOS == "darwin" {
		entry = "loopback-bind"
	}
	return []ask{
		{id: "own-server", title: "starts a server and asks it, in one command",
			call: tool(rehearsal.ToolSelf, "/own-server"), through: trial.Through{Reply: "/own-server"},
			entry: "loopback-bind", layer: always(catalog.Namespace, "nothing else is asked for a connection within loopback")},
		{id: "host-server", title: "asks a server that runs outside", role: byDesign,
			call:    tool(rehearsal.ToolReach, "tcp", hostServer, "/host-server"),
			through: trial.Through{Reply: "/host-server"}, entry: entry, layer: otherLoopback},
	}
}

// otherLoopback: a connection that is refused although somebody listens was
// made on another loopback interface.
func otherLoopback(s *trial.Trial) (catalog.Refuser, report.Evidence) {
	call, text := refused(s, "host-server")
	if s.Of("own-server").Through && call == "connect" {
		return catalog.Namespace, report.CommandEvidence("a connection to "+hostServer, text+
			", though it listens outside, and a server of the command's own answers")
	}
	return catalog.Several, report.CommandEvidence("a connection to "+hostServer, text)
}
