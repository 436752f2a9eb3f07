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
	"sync"

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
	// Doors lists what the settings allow, too.
	Doors bool
	// Sync says that there is a sync repository (syncrepo.There), which is looked at too.
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
	return o.Bringing(append(o.Agent.Checks(o, nil, nil), sandboxSupport(o.Agent)))
}

// WithRehearsal lists every check of the contract. What takes no rehearsal
// comes first, so that it is answered while the sessions play; progress is
// told how far they are.
func WithRehearsal(o Options, live *Rehearsal, progress engine.Sink) []engine.Check {
	list := append(o.Agent.Checks(o, live, progress), sandboxSupport(o.Agent), denials(live, progress))
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

// ListVersions is why the plan is printed for the tools.
const ListVersions = "list the versions available here"

// ToolsPlan is the plan, which has the lines that install what is missing, where
// those lines are not known (Options.Tools).
func ToolsPlan() report.Command {
	return report.Own("install --plan", report.Command{ID: InstallTools, Optional: true, Why: ListVersions})
}

// DistroTools is install with the versions of the distribution, where it does not
// offer the pinned ones: the same line that install's own section names.
func DistroTools() report.Command {
	return report.Own("install --use-distro-versions", report.Command{ID: InstallTools, Optional: true,
		Why: "use the distribution's versions (writes an override of the pins)"})
}

// NewerRuntime is the remedy that a newer version is.
func NewerRuntime() report.Command {
	return report.Own("install --plan", report.Command{ID: InstallRuntime, Optional: true,
		Why: "print the command that installs the pinned version"})
}

// Again is the remedy that install itself is.
func Again() report.Command {
	return report.Own("install", report.Command{ID: "install", Why: "add what is missing", Optional: true})
}

// The remedies in whose place the lines come: those that bring every missing
// tool, and the one that brings the pinned runtime.
const (
	InstallTools   report.ID = "install-tools"
	InstallRuntime report.ID = "install-runtime"
)

// ToolLines are the lines that bring the pinned tools on this machine.
type ToolLines struct {
	// Missing brings every tool that is missing, does not start or is below its
	// floor; nil where none is.
	Missing []report.Remedy
	// Runtime brings the pinned runtime; nil where it is installed, or no line is
	// known.
	Runtime []report.Remedy
}

// Bringing puts the lines in the place of the plan, where a check fails or does
// not know. Who offers what is asked at most once, and only then: it takes a
// package manager up to a second.
func (o Options) Bringing(list []engine.Check) []engine.Check {
	if o.Tools == nil {
		return list
	}
	var once sync.Once
	var lines ToolLines
	for i := range list {
		run := list[i].Run
		list[i].Run = func(ctx context.Context, r host.Reader) report.Finding {
			f := run(ctx, r)
			if f.Status != report.Fail && f.Status != report.Unknown {
				return f
			}
			in := map[report.ID]*[]report.Remedy{InstallTools: &lines.Missing, InstallRuntime: &lines.Runtime}
			var remedies []report.Remedy
			seen := map[string]bool{} // commands
			for _, old := range f.Remedies {
				places := []report.Remedy{old}
				if c, ok := old.(report.Command); ok && in[c.ID] != nil {
					once.Do(func() { lines = o.Tools(ctx, r) })
					if len(*in[c.ID]) > 0 {
						places = *in[c.ID]
					}
				}
				for _, now := range places {
					if c, ok := now.(report.Command); !ok || !seen[c.Step()] {
						remedies = append(remedies, now)
						seen[c.Step()] = true
					}
				}
			}
			f.Remedies = remedies
			return f
		}
	}
	return list
}
