// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a rule for commands matches as the runtime matches it,
// text against text; every form was tried with Claude Code 2.1.329, and the
// doctor's runtime tests try them again.

package policy

import (
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
)

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
