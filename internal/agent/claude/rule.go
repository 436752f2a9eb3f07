// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: everybody who asks what a permission rule names takes it
// apart as the runtime does; one that the runtime skips names nothing.

package claude

import (
	"slices"
	"strings"
)

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

// FetchPages is the rule that has the runtime ask before the agent fetches a page.
// The runtime holds a list of about 85 documentation hosts of its own that
// WebFetch may ask for: no list of the sandbox counts for them, and the address
// carries out what the agent puts into it. Deny rules come first, then ask, then
// allow, then that list: the rule holds in default, plan, acceptEdits and
// bypassPermissions mode, whatever permissions.allow says. It is a prompt on a
// terminal and a refusal in print mode. Measured with 2.1.324 and 2.1.329.
const FetchPages = "WebFetch(domain:*)"

// PromptRules are the rules of the policy for what the runtime does outside the
// sandbox, unasked, because the agent's own tools say so.
var PromptRules = []string{SocketMessages, BridgeMessages, PublishesPages, FetchPages, EntersWorktree, IsolatesAgents,
	ReadsResources, WritesServers}

// held are the tools that a rule of PromptRules is about, and the contents besides *
// and none with which a rule for them holds as much. For pages, rules with
// "domain: *", " domain:*", "domain:**" or "url:*" hold none. For sockets the
// runtime takes a space on one side of the first colon, and nowhere else: rules
// with "to:uds: *", " to : uds : * " and " * " let the message through. Measured
// with 2.1.329, the second name of ReadsResources with 2.1.330.
var held = map[string]struct{ tools, contents []string }{
	FetchPages:     {tools: []string{"WebFetch"}, contents: []string{"domain:*", "domain:*.*"}},
	SocketMessages: {tools: []string{"SendMessage"}, contents: []string{"to:*", "to:uds:*", "to: uds:*", "to :uds:*"}},
	BridgeMessages: {tools: []string{"SendMessage"}, contents: []string{"to:*", "to:bridge:*"}},
	PublishesPages: {tools: []string{PublishesPages}},
	EntersWorktree: {tools: []string{EntersWorktree}},
	IsolatesAgents: {tools: []string{ToolAgent}, contents: []string{IsolationInput + ":*"}},
	ReadsResources: {tools: resourceTools},
}

// RuleHolds says whether a deny or ask rule holds all that asks does, a rule of
// PromptRules that is not about a path.
func RuleHolds(asks, rule string) bool {
	tool, content, call, _ := SplitRule(rule)
	h := held[asks]
	return slices.Contains(h.tools, tool) && (!call || content == "*" || slices.Contains(h.contents, content))
}

// FetchedHost is one of those hosts; the list is the same in both versions.
const FetchedHost = "docs.python.org"

// InboundKey says what becomes of a message that another session of the user's
// sends (SendMessage to a socket in /tmp/cc-socks-UID). Without it, one of the
// same kind of permission mode is delivered as a prompt; with hold the user is
// asked, with refuse it is dropped (measured with 2.1.329). 2.1.324 and 2.1.224
// know the key, 2.1.141 has no such messages.
const InboundKey = "crossSessionInbound"

// HoldsInbound says whether a value of it keeps messages from the model until
// the user has seen them.
func HoldsInbound(value string) bool { return value == "hold" || value == "refuse" }

// SocketMessages is the rule that has the runtime ask before the agent sends a
// message to a socket. The address uds:PATH may name any unix socket: the runtime
// connects to it from outside the sandbox and writes a line of JSON with the text
// in it, in every permission mode and without a prompt. A rule of this form is
// matched against one argument of a call; messages to agents of the same session
// go by name, and it does not match them. Measured with 2.1.324 and 2.1.329: no
// other spelling of an address (capitals, spaces, percent signs, brackets) both
// gets past the rule and is sent; an allow rule does not overrule it; it is a
// prompt on a terminal and a refusal in print mode.
const SocketMessages = "SendMessage(to:uds:*)"

// BridgeMessages and PublishesPages are the rules that have the runtime ask before the
// agent sends something to claude.ai, where the user is logged in with an account: text
// to a session of the user's on another machine or in the cloud (bridge:ID), in every
// permission mode, and a page of a file of the project. Without them nobody is asked.
// Measured with 2.1.332 in both launches, the first with 2.1.324 too.
const (
	BridgeMessages = "SendMessage(to:bridge:*)"
	PublishesPages = "Artifact"
)

// ReadsResources is the rule that has the runtime ask before the agent reads a
// resource of an MCP server. Without it nobody is asked, whatever the address, also
// for one that the server does not list: the server decides what it reads there,
// and what it fetches. Rules for the server (mcp__NAME) do not count. The rule
// holds against an allow rule. Measured with 2.1.324 and 2.1.330, in which the tool
// for the contents of a directory is switched off.
const ReadsResources = "ReadMcpResourceTool"

// resourceTools are the names that rules have for it (measured with 2.1.330).
var resourceTools = []string{ReadsResources, "ReadMcpResource"}

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

// EntersWorktree and IsolatesAgents are the rules that have the runtime ask before
// the agent makes a worktree. The runtime calls git fetch origin and git worktree
// add for it, outside the sandbox: without hooks, and with the filters of the
// user's git configuration. In a repository without a remote of that name, origin
// is a path: a command makes a symlink origin to another repository of the user's
// in the project, and reads what was fetched. The filter of git-lfs downloads from
// the address in .lfsconfig, which a command writes. Measured with 2.1.329 in both
// launches, the symlink with 2.1.324 too; the rules hold whatever an allow rule
// says. A workflow is asked about by itself.
//
// An agent has such a worktree whatever its isolation is: "remote" is fetched for
// in the same way, and is a worktree here where there is no cloud. The rule with *
// holds every value, and no agent without one; a rule that names a value holds no
// other (measured with 2.1.324 and 2.1.330).
const (
	EntersWorktree = "EnterWorktree"
	IsolatesAgents = ToolAgent + "(" + IsolationInput + ":*)"
	IsolationInput = "isolation"
)

// Isolations are the values of that parameter (2.1.324 to 2.1.330).
var Isolations = []string{"worktree", "remote"}

// Looked are the parameters whose values rules of the policy decide by, TOOL.NAME,
// with the values that were looked at. Of the others that a rule names (to of
// SendMessage, and of WebFetch the host of its url) any text is a value; EnterWorktree,
// Artifact and ReadMcpResourceTool have rules without one.
var Looked = map[string][]string{ToolAgent + "." + IsolationInput: Isolations}

// WritesServers is the rule that has the runtime ask before the agent writes
// .claude/launch.json, which names programs that the desktop app starts for a
// preview. Of what lies in .claude, its own tools write this file, and notes of
// agents (agent-memory), without a prompt. The rule holds in default and
// acceptEdits mode, from project and user settings, whatever an allow rule says;
// with ** it also holds below the start, and in worktrees of the project. Commands
// cannot write the file (Protected). Measured with 2.1.324 and 2.1.330.
const WritesServers = "Edit(**/" + Dir + "/" + LaunchFile + ")"
