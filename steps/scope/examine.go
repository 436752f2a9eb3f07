// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: git is started only where its answer decides: whether a
// file that would be written is kept out of commits, and where a repository
// says something of hooks itself.

package scope

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/githooks"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/steps/install"
)

// RootState says what becomes of a worktree's root.
type RootState string

// The states. Of a work tree in which the agent is not used it is "no ", and the
// agent's directory.
const (
	Covered RootState = "covered"
	ToWrite RootState = "to be written"
	Refused RootState = "refused"
)

// unused is the state of a work tree in which the agent is not used.
const unused RootState = ""

func (wt Worktree) state() RootState {
	if wt.State == Covered || wt.State == ToWrite || wt.State == Refused {
		return wt.State
	}
	return unused
}

// Worktree is one work tree that was found.
type Worktree struct {
	Path string `json:"path"`
	// Kind is "main", "linked", "submodule" or "bare".
	Kind  string    `json:"kind"`
	State RootState `json:"root"`
	// HooksPath is the core.hooksPath that this work tree sets for itself
	// alone (extensions.worktreeConfig); it counts before the repository's.
	HooksPath *githooks.Setting `json:"hooks_path,omitempty"`
	// Why says why the root is refused, Next the line that helps.
	Why  string `json:"why,omitempty"`
	Next string `json:"next,omitempty"`

	change *report.Change
}

// Repository is one repository that was found.
type Repository struct {
	CommonDir string     `json:"common_dir"`
	Worktrees []Worktree `json:"worktrees"`
	// Hooks are the active hooks in its own directory of hooks.
	Hooks []string `json:"hooks"`
	// HooksPath is the core.hooksPath that it sets itself, which counts
	// before the user's.
	HooksPath *githooks.Setting `json:"hooks_path,omitempty"`
	// Unknown says why git could not be asked about that.
	Unknown string `json:"unknown,omitempty"`
}

// examiners is how many repositories are looked at at once.
const examiners = 4

// examine looks at each work tree and its repository, and tells how many are done.
func examine(ctx context.Context, r host.Reader, trees []host.Tree, o Options) ([]Repository, error) {
	var list []Repository
	at := map[string]int{}
	members := map[string][]host.Tree{}
	for _, t := range trees {
		if _, ok := at[t.Common]; !ok {
			at[t.Common] = len(list)
			list = append(list, Repository{CommonDir: t.Common, Hooks: []string{}, Worktrees: []Worktree{}})
		}
		members[t.Common] = append(members[t.Common], t)
	}
	var all sync.WaitGroup
	next := make(chan int)
	for range examiners {
		all.Go(func() {
			for i := range next {
				repo := &list[i]
				for _, t := range members[repo.CommonDir] {
					repo.Worktrees = append(repo.Worktrees, worktree(ctx, r, t, o))
				}
				hooksOf(ctx, r, repo, members[repo.CommonDir])
			}
		})
	}
	for i := range list {
		if ctx.Err() != nil {
			break
		}
		if i%told == 0 && o.Progress != nil {
			o.Progress(engine.Progress{Text: "checking repositories", Done: i, Of: len(list)})
		}
		next <- i
	}
	close(next)
	all.Wait()
	return list, ctx.Err()
}

func worktree(ctx context.Context, r host.Reader, t host.Tree, o Options) Worktree {
	wt := Worktree{Path: t.Root, Kind: "main", State: RootState("no " + o.dir(r))}
	switch {
	case t.Root == "":
		wt.Path, wt.Kind = t.Common, "bare"
		return wt
	case t.Git != t.Common:
		wt.Kind = "linked"
	case t.Git != filepath.Join(t.Root, ".git") && strings.Contains(t.Git, "/modules/"):
		wt.Kind = "submodule"
	}
	if !host.There(r, filepath.Join(t.Root, o.dir(r))) {
		return wt
	}
	refuse := func(why, next string) Worktree {
		wt.State, wt.Why, wt.Next = Refused, why, next
		return wt
	}
	local := o.local(r)
	if why := install.Plain(r, t.Root, local); why != "" {
		return refuse(why, "make it a plain file or directory of this worktree")
	}
	if install.ContainsHome(r, t.Root) {
		return refuse("it contains your home directory", "")
	}
	if why := o.Agent.Unusable(t.Root); why != "" {
		return refuse(why, "")
	}
	c, needed, err := o.Agent.Root(install.NewDraft(r), t.Root)
	var known *report.Error
	switch {
	case errors.As(err, &known):
		said := known.Error()
		if rest, below := pathname.Below(said, t.Root); below {
			said = rest
		}
		return refuse(said, known.Advice())
	case err != nil:
		return refuse(err.Error(), "")
	case !needed:
		wt.State = Covered
		return wt
	}
	if err := engine.Writable(report.NewPlan([]report.Section{{ID: "roots", Items: []report.Item{c}}})); errors.As(err,
		&known) {
		why := known.What
		if known.Err != nil {
			why += ": " + known.Err.Error()
		}
		return refuse(why, strings.TrimSuffix(known.Advice(), fs.Again))
	}
	kept, why, err := gitrepo.KeptOut(ctx, r, t.Root, local)
	switch {
	case errors.As(err, &known):
		return refuse("git was asked whether it ignores "+local+": "+known.What, known.Advice())
	case err != nil:
		return refuse(err.Error(), "")
	case !kept:
		return refuse(local+": "+why, "add "+local+" to .gitignore")
	}
	wt.State, wt.change = ToWrite, &c
	return wt
}

// saysOfHooks is what a configuration must hold to say anything of hooks, or to
// include a file that does.
var saysOfHooks = regexp.MustCompile(`(?i)hookspath|\[\s*include`)

// hooksOf looks for hooks, and for what the repository and each of trees, its
// work trees, say of core.hooksPath.
func hooksOf(ctx context.Context, r host.Reader, repo *Repository, trees []host.Tree) {
	if active := githooks.Active(r, filepath.Join(repo.CommonDir, "hooks")); active != nil {
		repo.Hooks = active
	}
	says := func(path string) bool {
		b, err := r.Read(path)
		return err == nil && saysOfHooks.Match(b)
	}
	all := says(filepath.Join(repo.CommonDir, "config"))
	for i, t := range trees {
		own := says(filepath.Join(t.Git, "config.worktree"))
		if !own && (!all || i > 0) {
			continue
		}
		h, err := gitrepo.HooksPathAt(ctx, r, cmp.Or(t.Root, t.Common))
		if err != nil {
			repo.Unknown = err.Error()
			return
		}
		for _, set := range githooks.Settings(r, h) {
			switch set.Scope {
			case "local":
				repo.HooksPath = &set
			case "worktree":
				repo.Worktrees[i].HooksPath = &set
			}
		}
	}
}

// hooksPath is the core.hooksPath that counts in the work tree i before the
// user's.
func (repo Repository) hooksPath(i int) *githooks.Setting {
	return cmp.Or(repo.Worktrees[i].HooksPath, repo.HooksPath)
}

// Fate says what whole-user scope does to the hooks of a repository; before is
// the user's own core.hooksPath.
func (repo Repository) Fate(before githooks.Setting) string {
	fate := repo.fate(before)
	for _, wt := range repo.Worktrees {
		if wt.HooksPath == nil || wt.HooksPath.Ours {
			continue
		}
		if fate != "" {
			fate += "; "
		}
		fate += fmt.Sprintf("unchanged in %s: it sets core.hooksPath = %s itself", wt.Path, wt.HooksPath.Value)
	}
	return fate
}

func (repo Repository) fate(before githooks.Setting) string {
	names := strings.Join(repo.Hooks, ", ")
	switch {
	case repo.Unknown != "":
		return "unknown: " + repo.Unknown
	case repo.HooksPath != nil && repo.HooksPath.Ours:
		return "its own core.hooksPath already points to the shared directory"
	case repo.HooksPath != nil:
		return fmt.Sprintf("unchanged: it sets core.hooksPath = %s itself, so its new worktrees are not registered",
			repo.HooksPath.Value)
	case names != "" && before.Value != "":
		return names + ": git does not run them today either, since core.hooksPath is " + before.Value
	case names != "":
		return names + ": still run, started by the shared directory"
	}
	return ""
}

func count(repos []Repository, state RootState) (n int) {
	for _, repo := range repos {
		for _, wt := range repo.Worktrees {
			if wt.state() == state {
				n++
			}
		}
	}
	return n
}

// withHooks are the repositories about whose hooks there is something to say.
func withHooks(repos []Repository) []Repository {
	return slices.DeleteFunc(slices.Clone(repos), func(repo Repository) bool {
		own := slices.ContainsFunc(repo.Worktrees, func(wt Worktree) bool { return wt.HooksPath != nil })
		return len(repo.Hooks) == 0 && repo.HooksPath == nil && !own && repo.Unknown == ""
	})
}
