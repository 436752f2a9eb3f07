// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package verify asks whether the setup protects.
//
// Contract: a check only looks, answers with evidence, and never takes what it
// could not see for a pass. Static lists the checks that read files and ask
// tools for their versions; nothing of the runtime is started by them.
package verify

import "github.com/steward-setup/steward-setup/internal/engine"

// Options say what is looked at.
type Options struct {
	// Project is a directory in the project ("" is the working directory),
	// Framework a checkout of the framework ("" is what is embedded).
	Project, Framework string
}

// Static lists the checks of everything that install writes, in the order of
// the layers.
func Static(o Options) []engine.Check {
	return []engine.Check{
		toolsPinned(o.Framework),
		projectSettings(o.Project),
		policyInvariants(o.Project),
		cleanEnv(),
		hookScripts(),
		userWiring(),
		projectRoot(o.Project),
		scope(o.Project),
	}
}
