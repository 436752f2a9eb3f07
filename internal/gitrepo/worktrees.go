// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a worktree is usable only if git, asked in its directory,
// names this repository. The list is a record that may be stale or hostile.

package gitrepo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	iofs "io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/report"
)

// State says what can be done with a worktree.
type State string

// The states.
const (
	// Usable: the directory is there and belongs to this repository. It
	// may be locked; a lock only keeps git from pruning it.
	Usable State = "usable"
	// Missing: the directory is gone, and git would prune the record.
	Missing State = "missing"
	// Away: the directory is not there now, but the worktree is locked or
	// its disk does not answer: a mount that is absent.
	Away State = "away"
	// Foreign: something is there that is not this worktree.
	Foreign State = "foreign"
	// BareEntry: the entry is the bare repository itself.
	BareEntry State = "bare"
)

// Worktree is one entry of git worktree list.
type Worktree struct {
	Path string
	// Head is a commit id; Branch a ref ("refs/heads/main"), "" if none is
	// checked out.
	Head, Branch           string
	Bare, Locked, Prunable bool
	// LockReason and PruneReason may be empty, or hold several lines.
	LockReason, PruneReason string
	// State is the judgement, Why its reason where it is not Usable.
	State State
	Why   string
}

// Worktrees lists the repository's worktrees, the main one (or the bare
// repository) first, each with its state. The error is a *report.Error.
func (r *Repo) Worktrees(ctx context.Context) ([]Worktree, error) {
	return r.judged(ctx, func(Worktree) bool { return true })
}

// RootOf is the root of the worktree that dir ("" is the working directory) lies in, or
// dir itself where there is none: where a session would start.
func RootOf(ctx context.Context, r host.Reader, dir string) string {
	dir = cmp.Or(dir, r.System().Cwd)
	if repo, err := Open(ctx, r, dir); err == nil && repo.Root != "" {
		return repo.Root
	}
	return filepath.Clean(host.Resolved(r, dir))
}

// Here is Worktrees with the one at Root alone: of no other is git asked.
func (r *Repo) Here(ctx context.Context) ([]Worktree, error) {
	return r.judged(ctx, func(w Worktree) bool { return w.Path == r.Root })
}

func (r *Repo) judged(ctx context.Context, wanted func(Worktree) bool) ([]Worktree, error) {
	list, err := r.list(ctx)
	list = slices.DeleteFunc(list, func(w Worktree) bool { return !wanted(w) })
	for i := range list {
		if list[i].State, list[i].Why, err = r.judge(ctx, list[i]); err != nil {
			return nil, err
		}
	}
	return list, err
}

// list reads the entries, as seen from the work tree: another user's
// repository is trusted by its work tree's path, and git would refuse it again
// in the common directory. The path of the first one is git's guess from the
// common directory's name, which is wrong for a submodule (git 2.39 prints
// the git directory there).
func (r *Repo) list(ctx context.Context) ([]Worktree, error) {
	res := r.host.Run(ctx, proc.GitWorktrees(cmp.Or(r.Root, r.CommonDir)))
	if res.Err == nil && res.Code == 129 {
		return nil, &report.Error{Code: report.ExitLeft, Where: r.CommonDir, What: "this git cannot list worktrees with -z",
			Why: "without it, a name with a newline would be read as another worktree", Next: newerGit}
	}
	if !res.OK() {
		return nil, failure(ctx, res, cmp.Or(r.Root, r.CommonDir))
	}
	list, err := parseWorktrees(res.Stdout)
	if err != nil {
		return nil, &report.Error{Code: report.ExitLeft, Where: r.CommonDir,
			What: "the list of worktrees cannot be understood", Next: "git worktree list --porcelain", Err: err}
	}
	if first := &list[0]; !first.Bare && first.Path == r.CommonDir {
		first.Path = ""
		if !r.Linked() {
			first.Path = r.Root
		} else if top := r.host.Run(ctx, proc.GitTopLevel(r.CommonDir)); top.OK() {
			first.Path = strings.TrimSuffix(string(top.Stdout), "\n")
		}
	}
	return list, nil
}

func (r *Repo) judge(ctx context.Context, w Worktree) (State, string, error) {
	if w.Bare {
		return BareEntry, "a bare repository has no work tree", nil
	}
	if w.Path == "" {
		return Away, "git does not record where the main work tree is (--separate-git-dir)", nil
	}
	_, err := r.host.Lstat(w.Path)
	switch {
	case errors.Is(err, iofs.ErrNotExist) && w.Locked:
		return Away, "not there, and locked" + because(w.LockReason) + ": is its disk mounted?", nil
	case errors.Is(err, iofs.ErrNotExist):
		return Missing, "the directory is gone" + because(w.PruneReason) + ": git worktree prune forgets it", nil
	case err != nil:
		return Away, "cannot be inspected: " + err.Error(), nil //nolint:nilerr // said as the reason of the state
	case w.Prunable:
		return Foreign, "the directory is there, but is no longer this worktree" + because(w.PruneReason), nil
	}
	s, err := r.locate(ctx, w.Path)
	switch {
	case err != nil && ctx.Err() != nil:
		return "", "", err
	case errors.Is(err, context.DeadlineExceeded):
		return Away, "git did not answer there: does its disk hang?", nil
	case err != nil:
		why := "git does not take it for a work tree: " + err.Error()
		if known := (*report.Error)(nil); errors.As(err, &known) && known.Advice() != "" {
			why += "; " + known.Advice()
		}
		return Foreign, why, nil
	case !s.inside || s.gitDir != r.CommonDir && filepath.Dir(s.gitDir) != filepath.Join(r.CommonDir, "worktrees"):
		return Foreign, "another repository lies there: " + s.gitDir, nil
	}
	return Usable, "", nil
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return " (" + reason + ")"
}

// parseWorktrees reads "git worktree list --porcelain -z": attributes end
// with NUL, entries with one more. Attributes that this program does not know
// are passed over, as git-worktree(1) asks.
func parseWorktrees(b []byte) ([]Worktree, error) {
	text, ok := strings.CutSuffix(string(b), "\x00\x00")
	if !ok {
		return nil, errors.New("the list does not end where an entry ends")
	}
	var list []Worktree
	for i, entry := range strings.Split(text, "\x00\x00") {
		var w Worktree
		for j, attribute := range strings.Split(entry, "\x00") {
			name, value, _ := strings.Cut(attribute, " ")
			if (name == "worktree") != (j == 0) {
				return nil, fmt.Errorf("entry %d does not begin with its worktree, or names two", i+1)
			}
			switch name {
			case "worktree":
				w.Path = value
			case "HEAD":
				w.Head = value
			case "branch":
				w.Branch = value
			case "bare":
				w.Bare = true
			case "locked":
				w.Locked, w.LockReason = true, value
			case "prunable":
				w.Prunable, w.PruneReason = true, value
			}
		}
		if !filepath.IsAbs(w.Path) {
			return nil, fmt.Errorf("entry %d: %q is not an absolute path", i+1, w.Path)
		}
		list = append(list, w)
	}
	return list, nil
}

// Around asks git about dir, or about the working directory.
func Around(ctx context.Context, h host.Reader, dir string) (*Repo, []Worktree, error) {
	dir = cmp.Or(dir, h.System().Cwd)
	repo, err := Open(ctx, h, dir)
	if err != nil {
		return nil, nil, err
	}
	worktrees, err := repo.Worktrees(ctx)
	return repo, worktrees, err
}

// Head is what is checked out: Branch is "" for none, Commit "" for none yet,
// Upstream the branch that it follows ("origin/main"), "" for none. Ahead and Behind
// count commits, where git knows the distance to it (Counted).
type Head struct {
	Branch, Commit, Upstream string
	Ahead, Behind            int
	Counted                  bool
}

// Take reads a header line, without its "# ", of git-status(1)'s porcelain format 2.
func (h *Head) Take(header string) {
	key, value, _ := strings.Cut(header, " ")
	switch key {
	case "branch.oid":
		if value != "(initial)" {
			h.Commit = value
		}
	case "branch.head":
		if value != "(detached)" {
			h.Branch = value
		}
	case "branch.upstream":
		h.Upstream = value
	case "branch.ab":
		n, _ := fmt.Sscanf(value, "+%d -%d", &h.Ahead, &h.Behind)
		h.Counted = n == 2
	}
}

// OwnKeys are the keys in an answer of scopes and settings, each followed by NUL,
// that the repository's own configuration sets.
func OwnKeys(res proc.Result) (keys []string) {
	fields := strings.Split(string(res.Stdout), "\x00")
	for ; len(fields) > 1; fields = fields[2:] {
		if key, _, _ := strings.Cut(fields[1], "\n"); fields[0] == "local" || fields[0] == "worktree" {
			keys = append(keys, key)
		}
	}
	return keys
}
