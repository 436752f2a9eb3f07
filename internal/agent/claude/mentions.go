// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what attaches files that nobody is asked about. Measured
// with 2.1.329 and 2.1.324; docs/adr/0015-no-attached-files.md lists what.

package claude

import (
	"slices"
	"strings"
)

// MentionsVariable keeps the runtime from attaching the files that a text
// names with @: the model gets their paths, and reads them with its tools, which
// the rules decide about. It came with 2.1.299 (release notes). Of the
// environment and of settings the runtime takes it, the settings first; in a
// project's settings it counts neither way.
const MentionsVariable = "CLAUDE_CODE_DISABLE_FILE_MENTIONS"

// SwitchedOn says whether the value of a variable that is a switch switches it
// on.
func SwitchedOn(value string) bool {
	return slices.Contains([]string{"1", "true", "yes", "on"}, strings.ToLower(value))
}
