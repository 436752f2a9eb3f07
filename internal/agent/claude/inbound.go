// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the runtime does with messages of other sessions is
// stated as it was measured.

package claude

// InboundKey says what becomes of a message that another session of the user's
// sends (SendMessage to a socket in /tmp/cc-socks-UID). Without it, one of the
// same kind of permission mode is delivered as a prompt; with hold the user is
// asked, with refuse it is dropped (measured with 2.1.329). 2.1.324 and 2.1.224
// know the key, 2.1.141 has no such messages.
const InboundKey = "crossSessionInbound"

// HoldsInbound says whether a value of it keeps messages from the model until
// the user has seen them.
func HoldsInbound(value string) bool { return value == "hold" || value == "refuse" }
