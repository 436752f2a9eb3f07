// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the runtime keeps commands from writing in the user's
// own directory was tried: measured with 2.1.324 and 2.1.329, each name a
// symlink into the directory in which the session started.

package claude

import "strings"

// KeptNames are the names in the user's own directory that the runtime keeps
// from being written in the sandbox, where they lead as well; not what
// symlinks below them lead to.
func KeptNames() []string {
	return strings.Fields(`skills agents commands hooks output-styles plugins routines rules workflows
		CLAUDE.md launch.json loop.md scheduled_tasks.json settings.json`)
}
