// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what could not be read is asked for by name, since the
// layers do not show that it is missing.

package inforce

// Unread lists the settings files of the session that could not be read, or
// are not strict JSON: the runtime throws such a file away whole.
func (in Input) Unread() []Reason { return in.unread }
