// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: which options of the runtime change what was tested. One
// that is not listed is unknown.

package launchword

import (
	"cmp"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
)

const approvesTools = "approves tools without a prompt"

// changing are the options by which a session is another one than the session
// that was tested (claude --help of 2.1.329), and what they do.
var changing = map[string]string{
	"--settings":                           "loads other settings",
	"--setting-sources":                    "leaves out settings files",
	"--managed-settings":                   "loads other settings",
	"--dangerously-skip-permissions":       "skips permission prompts",
	"--allow-dangerously-skip-permissions": "allows skipping permission prompts",
	"--permission-mode":                    "sets the permission mode",
	"--permission-prompt-tool":             "lets a program answer permission prompts",
	"--permission-prompts":                 "changes who answers permission prompts",
	"--allowedTools":                       approvesTools,
	"--allowed-tools":                      approvesTools,
	"--add-dir":                            "adds more directories",
	"--mcp-config":                         "starts more MCP servers",
	"--plugin-dir":                         "loads plugins",
	"--plugin-url":                         "loads plugins",
	"--agents":                             "defines agents, with hooks and MCP servers of their own",
	"--agent":                              "starts an agent, with hooks and MCP servers of its own",
	"--anyway":                             "starts without a policy in force", // of steward-setup iso
}

// unchanging are the options that choose the model, the output or the
// conversation, or take tools away.
var unchanging = []string{"--verbose", "--debug", "-d", "--debug-file", "--model", "--fallback-model", "--effort",
	"--continue", "-c", "--resume", "-r",
	"--fork-session", "--session-id", "--name", "-n", "--ide", "--no-chrome", "--print", "-p", "--output-format",
	"--input-format", "--json-schema",
	"--include-partial-messages", "--include-hook-events", "--replay-user-messages", "--max-budget-usd", "--max-turns",
	"--no-session-persistence",
	"--append-system-prompt", "--system-prompt", "--autocompact", "--ax-screen-reader", "--betas", "--brief",
	"--disable-slash-commands",
	"--disallowedTools", "--disallowed-tools", "--exclude-dynamic-system-prompt-sections", "--prompt-suggestions",
	"--strict-mcp-config", "--tools", "--version", "-v", "--help", "-h",
	"-w", "--worktree", "--main-checkout"} // the last is of steward-setup iso

// firstEffect is the first change among args, or else the first option that is
// not known. A log in a place that commands may write, as a relative path is, they lead
// to any file of the user's by a symlink, and what is sent of one likewise (measured with
// 2.1.330).
func (w Judge) firstEffect(args []string) (effect, unknown string) {
	p := w.R.Places()
	g := grants.Of(w.R, session.At(w.R, w.start))
	for _, f := range claude.FileArguments(args) {
		switch {
		case f.Path == "", f.Path == claude.StandardInput:
		case f.Log && !strings.ContainsRune("/~$", rune(f.Path[0])):
			return f.Option + " writes to a file of the directory that you are in", ""
		default:
			path, _ := pathname.Expand(strings.NewReplacer("${HOME}", p.Home, "$HOME", p.Home).Replace(f.Path), p.Home)
			if path = pathname.From(w.start, path); !g.Leads(path) {
				continue
			}
			if does := " sends the model "; !f.Log {
				if f.Session {
					does = " goes on with "
				}
				return f.Option + does + path + ", which commands can change, or replace by a symlink", ""
			}
			return f.Option + " writes to " + path + ", which commands can replace by a symlink to any file of yours", ""
		}
	}
	for _, arg := range claude.Options(args) {
		name, _, _ := strings.Cut(arg, "=")
		if effect, is := changing[name]; is {
			return name + " " + effect, ""
		}
		if strings.HasPrefix(arg, "-") && arg != "-" && !slices.Contains(unchanging, name) {
			unknown = cmp.Or(unknown, name)
		}
	}
	return "", unknown
}

// variableEffect is what a variable that is set for the agent changes; sure is
// false where that is unknown.
func variableEffect(names []string) (effect string, sure bool) {
	unsure := ""
	for _, name := range names {
		switch v := claude.VariableOf(name); {
		case v.Safe():
		case v.Acts():
			return name + " " + v.Effect, true
		default:
			unsure = name
		}
	}
	return unsure, false
}
