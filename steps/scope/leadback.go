// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: git is led back before the shared directory is emptied,
// and while any setting still leads git there, every hook in it stays: a
// repository is never without its hooks. A root is taken out only where a run
// under whole-user scope wrote it; a root that install wrote, or that stands
// in a repository with an approval of its own, stays.

package scope

import (
	"context"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/gitconfig"
	"github.com/steward-setup/steward-setup/internal/githooks"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/steps/install"
)

// leadBack takes our lines out of git's configuration; led says that git still
// looks in the shared directory after that.
func leadBack(ctx context.Context, r host.Reader, d install.Draft, s *report.Section, o Options) (led bool, err error) {
	after := map[string][]byte{} // of the files that get changed, by every name
	var edited []report.Evidence
	for _, path := range host.GitConfigs(r) {
		f, err := d.Open(path, "")
		if err != nil {
			if led, err = true, goOn(s, err); err != nil { // what it sets is unknown
				return led, err
			}
			continue
		}
		removal := gitconfig.Remove(f.Bytes, githooks.SharedDir(r.Places()))
		if !removal.Found {
			continue
		}
		d.Write(s, report.ID("scope/hooks-path:"+path), "git looks for hooks where it did before", f, removal.After, 0o644)
		after[path], after[f.Target] = removal.After, removal.After
		if removal.Changed {
			edited = append(edited, report.FileEvidence(path, "core.hooksPath has another value than whole-user scope wrote"))
		}
	}
	all, err := leading(ctx, r, o)
	if err != nil {
		return led, err
	}
	var still []report.Evidence
	for _, set := range all {
		if b, changed := after[set.File]; changed && !slices.ContainsFunc(gitconfig.HooksPaths(b),
			func(l gitconfig.Setting) bool { return l.Raw == set.Raw }) {
			continue
		}
		still = append(still, report.FileEvidence(set.Where(), "core.hooksPath = "+set.Value))
		line := unset(set)
		if set.Raw != "" && !slices.ContainsFunc(s.Items, func(it report.Item) bool { return it == report.Item(line) }) {
			s.Items = append(s.Items, line)
		}
	}
	switch {
	case still != nil:
		s.Note(report.Finding{Check: "scope", Status: report.Warn, Decide: true, Evidence: still,
			Summary: "git still looks for hooks in the shared directory, so its files and the policy stay. Unset " +
				"core.hooksPath, then run per-project again"})
	case edited != nil:
		s.Note(report.Finding{Check: "scope", Status: report.Warn, Decide: true, Evidence: edited,
			Summary: "core.hooksPath was edited by hand and stays"})
	}
	return led || still != nil, nil
}

// unset is the line that takes a setting away, for the user to run. git
// compares the value as it is written in the file.
func unset(set githooks.Setting) report.Command {
	c := report.Command{ID: report.ID("scope/unset:" + set.File),
		Why: "remove the setting: it points to the shared directory, and steward-setup did not write it",
		Line: "git config --file " + scripts.Quote(set.File) + " --fixed-value --unset-all core.hooksPath " +
			scripts.Quote(set.Raw)}
	if set.Scope == "system" {
		c.Privileged, c.Line = true, "sudo "+c.Line
	}
	return c
}

// leading are the settings that lead git to the shared directory: those of the
// user and the machine, those that are included on a condition, and those of
// the repositories that are known by a receipt or by the working directory.
func leading(ctx context.Context, r host.Reader, o Options) ([]githooks.Setting, error) {
	h, err := gitrepo.UserHooksPath(ctx, r)
	if err != nil {
		return nil, err
	}
	all := githooks.Settings(r, h)
	more, err := githooks.Varying(ctx, r, all)
	if err != nil {
		return nil, err
	}
	all = append(all, more...)
	repos, err := examine(ctx, r, known(r, o), o)
	for _, repo := range repos {
		if repo.HooksPath != nil {
			all = append(all, *repo.HooksPath)
		}
	}
	return slices.DeleteFunc(all, func(s githooks.Setting) bool { return !s.Ours }), err
}

// known are the work trees that a run wrote to, and that of the working
// directory.
func known(r host.Reader, o Options) []host.Tree {
	dirs := []string{r.System().Cwd}
	for _, receipt := range o.Runs.Receipts {
		for _, path := range receipt.Paths() {
			if root, ok := strings.CutSuffix(path, "/"+o.local(r)); ok {
				dirs = append(dirs, root)
			}
		}
	}
	slices.Sort(dirs)
	var trees []host.Tree
	for _, dir := range slices.Compact(dirs) {
		t := host.FindTree(r, dir)
		if t.Common != "" && !slices.ContainsFunc(trees, func(known host.Tree) bool { return known.Root == t.Root }) {
			trees = append(trees, t)
		}
	}
	return trees
}

// rooted says that a run may have written roots under whole-user scope.
func rooted(r engine.Receipt) bool { return ours(r) || r.Command == "project-root" }

// withoutRoots takes out the roots that receipts name.
func withoutRoots(r host.Reader, d install.Draft, s *report.Section, o Options) error {
	_, set, err := d.Approvals()
	if err != nil {
		return err
	}
	for _, path := range written(r, o) {
		root := strings.TrimSuffix(path, "/"+o.local(r))
		if set.RootsIn(host.FindTree(r, root).Common) {
			continue
		}
		if err := goOn(s, withoutRoot(d, s, o, path, root)); err != nil {
			return err
		}
	}
	return nil
}

// stands says that a run may have written roots under whole-user scope, and
// was not undone; the run that undid one wrote none.
func (o Options) stands(r engine.Receipt) bool { return rooted(r) && o.Runs.Stands(r) }

// written are the local settings that runs under whole-user scope wrote, each
// once.
func written(r host.Reader, o Options) []string {
	var paths []string
	for _, run := range o.Runs.Receipts {
		if !o.stands(run) {
			continue
		}
		for _, path := range run.Paths() {
			if strings.HasSuffix(path, "/"+o.local(r)) && !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
	}
	slices.Sort(paths)
	return paths
}

func withoutRoot(d install.Draft, s *report.Section, o Options, path, root string) error {
	f, err := d.Open(path, root)
	if err != nil || f.Bytes == nil { // a worktree that is gone, or is another now, has nothing to take out
		return nil //nolint:nilerr // see above
	}
	after, ok := o.Runs.Origin(f.Target, f.Bytes, rooted)
	if !ok { // what was there before every run, the user wrote
		var before [][]byte
		for _, run := range o.Runs.Receipts {
			if b, ok := o.Runs.Replaced(run, f.Target); ok && o.stands(run) {
				before = append(before, b)
			}
		}
		if after, err = o.Agent.WithoutRoot(d, f, root, before); err != nil {
			return err
		}
	}
	if string(after) == string(f.Bytes) && after != nil {
		return nil
	}
	why := "without the root, as it was before whole-user scope"
	if !ok {
		why = "without the root; it has changed since, and the rest stays"
	}
	d.Write(s, report.ID("scope/root:"+root), why, f, after, 0o600)
	return nil
}
