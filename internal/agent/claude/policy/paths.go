// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what an entry or a rule opens is read as the runtime reads it.

package policy

import (
	"path"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
)

// InAgentDir begins what is said of a relative path in user settings.
const InAgentDir = "In user scope a path is relative to the agent's own directory: "

// Dotenv says whether the policy's entries for .env files name a file of this
// name, in whatever directory of a project (templates/settings.json).
func Dotenv(base string) bool {
	return base == ".env" || base == ".env.local" || strings.HasPrefix(base, ".env.") && strings.HasSuffix(base, ".local")
}

// EditPath returns the path that a rule of permissions.allow opens to
// sandboxed commands, to be read and written; the rule is no mere answer to a
// question. agent is the runtime's own directory for rules of user settings,
// "" for others. Measured with 2.1.141 and 2.1.329 on Linux, in user, project
// and local scope: Edit(PATH) alone does it, not Write, MultiEdit,
// NotebookEdit or Read; "PATH/**" and "PATH/" mean PATH, and any other
// wildcard keeps the rule from opening anything. "//x" is at the root, "/x" in
// the directory of the settings (that of the agent in user scope, else the
// start directory), and the rest in the start directory, also in user scope.
func EditPath(rule, agent string) (p string, ok bool) {
	tool, p := split(rule)
	if tool != claude.ToolEdit || p == "" {
		return "", false
	}
	if dir, all := strings.CutSuffix(p, "/**"); all {
		p = dir + "/"
	}
	switch {
	case strings.ContainsAny(p, "*?["):
		return "", false
	case strings.HasPrefix(p, "//"):
		return path.Clean(p[1:]), true
	case strings.HasPrefix(p, "/") && agent != "":
		return path.Clean(agent + p), true
	case strings.HasPrefix(p, "/"):
		p = "." + p
	}
	return path.Clean(p), true
}
