// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a person's git leaves out of a work tree, or writes there so
// that the runtime cannot read it, is no policy. Commands write git's attributes and
// the patterns of a sparse checkout.

package gitruns

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
)

// attributesFile is git's file of attributes, in any directory of a work tree.
const attributesFile = ".gitattributes"

// attributesIn are the directories whose attributes count for the policy.
var attributesIn = []string{"", claude.Dir}

// attributesOf are git's names for the attributes of a directory: those of the commits that the
// policy may come from, and of the index.
func attributesOf(dir string) (names []string) {
	for _, ref := range append(slices.Clone(worktreeBases), "") {
		names = append(names, ref+":"+path.Join(dir, attributesFile))
	}
	return names
}

// checkoutOpenings names what keeps the policy out of a work tree that git makes anew
// ("claude -w"), or writes again (git checkout). It is for a project whose own
// settings alone switch the sandbox on; claude-iso keeps to the approved ones.
// Measured with 2.1.330 and 2.1.324, git 2.39.
func (c checkouts) checkoutOpenings(ctx context.Context, s session.Settings) (found []opening.Opening) {
	policy := filepath.ToSlash(session.PolicyFile)
	if len(c.contents(ctx, "HEAD:"+policy, ":"+policy)) == 0 {
		return nil // git has no policy to leave out
	}
	sparse := s.InForce().List(claude.KeySparsePaths...)
	// git writes what lies beside a directory that it is told, too.
	if len(sparse) > 0 && !slices.ContainsFunc(sparse, func(c settings.Candidate) bool {
		return pathname.Within(path.Join("/", c.Value.Text), "/"+claude.Dir)
	}) {
		found = append(found, leaves(sparse[0].Where(), claude.KeySparsePaths.String(),
			"claude -w makes a work tree without "+claude.Dir+": that session has no sandbox.",
			"add "+claude.Dir+" to the list"))
	}
	if where, out := gitrepo.LeftOut(ctx, c.r, c.tree, policy); out {
		found = append(found, leaves(where, "the sparse checkout", "git leaves "+policy+" out of a new work tree, and "+
			"out of this one at the next git checkout. A command can have written that.", "git sparse-checkout add "+claude.Dir))
	}
	return append(found, c.conversions(ctx, policy)...)
}

// leftOutHere is the warning that the policy of HEAD, which it returns, is not here,
// since git leaves it out of this work tree; nil if that is not so.
func (c checkouts) leftOutHere(ctx context.Context) (o opening.Opening, policy []byte) {
	name := filepath.ToSlash(session.PolicyFile)
	if host.There(c.r, filepath.Join(c.tree.Root, session.PolicyFile)) || c.tree.Root == "" {
		return o, nil
	}
	if policy = c.contents(ctx, "HEAD:"+name)["HEAD:"+name]; policy == nil {
		return o, nil
	}
	where, out := gitrepo.LeftOut(ctx, c.r, c.tree, name)
	if !out {
		return o, nil
	}
	return leaves(where, "the sparse checkout", "git leaves "+name+", which HEAD has, out of this work tree: sessions "+
		"have no policy. A command can have written that.", "git sparse-checkout add "+claude.Dir), policy
}

// conversions names the attributes with which git writes the policy otherwise than it
// is in a commit: those of the commits that it may come from, of the index, of the
// work tree, and those that the repository keeps for itself.
func (c checkouts) conversions(ctx context.Context, policy string) []opening.Opening {
	var files []gitrepo.Attributes
	var places []string
	add := func(text []byte, dir, place string) {
		files, places = append(files, gitrepo.Attributes{Text: text, Dir: dir}), append(places, place)
	}
	if text, err := c.r.ReadIn(c.tree.Common, filepath.Join("info", "attributes")); err == nil {
		add(text, "", filepath.Join(c.tree.Common, "info", "attributes"))
	}
	for _, dir := range attributesIn {
		name := path.Join(dir, attributesFile)
		if text, err := c.r.ReadIn(c.tree.Root, filepath.FromSlash(name)); err == nil {
			add(text, dir, filepath.Join(c.tree.Root, name))
		}
		names := attributesOf(dir)
		known := c.contents(ctx, names...)
		for _, n := range names {
			if known[n] != nil {
				add(known[n], dir, strings.TrimPrefix(n, "refs/remotes/"))
			}
		}
	}
	all := gitrepo.Conversions(files, policy)
	if len(all) == 0 {
		return nil
	}
	by := all[0]
	where, line := places[by.File], by.Attribute
	if filepath.IsAbs(where) {
		where = fmt.Sprintf("%s:%d", where, by.Line)
	} else {
		where, line = filepath.Join(c.tree.Root, session.PolicyFile), fmt.Sprintf("line %d of %s", by.Line, where)
	}
	return []opening.Opening{leaves(where, by.Attribute, "git writes "+policy+" by "+line+
		", and claude drops what it cannot "+
		"read: a session may have no sandbox. A command can have written that.", "leave "+policy+" out of that attribute")}
}

// leaves is the warning that a start has no policy, since git left it out.
func leaves(where, what, opens, step string) opening.Opening {
	return opening.Opening{Status: report.Warn, Plain: true, Group: opening.Unsandboxed, Where: where, What: what,
		Opens: opens, Step: step + ", or use claude-iso"}
}

// originOpenings names what is called origin in a work tree whose repository has no
// remote of that name. A command makes it a symlink to another repository of the
// user's; "claude -w" then fetches that, outside the sandbox, and commands read it
// (measured with 2.1.330 in both launches).
func originOpenings(ctx context.Context, r host.Reader, t host.Tree) []opening.Opening {
	if t.Root == "" {
		return nil
	}
	path := filepath.Join(t.Root, "origin")
	if !host.There(r, path) || gitrepo.HasRemote(ctx, r, t.Root, "origin") {
		return nil
	}
	return []opening.Opening{{Status: report.Warn, Where: path, What: path,
		Opens: "No remote is called origin, so claude -w fetches from " + path +
			", outside the sandbox: a command can make that a symlink to another repository of yours, and read it.",
		Step: "rename it, or add a remote called origin"}}
}
