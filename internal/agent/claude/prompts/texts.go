// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a text approves while it is used is approved, whoever
// wrote the text.

package prompts

import (
	"slices"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/policy"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/agent/claude/wiring"
	"github.com/steward-setup/steward-setup/internal/host"
)

// AsksOutside says whether the bypass-warn hook stands in front of runs outside
// the sandbox: its "ask" forces a question even where a rule would approve
// (measured with 2.1.329; where a skill does, with 2.1.332).
func AsksOutside(r host.Reader, s session.Settings) bool {
	if s.InForce().Scalar(claude.KeyDisableAllHooks...).Value.True() {
		return false
	}
	return slices.ContainsFunc(s.Layers, func(l settings.ScopedDoc) bool {
		return l.Scope == settings.User && wiring.Wired(l.Doc, r.Places(), wiring.Wires[0]) != nil
	})
}

// InText lists what the allowed-tools of a skill or command approve while it is used.
// Measured with 2.1.332 and 2.1.324, for those of a project in a plain start, and for
// the user's own and a plugin's in both launches: they approve as permissions.allow
// does, also runs outside the sandbox where a rule for Bash has a pattern, and a rule in
// ask still asks. They open no path and no host to commands (2.1.332).
func InText(r host.Reader, s session.Settings, rules []string) []policy.Weakening {
	e := s.InForce()
	outside := !e.Scalar(claude.KeyAllowUnsandboxedCommands...).Value.False() && !AsksOutside(r, s)
	var list []string
	for _, rule := range rules {
		tool, arg, _, _ := claude.SplitRule(rule)
		if tool != claude.ToolBash || outside && arg != "" && arg != "*" {
			list = append(list, rule)
		}
	}
	found := policy.Weakenings(policy.Document{Scope: settings.Project, Home: s.Dirs.Home, Start: s.Dirs.Start,
		ReadsHeld: e.AnyTrue(claude.KeyBlockReads...), WritesHeld: e.AnyTrue(claude.KeyBlockWrites...),
		Content: policy.Allowing(list)})
	for i, w := range found {
		if w.OpensPath() {
			found[i].Opens = "The agent writes there without a prompt; the runtime asks about a few files, such as .bashrc."
		}
	}
	return found
}
