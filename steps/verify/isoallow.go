// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: CLAUDE_ISO_ALLOW is meant for one launch. Set for every
// shell, it is named with the variables that it passes, never with a value.

package verify

import (
	"cmp"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/iso"
	"github.com/steward-setup/steward-setup/internal/lazy"
	"github.com/steward-setup/steward-setup/internal/report"
)

// allowSet is a place where an alias or a function sets the variable, valid a
// name of one.
var (
	allowSet = lazy.Regexp(iso.AllowVariable + `[= ]("[^"]*"|'[^']*'|[^\s;]*)`)
	valid    = lazy.Regexp(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// allowed lists where CLAUDE_ISO_ALLOW is set for every launch.
func allowed(r host.Reader) (found []report.Evidence, names []string) {
	add := func(e report.Evidence, value string) {
		var list []string
		for _, name := range iso.AllowedNames(strings.Trim(value, `"'`)) {
			if !valid().MatchString(name) {
				name = "variables that are not known"
			}
			list = append(list, name)
		}
		if list == nil {
			return
		}
		e.Text = iso.AllowVariable + " is set for every launch, and passes " + strings.Join(list, ", ")
		for _, name := range list {
			if effect := knownEffect(name); effect != "" {
				e.Text += "; " + name + " " + effect
			}
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		found = append(found, e)
	}
	files, _, _ := rcFiles(r)
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

// passesOn adds to a finding with its launches what claude-iso passes on in
// every launch.
func passesOn(f report.Finding, r host.Reader) report.Finding {
	found, names := allowed(r)
	if found == nil {
		return f
	}
	summary := "claude-iso passes " + strings.Join(short(names), ", ") + " in every launch"
	f.Evidence = append(f.Evidence, found...)
	f.Remedies = append(f.Remedies, report.DocLink{Title: "remove it, and name a variable for one launch: " +
		iso.AllowVariable + "=NAME claude-iso", Target: found[0].Where})
	if hard := &f.Launches[1]; worse(hard.Status, report.Warn) != hard.Status { // in the order of launches
		hard.Status, hard.Summary = report.Warn, summary
	}
	if worse(f.Status, report.Warn) != f.Status {
		f.Status, f.Summary = report.Warn, summary
	}
	return f
}
