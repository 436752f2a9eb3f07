// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a root is covered when the worktree's own local settings
// name exactly that worktree; another worktree's root in it is worth a word.

package checks

import (
	"context"
	"errors"
	iofs "io/fs"
	"path/filepath"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/sensitive"
)

// checkRoots asks, for each worktree, whether its root is covered.
func checkRoots(ctx context.Context, r host.Reader, dir string) report.Finding {
	repo, worktrees, err := gitrepo.Around(ctx, r, dir)
	if err != nil {
		return session.NotOpened(dir, err)
	}
	f := report.Finding{Status: report.Pass}
	covered, usable := 0, 0
	var lacking, dropped []string
	writable, missing := false, false // missing: install adds it
	for _, wt := range worktrees {
		if wt.State != gitrepo.Usable {
			if wt.State != gitrepo.BareEntry {
				f.Evidence = append(f.Evidence, report.FileEvidence(wt.Path, "left out: "+wt.Why))
			}
			continue
		}
		usable++
		path := filepath.Join(wt.Path, claude.LocalFile)
		var doc *settings.Doc
		b, err := sensitive.ReadProject(r, wt.Path, path)
		if err == nil || errors.Is(err, iofs.ErrNotExist) {
			doc, err = settings.Accept(path, b)
		}
		if err != nil {
			d := session.Dropped(path, err)
			dropped = append(dropped, filepath.Base(wt.Path))
			f.Evidence, f.Remedies = append(f.Evidence, d.Evidence...), append(f.Remedies, d.Remedies...)
			continue
		}
		if e, ok := covers(r, doc, wt.Path); ok {
			covered++
			f.Evidence = append(f.Evidence, e)
		} else {
			lacking = append(lacking, filepath.Base(wt.Path))
			f.Evidence = append(f.Evidence, report.FileEvidence(path, "allowRead lacks "+wt.Path))
			if why := settings.Unnamable(wt.Path); why != "" {
				f.Evidence = append(f.Evidence, report.FileEvidence(wt.Path, "cannot be added: "+why))
				f.Remedies = append(f.Remedies, report.DocLink{Title: "rename the directory", Target: wt.Path})
			} else {
				missing = true
			}
		}
		if v := doc.Get(claude.KeyAllowWrite...).Element(wt.Path); v != nil && wt.Path == repo.Main &&
			r.System().GOOS == "linux" && len(worktrees) > 1 {
			f.Status, writable = report.Warn, true
			f.Remedies = append(f.Remedies, report.DocLink{Title: "take " + wt.Path + " out of allowWrite",
				Target: doc.Where(v)})
			f.Evidence = append(f.Evidence, report.FileEvidence(doc.Where(v), "allowWrite of the main checkout: every linked "+
				"worktree's session can write all of it"))
		}
	}
	f.Summary = report.OfAll(covered, usable, "worktree has its project root", "worktrees have their project root")
	if lacking != nil {
		f.Status = report.Warn
		f.Summary += ", not " + report.Few(lacking)
		if usable == 1 {
			f.Summary = "the worktree lacks its project root"
		}
	}
	if missing {
		f.Remedies = append(f.Remedies, report.Own("install", report.Command{ID: "project-root", Optional: true,
			Why: "add the missing roots"}))
	}
	if writable {
		f.Summary += "; the main checkout is writable from every worktree"
	}
	if dropped != nil {
		f.Status = report.Fail
		f.Summary += "; the runtime ignores the local settings of " + report.Few(dropped)
	}
	if usable == 0 {
		f.Status = report.Skip
		f.Evidence = append(f.Evidence, report.FileEvidence(repo.CommonDir, "no worktree can be read"))
	}
	return f
}

// covers says where the root of a worktree is named as an absolute path: in
// its own local settings, or in another file that counts in its sessions.
func covers(r host.Reader, own *settings.Doc, root string) (report.Evidence, bool) {
	if v := own.Get(claude.KeyAllowRead...).Element(root); v != nil {
		return report.FileEvidence(own.Where(v), "allowRead names this worktree"), true
	}
	s := session.At(r, root)
	for _, c := range s.InForce().Taken(claude.KeyAllowRead...) {
		absolute := strings.HasPrefix(c.Value.Text, "/") || strings.HasPrefix(c.Value.Text, "~")
		if absolute && s.Dirs.Resolve(c.Value.Text, c.Scope) == root {
			return report.FileEvidence(c.Where(), "allowRead names the worktree "+root+" ("+c.Scope.String()+" scope)"), true
		}
	}
	return report.Evidence{}, false
}
