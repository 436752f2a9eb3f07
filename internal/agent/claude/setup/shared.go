// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what another step writes outside the sandbox, or into a
// worktree's settings, passes what install's own does.

package setup

import (
	"context"
	"errors"
	iofs "io/fs"
	"path/filepath"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/approval"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/steps/install"
)

// Draft is a plan in the making of Claude Code's files. Another step that writes the
// same files makes the same changes to them.
type Draft struct{ install.Draft }

// NewDraft begins a plan.
func NewDraft(r host.Reader) Draft { return Draft{install.NewDraft(r)} }

// File is one file as the draft sees it.
type File = install.File

// Binary is the program that hooks may call, where no sandboxed command can
// replace it, and the section that copies it there, if it has an ID. A session
// may start in each of trees: what lies in one, or where its settings open, is
// its to write. The error is a *report.Error, also where one of places is so.
func (d Draft) Binary(ctx context.Context, trees []string, places ...string) (path string, s report.Section,
	err error) {
	p := &proposer{r: d.Host, place: d.Host.System().Cwd, draft: d}
	if err := p.findProject(ctx); err != nil {
		return "", s, err
	}
	var bare []gitrepo.Worktree // without settings there is nothing to gather
	for _, root := range trees {
		if _, err := d.Host.Lstat(filepath.Join(root, claude.Dir)); err != nil {
			bare = append(bare, gitrepo.Worktree{Path: root})
		} else {
			p.worktrees = append(p.worktrees, gitrepo.Worktree{Path: root})
		}
	}
	p.gatherWritable()
	p.worktrees = append(p.worktrees, bare...)
	for _, place := range places {
		if why, bad := p.agentWritable(place); bad {
			return "", s, &report.Error{Code: report.ExitLeft, Where: place, What: "is writable by the agent: " + why,
				Why: "its content runs outside the sandbox", Next: "move it, or remove the setting that lets the agent write " +
					"there, then run this again"}
		}
	}
	s, err = p.binary(ctx)
	s.Title = binaryTitle
	if err == nil && p.binaryPath == "" {
		f := s.Findings[0]
		return "", s, &report.Error{Code: report.ExitLeft, Where: f.Evidence[0].Where, What: f.Summary + " (" +
			f.Evidence[0].Text + ")",
			Why:  "a command of the agent could replace what git's hooks run outside the sandbox",
			Next: "remove the setting that lets the agent write there, then run this again"}
	}
	return p.binaryPath, s, err
}

// AddRoot makes the change that names root in its own local settings, as
// project-root does under its default answers.
func (d Draft) AddRoot(root string) (c report.Change, needed bool, err error) {
	return d.addRoot(root, d.writesRoot())
}

// writesRoot says whether commands may write in a root that AddRoot names.
func (d Draft) writesRoot() bool { return d.Host.System().GOOS == "darwin" }

// RootStrings are the values that AddRoot adds, by their key.
func (d Draft) RootStrings(root string) map[string][]string {
	strs := map[string][]string{claude.KeyAllowRead.String(): {root}, claude.KeyDeny.String(): iso.RootRules(root)}
	if d.writesRoot() {
		strs[claude.KeyAllowWrite.String()] = []string{root}
	}
	return strs
}

// UnusableRoot says why a work tree cannot be named as a root: its path could
// not be written, or the home is in it. "" where nothing is against it.
func UnusableRoot(r host.Reader, root string) string {
	if ContainsHome(r, root) {
		return "it contains your home directory"
	}
	return unusablePath(root)
}

// ContainsHome says whether the home directory is root or lies in it.
func ContainsHome(r host.Reader, root string) bool { return pathname.Within(r.Places().Home, root) }

// PlainLocal says why a worktree's local settings are not to be written
// unasked: nobody has looked at this repository, and a link in it may lead to
// another file of the project's. "" where there is nothing against it; there
// is .claude then, a directory.
func PlainLocal(r host.Reader, root string) string {
	switch info, err := r.Lstat(filepath.Join(root, claude.Dir)); {
	case errors.Is(err, iofs.ErrNotExist):
		return "no .claude directory"
	case err != nil:
		return ".claude could not be inspected: " + err.Error()
	case info.Mode()&iofs.ModeSymlink != 0:
		return ".claude is a symlink"
	case !info.IsDir():
		return ".claude is not a directory"
	}
	switch info, err := r.Lstat(filepath.Join(root, filepath.FromSlash(LocalSettings))); {
	case errors.Is(err, iofs.ErrNotExist):
	case err != nil:
		return LocalSettings + " could not be inspected: " + err.Error()
	case info.Mode()&iofs.ModeSymlink != 0:
		return LocalSettings + " is a symlink"
	case !info.Mode().IsRegular():
		return LocalSettings + " is not a regular file"
	case host.Names(info) > 1:
		return LocalSettings + " has a second hard link"
	}
	return ""
}

// plainLocals says whether nothing speaks against writing the worktrees' roots
// unasked.
func (p *proposer) plainLocals() bool {
	for _, wt := range p.worktrees {
		if PlainLocal(p.r, wt.Path) != "" {
			return false
		}
	}
	return true
}

// Document is Open for a settings file: what it holds, too.
func (d Draft) Document(path, within string) (File, *settings.Doc, error) {
	f, err := d.Open(path, within)
	if err != nil {
		return f, nil, err
	}
	doc, err := settings.Check(f.Path, f.Bytes)
	return f, doc, err
}

// Lacking are the edits that add strings to an array which lacks them.
func Lacking(doc *settings.Doc, path []string, values ...string) (edits []settings.Edit) {
	for _, v := range values {
		if doc.Get(path...).Element(v) == nil {
			edits = append(edits, settings.Append(path, settings.String(v)))
		}
	}
	return edits
}

// Approvals are the user's standing approvals, and their file.
func (d Draft) Approvals() (f File, set approval.Set, err error) {
	if f, err = d.Open(approval.Path(d.Host.Places().State), ""); err == nil {
		set, err = approval.Parse(f.Path, f.Bytes)
	}
	return f, set, err
}
