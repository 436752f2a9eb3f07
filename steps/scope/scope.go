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
	// Roots are the directories to look for repositories in: absolute, links
	// resolved. Depth is how far below.
	Roots            []string
	Depth            int
	OtherFileSystems bool
	// Framework is a checkout of the framework for the floor's policy, "" for
	// the embedded one; Answers are those to setup.FloorQuestions.
	Framework string
	Answers   report.Answers
	// RemoveRoots asks per-project to take the roots out too.
	RemoveRoots bool
	// Progress, if set, is told how far the search is. It must not wait: the
	// search does.
	Progress func(engine.Progress)
	// Receipts are what was applied, newest first.
	Receipts []engine.Receipt
	// Doubts warns of receipts that cannot be verified; it is
	// engine.Applier.Doubts.
	Doubts func(receipts []engine.Receipt) []report.Finding
	// Origin says what a file was before the runs of whole-user scope; it is
	// engine.Applier.Origin with Receipts.
	Origin func(target string, now []byte, by func(engine.Receipt) bool) (before []byte, ok bool)
	// Replaced says what a file was before one run; it is
	// engine.Applier.Replaced.
	Replaced func(r engine.Receipt, target string) (before []byte, ok bool)
	// Left says what a run left in a settings file; it is engine.Applier.Left with
	// Receipts.
	Left func(r engine.Receipt, target string) (after []byte, ok bool)
}

// usual are the directories below the home where repositories usually are.
var usual = []string{"code", "projects", "dev", "work", "src", "git"}

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
