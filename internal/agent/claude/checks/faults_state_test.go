// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what this program believes later, it keeps where no agent
// writes.

package checks_test

import "github.com/steward-setup/steward-setup/internal/report"

// ownPlace moves a directory of this program to where an agent writes.
func ownPlace(name, variable, place, where string, also effects, before func(*Machine)) Fault {
	return Fault{Name: name, Breaks: "policy-invariants", Want: report.Fail, Voids: true, Where: where, Also: also,
		Break: func(m *Machine) {
			if before != nil {
				before(m)
			}
			m.Env[variable] = m.at(place)
		}}
}

// unapproved: claude-iso does not start on approvals that the agent can write.
var unapproved = effects{"effective-sandbox": {report.Warn, "claude-iso does not start there: anybody could have " +
	"approved"}}

var stateFaults = []Fault{
	ownPlace("XDG_STATE_HOME in the project", "XDG_STATE_HOME", "~/code/tracker/.state",
		"~/code/tracker/.state/steward-setup is inside the project", unapproved, nil),
	ownPlace("XDG_STATE_HOME in a linked worktree", "XDG_STATE_HOME", "~/code/tracker-fix",
		"~/code/tracker-fix/steward-setup is inside the project", unapproved, nil),
	ownPlace("XDG_STATE_HOME through a link of the project", "XDG_STATE_HOME", "~/code/tracker/s", "reached through it",
		unapproved,
		func(m *Machine) { m.symlink(m.at("~/.local/state"), "~/code/tracker/s") }),
	ownPlace("XDG_CONFIG_HOME in the project", "XDG_CONFIG_HOME", "~/code/tracker/.config",
		"~/code/tracker/.config/steward-setup is inside the project", nil, nil),
}
