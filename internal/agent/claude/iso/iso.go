// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package iso is the clean environment and the hardened launch: with which
// variables, arguments and settings the agent is started by claude-iso.
//
// Contract: nothing is started or written here. The environment is an
// allow-list; a value of a variable never appears in anything that is shown.
// The launch gives the runtime one settings document of its own and keeps it
// from reading the project's, so that no file of the project is obeyed that
// the user has not approved by its digest. What this protects and what not is
// tested with the real runtime (docs/protection.md).
package iso

import (
	"bytes"
	"encoding/json"

	"github.com/steward-setup/steward-setup/internal/agent/claude/inforce"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
)

// Options are what the user asks of a launch.
type Options struct {
	// Worktree opens the main checkout for reading, as Args that ask for a
	// worktree do; Anyway starts even if the policy cannot be in force.
	Worktree, Anyway bool
	// Args are the agent's own arguments.
	Args []string
}

// Launch is how the agent would be started.
type Launch struct {
	Place   Place
	Runtime Found
	Vars    []Variable
	Environ []string
	// Argv begins with the name of the program.
	Argv []string
	// Policy is the project's. Approved says that the user approved it,
	// Known that some policy of this project was approved.
	Policy          Policy
	Approved, Known bool
	// Lost says why the project's settings are not understood; only a
	// launch that starts anyway goes on then, without a policy of theirs.
	Lost error
	// Forgeable says, as a *report.Error, why approvals do not count: the
	// agent could have written them. No launch starts then.
	Forgeable error
	// Linked says, as a *report.Error, which other file of the user's commands
	// could change or read by a second name. Unseen are files of which that is
	// not known.
	Linked error
	Unseen []string
	// Open says, as a *report.Error, which .env of the project is not hidden, or that commands
	// would write the approvals.
	Open error
	// Added are the directories that --add-dir opens, absolute, links resolved.
	Added []string
	// Started are the arguments that start programs outside the sandbox.
	Started []Started
	// Exchanged says, as a *report.Error, which argument names a file that commands
	// can replace.
	Exchanged error
	// Stray is the file that leads git to a configuration that a command may
	// have written, "" if there is none.
	Stray string
	// Items are what of the project would be loaded by a plain start.
	Items []Item
	// Instructions says that the project's CLAUDE.md is read. Leads are why
	// it is not, although there is one.
	Instructions bool
	// Seconds are places at which the home, or a file that commands must not change
	// or read, is mounted too: hidden as it is.
	Seconds []host.Second
	Leads   []Lead
	// State is the judgement of the launch.
	State inforce.State

	state string // the state directory
	// kept are the files of instructions that commands may not write, hidden the
	// paths of denyRead, closed those of the rules that deny Read.
	kept, hidden []string
	closed       []settings.Pattern
	users        usersRules
}

// argv puts the arguments together. What has a value is joined to it: an
// option of the runtime that takes several values would take what follows.
func (l *Launch) argv(o Options) error {
	document, err := l.document(o)
	if err != nil {
		return err
	}
	policy, err := compact(document)
	if err != nil {
		return err
	}
	l.Argv = []string{"claude", "--setting-sources=user"}
	if l.Instructions {
		l.Argv = append(l.Argv, "--add-dir="+l.Place.Root)
	}
	servers, err := l.servers()
	if err != nil {
		return err
	}
	if servers != "" {
		l.Argv = append(l.Argv, "--mcp-config="+servers)
	}
	if len(policy) > maxDocument {
		return tooLarge(l.Place.Project, len(policy))
	}
	l.Argv = append(append(l.Argv, "--settings="+policy), o.Args...)
	return nil
}

// compact is a document in one line.
func compact(document []byte) (string, error) {
	var b bytes.Buffer
	err := json.Compact(&b, document)
	return b.String(), err
}

// system is the machine as the agent will see it: the same but for the
// environment.
func system(h host.Reader, environ []string) env.System {
	sys := h.System()
	sys.Env = env.New(environ)
	return sys
}
