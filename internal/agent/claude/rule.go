// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: everybody who asks what a permission rule names takes it
// apart as the runtime does; one that the runtime skips names nothing.

package claude

import "strings"

// SplitRule takes a permission rule, Tool or Tool(content), apart at its
// parentheses, of which those behind a backslash do not count. call says that
// it has any, ok that the runtime takes it for a rule: it ends with the ")"
// (measured with 2.1.329). Of one that is not ok nothing is returned.
func SplitRule(rule string) (tool, content string, call, ok bool) {
	open, end := -1, -1
	for i := range len(rule) {
		if (rule[i] == '(' || rule[i] == ')') && !Escaped(rule, i) {
			if rule[i] == '(' && open < 0 {
				open = i
			} else if rule[i] == ')' {
				if open < 0 {
					return "", "", true, false
				}
				end = i
			}
		}
	}
	switch {
	case open < 0:
		return rule, "", false, true
	case end != len(rule)-1:
		return "", "", true, false
	}
	return rule[:open], rule[open+1 : end], true, true
}

// OpensToCommands says whether an allow rule of this text opens a path or a host
// to sandboxed commands, besides what it approves for the agent. It does so
// also where an ask rule of the same text has the agent ask (measured with
// 2.1.141 and 2.1.330 for paths, with 2.1.330 for hosts).
func OpensToCommands(rule string) bool {
	tool, content, call, ok := SplitRule(rule)
	return ok && call && (tool == "Edit" || tool == "WebFetch" && strings.HasPrefix(content, "domain:"))
}

// Escaped says whether an odd number of backslashes stands before s[i].
func Escaped(s string, i int) bool {
	before := s[:i]
	return (len(before)-len(strings.TrimRight(before, `\`)))%2 == 1
}
