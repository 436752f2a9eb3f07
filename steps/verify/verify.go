// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package verify asks whether the setup protects.
//
// Contract: a check only looks, answers with evidence, and never takes what it
// could not see for a pass. What holds for any runtime is here, what is one's own is
// brought by it (Agent).
package verify

import (
	"context"
	"slices"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
)

// Options say what is looked at.
type Options struct {
	// Agent is the runtime that is verified, made for this run.
	Agent Agent
	// Project is a directory in the project ("" is the working directory),
	// Framework a checkout of the framework ("" is what is embedded).
	Project, Framework string
	// Live says when there is a rehearsal, and in what; "" is Auto.
	Live LiveMode
	// Nice lets the sessions step back behind whatever else runs.
	Nice bool
	// Baseline is a policy that what is in force is held against, or nil.
	Baseline *Baseline
	// Sync says that there is a sync repository (HasSync), which is looked at too.
	Sync bool
	// Tools says which lines bring the pinned tools here, or is nil.
	Tools func(context.Context, host.Reader) ToolLines
}

// Baseline is the policy that --baseline names.
type Baseline struct {
	Path  string
	Bytes []byte
}

// Checks lists every check of the contract but those that only a rehearsal
// answers.
func Checks(o Options) []engine.Check {
	return o.Bringing(append(o.Agent.Checks(o, nil, nil), sandboxSupport()))
}

// WithRehearsal lists every check of the contract. What takes no rehearsal
// comes first, so that it is answered while the sessions play; progress is
// told how far they are.
func WithRehearsal(o Options, live *Rehearsal, progress engine.Sink) []engine.Check {
	list := append(o.Agent.Checks(o, live, progress), sandboxSupport(), denials(live, progress))
	for i, c := range list {
		if c.ID == "project-root" {
			list[i] = worksInRoots(c, live, progress)
		}
	}
	waits := func(c engine.Check) int {
		if report.Info(c.ID).Live == report.NotLive {
			return 0
		}
		return 1
	}
	list = InOrder(list)
	slices.SortStableFunc(list, func(a, b engine.Check) int { return waits(a) - waits(b) })
	return o.Bringing(list)
}
