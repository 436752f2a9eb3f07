// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a rule that the runtime skips without a word is named.

package checks

import (
	"slices"
	"strconv"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/nearest"
	"github.com/steward-setup/steward-setup/internal/report"
)

// skippedRules lists the deny and ask rules that have no effect: those that
// the runtime does not take, and those for a tool that it does not have, where
// one of its own has nearly that name.
func skippedRules(s session.Settings) (found []opening.Opening) {
	skipped := func(l settings.ScopedDoc, path []string, why string) {
		v := l.Doc.Get(path...)
		found = append(found, opening.Opening{Status: report.Warn, Group: opening.Ineffective, Where: l.Doc.Where(v),
			Path:  path,
			What:  `"` + v.Text + `"`,
			Opens: why})
	}
	for _, l := range s.Layers {
		named := map[string]bool{}
		for _, p := range settings.Problems(l.Doc) {
			named[settings.KeyPath(p.Path)] = true
			if len(p.Path) == 3 && p.Path[0] == claude.KeyPermissions.Leaf() && p.Path[1] != claude.Allow {
				skipped(l, p.Path, "It is skipped: "+p.Message+".")
			}
		}
		for _, list := range []string{claude.Deny, claude.Ask} {
			for i, rule := range settings.ItemsOf(l.Doc.Get(claude.KeyPermissions.Below(list)...)) {
				path := claude.KeyPermissions.Below(list, strconv.Itoa(i))
				if meant := misspelt(rule); meant != "" && !named[settings.KeyPath(path)] {
					skipped(l, path, "There is no such tool; did you mean "+meant+"?")
				}
			}
		}
	}
	return found
}

// misspelt returns the tool that a rule was meant for, "" where it names one,
// or is near to none. MCP servers and plugins bring tools of other names.
func misspelt(rule *settings.Value) string {
	tool, _, _, ok := claude.SplitRule(rule.Text)
	if rule.Kind != settings.Str || !ok || len(tool) < 4 || strings.ContainsAny(tool, "_*") ||
		slices.Contains(claude.Tools, tool) {
		return ""
	}
	for _, known := range claude.Tools {
		// A slip or two of the keyboard: two only where the name is long, since Shell is no Skill.
		edits := nearest.Edits(tool, known)
		slips := edits <= 1 || edits == 2 && (len(known) >= 6 || nearest.Swapped(tool, known))
		if strings.EqualFold(known, tool) || len(known) > 3 && known[0] == tool[0] && slips {
			return known
		}
	}
	return ""
}
