// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package scope proposes the two plans that change which repositories of the
// user the setup covers, and says which are covered now: whole-user gives
// every repository its roots and leads git to hooks that register new ones;
// per-project takes that back.
//
// Contract: the proposals only read. Every hook that git ran before runs after
// whole-user too, and per-project restores what was there before.
package scope

import (
	"path/filepath"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
)

// Options are what the command line says.
type Options struct {
	// Agent is the runtime that is set up.
	Agent Agent
	// Roots are the directories to look for repositories in: absolute, links
	// resolved. Depth is how far below.
	Roots            []string
	Depth            int
	OtherFileSystems bool
	// Framework is a checkout of the framework for the floor's policy, "" for
	// the embedded one; Answers are those to the questions about it.
	Framework string
	Answers   report.Answers
	// RemoveRoots asks per-project to take the roots out too.
	RemoveRoots bool
	// Progress, if set, is told how far the search is. It must not wait: the
	// search does.
	Progress func(engine.Progress)
	// Runs are what was applied.
	Runs engine.Runs
}

// usual are the directories below the home where repositories usually are.
var usual = []string{"code", "projects", "dev", "work", "src", "git"}

// Usual are they as they are said.
func Usual() (said []string) {
	for _, name := range usual {
		said = append(said, "~/"+name)
	}
	return said
}

// UsualRoots are those that exist.
func UsualRoots(r host.Reader) []string {
	var list []string
	for _, name := range usual {
		dir := filepath.Join(r.Places().Home, name)
		if info, err := r.Stat(dir); err == nil && info.IsDir() {
			if real, err := r.Resolve(dir); err == nil {
				list = append(list, real)
			}
		}
	}
	return list
}

const (
	// WholeUserCommand and PerProjectCommand are what receipts call the runs.
	WholeUserCommand  = "scope whole-user"
	PerProjectCommand = "scope per-project"
)

// ours says that a run was part of whole-user scope.
func ours(r engine.Receipt) bool { return r.Command == WholeUserCommand }
