// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the files that the runtime loads from .claude of a
// project. Sources: the names in the code of 2.1.329 and 2.1.324; what runs was
// measured with both (internal/agent/claude/iso: TestProjectCodeRuns, and what does not run
// TestProjectCodeThatDoesNotRun). That tasks run at their times was seen in claude-iso
// (2.1.332 and 2.1.324, on a terminal).

package claude

import "strings"

// projectFiles are the files and directories of .claude that decide something.
// What their keys or texts do is in the other tables.
var projectFiles = []Key{
	{Path: "settings.json", Class: Runs, Effect: "holds settings"},
	{Path: "settings.local.json", Class: Runs, Effect: "holds settings"},
	{Path: "skills", Class: Runs, Effect: "holds skills and plugins"},
	{Path: "commands", Class: Runs, Effect: "holds commands"},
	{Path: "agents", Class: Runs, Effect: "holds agents"},
	{Path: "scheduled_tasks.json", Class: Opens, Effect: "sends its prompts to the model at their times"},
}

// KeysFile, in the user's own directory, says which keys do what on a terminal, also at
// a prompt. A session reads it again when it changes (measured with 2.1.330).
const KeysFile = "keybindings.json"

// plainFiles are those that decide nothing about protection: texts for the
// model (rules, instructions, memory), what a command of the user's reads
// (loop.md, launch.json, workflows: a workflow that imports a module is
// refused), and what the runtime keeps there for itself.
const plainFiles = `CLAUDE.md AGENTS.md RESUME.md rules output-styles agent-memory agent-memory-local loop.md launch.json workflows routines
	worktrees hooks ide local state remote results daemon hfi-auth.json scheduled_tasks.lock .claude-plugin .git .husky`

// ProjectFile is the row of a name in .claude of a project.
func ProjectFile(name string) Key { return rowOf(projectFiles, plainFiles, name) }

// rowOf finds a name among rows, or in a list of names without an effect.
func rowOf(rows []Key, plain, name string) Key {
	for _, k := range rows {
		if k.Path == name {
			return k
		}
	}
	for known := range strings.FieldsSeq(plain) {
		if known == name {
			return Key{Path: name, Class: Harmless}
		}
	}
	return Key{Path: name}
}

// The names of the runtime's own files: its directory, in the home and in a
// project; the file beside the first that holds its state; the settings files of
// both directories; the instructions for the model; the MCP servers of a directory;
// and those beside managed settings, where .claude and instructions count too (code of
// 2.1.330).
const (
	Dir               = ".claude"
	StateFile         = ".claude.json"
	OtherStateFile    = ".config.json"
	LoginFile         = ".credentials.json"
	SettingsFile      = "settings.json"
	LocalSettingsFile = "settings.local.json"
	Instructions      = "CLAUDE.md"
	LocalInstructions = "CLAUDE.local.md"
	OtherInstructions = "AGENTS.md"
	LaunchFile        = "launch.json"
	ServersFile       = ".mcp.json"

	ManagedServersFile = "managed-mcp.json"
)

// The directories below the home's Dir in which programs lie that are started outside of a
// session: the runtime itself, by its older local installer, and what a browser starts to
// speak to it (2.1.332).
const (
	LocalInstall = "local"
	BrowserHost  = "chrome"
)

// LocalFile is where a worktree has settings of its own, which are not committed.
const LocalFile = Dir + "/" + LocalSettingsFile
