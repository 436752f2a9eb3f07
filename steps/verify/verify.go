// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package verify asks whether the setup protects.
//
// Contract: a check only looks, answers with evidence, and never takes what it
// could not see for a pass. Static lists the checks that read files and ask
// tools for their versions; nothing of the runtime is started by them.
package verify

import (
	"context"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
)

// Options say what is looked at.
type Options struct {
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

// about is a check of what of names: a directory in a project, or a checkout of
// the framework.
func about(id report.ID, of string,
	check func(context.Context, host.Reader, string) report.Finding) engine.Check {
	return engine.CheckOf(id, func(ctx context.Context, r host.Reader) report.Finding { return check(ctx, r, of) })
}

// held adds the checks of the sync repository and of the baseline, if there are
// any, and lets the checks name the lines that bring a tool.
func (o Options) held(list []engine.Check) []engine.Check {
	list = o.bringing(list)
	if o.Sync {
		list = append(list, about("sync", o.Project, checkSync))
	}
	if o.Baseline == nil {
		return list
	}
	return append(list, againstBaseline(o.Project, o.Baseline))
}

// Static lists the checks of everything that install writes, in the order of
// the layers.
func Static(o Options) []engine.Check {
	return o.bringing([]engine.Check{
		toolsPinned(o.Framework),
		about("project-settings", o.Project, checkPolicy),
		about("policy-invariants", o.Project, checkWeakenings),
		cleanEnv(o.Project, nil, nil),
		about("hook-scripts", o.Framework, checkScripts),
		about("user-wiring", o.Project, checkWiring),
		about("project-root", o.Project, checkRoots),
		about("scope", o.Project, checkScope),
	})
}

// Checks lists every check of the contract but those that only a rehearsal
// answers.
func Checks(o Options) []engine.Check {
	list := Static(o)
	for i, c := range list {
		if c.ID == "clean-env" {
			list[i] = inOwnShells(c, o.Project, nil)
		}
	}
	return o.held(append(list,
		about("runtime-advisories", o.Project, checkAdvisories),
		sandboxSupport(),
		about("project-code", o.Project, checkProjectCode),
		effectiveSandbox(o.Project, nil),
		about("mcp-servers", o.Project, checkServers)))
}

// WithRehearsal lists every check of the contract. What takes no rehearsal
// comes first, so that it is answered while the sessions play; progress is
// told how far they are.
func WithRehearsal(o Options, live *Rehearsal, progress engine.Sink) []engine.Check {
	return o.held([]engine.Check{
		toolsPinned(o.Framework),
		about("runtime-advisories", o.Project, checkAdvisories),
		sandboxSupport(),
		about("project-settings", o.Project, checkPolicy),
		about("project-code", o.Project, checkProjectCode),
		about("policy-invariants", o.Project, checkWeakenings),
		about("user-wiring", o.Project, checkWiring),
		about("hook-scripts", o.Framework, checkScripts),
		about("scope", o.Project, checkScope),
		about("mcp-servers", o.Project, checkServers),
		effectiveSandbox(o.Project, live.says(progress)),
		hooksFire(live, progress, o.Project),
		inOwnShells(cleanEnv(o.Project, live.arrivals(PlainRoot, progress), live.arrivals(IsoRoot, progress)), o.Project,
			live.shells),
		worksInRoots(about("project-root", o.Project, checkRoots), live, progress),
		denials(live, progress),
	})
}
