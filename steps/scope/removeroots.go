// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a root is taken out only where a run under whole-user
// scope wrote it; a root that install wrote, or that stands in a repository
// with an approval of its own, stays.

package scope

import (
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/approval"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/settings"
	"github.com/steward-setup/steward-setup/steps/install"
)

// rooted says that a run may have written roots under whole-user scope.
func rooted(r engine.Receipt) bool { return ours(r) || r.Command == "project-root" }

// withoutRoots takes out the roots that receipts name.
func withoutRoots(r host.Reader, d install.Draft, s *report.Section, o Options) error {
	f, err := d.Open(approval.Path(r.Places().State), "")
	if err != nil {
		return err
	}
	set, err := approval.Parse(approval.Path(r.Places().State), f.Bytes())
	if err != nil {
		return err
	}
	for _, path := range written(o.Receipts) {
		root := strings.TrimSuffix(path, "/"+install.LocalSettings)
		if set.RootsIn(host.FindTree(r, root).Common) {
			continue
		}
		if err := withoutRoot(d, s, o, path, root); err != nil {
			return err
		}
	}
	return nil
}

// written are the local settings that runs under whole-user scope wrote, each
// once.
func written(receipts []engine.Receipt) []string {
	var paths []string
	for _, r := range receipts {
		if !rooted(r) {
			continue
		}
		for _, path := range r.Paths() {
			if strings.HasSuffix(path, "/"+install.LocalSettings) && !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
	}
	slices.Sort(paths)
	return paths
}

func withoutRoot(d install.Draft, s *report.Section, o Options, path, root string) error {
	f, err := d.Open(path, root)
	if err != nil || f.Bytes() == nil { // a worktree that is gone, or is another now, has nothing to take out
		return nil //nolint:nilerr // see above
	}
	after, ok := o.Origin(f.Target(), f.Bytes(), rooted)
	if !ok {
		after = f.Bytes()
		strs := install.RootStrings(root)
		for _, key := range []string{"sandbox.filesystem.allowRead", "sandbox.filesystem.allowWrite", "permissions.deny"} {
			doc, err := settings.Parse(path, after)
			if err != nil {
				return err
			}
			if after, err = settings.Without(doc, strings.Split(key, "."), strs[key]...); err != nil {
				return err
			}
		}
	}
	if string(after) == string(f.Bytes()) && after != nil {
		return nil
	}
	why := "without the root, as it was before whole-user scope"
	if !ok {
		why = "without the root; it has changed since, and the rest stays"
	}
	change(d, s, report.ID("scope/root:"+root), why, f, after, 0o600)
	return nil
}
