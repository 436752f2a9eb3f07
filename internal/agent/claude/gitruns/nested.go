// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a command makes a repository in a subdirectory, or writes to one
// that is there, and git runs what that configures: of the user who changes to it, of a
// prompt that shows the branch, of an editor that looks for repositories. So does other
// version control, at the root, too.

package gitruns

import (
	"cmp"
	"context"
	"fmt"
	iofs "io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/lazy"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/shell"
)

// How far nested repositories are looked for: directories below the root, directories
// in all, and repositories that are asked; a command can make more of them, so that the
// rest is not known.
const (
	nestedLevels = 2
	maxNestedIn  = 1000
	maxNested    = 100
)

// usualIn are programs that a repository's own configuration has for its user: git-lfs
// and git-crypt write their filters there, and a clone may have its key and its store of
// passwords.
var usualIn = lazy.Regexp(`^("?git-(lfs|crypt)"? .*|true|false|ssh( -i [\w~./-]+| -[46T])*|` +
	`store|cache|libsecret|osxkeychain|manager)$`)

// nestedOpenings names, for each repository below the root, the first program in its
// configuration that git starts by itself, and what else of its git directory git
// follows. A sandboxed command wrote such a configuration in a directory, in a bare
// repository, and for a submodule (2.1.330), which git looks at wherever it lies.
//
// Where the start lies in no repository, it is looked through itself.
func nestedOpenings(ctx context.Context, g grants.Ground, t host.Tree) []opening.Opening {
	start := g.Session.Dirs.Start
	w := nestedWalk{ctx: ctx, g: g, t: t, asked: map[string]bool{t.Git: true, t.Common: true},
		others: otherRepos{g: g, seen: map[string]bool{}}}
	switch {
	case t.Root != "":
		w.indexed(t.Root)
		w.below(t.Root)
		for _, git := range submodules(g.Host, t.Common) {
			w.ask(git, git)
		}
	case !pathname.Within(g.Session.Dirs.Home, start):
		w.t.Root = start
		w.below(start)
	}
	w.others.below(start)
	w.found = append(w.found, w.others.found...)
	if w.rest != "" {
		w.found = append(w.found, opening.Opening{Status: report.Unknown, Where: w.rest, What: w.rest,
			Opens: fmt.Sprintf("There are more than %d repositories below the root that commands can change; what the "+
				"configuration of the others starts is not known, as that of %s.", maxNested, w.rest),
			Step: "remove the repositories that are not yours"})
	}
	return w.found
}

// nestedWalk looks through the repositories below the root of t: asked are the git
// directories that were, and rest is the first repository that was not, since there are
// too many.
type nestedWalk struct {
	ctx    context.Context
	g      grants.Ground
	t      host.Tree
	asked  map[string]bool
	others otherRepos
	found  []opening.Opening
	rest   string
}

// ask judges a repository by its directory and its git directory, "" if it has none, and
// what its index has.
func (w *nestedWalk) ask(dir, git string) {
	if git == "" || w.asked[git] {
		return
	}
	config := nestedConfig(w.g.Host, git)
	if _, yes := w.g.Writable(config); config == "" || !yes {
		return
	}
	if len(w.asked) > maxNested {
		w.rest = cmp.Or(w.rest, dir)
		return
	}
	w.asked[git] = true
	for _, file := range []string{config, filepath.Join(git, "config.worktree")} {
		if info, err := w.g.Host.Stat(file); err == nil && info.Mode().IsRegular() {
			w.found = append(w.found, nestedProgram(w.ctx, w.g, w.t, nested{dir, git, file})...)
		}
	}
	w.found = append(w.found, nestedHook(w.g, filepath.Join(filepath.Dir(config), "hooks", everyIndex))...)
	if !pathname.Within(git, w.t.Common) { // those linkOpenings has named
		w.found = append(w.found, linksIn(w.g.Host, maxLinkDirs, git)...)
	}
	if dir != git {
		w.indexed(dir)
	}
}

// indexed asks the repositories that the index of a work tree has: git status enters them,
// at any depth.
func (w *nestedWalk) indexed(dir string) {
	for _, path := range gitrepo.Gitlinks(w.ctx, w.g.Host, dir) {
		at := filepath.Join(dir, filepath.FromSlash(path))
		if entries, err := w.g.Host.ReadDir(at); err == nil {
			w.ask(at, nestedGit(w.g.Host, at, namesOf(entries)))
		}
	}
}

// below asks the repositories in the directories below the root.
func (w *nestedWalk) below(root string) {
	looked := 0
	for level, dirs := 0, []string{root}; level <= nestedLevels; level++ {
		var next []string
		for _, dir := range dirs {
			entries, err := w.g.Host.ReadDir(dir)
			if looked++; err != nil || looked > maxNestedIn {
				continue
			}
			has := namesOf(entries)
			if level > 0 {
				w.ask(dir, nestedGit(w.g.Host, dir, has))
			}
			w.others.in(dir, has)
			for _, git := range w.others.storesIn(dir, has) {
				w.ask(git, git)
			}
			for _, e := range entries {
				if e.IsDir() && !slices.Contains(iso.Bulky, e.Name()) {
					next = append(next, filepath.Join(dir, e.Name()))
				}
			}
		}
		dirs = next
	}
}

// submodules are the git directories of a repository's submodules, whose names may have
// several parts: also of those that are not checked out yet, which git takes as they are.
func submodules(r host.Reader, common string) (list []string) {
	next := []string{filepath.Join(common, "modules")}
	for looked := 0; len(next) > 0 && looked < maxNestedIn; looked++ {
		dir := next[0]
		next = next[1:]
		entries, err := r.ReadDir(dir)
		if err != nil {
			continue
		}
		if has := namesOf(entries); has["HEAD"] && (has["objects"] || has["commondir"]) {
			list = append(list, dir)
			next = append(next, filepath.Join(dir, "modules"))
			continue
		}
		for _, e := range entries {
			if e.IsDir() {
				next = append(next, filepath.Join(dir, e.Name()))
			}
		}
	}
	return list
}

func namesOf(entries []iofs.DirEntry) map[string]bool {
	has := map[string]bool{}
	for _, e := range entries {
		has[e.Name()] = true
	}
	return has
}

// nestedGit is the git directory that a directory is, or whose work tree it is; "" if
// there is none.
func nestedGit(r host.Reader, dir string, has map[string]bool) string {
	switch {
	case has["HEAD"] && has["objects"] && has["refs"]:
		return dir
	case has[".git"]:
		at := filepath.Join(dir, ".git")
		if b, err := r.Read(at); err == nil {
			to, _ := strings.CutPrefix(strings.TrimSpace(string(b)), "gitdir: ")
			at = pathname.From(dir, to)
		}
		return at
	}
	return ""
}

// nestedConfig is the configuration that git reads for a git directory: that of another
// one where a commondir leads there. "" if there is none.
func nestedConfig(r host.Reader, git string) string {
	if b, err := r.Read(filepath.Join(git, "commondir")); err == nil {
		git = pathname.From(git, strings.TrimSpace(string(b)))
	}
	config := filepath.Join(git, "config")
	if info, err := r.Stat(config); err != nil || !info.Mode().IsRegular() {
		return "" // git waits for a FIFO
	}
	return config
}

// nested is a repository below the root: its directory, its git directory and a
// configuration of it.
type nested struct{ dir, git, config string }

// nestedProgram judges the configuration of one repository, which commands can write
// as a whole: what it starts is named, wherever that lies.
func nestedProgram(ctx context.Context, g grants.Ground, t host.Tree, n nested) []opening.Opening {
	list, err := gitrepo.FileConfig(ctx, g.Host, n.config)
	if err != nil {
		return nil
	}
	for _, set := range list {
		_, transport := gitTransport(set)
		_, includes := set.Includes(g.Session.Dirs.Home)
		starts := shell.GitStarts(set.Key) && gitStartOf(set.Key, "") >= shown && !usualIn().MatchString(set.Value) &&
			(!strings.HasPrefix(set.Key, "submodule.") || strings.HasPrefix(set.Value, "!"))
		does := "runs that in " + n.dir
		if set.Key == "core.worktree" && elsewhere(g, t, pathname.From(n.git, set.Value)) {
			does = "writes files of that repository to " + pathname.From(n.git, set.Value)
		} else if !transport && !includes && !starts && !slices.Contains(gitDirs, set.Key) {
			continue
		}
		where := lineOf(g.Host, set)
		return []opening.Opening{{Status: report.Warn, Where: where, What: set.Key,
			Opens: setsIt(n.config, set.Key, "git", does), Step: unlessYours}}
	}
	return nil
}

// elsewhere says whether git writes to what commands do not, if a directory is the work
// tree of a repository that they made. A step of yours in a submodule, such as git reset
// --hard, wrote to the home (git 2.39).
func elsewhere(g grants.Ground, t host.Tree, dir string) bool {
	dir = grants.RealPath(g.Host, dir)
	if pathname.Within(t.Root, dir) {
		return true
	}
	ofMain := t.Main != "" && pathname.Within(dir, t.Main) && !pathname.Within(dir, t.Common) &&
		!pathname.Within(dir, filepath.Join(t.Main, claude.Dir))
	return !ofMain && !g.Write(dir).Allowed || grants.Under(dir, g.Kept)
}

// everyIndex is the hook that git status starts, also for each submodule: that of your
// prompt, too (git 2.39).
const everyIndex = "post-index-change"

// nestedHook names the hook of a repository below the root that git runs at every
// look at its files.
func nestedHook(g grants.Ground, path string) []opening.Opening {
	if info, err := g.Host.Stat(path); err != nil || info.Mode()&0o111 == 0 {
		return nil
	}
	if _, yes := g.Writable(path); !yes {
		return nil
	}
	return []opening.Opening{{Status: report.Warn, Where: path, What: everyIndex,
		Opens: fmt.Sprintf("Commands can change %s: git status of yours, of your prompt or of an editor runs it, outside "+
			"the sandbox.", path), Step: "remove the hook, unless it is yours"}}
}
