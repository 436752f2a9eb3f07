// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a root is taken out only where a run under whole-user
// scope wrote it; a root that install wrote, or that stands in a repository
// with an approval of its own, stays.

package scope

import (
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
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
		if err := goOn(s, withoutRoot(d, s, o, path, root)); err != nil {
			return err
		}
	}
	return nil
}

// stands says that a run may have written roots under whole-user scope, and
// was not undone; the run that undid one wrote none.
func stands(receipts []engine.Receipt, r engine.Receipt) bool {
	_, undone := engine.UndoneBy(receipts, r.ID)
	return rooted(r) && r.Undoes == "" && !undone
}

// written are the local settings that runs under whole-user scope wrote, each
// once.
func written(receipts []engine.Receipt) []string {
	var paths []string
	for _, r := range receipts {
		if !stands(receipts, r) {
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

// withoutAdded is the file without those of strs, by key, that a run added: what
// was there before every run, the user wrote.
func withoutAdded(o Options, f install.File, strs map[string][]string) ([]byte, error) {
	added := map[string][]string{}
	for _, run := range o.Receipts {
		before, ok := o.Replaced(run, f.Target())
		if !ok || !stands(o.Receipts, run) {
			continue
		}
		doc, err := settings.Accept(f.Path(), before)
		if err != nil {
			continue // nothing is known of what the run added
		}
		for key, values := range strs {
			had := doc.Get(strings.Split(key, ".")...)
			for _, v := range values {
				if !has(had, v) {
					added[key] = append(added[key], v)
				}
			}
		}
	}
	after := f.Bytes()
	for _, key := range []string{claude.KeyAllowRead.String(), claude.KeyAllowWrite.String(), claude.KeyDeny.String()} {
		if added[key] == nil {
			continue
		}
		doc, err := settings.Parse(f.Path(), after)
		if err != nil {
			return nil, err
		}
		if after, err = settings.Without(doc, strings.Split(key, "."), added[key]...); err != nil {
			return nil, err
		}
	}
	return after, nil
}

func withoutRoot(d install.Draft, s *report.Section, o Options, path, root string) error {
	f, err := d.Open(path, root)
	if err != nil || f.Bytes() == nil { // a worktree that is gone, or is another now, has nothing to take out
		return nil //nolint:nilerr // see above
	}
	after, ok := o.Origin(f.Target(), f.Bytes(), rooted)
	if !ok {
		if after, err = withoutAdded(o, f, d.RootStrings(root)); err != nil {
			return err
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
