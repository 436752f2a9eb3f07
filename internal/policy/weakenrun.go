// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what runs outside the sandbox by exclusion, or first
// because the environment says so, is named. What is not known to be harmless
// lets any command out.

package policy

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
)

// excludable are the command lines that may run outside the sandbox, with what
// they do there: they run nothing of the project and nothing that they are
// given, and read and write no file that the line could choose. Everything else
// is no entry of it: tests, builds and scripts run files that commands in the
// sandbox write; docker, systemd-run, at and the like run what they are given;
// git, gh and gpg run programs that options, configuration or the environment
// name.
//
// Only whole lines are listed. Measured with 2.1.329: an entry without a star
// matches a line that has these very words and nothing else, chained only with
// lines that match too. What the runtime takes off before it compares are
// env, timeout, nice, nohup, time and stdbuf with their options, a duplication
// such as 2>&1, and variables that it knows to be harmless (LANG, NODE_ENV,
// RUST_LOG; not PATH, LD_PRELOAD, SSH_AUTH_SOCK, GNUPGHOME or any other name).
// A redirection to a file, a substitution, a function of that name, a path
// before the program: all of them stay in the sandbox.
var excludable = map[string]string{
	"ssh-add -l": "lists the keys that your ssh-agent holds, by name",
	"ssh-add -L": "prints the public keys that your ssh-agent holds",
	"nvidia-smi": "prints what your graphics cards do",
}

// Excludable says whether an entry of excludedCommands lets nothing out but
// itself.
func Excludable(entry string) bool { return excludable[entry] != "" }

// excluded lists what runs outside the sandbox without being asked about it.
// Measured: a pattern has to match the whole command line, so "cat *" does not
// hold for "cat x | head"; a lone star matches every line. Neither heeds
// allowUnsandboxedCommands.
func (w *finder) excluded() {
	const key, even = "sandbox.excludedCommands", ", even where allowUnsandboxedCommands is false."
	for i, v := range elements(w.Content, key) {
		s, ok := v.(string)
		at := index(key, i)
		switch {
		case ok && strings.TrimSpace(s) == "": // the runtime passes it over
		case ok && strings.Trim(s, "* ") == "":
			w.add("sandbox-off", at, s, "Every command runs outside the sandbox"+even)
		case ok && Excludable(s):
			w.add("excluded-command", at, s, "This line alone runs outside the sandbox and "+excludable[s]+even)
		default:
			w.add("excluded-any", at, fmt.Sprint(v), "Any command can reach past the sandbox through a line that matches"+even)
		}
	}
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
		if claude.HarmlessVariable(name) {
			continue
		}
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
