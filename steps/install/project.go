// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a repository that the home lies in is no project: what has to be
// hidden would be the project itself.

package install

import (
	"context"
	"errors"
	iofs "io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
)

// Project is what a plan is for.
type Project struct {
	// Place is where it was looked for. Repo is nil outside a repository; None says why
	// one that is there is not taken for a project.
	Place string
	None  string
	Repo  *gitrepo.Repo
	// Worktrees are all of the repository, or the one at its root alone.
	Worktrees []gitrepo.Worktree
}

// FindProject asks git about place; alone leaves the other worktrees out.
func FindProject(ctx context.Context, r host.Reader, place string, alone bool) (Project, error) {
	p := Project{Place: place}
	repo, err := gitrepo.Open(ctx, r, place)
	if errors.Is(err, gitrepo.ErrNone) {
		return p, nil
	}
	if err != nil {
		return p, err
	}
	if repo.Root != "" && ContainsHome(r, repo.Root) {
		p.None = "the repository at " + repo.Root + " contains your home directory: what has to be hidden would be " +
			"the project itself"
		return p, nil
	}
	p.Repo = repo
	if alone {
		p.Worktrees, err = repo.Here(ctx)
	} else {
		p.Worktrees, err = repo.Worktrees(ctx)
	}
	return p, err
}

// ContainsHome says whether the home directory is root or lies in it.
func ContainsHome(r host.Reader, root string) bool { return pathname.Within(r.Places().Home, root) }

// Outside says why there is no project here.
func (p Project) Outside() string {
	if p.None != "" {
		return p.None
	}
	return p.Place + " is in no worktree of a git repository; cd into the project, or name it with --project"
}

// Facts are those of no project.
func Facts(r host.Reader) report.Facts {
	return report.Facts{Home: r.Places().Home, OS: r.System().GOOS}
}

// Facts are what the screens' header shows of it.
func (p Project) Facts(r host.Reader) report.Facts {
	f := Facts(r)
	if p.Repo == nil {
		return f
	}
	f.Project = p.Repo.Root
	for _, wt := range p.Worktrees {
		if wt.Path == p.Repo.Root {
			f.Branch = strings.TrimPrefix(wt.Branch, "refs/heads/")
		}
	}
	return f
}

// Roots are its worktrees' own directories.
func (p Project) Roots() (roots []string) {
	if p.Repo != nil && p.Repo.Root != "" { // git's list does not name the work tree of a submodule
		roots = append(roots, p.Repo.Root)
	}
	for _, wt := range p.Worktrees {
		roots = append(roots, wt.Path)
	}
	return roots
}

// Plain says why local, a file of a work tree's own in a directory of the agent's, is
// not to be written unasked: nobody has looked at this repository, and a link in it may
// lead to another file of the project's. "" where there is nothing against it; the
// directory is there then.
func Plain(r host.Reader, root, local string) string {
	dir := path.Dir(local)
	for _, rel := range []string{dir, local} {
		switch info, err := r.Lstat(filepath.Join(root, rel)); {
		case errors.Is(err, iofs.ErrNotExist) && rel == dir:
			return "no " + dir + " directory"
		case errors.Is(err, iofs.ErrNotExist):
		case err != nil:
			return rel + " could not be inspected: " + err.Error()
		case info.Mode()&iofs.ModeSymlink != 0:
			return rel + " is a symlink"
		case rel == dir && !info.IsDir():
			return rel + pathname.NotDirectory
		case rel == local && !info.Mode().IsRegular():
			return rel + " is not a regular file"
		case rel == local && host.Names(info) > 1:
			return rel + " has a second hard link"
		}
	}
	return ""
}
