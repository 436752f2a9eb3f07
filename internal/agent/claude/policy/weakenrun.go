// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what runs outside the sandbox by exclusion, or first
// because the environment says so, is named. What is unknown to be harmless
// lets any command out. A rule for commands matches as the runtime matches it,
// text against text; every form was tried with Claude Code 2.1.329, and the
// doctor's runtime tests try them again.

package policy

import (
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
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
	key, even := claude.KeyExcludedCommands.String(), ", even where allowUnsandboxedCommands is false."
	for i, v := range elements(w.Content, key) {
		s, ok, at := shown(v), v.Kind == settings.Str, index(key, i)
		switch {
		case ok && strings.TrimSpace(s) == "": // the runtime passes it over
		case ok && strings.Trim(s, "* ") == "":
			w.add("sandbox-off", at, s, "Every command runs outside the sandbox"+even)
		case ok && Excludable(s):
			w.add("excluded-command", at, s, "Only this line runs outside the sandbox; it "+excludable[s]+even)
		default:
			w.add("excluded-any", at, s, "Any command can escape the sandbox through a matching line"+even)
		}
	}
}

// environment lists the variables that the document sets. Their values may be
// secrets and are not shown.
func (w *finder) environment() {
	byName := func(a, b settings.Member) int { return strings.Compare(a.Key, b.Key) }
	for _, m := range slices.SortedFunc(slices.Values(settings.MembersOf(at(w.Content, claude.KeyEnv.String()))), byName) {
		name := m.Key
		v, at := claude.VariableSet(name, textOf(m.Value), w.Root), claude.KeyEnv.Below(name)
		switch {
		case v.Safe(), v.From == claude.User && w.Scope.OfProject():
		case v.First:
			w.add("runs-first", at, name, "The variable runs code outside the sandbox, before the sandbox starts too.")
		case v.Replaces:
			w.add("replaces-settings", at, name, "The variable "+v.Effect+".")
		case w.Scope == settings.User && (v.Personal || !v.Acts() && !v.Own()): // the user's own editor, locale and the like
		case v.Acts():
			w.add("environment", at, name, "The variable "+v.Effect+".")
		case w.Scope == settings.User:
			w.add("unknown-variable", at, name, "What this variable of Claude Code does is not documented.")
		default:
			w.add("environment", at, name, "The variable is set for the agent and its hooks, which run outside the sandbox.")
		}
	}
}

// CommandRule takes "Bash(content)" apart. bare says that there is no content:
// every command; ok that it is a rule for commands at all.
func CommandRule(rule string) (content string, bare, ok bool) {
	tool, content, call, _ := claude.SplitRule(rule)
	return content, !call, tool == claude.ToolBash
}

// CommandMatches says whether the content of a Bash rule matches a command. A
// star stands for anything; " *" and ":*" at the end for nothing or more words.
func CommandMatches(content, command string) bool {
	rest, open := strings.CutSuffix(content, ":*")
	if !open {
		rest, open = strings.CutSuffix(content, " *")
	}
	if open {
		return star(rest, command) || star(rest+" *", command)
	}
	return star(content, command)
}

// star matches text with a pattern in which "*" stands for any text.
func star(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	rest, ok := strings.CutPrefix(text, parts[0])
	if len(parts) == 1 || !ok {
		return ok && rest == ""
	}
	for _, part := range parts[1 : len(parts)-1] {
		i := strings.Index(rest, part)
		if i < 0 {
			return false
		}
		rest = rest[i+len(part):]
	}
	return strings.HasSuffix(rest, parts[len(parts)-1])
}
