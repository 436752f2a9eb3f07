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
	c := rootsCheck{r: r}
	if r.System().GOOS == "linux" && len(worktrees) > 1 {
		c.main = repo.Main
	}
	for _, wt := range worktrees {
		switch wt.State {
		case gitrepo.Usable:
			c.worktree(wt.Path)
		case gitrepo.BareEntry:
		default:
			c.seen = append(c.seen, report.FileEvidence(wt.Path, "left out: "+wt.Why))
		}
	}
	if c.usable == 0 {
		c.seen = append(c.seen, report.FileEvidence(repo.CommonDir, "no worktree can be read"))
	}
	return c.finding()
}

// rootsCheck is what was seen of the worktrees of a repository.
type rootsCheck struct {
	r    host.Reader
	seen []report.Evidence
	next []report.Remedy
	// covered and usable are how many have their root, of how many; lacking and
	// dropped are the names of those that have not, and of those whose settings the
	// runtime ignores.
	covered, usable  int
	lacking, dropped []string
	// main is the main checkout, where linked worktrees can write what it opens;
	// writable says that it opens itself. addable says that install adds a root.
	main              string
	writable, addable bool
}

// worktree looks at one worktree, by its root.
func (c *rootsCheck) worktree(root string) {
	c.usable++
	path := filepath.Join(root, claude.LocalFile)
	var doc *settings.Doc
	b, err := sensitive.ReadProject(c.r, root, path)
	if err == nil || errors.Is(err, iofs.ErrNotExist) {
		doc, err = settings.Accept(path, b)
	}
	if err != nil {
		d := session.Dropped(path, err)
		c.dropped = append(c.dropped, filepath.Base(root))
		c.seen, c.next = append(c.seen, d.Evidence...), append(c.next, d.Remedies...)
		return
	}
	if e, ok := covers(c.r, doc, root); ok {
		c.covered++
		c.seen = append(c.seen, e)
	} else {
		c.lacks(root, path)
	}
	if v := doc.Get(claude.KeyAllowWrite...).Element(root); v != nil && root == c.main {
		c.writable = true
		c.next = append(c.next, report.DocLink{Title: "take " + root + " out of allowWrite", Target: doc.Where(v)})
		c.seen = append(c.seen, report.FileEvidence(doc.Where(v), "allowWrite of the main checkout: every linked "+
			"worktree's session can write all of it"))
	}
}

// lacks notes that the local settings at path do not name the root.
func (c *rootsCheck) lacks(root, path string) {
	c.lacking = append(c.lacking, filepath.Base(root))
	c.seen = append(c.seen, report.FileEvidence(path, "allowRead lacks "+root))
	why := settings.Unnamable(root)
	if c.addable = c.addable || why == ""; why != "" {
		c.seen = append(c.seen, report.FileEvidence(root, "cannot be added: "+why))
		c.next = append(c.next, report.DocLink{Title: "rename the directory", Target: root})
	}
}

func (c *rootsCheck) finding() report.Finding {
	f := report.Finding{Status: report.Pass, Evidence: c.seen, Remedies: c.next,
		Summary: report.OfAll(c.covered, c.usable, "worktree has its project root", "worktrees have their project root")}
	if c.lacking != nil {
		f.Status = report.Warn
		f.Summary += ", not " + report.Few(c.lacking)
		if c.usable == 1 {
			f.Summary = "the worktree lacks its project root"
		}
	}
	if c.addable {
		f.Remedies = append(f.Remedies, report.Own("install", report.Command{ID: "project-root", Optional: true,
			Why: "add the missing roots"}))
	}
	if c.writable {
		f.Status = report.Warn
		f.Summary += "; the main checkout is writable from every worktree"
	}
	if c.dropped != nil {
		f.Status = report.Fail
		f.Summary += "; the runtime ignores the local settings of " + report.Few(c.dropped)
	}
	if c.usable == 0 {
		f.Status = report.Skip
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
