// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what an argument opens is known before the runtime opens it.

package claude

import "strings"

// AddedDirs lists the directories that arguments of the runtime add to the
// project, as they are written: --add-dir=X, or --add-dir and all words up to the
// next option. Commands read and write there, and the agent's file tools open what
// no rule names without a prompt (measured with 2.1.330).
func AddedDirs(args []string) (dirs []string) {
	const option = "--add-dir"
	taking := false
	for _, arg := range args {
		dir, joined := strings.CutPrefix(arg, option+"=")
		switch {
		case arg == "--":
			return dirs
		case joined:
			dirs = append(dirs, dir)
		case strings.HasPrefix(arg, "-"):
			taking = arg == option
		case taking:
			dirs = append(dirs, arg)
		}
	}
	return dirs
}
