// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a rule of the user's own settings with a relative path
// begins where the session starts (measured with 2.1.324 and 2.1.329): below
// the root of a project it closes nothing above. The launch, which opens the
// root, repeats it for the project.

package iso

import (
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/settings"
)

// usersRules are the rules of the user's own settings that a launch repeats.
type usersRules struct {
	doc *settings.Doc
	// dirs are the directories of the project that they are repeated for:
	// each work tree that the start directory lies in, since an inner one may
	// have been made to hide the outer, and their other checkouts.
	dirs []string
}

// readUsersRules reads the user's settings. What is not understood there has
// no rules: the runtime drops it too, and the launch is judged by that.
func readUsersRules(h host.Reader, p Place) usersRules {
	u := usersRules{dirs: append(host.ProjectDirs(h, p.Start), p.Root)}
	path := h.Places().UserSettings()
	if b, err := h.Read(path); err == nil {
		u.doc, _ = settings.Parse(path, b)
	}
	return u
}

// inbound is what becomes of messages of other sessions in a launch: the user is
// asked, unless the user's own settings drop them.
func (u usersRules) inbound() string {
	if u.doc != nil {
		if set := u.doc.Get(claude.InboundKey); set != nil && set.Text == "refuse" {
			return set.Text
		}
	}
	return "hold"
}

// approve says that the user's own settings approve pages of some host, or
// resources of some server: a rule of the launch that asks would overrule that.
func (u usersRules) approve(asks string) bool {
	approves := func(rule *settings.Value) bool {
		return rule.Kind == settings.Str && claude.Approves(rule.Text, asks)
	}
	return u.doc != nil && slices.ContainsFunc(orList(u.doc.Get(claude.KeyAllow...)).Items, approves)
}

// of returns a list of rules, permissions.LIST, with those of the user that
// have a relative path added for each directory.
func (u usersRules) of(list string, rules *settings.Value) *settings.Value {
	if u.doc == nil {
		return rules
	}
	for _, rule := range orList(u.doc.Get(claude.KeyPermissions.Below(list)...)).Items {
		if rule.Kind != settings.Str {
			continue
		}
		for _, dir := range u.dirs {
			if strings.ContainsAny(dir, patterns) {
				continue
			}
			if placed := ruleIn(rule.Text, dir); placed != rule.Text {
				rules = appended(orList(rules), settings.String(placed))
			}
		}
	}
	return rules
}
