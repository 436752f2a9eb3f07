// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what could not be read is asked for by name, since the
// layers do not show that it is missing.

package inforce

// Unread lists the settings files of the session that could not be read, or
// are not strict JSON: the runtime throws such a file away whole, unless the
// reason is Kept.
func (in Input) Unread() []Reason { return in.unread }

// Doubts lists the settings files that can be read in more than one way. What
// the runtime takes of them is among the layers.
func (in Input) Doubts() []Reason { return in.doubts }
