// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the rooms that look at the machine have to know of the
// runtime. CLAUDECODE is set in every command of it, SANDBOX_RUNTIME in sandboxed
// ones; the place of managed settings is that of 2.1.329 (measured).

package claude

import (
	"cmp"
	"path/filepath"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host/env"
)

// What the runtime writes into its own directory is of 2.1.329 (measured). State
// directories count at the top alone: memory/sessions may be the memory of a project of
// that name.
const (
	sessions = `history.jsonl *.jsonl /sessions/ /projects/ /todos/ /tasks/ /plans/ /file-history/ /transcripts/`
	state    = `/shell-snapshots/ /session-env/ /statsig/ /telemetry/ /debug/ /logs/ /cache/ /ide/ /plugins/ /backups/
		/jobs/ /child-logs/ /bridge-spawn/ /seed-admin/ /dev-mods/ /.cc-writes/ /ssh/ /daemon/ /downloads/ /paste-cache/
		/image-cache/ /mcp-discovery-cache/ stats-cache.json policy-limits.json remote-settings.json`
)

func init() {
	var texts []string
	for _, dir := range TextDirs {
		texts = append(texts, dir.Name)
	}
	env.Add(env.Agent{Names: []string{Name, ""}, Dir: Dir, Variable: ConfigDirVariable, Repository: ".claude-config",
		Settings: SettingsFile, Managed: managed, Session: "CLAUDECODE", Sandboxed: "SANDBOX_RUNTIME",
		Program: Program, Says: Says, Installed: npmPackage, Package: executable, Temporary: Temporary, Helpers: Helpers,
		Secrets: [][]string{{"the agent's own login", Dir + "/" + LoginFile},
			{"transcripts of every project", Dir + "/" + Records},
			{"the agent's account and the keys of its servers", StateFile, Dir + "/" + OtherStateFile},
			{"what you typed to the agent", Dir + "/history.jsonl"},
			{"earlier contents of the agent's account file", Dir + "/backups"}},
		Outside: [][]string{{"the agent's settings, hooks and scripts", Dir},
			{"the folders and servers that the agent trusts", StateFile}},
		Instructions: Instructions, Texts: texts, Commands: "commands", Records: Records,
		Logins: []string{StateFile}, Machine: []string{SettingsFile, LocalSettingsFile},
		Sessions: strings.Fields(sessions), State: strings.Fields(state)})
}

// LinkHandler is what the runtime makes when it registers itself for links
// (claude-cli://), unless KeyDisableDeepLinkRegistration says Disable. Source: the
// runtime's own code, 2.1.324 and 2.1.332; on Linux it was seen.
func LinkHandler(home string, sys env.System) string {
	if sys.GOOS == "darwin" {
		return filepath.Join(home, "Applications", "Claude Code URL Handler.app")
	}
	data := cmp.Or(sys.Get("XDG_DATA_HOME"), filepath.Join(home, ".local", "share"))
	return filepath.Join(data, "applications", "claude-code-url-handler.desktop")
}

// Name is the runtime's among the agents and the pinned tools, Program that of its
// executable, and Says what that prints behind its version: with --version it takes
// 0.01 s and creates no file (2.1.329, measured).
const (
	Name    = "claude-code"
	Program = "claude"
	Says    = "(Claude Code)"
)

const npmPackage = "@anthropic-ai/claude-code"

// executable is the package for a platform, which npmPackage asks for itself (its
// package.json, 2.1.329).
func executable(goos, goarch string, musl bool) string {
	arch, known := map[string]string{"amd64": "x64", "arm64": "arm64"}[goarch]
	if !known || goos != "linux" && goos != "darwin" {
		return ""
	}
	name := npmPackage + "-" + goos + "-" + arch
	if musl {
		name += "-musl"
	}
	return name
}

// Records is the directory of its own for what sessions leave.
const Records = "projects"

// managed is the place of managed settings.
func managed(goos string) string {
	if goos == "darwin" {
		return "/Library/Application Support/ClaudeCode/managed-settings.json"
	}
	return "/etc/claude-code/managed-settings.json"
}
