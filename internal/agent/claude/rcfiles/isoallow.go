// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: CLAUDE_ISO_ALLOW is meant for one launch. Set for every
// shell, it is named with the variables that it passes, never with a value.

package rcfiles

import (
	"cmp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/steward-setup/steward-setup/internal/agent/claude/dotfiles"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/lazy"
	"github.com/steward-setup/steward-setup/internal/report"
)

// allowSet is a place where an alias or a function sets the variable.
var allowSet = lazy.Regexp(iso.AllowVariable + `[= ]("[^"]*"|'[^']*'|[^\s;]*)`)

// Allowed lists where CLAUDE_ISO_ALLOW is set for every launch.
func Allowed(r host.Reader) (found []report.Evidence, names []string) {
	add := func(e report.Evidence, value string) {
		var list []string
		for _, name := range iso.AllowedNames(strings.Trim(value, `"'`)) {
			if !syntax.ValidName(name) {
				name = "variables that are not known"
			}
			list = append(list, name)
		}
		if list == nil {
			return
		}
		e.Text = iso.AllowVariable + " is set for every launch, and passes " + strings.Join(list, ", ")
		for _, name := range list {
			if effect := dotfiles.KnownEffect(name); effect != "" {
				e.Text += "; " + name + " " + effect
			}
		}
		names = report.Union(names, list...)
		found = append(found, e)
	}
	files, _, _ := Files(r)
	for _, f := range files {
		for _, set := range f.Sets {
			if set.Name == iso.AllowVariable {
				add(report.FileEvidence(set.Where(), ""), set.Value)
			}
		}
		for _, d := range slices.Concat(f.Aliases, f.Functions) {
			if m := allowSet().FindStringSubmatch(cmp.Or(d.Value, d.Body)); m != nil &&
				(d.Name == "claude" || d.Name == "claude-iso") {
				add(report.FileEvidence(d.Where(), ""), m[1])
			}
		}
	}
	if found == nil {
		add(report.EnvEvidence(iso.AllowVariable, ""), r.System().Get(iso.AllowVariable))
	}
	return found, names
}
