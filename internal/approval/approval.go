// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package approval is the user's standing approvals: what may be written, or
// started, later without asking again.
//
// Contract: pure bytes in, bytes out. The file lies in the state directory,
// which no policy of ours lets the agent write. What is not in it is not
// approved, and a file that is not understood approves nothing.
package approval

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/report"
)

// Path is the approvals' file below the state directory.
func Path(state string) string { return filepath.Join(state, "approvals.json") }

// Set is the standing approvals of one user.
type Set struct {
	SchemaVersion int `json:"schema_version"`
	// ProjectRoots are the common git directories of the repositories in
	// which a worktree's own path may be added to its own ignored
	// settings.local.json (ARCHITECTURE, law 2).
	ProjectRoots []string `json:"project_roots,omitempty"`
	// WholeUser says the same of every repository of the user, for worktrees
	// that have a .claude directory.
	WholeUser bool `json:"whole_user,omitempty"`
	// Launches are what claude-iso may start with, by project.
	Launches []Launch `json:"launches,omitempty"`
	// Servers are the digests of the MCP servers of the user's own
	// configuration that the user has looked at. It gives no right: a server
	// that is not among them is only called new.
	Servers []report.Digest `json:"mcp_reviewed,omitempty"`
}

// Launch is what the user has approved of one project for claude-iso.
type Launch struct {
	// Project is the common git directory, or the directory itself where
	// there is no repository, or its .git leads to one elsewhere.
	Project string `json:"project"`
	// Roots are the directories that hold the project, links resolved: what
	// lies below one is this project, whatever a command has put there. A
	// linked worktree is not among them: it is known by its git directory.
	Roots []string `json:"roots,omitempty"`
	// PolicyDigest is that of its policy as it was approved last; no
	// other one counts, so that an earlier one cannot come back unseen.
	PolicyDigest report.Digest `json:"policy,omitempty"`
	// Items are the digests of hooks, MCP servers and allow rules that may
	// be loaded.
	Items []report.Digest `json:"items,omitempty"`
}

// Approved says whether anything of the project was approved.
func (l Launch) Approved() bool { return l.PolicyDigest != "" || len(l.Items) > 0 }

// Policy says whether the policy with this digest is the approved one.
func (l Launch) Policy(d report.Digest) bool { return d != "" && d == l.PolicyDigest }

// Item says whether an item with this digest was approved.
func (l Launch) Item(d report.Digest) bool { return slices.Contains(l.Items, d) }

// NotUnderstood is why nothing is approved by a file that cannot be read.
const NotUnderstood = "what is not understood is not approved"

// Parse reads the approvals; nil bytes are none. The error is a *report.Error
// with exit code 65.
func Parse(path string, b []byte) (Set, error) {
	s := Set{SchemaVersion: 1}
	if b == nil {
		return s, nil
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&s); err != nil || s.SchemaVersion != 1 {
		return Set{}, &report.Error{Code: report.ExitMalformed, Where: path, What: "the standing approvals cannot be read",
			Why: NotUnderstood, Next: "remove the file and run ", Err: err,
			Lines: []report.Line{{Words: "install", After: " to approve again"}}}
	}
	for i, l := range s.Launches {
		if len(l.Roots) == 0 {
			s.Launches[i].Roots = rootsOf(l.Project)
		}
	}
	return s, nil
}

// rootsOf are the roots of an approval that was written before roots were: the
// directory that its git directory lies in, or "GIT//REL" the directory REL
// below that. The git directory of a submodule does not say where the
// submodule is: it has none, and is approved anew.
func rootsOf(project string) []string {
	git, rel, _ := strings.Cut(project, "//")
	switch {
	case filepath.Base(git) == ".git":
		return []string{filepath.Join(filepath.Dir(git), rel)}
	case rel != "" || strings.Contains(git, "/.git/"):
		return nil
	}
	return []string{git}
}

// Bytes is the file's content: stable, so that the same approvals are the
// same bytes.
func (s Set) Bytes() []byte {
	slices.Sort(s.ProjectRoots)
	slices.SortFunc(s.Launches, func(a, b Launch) int { return strings.Compare(a.Project, b.Project) })
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		panic(err) // strings and numbers always encode
	}
	return append(b, '\n')
}

// RootsIn says whether roots may be added in the repository with this common
// git directory.
func (s Set) RootsIn(commonDir string) bool { return slices.Contains(s.ProjectRoots, commonDir) }

// Empty says whether nothing is approved.
func (s Set) Empty() bool {
	return len(s.ProjectRoots) == 0 && !s.WholeUser && len(s.Launches) == 0 && len(s.Servers) == 0
}

// Reviewed says whether the user has looked at the MCP server with this digest.
func (s Set) Reviewed(d report.Digest) bool { return slices.Contains(s.Servers, d) }

// WithReviewed returns the set with these MCP servers looked at too.
func (s Set) WithReviewed(servers ...report.Digest) Set {
	s.Servers = append(slices.Clone(s.Servers), servers...)
	slices.Sort(s.Servers)
	s.Servers = slices.Compact(s.Servers)
	return s
}

// Of returns what is approved of a project.
func (s Set) Of(project string) Launch {
	for _, l := range s.Launches {
		if l.Project == project {
			return l
		}
	}
	return Launch{Project: project}
}

// At returns what is approved of the project that has this root.
func (s Set) At(root string) (Launch, bool) {
	i := slices.IndexFunc(s.Launches, func(l Launch) bool { return slices.Contains(l.Roots, root) })
	if i < 0 {
		return Launch{}, false
	}
	return s.Launches[i], true
}

// WithPolicy returns the set with a project's policy approved in place of an
// earlier one: what was replaced must not come back without a word.
func (s Set) WithPolicy(project string, d report.Digest) Set {
	l := s.Of(project)
	l.PolicyDigest = d
	return s.with(l)
}

// WithItem returns the set with an item of a project approved too.
func (s Set) WithItem(project string, d report.Digest) Set {
	l := s.Of(project)
	l.Items = append(without(l.Items, d), d)
	slices.Sort(l.Items)
	return s.with(l)
}

// WithRoot returns the set with a root of a project that something is approved
// of. A directory is the root of one project: what was approved of another
// there is taken off, with its last root.
func (s Set) WithRoot(project, root string) Set {
	l := s.Of(project)
	if root == "" || slices.Contains(l.Roots, root) || !slices.ContainsFunc(s.Launches, func(o Launch) bool {
		return o.Project == project
	}) {
		return s
	}
	l.Roots = append(slices.Clone(l.Roots), root)
	slices.Sort(l.Roots)
	var others []Launch
	for _, o := range s.Launches {
		if rest := slices.DeleteFunc(slices.Clone(o.Roots), func(r string) bool {
			return r == root
		}); len(rest) < len(o.Roots) {
			if o.Roots = rest; len(rest) == 0 {
				continue
			}
		}
		others = append(others, o)
	}
	s.Launches = others
	return s.with(l)
}

func (s Set) with(l Launch) Set {
	s.Launches = append(slices.DeleteFunc(slices.Clone(s.Launches), func(o Launch) bool { return o.Project == l.Project }),
		l)
	return s
}

func without(list []report.Digest, d report.Digest) []report.Digest {
	return slices.DeleteFunc(slices.Clone(list), func(o report.Digest) bool { return o == d })
}
