// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the runtime answers where only the machine's load kept
// its sandbox from coming up is told from what a setting did.

package claude

import "strings"

// SandboxCameLate says whether the answer to a sandboxed call is that the
// bridges of the sandbox's proxy did not come up. The runtime gives the two
// socats that it starts 0.6 s for that, which a loaded machine does not always
// keep (measured with 2.1.141, 2.1.324 and 2.1.329: a socat that sleeps first).
// A socat that fails has the same answer. From then on the session has no
// sandbox: the later versions run the next commands without it, unless
// sandbox.failIfUnavailable is true.
func SandboxCameLate(answer string) bool {
	return strings.Contains(answer, "Failed to create bridge sockets after") ||
		strings.Contains(answer, "Sandbox failed to initialize.")
}
