// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whether a socket can be made is asked apart from what listens
// at it: nothing of the machine is reached.

package doctor

import (
	"context"

	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/trial"
)

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
