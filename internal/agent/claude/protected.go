// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a name stands here because the runtime was seen to keep it
// read-only.

package claude

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host/pathname"
)

// Protected are the names, below the directory that a session starts in, of
// what runs, or is trusted, outside of the sandbox: the runtime keeps them
// read-only whatever the settings say (measured with 2.1.329; 2.1.141 does not
// know those of .claude from hooks on). Of those that do not exist a sandboxed
// command sees a placeholder, a character device that nobody may open; git
// takes it for an untracked file. Deeper down the runtime protects what it
// finds at times, so that nothing is said of it.
var Protected = append(ProtectedPrograms[:len(ProtectedPrograms):len(ProtectedPrograms)],
	".claude/launch.json", ".claude/loop.md", ".claude/output-styles", ".claude/routines", ".claude/scheduled_tasks.json",
	".claude/workflows", ".gitmodules", ".gitconfig", ".ripgreprc", ".vscode", ".idea",
	".bashrc", ".bash_profile", ".profile", ".zshrc", ".zprofile")

// KeepsDir is the entry of sandbox.filesystem.denyWrite that keeps commands from
// changing the mode of the project's own directory. The runtime keeps the settings in
// it read-only, and puts the mode back after each command and at the end of a session:
// while a command in the background takes it away, and after such a session was killed,
// a plain start finds no settings that it can read. The entry closes the whole directory, but for a session in a
// worktree below (-w, EnterWorktree): there it is the worktree's own that is closed. An
// agent in a worktree keeps the session's, and its commands write nothing there; an
// absolute path closes every worktree below. An allowWrite below it opens nothing, a
// pattern closes nothing (2.1.330). Measured with 2.1.324 and 2.1.330; 2.1.141 then
// starts no command.
const KeepsDir = "./" + Dir

// ProtectedPrograms are those that the next session or the user's own git takes
// settings or programs from, which then run outside of the sandbox.
var ProtectedPrograms = []string{
	".claude/settings.json", ".claude/settings.local.json",
	".claude/skills", ".claude/agents", ".claude/commands", ".claude/hooks",
	ServersFile, ".git/hooks", ".git/config",
}

// ProtectedAt says which protected path a path is or lies below: those of the
// directory that a session starts in, and those of its git directory, which for
// a linked worktree is that of the main checkout; git is "" where there is none.
func ProtectedAt(p, start, git string) (at string, ok bool) {
	inStart, _ := pathname.Below(p, path.Clean(start))
	inGit, _ := pathname.Below(p, path.Clean(git))
	for _, name := range Protected {
		if pathname.Within(inStart, name) {
			return path.Join(start, name), true
		}
		if name, ok := strings.CutPrefix(name, ".git/"); ok && git != "" && pathname.Within(inGit, name) {
			return path.Join(git, name), true
		}
	}
	return "", false
}

// Reread are the files of instructions of a directory given with --add-dir that
// are read again in a session, and followed wherever a symlink leads; a new
// symlink below .claude/rules is not (measured with 2.1.330 and 2.1.324).
// claude-iso write-protects both.
var Reread = []string{"CLAUDE.md", ".claude/CLAUDE.md"}

// Excludable are the protected names as lines of a gitignore file, but for those
// that exist, those of git itself, which it never lists, and CLAUDE.md, which
// most users add one day.
func Excludable(exists func(rel string) bool) (lines []string) {
	for _, name := range append(Protected[:len(Protected):len(Protected)], Reread[1:]...) {
		if !strings.HasPrefix(name, ".git/") && !exists(name) {
			lines = append(lines, "/"+name)
		}
	}
	return lines
}

// askedFiles and askedDirs are the names, of a file and of a directory above it, that the
// agent's Edit and Write tools ask about wherever they lie, in any capitals. A rule that
// allows the path changes nothing (measured with 2.1.330).
var (
	askedFiles = []string{
		".gitconfig", ".gitmodules", ".bashrc", ".bash_profile", ".zshrc", ".zprofile", ".profile", ".zshenv", ".zlogin",
		".zlogout", ".bash_login", ".bash_aliases", ".bash_logout", ".envrc", ".ripgreprc", ServersFile,
		".claude.json", ".npmrc", ".yarnrc", ".yarnrc.yml", ".pnp.cjs", ".pnp.loader.mjs", ".pnp.js", ".pnp.data.json",
		".pnpmfile.cjs", "bunfig.toml", ".bunfig.toml", ".bazelrc", ".bazelversion", ".bazeliskrc",
		".pre-commit-config.yaml", "lefthook.yml", ".lefthook.yml", "lefthook.yaml", ".lefthook.yaml",
		"gradle-wrapper.properties", "maven-wrapper.properties", ".devcontainer.json", "pyrightconfig.json",
	}
	askedDirs = []string{".git", ".vscode", ".idea", Dir, ".husky", ".cargo", ".devcontainer", ".yarn", ".mvn"}
)

// WriteAsked says whether the agent's Edit and Write tools ask before they write an
// absolute path, whatever allows it. What lies in its own worktrees is like any other.
func WriteAsked(p string) bool {
	names := strings.Split(strings.ToLower(p), "/")
	for i, name := range names {
		below := strings.Join(names[i+1:], "/") + "/"
		switch {
		case name == Dir && strings.HasPrefix(below, "worktrees/"):
		case slices.Contains(askedDirs, name), name == ".config" && strings.HasPrefix(below, "git/"):
			return true
		}
	}
	return slices.Contains(askedFiles, names[len(names)-1])
}

// ReadAsked are what of the user's own directory the Read tool asks about where it is
// held in the working directories, and refuses the rest; ReadUnasked it reads without a
// question where it is not (measured with 2.1.330).
var (
	ReadAsked   = []string{"skills", "agents", "commands", "plugins", "rules", "CLAUDE.md"}
	ReadUnasked = []string{"tasks", "teams"}
)

// DarwinTemporary is where /tmp/claude lies on macOS. The runtime names it on Linux, too,
// where commands can make it only below a /private that they may write.
const DarwinTemporary = "/private/tmp/claude"

// Temporary lists the directories for temporary files that commands of any
// session may write: $TMPDIR as they see it, which lies below the user's own,
// and the one that older versions use. getenv is asked for the user's
// environment, from which a launch may take variables away. Sources: the code of
// 2.1.324 and 2.1.329; commands wrote to each of them on Linux (internal/agent/claude/iso).
func Temporary(getenv func(string) string, uid int) []string {
	list := []string{"/tmp/claude", DarwinTemporary, "/tmp/claude-" + strconv.Itoa(uid)}
	for _, name := range []string{"CLAUDE_CODE_TMPDIR", "CLAUDE_TMPDIR", "TMPDIR", "TMP", "TEMP"} {
		if dir := getenv(name); path.IsAbs(dir) {
			list = append(list, path.Join(dir, "claude-"+strconv.Itoa(uid)))
		}
	}
	return list
}

// Logs are the directories of the home that commands may write, unless a
// denyRead covers them.
var Logs = []string{".npm/_logs", ".claude/debug"}

// KeptNames are the names in the user's own directory that the runtime keeps
// from being written in the sandbox, where they lead as well; not what
// symlinks below them lead to (tried with 2.1.324 and 2.1.329: each name a
// symlink into the directory in which the session started).
func KeptNames() []string {
	return strings.Fields(`skills agents commands hooks output-styles plugins routines rules workflows
		CLAUDE.md launch.json loop.md scheduled_tasks.json settings.json`)
}
