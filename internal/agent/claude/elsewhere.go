// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a launch makes the environment of the process that it starts.
// A session in another process has that of whoever started the other one.

package claude

import (
	"slices"
	"strings"
)

// Elsewhere is the word of the runtime's arguments that puts the session into
// another process, "" if there is none: a tmux server that runs already, or the
// service of background sessions. Such a session has the variables of the shell
// that started the server or the service: BASH_ENV, PATH and credentials among
// them (measured with 2.1.330). What follows an option that takes a name is no
// subcommand.
func Elsewhere(args []string) string {
	first := ""
	for i, arg := range args {
		name, _, _ := strings.Cut(arg, "=")
		switch {
		case slices.Contains([]string{"--tmux", "--bg", "--background"}, name):
			return name
		case first == "" && !strings.HasPrefix(arg, "-") && (i == 0 || !slices.Contains(namedBy, args[i-1])):
			first = arg
		}
	}
	if slices.Contains([]string{"agents", "attach", "daemon", "respawn"}, first) {
		return first
	}
	return ""
}

// namedBy are options of the runtime whose value is a name (claude --help,
// 2.1.330).
var namedBy = []string{"-w", "--worktree", "-n", "--name", "--agent", "--model", "--fallback-model", "-r", "--resume",
	"--effort", "--permission-mode", "--session-id"}
