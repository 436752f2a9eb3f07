// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a default comes from the repository, from what is set
// already, or is the closed one; and it says where it comes from.

package policy

import (
	"path"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
)

// Section is the section of a plan to which the questions belong.
const Section report.ID = "policy"

// Found is what the caller found on this machine. Nothing of it is needed:
// what is missing leads to the closed default.
type Found struct {
	// Repo is the base name of the repository's main worktree.
	Repo string
	// Files are paths in the repository, with slashes.
	Files []string
	// Remotes are the addresses of its git remotes.
	Remotes []string
	// Hosts are those that its lock files and its CI name.
	Hosts []NamedHost
	// Home are those of HomePaths that exist.
	Home []string
	// Existing is the document that the policy will be merged into, nil if
	// there is none. Where names its file.
	Existing *settings.Value
	Where    string
	// Allow are the rules of permissions.allow of every settings file of a
	// session here, the one that the policy is merged into among them.
	Allow []AllowRule
}

// NamedHost is a host and the file that names it.
type NamedHost struct{ Host, Where string }

// AllowRule is a rule and the file that it stands in.
type AllowRule struct{ Rule, Where string }

// HomePaths lists the places below the home directory that decide about a
// default, spelled "~/x"; the caller says in Found.Home which of them exist.
func (p *Policy) HomePaths(repo string) (paths []string) {
	if wrongName(repo) == "" && repo != "" {
		paths = append(paths, "~/.config/"+repo)
	}
	for _, g := range p.groups {
		paths = report.Union(paths, g.Home...)
	}
	return paths
}

// Questions lists the questions with their options and defaults.
func (p *Policy) Questions(f Found) (qs []report.Question) {
	for _, q := range p.questions {
		r := report.Question{ID: q.ID, Section: Section, Kind: q.Kind, Title: q.Title, Help: q.Help, Price: q.Price}
		switch q.Kind {
		case report.Multi:
			r.Options = p.options(q.ID)
			r.Default, r.DefaultFrom = p.chosen(q.ID, f)
		case report.Confirm:
			r.Default, r.DefaultFrom = p.confirmed(q, f)
		case report.Text:
			r.Default, r.DefaultFrom = named(f)
		}
		qs = append(qs, r)
	}
	return qs
}

func (p *Policy) options(kind report.ID) (os []report.Option) {
	for _, g := range p.groups {
		if g.Kind != kind {
			continue
		}
		note := g.Why
		if g.Exposes != "" {
			note += " Price: " + g.Exposes
		}
		os = append(os, report.Option{Value: g.ID, Label: g.Title, Note: note})
	}
	return os
}

// Writes says whether a group of a question lets commands write something.
func (p *Policy) Writes(question report.ID, group string) bool {
	g, _ := p.group(question, group)
	return slices.ContainsFunc(g.Entries, func(e Entry) bool { return e.Key == claude.KeyAllowWrite.String() })
}

// settled says whether the existing document is a finished policy. Then it is
// the answer: a second install proposes what is there, not what it would have
// proposed to somebody else.
func (p *Policy) settled(f Found) bool {
	return f.Existing != nil && len(p.Missing(f.Existing, "")) == 0
}

// chosen is the default of a question with groups: those that the existing
// document has whole, or else those that the repository needs.
func (p *Policy) chosen(kind report.ID, f Found) (ids []string, from string) {
	for _, g := range p.groups {
		if g.Kind == kind && hasAll(f.Existing, g.Entries) {
			ids = append(ids, g.ID)
		}
	}
	if len(ids) > 0 || p.settled(f) {
		return ids, f.Where
	}
	var sources []string
	for _, g := range p.groups {
		if g.Kind != kind {
			continue
		}
		if source := g.found(f); source != "" {
			ids = append(ids, g.ID)
			sources = report.Union(sources, source)
		}
	}
	return ids, strings.Join(sources, ", ")
}

// found says what in the repository calls for the group, or "".
func (g group) found(f Found) string {
	if len(g.Home) > 0 && !slices.ContainsFunc(g.Home, func(h string) bool { return slices.Contains(f.Home, h) }) {
		return ""
	}
	for _, pattern := range g.Detect {
		for _, file := range f.Files {
			if fits(pattern, file) {
				return strings.TrimSuffix(pattern, "/") + " in the repository"
			}
		}
	}
	for _, prefix := range g.Remotes {
		for _, remote := range f.Remotes {
			if pathname.Within(hostPath(remote), prefix) {
				return "a remote on " + prefix
			}
		}
	}
	if len(g.Detect) > 0 || len(g.Remotes) > 0 { // the others are nobody's but the user's to choose
		for _, h := range f.Hosts {
			if HostCovered(g.hosts(), h.Host) {
				return h.Host + " in " + h.Where
			}
		}
	}
	return ""
}

func (g group) hosts() (hosts []string) {
	for _, e := range g.Entries {
		if e.Key == claude.KeyAllowedDomains.String() && !e.empty() {
			hosts = append(hosts, e.Value.Text)
		}
	}
	return hosts
}

// Unlisted are the hosts that the repository names, that no group allows, and
// that the existing document does not allow either.
func (p *Policy) Unlisted(f Found) []NamedHost {
	listed := texts(f.Existing, claude.KeyAllowedDomains.String())
	for _, g := range p.groups {
		if g.Kind == "domains" {
			listed = append(slices.Clone(listed), g.hosts()...)
		}
	}
	return slices.DeleteFunc(slices.Clone(f.Hosts), func(h NamedHost) bool { return HostCovered(listed, h.Host) })
}

// fits matches a path of the repository with a pattern of policy.toml: "x/"
// is a directory at the root, a pattern with a slash a whole path, any other
// the name of a file anywhere.
func fits(pattern, file string) bool {
	if dir, ok := strings.CutSuffix(pattern, "/"); ok {
		return pathname.Within(file, dir)
	}
	if !strings.Contains(pattern, "/") {
		file = path.Base(file)
	}
	return pathname.Like(file, pattern)
}

// hostPath spells the address of a git remote as HOST/PATH:
// git@github.com:a/b and https://github.com/a/b are the same. It is "" for a place on
// this machine.
func hostPath(remote string) string {
	a, ok := gitrepo.ParseAddress(remote)
	if !ok || a.Host == "" {
		return ""
	}
	return strings.ToLower(a.Host) + "/" + a.Path
}

// confirmed is the default of a question with yes or no: yes where the
// existing document says so, or where a rule of any scope approves unsandboxed
// runs.
func (p *Policy) confirmed(q question, f Found) (answer []string, from string) {
	if q.ID == "project-config" {
		if name := openProject(f.Existing); name != "" {
			return []string{"yes"}, f.Where
		}
		return []string{"no"}, ""
	}
	if hasAll(f.Existing, q.Entries) {
		return []string{"yes"}, f.Where
	}
	if q.ID == "sandbox-only" && !p.settled(f) {
		for _, a := range f.Allow {
			if approvesOutside(a.Rule) {
				return []string{"yes"}, a.Rule + " in " + a.Where
			}
		}
	}
	return []string{"no"}, ""
}

// named is the default of project-name: the directory that the existing
// document speaks of, or the one that has the repository's name.
func named(f Found) (answer []string, from string) {
	if name := openProject(f.Existing); name != "" {
		return []string{name}, f.Where
	}
	for _, rule := range texts(f.Existing, claude.KeyDeny.String()) {
		tool, place := split(rule)
		name, ok := strings.CutPrefix(place, "~/.config/")
		name, end := strings.CutSuffix(name, "/**")
		if tool == claude.ToolRead && ok && end && wrongName(name) == "" {
			return []string{name}, f.Where
		}
	}
	if dir := "~/.config/" + f.Repo; wrongName(f.Repo) == "" && slices.Contains(f.Home, dir) {
		return []string{f.Repo}, dir
	}
	return nil, ""
}

func openProject(doc *settings.Value) string {
	for _, p := range texts(doc, claude.KeyAllowRead.String()) {
		name, ok := strings.CutPrefix(strings.TrimSuffix(p, "/"), "~/.config/")
		if ok && name != "" && wrongName(name) == "" {
			return name
		}
	}
	return ""
}
