// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the runtime does with messages of other sessions is
// stated as it was measured.

package claude

import "slices"

// InboundKey says what becomes of a message that another session of the user's
// sends (SendMessage to a socket in /tmp/cc-socks-UID). Without it, one of the
// same kind of permission mode is delivered as a prompt; with hold the user is
// asked, with refuse it is dropped (measured with 2.1.329). 2.1.324 and 2.1.224
// know the key, 2.1.141 has no such messages.
const InboundKey = "crossSessionInbound"

// HoldsInbound says whether a value of it keeps messages from the model until
// the user has seen them.
func HoldsInbound(value string) bool { return value == "hold" || value == "refuse" }

// SocketMessages is the rule that has the runtime ask before the agent sends a
// message to a socket. The address uds:PATH may name any unix socket: the runtime
// connects to it from outside the sandbox and writes a line of JSON with the text
// in it, in every permission mode and without a prompt. A rule of this form is
// matched against one argument of a call; messages to agents of the same session
// go by name, and it does not match them. Measured with 2.1.324 and 2.1.329: no
// other spelling of an address (capitals, spaces, percent signs, brackets) both
// gets past the rule and is sent; an allow rule does not overrule it; it is a
// prompt on a terminal and a refusal in print mode.
const SocketMessages = "SendMessage(to:uds:*)"

// holdSockets are the contents of a rule that hold every message to a socket. The
// runtime takes a space on one side of the first colon, and nowhere else: rules
// with "to:uds: *", " to : uds : * " and " * " let the message through (measured
// with 2.1.329).
var holdSockets = []string{"*", "to:*", "to:uds:*", "to: uds:*", "to :uds:*"}

// HoldsSocketMessages says whether a deny or ask rule holds every message to a
// socket: the tool as a whole, any recipient, or any socket.
func HoldsSocketMessages(rule string) bool {
	tool, content, call, _ := SplitRule(rule)
	return tool == "SendMessage" && (!call || slices.Contains(holdSockets, content))
}
