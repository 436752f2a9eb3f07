// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the arguments of the runtime open is known before it
// starts.

package claude

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/lazy"
)

// Serves says whether arguments of the runtime make it an MCP server: `mcp serve`,
// options left out, before another word of mcp. Measured with 2.1.330, with the policy of install, plain and
// by the launch: permission rules do not count, Read opens ~/.ssh/id_rsa and Write makes files in the home
// without a rule or a prompt; commands are sandboxed.
func Serves(args []string) bool {
	words := slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return strings.HasPrefix(arg, "-") })
	for i, word := range words {
		if word == "mcp" && i+1 < len(words) && words[i+1] != "mcp" {
			return words[i+1] == "serve"
		}
	}
	return false
}

// named are the names that start the runtime: its own and that of the launch, a
// file of its versions, its package (npm, npx) and the script of older ones.
var named = lazy.Regexp(`(^|/)(claude|claude-iso|claude/versions/[^/]+|claude-code(@[^/]*)?(/cli\.js)?)$`)

// ServesIn is Serves for a command line, whatever starts the runtime in it: another
// program, or a shell with a line of its own.
func ServesIn(line string) bool {
	words := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t\n;|&(){}\"'`$", r) })
	launch := slices.IndexFunc(words, func(w string) bool { return filepath.Base(w) == "steward-setup" })
	for i, word := range words {
		if (named().MatchString(word) || word == "iso" && launch >= 0 && launch < i) && Serves(words[i+1:]) {
			return true
		}
	}
	return false
}

// AddedDirs lists the directories that arguments of the runtime add to the
// project, as they are written: --add-dir=X, or --add-dir and all words up to the
// next option; also behind a "--", which may be the value of an option. Commands
// read and write there, and the agent's file tools open what no rule names without
// a prompt (measured with 2.1.330).
func AddedDirs(args []string) (dirs []string) {
	const option = "--add-dir"
	taking := false
	for _, arg := range args {
		dir, joined := strings.CutPrefix(arg, option+"=")
		switch {
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
