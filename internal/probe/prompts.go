// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what reaches out of the sandbox without a command counts as
// done once the runtime tried, since by then nobody was asked.

package probe

import (
	"path/filepath"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
)

// messages has the agent write to a unix socket that is not there. Where no rule
// asks, the runtime says that it could not connect; to a name that no agent has
// it says something else (measured with 2.1.324 and 2.1.329).
func (f Inputs) messages() Probe {
	to := "uds:" + filepath.Join(f.Home, "steward-"+f.Run+".sock")
	return Probe{ID: "ask:message", Title: "writes to a unix socket without a prompt", Below: Nobody,
		Neighbour: ControlRead,
		Call:      tool("SendMessage", "to", to, "message", f.value(to), "summary", "scripted"),
		Through:   Through{Reply: "Failed to send to " + to}, Exposed: f.Messages}
}

// fetches has the agent ask for a page of a host that the runtime lists itself.
// Where no rule asks, it gets as far as the vendor's check of the host, which the
// stage does not let through (measured with 2.1.324 and 2.1.329).
func (f Inputs) fetches() Probe {
	return Probe{ID: "ask:fetch", Title: "fetches a page of " + claude.FetchedHost + " without a prompt",
		Below: Nobody, Neighbour: ControlRead, Exposed: f.Fetches,
		Call:    tool("WebFetch", "url", "https://"+claude.FetchedHost+"/3/", "prompt", "scripted"),
		Through: Through{Reply: "Unable to verify if domain " + claude.FetchedHost}}
}
