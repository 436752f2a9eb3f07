// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a variable does the tables of internal/agent/claude
// say; one that they do not hold is not known to be harmless.

package dotfiles

import (
	"github.com/steward-setup/steward-setup/internal/agent/claude"
)

// UnknownEffect is what is said of a variable without a row.
const UnknownEffect = "may steer what runs outside the sandbox; not known to be harmless"

// EnvEffect says what a variable would do, "" if it is known to be harmless.
func EnvEffect(name string) string {
	switch v := claude.VariableOf(name); {
	case v.Safe():
		return ""
	case v.Acts():
		return v.Effect
	}
	return UnknownEffect
}

// KnownEffect says what a variable does to the programs that a session starts,
// "" if nothing is known.
func KnownEffect(name string) string {
	if v := claude.VariableOf(name); v.Acts() && !v.Tool {
		return v.Effect
	}
	return ""
}
