// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a name stands here because the runtime was seen to keep it
// read-only.

package claude

import "strings"

// Protected are the names, below the directory that a session starts in, of
// what runs, or is trusted, outside of the sandbox: the runtime keeps them
// read-only whatever the settings say (measured with 2.1.329; 2.1.141 does not
// know those of .claude from hooks on). Of those that do not exist a sandboxed
// command sees a placeholder, a character device that nobody may open; git
// takes it for an untracked file. Deeper down the runtime protects what it
// finds at times, so that nothing is said of it.
var Protected = []string{
	".claude/settings.json", ".claude/settings.local.json", ".claude/skills", ".claude/agents", ".claude/commands", ".claude/hooks",
	".claude/launch.json", ".claude/loop.md", ".claude/output-styles", ".claude/routines", ".claude/scheduled_tasks.json", ".claude/workflows",
	".git/hooks", ".git/config", ".mcp.json", ".gitmodules", ".gitconfig", ".ripgreprc", ".vscode", ".idea",
	".bashrc", ".bash_profile", ".profile", ".zshrc", ".zprofile",
}

// IsProtected says whether rel, a path below the directory that a session
// starts in, is one of the protected names or lies below one.
func IsProtected(rel string) bool {
	for _, name := range Protected {
		if rest, ok := strings.CutPrefix(rel, name); ok && (rest == "" || rest[0] == '/') {
			return true
		}
	}
	return false
}

// Excludable are the protected names as lines of a gitignore file, but for those
// that exist and those of git itself, which it never lists.
func Excludable(exists func(rel string) bool) (lines []string) {
	for _, name := range Protected {
		if !strings.HasPrefix(name, ".git/") && !exists(name) {
			lines = append(lines, "/"+name)
		}
	}
	return lines
}
