// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the agent reads of the user's MCP servers without a
// prompt is stated as it was measured.

package claude

import "slices"

// ReadsResources is the rule that has the runtime ask before the agent reads a
// resource of an MCP server. Without it nobody is asked, whatever the address, also
// for one that the server does not list: the server decides what it reads there,
// and what it fetches. Rules for the server (mcp__NAME) do not count. The rule
// holds against an allow rule. Measured with 2.1.324 and 2.1.330, in which the tool
// for the contents of a directory is switched off.
const ReadsResources = "ReadMcpResourceTool"

// resourceTools are the names that rules have for it (measured with 2.1.330).
var resourceTools = []string{ReadsResources, "ReadMcpResource"}

// HoldsResources says whether a deny or ask rule holds every resource.
func HoldsResources(rule string) bool {
	tool, content, call, _ := SplitRule(rule)
	return slices.Contains(resourceTools, tool) && (!call || content == "*")
}

// Approves says whether an allow rule approves some of what the rule asks asks
// about: pages or resources. Of the other rules of PromptRules none is approved so.
func Approves(rule, asks string) bool {
	tool, _, _, _ := SplitRule(rule)
	switch asks {
	case FetchPages:
		return tool == "WebFetch"
	case ReadsResources:
		return slices.Contains(resourceTools, tool)
	}
	return false
}
