// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a person types behind the runtime's name is read as the
// runtime reads it.

package claude

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/lazy"
)

// Options are the arguments among which the runtime looks for options: all up to a
// "--". One directly behind an option may be its value, which ends nothing:
// --append-system-prompt -- --settings X (measured with 2.1.330).
func Options(args []string) []string {
	for i, arg := range args {
		if arg == "--" && (i == 0 || !strings.HasPrefix(args[i-1], "-") || slices.Contains(unvalued, args[i-1])) {
			return args[:i]
		}
	}
	return args
}

// unvalued are usual options of the runtime that take no word (claude --help, 2.1.330).
var unvalued = []string{"-p", "--print", "-c", "--continue", "--verbose", "--fork-session", "--ide"}

// AddedDirs lists the directories that arguments of the runtime add to the
// project, as they are written: --add-dir=X, or --add-dir and all words up to the
// next option. Commands read and write there, and the agent's file tools open what
// no rule names without a prompt (measured with 2.1.330).
func AddedDirs(args []string) []string { return valuesOf(args, "--add-dir", true) }

// Started is an argument that has the runtime start programs: Option is its name,
// Value a path, an address or JSON, as it is written.
type Started struct{ Option, Value string }

// Starting lists the arguments that name plugins, MCP servers or agents. Their hooks
// and servers run outside the sandbox (measured with 2.1.330).
func Starting(args []string) (list []Started) {
	for _, option := range []string{"--plugin-dir", "--plugin-dir-no-mcp", "--plugin-url", "--mcp-config", "--agents"} {
		for _, value := range valuesOf(args, option, option == "--mcp-config") {
			list = append(list, Started{option, value})
		}
	}
	return list
}

// valuesOf lists the values of an option; many says that it takes all words up to the
// next option.
func valuesOf(args []string, option string, many bool) (values []string) {
	in := false
	for _, arg := range Options(args) {
		value, joined := strings.CutPrefix(arg, option+"=")
		switch {
		case joined:
			values = append(values, value)
		case strings.HasPrefix(arg, "-"):
			in = arg == option
		case in:
			values, in = append(values, arg), many
		}
	}
	return values
}

// FileArgument is an argument that names a file. Path is as it is written; Log says
// that the runtime writes there, for as long as the session lasts, Session that it is the
// transcript of one that goes on, which ends in .jsonl: -p --resume FILE, -rFILE, -pr FILE.
// Its text says in which directory the session works: commands then write there, in any
// directory of yours that no rule names (measured with 2.1.332 in both launches).
// Standard input is such a file for --input-format stream-json: a line of it replaces the settings
// of the launch, its sandbox among them (apply_flag_settings, measured with 2.1.332).
type FileArgument struct {
	Option, Path string
	Log, Session bool
}

// StandardInput is the path of what a launch reads.
const StandardInput = "/proc/self/fd/0"

// fileOptions are the options that name a file (claude --help, 2.1.330; that for
// subagents is not in it), and whether it is a log. The runtime opens the file outside the sandbox and follows
// symlinks. The log is opened by its path again and again, and what a
// prompt's file leads to is sent to the model, also where a Read rule denies it
// (measured with 2.1.330).
var fileOptions = map[string]bool{"--debug-file": true, "--append-system-prompt-file": false,
	"--append-subagent-system-prompt-file": false, "--system-prompt-file": false}

// FileArguments lists these arguments: --debug-file=X or --debug-file X.
func FileArguments(args []string) (list []FileArgument) {
	args = Options(args)
	for i, arg := range args {
		name, path, joined := strings.Cut(arg, "=")
		log, is := fileOptions[name]
		session := name == "--resume"
		is = is || name == "--input-format"
		if short, value, r := strings.Cut(arg, "r"); r && strings.HasPrefix(short, "-") && !strings.HasPrefix(short, "--") {
			name, path, joined, session = "-r", value, value != "", true
		}
		switch {
		case !is && !session, !joined && i+1 == len(args):
			continue
		case !joined:
			path = args[i+1]
		}
		if name == "--input-format" {
			if path == "stream-json" {
				list = append(list, FileArgument{Option: name, Path: StandardInput})
			}
			continue
		}
		if !session || strings.EqualFold(filepath.Ext(path), ".jsonl") {
			list = append(list, FileArgument{Option: name, Path: path, Log: log, Session: session})
		}
	}
	return list
}

// elsewhere are the options that do what Elsewhere says.
var elsewhere = []string{"--agents-view-if-allowed", "--background", "--bg", "--desktop", "--tmux"}

// Elsewhere is the word of the runtime's arguments that puts the session into
// another process, "" if there is none: a tmux server that runs already, the service
// of background sessions, or the desktop app. Such a session has the variables of the
// shell that started that process: BASH_ENV, PATH and credentials among them
// (measured with 2.1.330; the app by claude --help). --agents-view-if-allowed, which
// is not in --help, is "agents".
func Elsewhere(args []string) string {
	for _, arg := range Options(args) {
		name, _, _ := strings.Cut(arg, "=")
		if slices.Contains(elsewhere, name) {
			return name
		}
	}
	operand := true // no word so far must be one
	for i, arg := range args {
		behind := i > 0 && strings.HasPrefix(args[i-1], "-")
		switch {
		case strings.HasPrefix(arg, "-"), behind && slices.Contains(valued, args[i-1]):
		case operand && slices.Contains([]string{"agents", "attach", "daemon", "respawn"}, arg):
			return arg
		case !behind:
			operand = false
		}
	}
	return ""
}

// valued are options of the runtime that take the next word (claude --help, 2.1.330).
var valued = []string{"--add-dir", "--agent", "--agents", "--allowedTools", "--allowed-tools",
	"--append-system-prompt", "--append-subagent-system-prompt-file", "--append-system-prompt-file",
	"--autocompact", "--betas", "-d", "--debug", "--debug-file", "--disallowedTools", "--disallowed-tools",
	"--effort", "--fallback-model", "--file", "--from-pr", "--input-format", "--json-schema", "--max-budget-usd",
	"--mcp-config", "--model", "-n", "--name", "--output-format", "--permission-mode", "--permission-prompts",
	"--plugin-dir", "--plugin-url", "--remote-control", "-r", "--resume", "--session-id", "--system-prompt",
	"--system-prompt-file", "--tools", "-w", "--worktree"}

// Serves says whether arguments of the runtime make it an MCP server: `mcp serve`,
// options left out, before another word of mcp. Measured with 2.1.330, with the
// policy of install, plain and by the launch: permission rules do not count, Read
// opens ~/.ssh/id_rsa and Write makes files in the home without a rule or a prompt;
// commands are sandboxed.
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
