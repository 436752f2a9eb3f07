// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the runtime opens a file that an argument names outside the
// sandbox, and follows symlinks.

package claude

import "strings"

// FileArgument is an argument that names a file. Path is as it is written; Log says
// that the runtime writes there, for as long as the session lasts.
type FileArgument struct {
	Option, Path string
	Log          bool
}

// fileOptions are the options that name a file (claude --help, 2.1.330), and
// whether it is a log. The log is opened by its path again and again, and what a
// prompt's file leads to is sent to the model, also where a Read rule denies it
// (measured with 2.1.330).
var fileOptions = map[string]bool{"--debug-file": true, "--append-system-prompt-file": false,
	"--system-prompt-file": false}

// FileArguments lists these arguments: --debug-file=X or --debug-file X.
func FileArguments(args []string) (list []FileArgument) {
	for i, arg := range args {
		name, path, joined := strings.Cut(arg, "=")
		log, is := fileOptions[name]
		switch {
		case arg == "--":
			return list
		case !is, !joined && i+1 == len(args):
			continue
		case !joined:
			path = args[i+1]
		}
		list = append(list, FileArgument{Option: name, Path: path, Log: log})
	}
	return list
}
