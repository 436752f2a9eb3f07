// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a permission rule that the runtime would skip protects
// nothing. What makes it skip one was measured with Claude Code 2.1.329, rule
// by rule; what a rule that it takes would match is not judged here.

package settings

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/lazy"
)

// ruleLists are the lists of rules, the strongest first: a rule of an earlier
// one wins over those of the later ones, whatever their scope (measured).
var ruleLists = []string{claude.Deny, claude.Ask, claude.Allow}

func judgeRules(root *Value, found finding) {
	for _, list := range ruleLists {
		for i, rule := range ItemsOf(root.Get(claude.KeyPermissions.Below(list)...)) {
			if message := skippedRule(list, rule); message != "" {
				found(claude.KeyPermissions.Below(list, strconv.Itoa(i)), rule, ThisValue, message)
			}
		}
	}
}

// skippedRule says why the runtime skips an element of a list of rules; "" if
// it does not.
func skippedRule(list string, v *Value) string {
	if v.Kind != Str {
		return "a rule is a string, not " + v.Kind.String()
	}
	rule := v.Text
	if strings.TrimSpace(rule) == "" {
		return "the rule is empty"
	}
	tool, content, call, ok := claude.SplitRule(rule)
	switch {
	case !ok:
		return `a rule is Tool or Tool(content) and ends with the ")"`
	case call && content == "":
		return "nothing between the parentheses"
	case tool == "":
		tool, call = rule, false // "(x)" is taken for the name of a tool
	}
	server, known := mcpServer(tool)
	switch {
	case known && call:
		return "a rule for an MCP tool has no parentheses"
	case list == claude.Allow && strings.Contains(tool, "*") && (!known || strings.Contains(server, "*")):
		return `an allow rule takes a "*" in a tool's name only after mcp__SERVER__`
	case known:
		return ""
	case !strings.Contains(tool, "_") && lower(tool):
		return "a tool's name begins with a capital letter"
	case call:
		return skippedContent(tool, content)
	}
	return ""
}

// mcpServer returns the server that an MCP tool's name begins with.
func mcpServer(tool string) (string, bool) {
	rest, ok := strings.CutPrefix(tool, "mcp__")
	server, _, _ := strings.Cut(rest, "__")
	return server, ok && server != ""
}

// lower says whether a name begins with a letter that has a capital form.
func lower(name string) bool {
	r, _ := utf8.DecodeRuneInString(name)
	return r <= 0xffff && unicode.ToUpper(r) != r
}

// lone finds a parenthesis behind exactly one backslash.
var lone = lazy.Regexp(`(?:^|[^\\])\\[()]`)

func skippedContent(tool, content string) string {
	switch {
	case strings.Contains(content, `\`) && lone().MatchString(content) && bare(content, '(') != bare(content, ')'):
		return "an escaped parenthesis beside one that is not is ambiguous"
	case tool == claude.ToolBash && content == ":*":
		return `a command is missing before ":*"`
	case slices.Contains(claude.PatternTools, tool) && strings.Contains(content, ":*"):
		return `":*" is for commands, not for paths`
	case tool == claude.ToolWebFetch && content != "*" &&
		(strings.HasPrefix(content, "http") || strings.Contains(content, "://") || !strings.HasPrefix(content, "domain:")):
		return `a WebFetch rule is written WebFetch(domain:HOST)`
	case tool == claude.ToolWebSearch && strings.ContainsAny(content, "*?"):
		return "a WebSearch rule has no wildcards"
	}
	return ""
}

// bare counts the occurrences of c that no backslash escapes.
func bare(s string, c byte) (n int) {
	for i := range len(s) {
		if s[i] == c && !claude.Escaped(s, i) {
			n++
		}
	}
	return n
}
