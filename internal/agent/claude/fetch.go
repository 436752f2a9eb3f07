// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: which pages the runtime fetches without a prompt is stated
// as it was measured.

package claude

import "slices"

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
var PromptRules = []string{SocketMessages, FetchPages, EntersWorktree, IsolatesAgents, ReadsResources}

// FetchedHost is one of those hosts; the list is the same in both versions.
const FetchedHost = "docs.python.org"

// holdFetches are the contents of a rule that hold every page. Rules with
// "domain: *", " domain:*", "domain:**" or "url:*" hold none (measured with
// 2.1.329).
var holdFetches = []string{"*", "domain:*", "domain:*.*"}

// HoldsFetches says whether a deny or ask rule holds every page that is fetched.
func HoldsFetches(rule string) bool {
	tool, content, call, _ := SplitRule(rule)
	return tool == "WebFetch" && (!call || slices.Contains(holdFetches, content))
}
