// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a message to a socket counts as sent once the runtime tried
// to connect, since by then nobody was asked.

package probe

import "path/filepath"

// messages has the agent write to a unix socket that is not there. Where no rule
// asks, the runtime says that it could not connect; to a name that no agent has
// it says something else (measured with 2.1.324 and 2.1.329).
func (f Facts) messages() Probe {
	to := "uds:" + filepath.Join(f.Home, "steward-"+f.Run+".sock")
	return Probe{ID: "ask:message", Title: "writes to a unix socket without a prompt", Below: Nobody, Neighbour: ControlRead,
		Call: tool("SendMessage", "to", to, "message", f.value(to), "summary", "scripted"), Through: Through{Reply: "Failed to send to " + to}, Exposed: f.Messages}
}
