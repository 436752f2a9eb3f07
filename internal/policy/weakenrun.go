// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what runs outside the sandbox by exclusion, or first
// because the environment says so, is named, and told apart by whether any
// command can reach through it.

package policy

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// anything are programs that run what they are given: interpreters, shells,
// what starts other programs, and what builds from files of the project, which
// commands in the sandbox write.
var anything = []string{"python", "python2", "python3", "pypy", "pypy3", "node", "nodejs", "deno", "bun", "bunx", "ruby", "irb", "perl", "php", "lua", "luajit",
	"Rscript", "osascript", "sh", "bash", "zsh", "dash", "ash", "ksh", "fish", "csh", "tcsh", "pwsh", "busybox", "env", "xargs", "sudo", "doas", "su", "pkexec",
	"nohup", "setsid", "nice", "ionice", "time", "timeout", "stdbuf", "watch", "script", "eval", "exec", "command", "builtin", "source", ".", "parallel", "make", "gmake", "cmake",
	"ninja", "just", "task", "npm", "npx", "pnpm", "pnpx", "yarn", "corepack", "go", "cargo", "uv", "uvx", "pip", "pip3", "pipx", "poetry", "tox", "pytest", "bundle", "rake",
	"gradle", "gradlew", "mvn", "mvnw", "java", "dotnet", "bazel", "awk", "gawk", "mawk", "gdb", "strace", "ssh", "expect", "tmux", "screen", "nix-shell", "direnv", "mise", "asdf"}

// readers are programs that read, copy or send whatever file they are given.
var readers = []string{"cat", "tac", "nl", "head", "tail", "less", "more", "bat", "cp", "mv", "ln", "install", "dd", "tee", "tar", "zip", "gzip", "bzip2", "xz", "zstd", "7z",
	"cpio", "rsync", "scp", "sftp", "curl", "wget", "nc", "ncat", "socat", "find", "fd", "grep", "egrep", "fgrep", "rg", "ag", "sed", "ed", "vi", "vim", "nvim", "nano", "emacs",
	"cut", "sort", "uniq", "paste", "join", "diff", "cmp", "comm", "od", "xxd", "hexdump", "strings", "base64", "base32", "openssl", "jq", "yq", "sqlite3", "split", "rev", "fold", "fmt"}

var assignment = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`)

// excluded lists what runs outside the sandbox without being asked about it.
// Measured: a pattern has to match the whole command line, so "cat *" does not
// hold for "cat x | head"; a lone star matches every line. Neither heeds
// allowUnsandboxedCommands.
func (w *finder) excluded() {
	const key = "sandbox.excludedCommands"
	for i, v := range elements(w.Content, key) {
		if s, ok := v.(string); ok && s != "" && strings.Trim(s, "* ") == "" {
			w.add("sandbox-off", index(key, i), s, "Every command runs outside the sandbox, even where allowUnsandboxedCommands is false.")
			continue
		}
		if s, ok := v.(string); ok {
			if opens := throughExcluded(s); opens != "" {
				w.add("excluded-any", index(key, i), s, opens)
				continue
			}
		}
		w.add("excluded-command", index(key, i), fmt.Sprint(v), "A command line that matches as a whole runs outside the sandbox, even where allowUnsandboxedCommands is false.")
	}
}

// throughExcluded says what any command reaches through an excluded pattern,
// "" if only a program of its own is let out.
func throughExcluded(pattern string) string {
	words := strings.Fields(pattern)
	for len(words) > 1 && assignment.MatchString(words[0]) {
		words = words[1:]
	}
	if len(words) == 0 {
		return ""
	}
	name := path.Base(strings.TrimSuffix(strings.Trim(words[0], `"'`), ":*"))
	is := func(program string) bool {
		hit, _ := path.Match(name, program)
		// A version may follow: python3.12.
		versioned := strings.HasPrefix(name, program) && strings.Trim(name[len(program):], "0123456789.*-") == ""
		return hit || program == name || versioned
	}
	const even = ", even where allowUnsandboxedCommands is false."
	switch {
	case strings.HasPrefix(words[0], "*"), strings.HasPrefix(words[0], "?"):
		return "It begins with a wildcard: a command line that only ends in these words runs outside the sandbox" + even
	case slices.ContainsFunc(anything, is):
		return "It names a program that runs whatever it is given: any command reaches past the sandbox through it" + even
	case slices.ContainsFunc(readers, is):
		return "It names a program that reads whatever file it is given: any secret is read outside the sandbox" + even
	case name == "git" && len(words) > 1 && strings.HasPrefix(words[1], "*"):
		return "git runs what its options name: any command reaches past the sandbox through it" + even
	}
	return ""
}

// runsFirst are variables that load code into what runs outside the sandbox, or
// run it first: into the shell that starts the sandbox too.
var runsFirst = []string{"BASH_ENV", "ENV", "LD_*", "DYLD_*", "NODE_OPTIONS", "BUN_OPTIONS", "SHELLOPTS", "PS4", "BASH_FUNC_*"}

// plainOptions are options of Node that load nothing.
var plainOptions = regexp.MustCompile(`^(--max[-_]old[-_]space[-_]size=[0-9]+|--no-warnings|--no-deprecation)$`)

// diverting are variables that decide what runs or where it is sent.
var diverting = []string{"PATH", "BASH_ENV", "ENV", "LD_*", "DYLD_*", "NODE_*", "PYTHON*", "GIT_*", "ANTHROPIC_*", "CLAUDE_CODE_*", "*_PROXY"}

// environment lists the variables that the document sets. Their values may be
// secrets and are not shown.
func (w *finder) environment() {
	env, _ := w.Content["env"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(env)) {
		opens := "The variable is set for the agent and its hooks, which run outside the sandbox."
		diverts := slices.ContainsFunc(diverting, func(p string) bool { ok, _ := path.Match(p, strings.ToUpper(name)); return ok })
		first := slices.ContainsFunc(runsFirst, func(p string) bool { ok, _ := path.Match(p, strings.ToUpper(name)); return ok })
		if value, _ := env[name].(string); name == "NODE_OPTIONS" && !slices.ContainsFunc(strings.Fields(value), func(o string) bool { return !plainOptions.MatchString(o) }) {
			first = false
		}
		if first {
			w.add("runs-first", []string{"env", name}, name, "The variable runs code outside the sandbox, in front of the sandbox too.")
			continue
		}
		if w.Scope == User && !diverts {
			continue // the user's own editor, locale and the like
		}
		if diverts {
			opens = "The variable decides what runs outside the sandbox, or where the agent's requests are sent."
		}
		w.add("environment", []string{"env", name}, name, opens)
	}
}
