// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a policy opens is a mistake or a choice that install
// offers at a price; a choice is known by what install would have written for
// it, and by nothing else.

package policy

import (
	"path"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/sensitive"
)

// Exposure is something that install offers at a price.
type Exposure struct {
	// By is the question or the group that it belongs to; Price a sentence.
	By    report.ID
	Price string
}

// Exposure says whether an entry of allowRead or allowWrite is one that install
// writes only when it is asked to, at a price. doc is what is in force.
func (p *Policy) Exposure(key, entry, home string, doc *settings.Value) (Exposure, bool) {
	n := sensitive.Normal(entry, home)
	for _, q := range p.questions {
		for _, e := range q.Entries {
			v := e.Value.Text
			if e.Key != key || v == "" {
				continue
			}
			if sensitive.Normal(v, home) == n || strings.Contains(v, placeholder) && isProject(n, doc) {
				return Exposure{q.ID, e.Exposes}, true
			}
		}
	}
	for _, g := range p.groups {
		writes := slices.ContainsFunc(g.Entries, func(e Entry) bool { return e.Key == claude.KeyAllowWrite.String() })
		for _, e := range g.Entries {
			if v := e.Value.Text; writes && e.Key == key && sensitive.Normal(v, home) == n {
				return Exposure{report.ID(g.ID), e.Exposes}, true
			}
		}
	}
	return Exposure{}, false
}

// CacheAt is the group of caches that opens a path to commands, and the entry
// of the array key that does; path is absolute or begins with "~/".
func (p *Policy) CacheAt(key, path, home string) (group, entry string, ok bool) {
	n := sensitive.Normal(path, home)
	for _, g := range p.groups {
		for _, e := range g.Entries {
			v := e.Value.Text
			if g.Kind == "caches" && e.Key == key && v != "" && pathname.Within(n, sensitive.Normal(v, home)) {
				return g.ID, v, true
			}
		}
	}
	return "", "", false
}

// placeholder stands for the project's name in the policy's entries.
const placeholder = "<project>"

// isProject says whether a normal path is the project's directory below
// ~/.config: the one that the policy denies to the agent's tools by its name.
func isProject(n string, doc *settings.Value) bool {
	name, ok := strings.CutPrefix(n, "~/.config/")
	return ok && wrongName(name) == "" &&
		slices.Contains(texts(doc, claude.KeyDeny.String()), "Read(~/.config/"+name+"/**)")
}

// HostPrices is the price of each host that a group of the policy offers and
// that has one: most serve what anyone uploads.
func (p *Policy) HostPrices() map[string]string {
	prices := map[string]string{}
	for _, g := range p.groups {
		for _, e := range g.Entries {
			if e.Key == claude.KeyAllowedDomains.String() && e.Exposes != "" && !e.empty() {
				prices[e.Value.Text] = e.Exposes
			}
		}
	}
	return prices
}

// Ecosystem is the group of hosts that files of a project call for and that has a host, with
// all its hosts: a package manager needs each of them. A forge is none.
func (p *Policy) Ecosystem(host string) (id string, hosts []string) {
	for _, g := range p.groups {
		if all := g.hosts(); g.Detect != nil && g.Remotes == nil && slices.Contains(all, host) {
			return g.ID, all
		}
	}
	return "", nil
}

// Enforced returns the form in which the OS layer on Linux holds a rule of
// permissions.deny, if it does not hold it as it stands: a pattern that begins
// at the root (measured with 2.1.329).
func Enforced(rule string) (form string, other bool) {
	tool, arg := split(rule)
	if rest, ok := strings.CutPrefix(arg, "//**/"); ok && (tool == claude.ToolRead || tool == claude.ToolEdit) {
		return tool + "(" + path.Clean("**/"+rest) + ")", true
	}
	return "", false
}

// Keys lists the keys of settings that a policy is made of; array says that
// the value is one.
func Keys() (array map[string]bool) {
	array = make(map[string]bool, len(shapes))
	for key, s := range shapes {
		array[key] = s == manyTexts || s == manyTables
	}
	return array
}
