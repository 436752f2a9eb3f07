// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is known of a check beside what it looks at stands
// here once: its order, its title, its layers, who mends it.

package report

import "slices"

// Live says what a rehearsal has to do with a check.
type Live int

// NotLive checks look at files and tools, PartLive ones too, and a rehearsal adds
// to their answer; OnlyLive ones have none without.
const (
	NotLive Live = iota
	PartLive
	OnlyLive
)

// CheckInfo is one check of the contract.
type CheckInfo struct {
	ID    ID
	Title string
	Layer Layer
	// Also are further layers that it speaks of: the policy is one document
	// with the rules of three of them.
	Also []Layer
	// Short is its name in narrow rows, "" where that is its id.
	Short string
	// Section is the section of install that writes what it looks at, "" if
	// none does.
	Section ID
	Live    Live
	// Listed says that its evidence is the answer: all of it is shown.
	Listed bool
}

// rules are the layers whose rules stand in the policy beside the sandbox's.
var rules = []Layer{LayerPermissions, LayerConfirmation}

// Contract lists the checks in the order of a report: those of verify, then
// those of update, of which what is no longer blocked comes first.
var Contract = []CheckInfo{
	{ID: "tools-pinned", Title: "Tools at their pinned versions", Layer: LayerTools, Short: "versions", Section: "tools"},
	{ID: "runtime-advisories", Title: "No known weakness of the runtime affects the policy", Layer: LayerSandbox,
		Short: "advisories"},
	{ID: "sandbox-support", Title: "The OS sandbox works on this machine", Layer: LayerSandbox},
	{ID: "project-settings", Title: "The policy is there", Layer: LayerSandbox, Also: rules, Section: "policy"},
	{ID: "project-code", Title: "What the project runs outside the sandbox", Layer: LayerSandbox},
	{ID: "policy-invariants", Title: "Nothing weakens the policy", Layer: LayerSandbox, Also: rules, Section: "policy"},
	{ID: "effective-sandbox", Title: "The sandbox is on where you start", Layer: LayerSandbox, Live: PartLive},
	{ID: "user-wiring", Title: "Hooks and status line are wired", Layer: LayerVisibility, Short: "wiring",
		Section: "wiring"},
	{ID: "hook-scripts", Title: "Hook scripts are in place", Layer: LayerVisibility, Short: "scripts", Section: "hooks"},
	{ID: "hooks-fire", Title: "Each hook fires", Layer: LayerVisibility, Short: "firing", Live: OnlyLive},
	{ID: "clean-env", Title: "claude-iso is defined in your shell", Layer: LayerCleanEnv, Section: "wrapper",
		Live: PartLive},
	{ID: "project-root", Title: "Each worktree's root is covered", Layer: LayerSandbox, Section: "roots", Live: PartLive},
	{ID: "scope", Title: "Which repositories are covered", Layer: LayerSandbox, Section: "scope"},
	{ID: "denials", Title: "Forbidden actions stay blocked", Layer: LayerSandbox, Also: rules, Live: OnlyLive},
	{ID: "mcp-servers", Title: "You have reviewed your MCP servers", Layer: LayerVisibility, Section: "review"},
	{ID: "sync", Title: "Commands cannot change your sync repository", Layer: LayerSandbox},
	{ID: "baseline", Title: "The policy is not weaker than the baseline", Layer: LayerSandbox},
	{ID: "allowances", Title: "What your settings allow", Layer: LayerSandbox, Also: rules, Listed: true},

	{ID: "drift-denials", Title: "Forbidden actions, compared with the last rehearsal", Layer: LayerSandbox},
	{ID: "drift-framework", Title: "The framework, or this program, against what is installed", Layer: LayerTools},
	{ID: "drift-tools", Title: "Pinned tools against what upstream has released", Layer: LayerTools},
	{ID: "drift-scripts", Title: "Copies of our scripts", Layer: LayerVisibility},
	{ID: "drift-settings", Title: "The project's settings against the template", Layer: LayerPermissions},
	{ID: "drift-sync", Title: "The sync repository, its symlinks and scripts", Layer: LayerVisibility},
}

// Place is where the contract names a check, counted from 0; a check that it
// does not name is past its end.
func Place(id ID) int {
	if i := slices.IndexFunc(Contract, func(c CheckInfo) bool { return c.ID == id }); i >= 0 {
		return i
	}
	return len(Contract)
}

// Info is what the contract says of a check; nothing but its id where it does
// not name it.
func Info(id ID) CheckInfo {
	if i := Place(id); i < len(Contract) {
		return Contract[i]
	}
	return CheckInfo{ID: id}
}

// InOrder returns findings in the order of the contract; those that it does
// not name come last, as they are.
func InOrder(findings []Finding) []Finding {
	sorted := slices.Clone(findings)
	slices.SortStableFunc(sorted, func(a, b Finding) int { return Place(a.Check) - Place(b.Check) })
	return sorted
}
