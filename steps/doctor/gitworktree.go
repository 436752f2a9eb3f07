// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: git is tried in every worktree, in a session that starts
// there, and on a copy: no repository of the user's gets a commit.

package doctor

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/sensitive"
	"github.com/steward-setup/steward-setup/internal/trial"
)

// repository is the user's, or the control where there is none that git works in.
func (b *bench) repository(ctx context.Context) (repo *gitrepo.Repo, none control) {
	dir := cmp.Or(b.o.Project, b.r.System().Cwd)
	repo, err := gitrepo.Open(ctx, b.r, dir)
	if errors.Is(err, gitrepo.ErrNone) {
		return nil, absent(gitrepo.NoneHere, report.FileEvidence(dir, "lies in no repository"))
	}
	text := "is a bare repository"
	if err != nil {
		text = err.Error()
		if e, ok := errors.AsType[*report.Error](err); ok && e.Advice() != "" {
			text += "; " + e.Advice()
		}
	} else if repo.Root != "" {
		return repo, control{}
	}
	return nil, absent("git does not work here outside either: "+text, report.FileEvidence(dir, text))
}

func gitOutside(ctx context.Context, b *bench) control {
	repo, none := b.repository(ctx)
	if repo == nil {
		return none
	}
	list, err := repo.Worktrees(ctx)
	if err != nil {
		return absent("git lists no worktrees: "+err.Error(), report.FileEvidence(repo.Root, err.Error()))
	}
	c := control{status: report.Pass, vars: map[string]string{"PROJECT_ROOT": repo.Root}}
	if repo.Superproject != "" {
		c.vars[submoduleGit] = repo.CommonDir
		c.evidence = append(c.evidence, report.FileEvidence(repo.Root, "a submodule of "+repo.Superproject+
			": its git directory is "+repo.CommonDir))
	}
	usable := 0
	for _, w := range list {
		if w.State == gitrepo.Usable {
			usable++
			c.evidence = append(c.evidence, report.FileEvidence(w.Path, "a worktree that git knows"))
		}
	}
	c.summary = report.Things(usable, "worktree") + b.unsigned(ctx)
	return c
}

// submoduleGit is set, to the git directory, where the project is a submodule.
const submoduleGit = "GIT_DIR"

// gitLeft says which worktrees were not tried.
func gitLeft(b *bench, _ control) (string, []report.Evidence) {
	if b.away == nil {
		return "", nil
	}
	tried := 1 + len(b.trees)
	return fmt.Sprintf("%d of %d worktrees tried", tried, tried+len(b.away)), b.away
}

// gitAsks are the calls in each worktree, one after the other, since each
// takes the index' lock. Each is git alone, as an agent calls it: what
// excludedCommands names is a whole line. That it got through is told by words
// that git prints in every language, or by what it made.
func gitAsks(b *bench, c control) []ask {
	if b.inputs.Git == "" {
		return nil
	}
	entry := "git-worktree"
	if c.vars[submoduleGit] != "" {
		entry = "git-submodule"
	}
	var list []ask
	local := always(catalog.Mount, "a local git call needs files alone")
	for i, dir := range append([]string{""}, b.trees...) {
		where := ""
		if dir != "" {
			where = " in " + filepath.Base(dir)
		}
		add := func(turn int, what, line string, r role, through trial.Through) {
			list = append(list, ask{id: fmt.Sprintf("git-%s-%d", what, i), title: "git " + what + where, dir: dir, turn: turn,
				role: r, entry: entry, layer: local, call: bash(line), through: through, outside: gitUnsandboxed})
		}
		root := cmp.Or(dir, b.inputs.Root)
		add(0, "status", "git status --short --branch", needed, trial.Through{Reply: "## "})
		add(1, "add", "git add --force --verbose "+gitAdded, needed, trial.Through{Reply: "add '" + gitAdded + "'"})
		list[len(list)-1].files = []fs.Laid{{Path: filepath.Join(root, gitAdded), Mode: 0o644, Data: []byte("x\n")}}
		// A dry run stops at the same files, and reads none. The name comes
		// last, so that nothing stopped before it; directories are left out
		// since of a long list only the beginning is told.
		add(1, "add-all", "git add --dry-run . ':(exclude,glob)*/**'"+b.canariesIn(root), needed,
			trial.Through{Reply: "add '" + gitLast + "'"})
		list[len(list)-1].files = []fs.Laid{{Path: filepath.Join(root, gitLast), Mode: 0o644, Data: []byte("x\n")}}
		list[len(list)-1].title, list[len(list)-1].entry = "git add ."+where, "git-add"
		add(2, "commit", "git commit -m steward-commit "+gitAdded, needed, trial.Through{Reply: "] steward-commit"})
		for _, a := range gitParts(b, root, i) {
			a.id, a.title, a.dir = fmt.Sprintf("git-%s-%d", a.id, i), a.title+where, dir
			a.layer, a.outside = local, gitUnsandboxed
			if a.entry == "git-worktree" {
				a.entry = entry
			}
			list = append(list, a)
		}
		add(3, "worktree-add", "git worktree add --detach "+gitTree, byDesign,
			trial.Through{File: filepath.Join(root, gitTree, ".git"), Text: "gitdir: "})
	}
	return list
}

// canariesIn leaves out, as pathspecs, the canaries in a directory that stand in
// no place of a file of the user's: they are on the stage alone.
func (b *bench) canariesIn(dir string) (specs string) {
	for _, c := range b.layout.Canaries {
		if filepath.Dir(c.Path) == dir && !host.There(b.r, c.Path) {
			specs += " " + scripts.Quote(":(exclude)"+filepath.Base(c.Path))
		}
	}
	return specs
}

// What the calls make in a worktree on the stage.
const (
	gitAdded = "steward-added.txt"
	gitLast  = "~steward-last.txt"
	gitTree  = "steward-tree"
)

// gitUnsandboxed: hooks and filters are a part of git.
const gitUnsandboxed = "git runs outside the sandbox (%s): hooks and filters of a repository reach all that you can"

// gitParts are the calls in the i-th worktree, at root.
func gitParts(b *bench, root string, i int) (list []ask) {
	ref := fmt.Sprintf("refs/steward/fetched-%d", i)
	list = append(list, ask{id: "fetch", title: "git fetch", turn: 2, call: bash("git fetch --verbose . HEAD:" +
		ref), through: trial.Through{Reply: "-> " + ref}, entry: "git-worktree"})
	if mentions(b, root, ".gitmodules", "[submodule ") {
		list = append(list, ask{id: "submodule", title: "git submodule init", turn: 3, role: byDesign,
			call: bash("git submodule init"), through: trial.Through{Reply: "registered for path"}, entry: "git-config-lock"})
	}
	return append(list, gitLFS(b, root, i)...)
}

// mentions says whether a file of the project holds a text.
func mentions(b *bench, root, name, text string) bool {
	content, err := sensitive.ReadProject(b.r, root, filepath.Join(root, name))
	return err == nil && bytes.Contains(content, []byte(text))
}

// lfsFilter is git with what "git lfs install" writes into the user's
// configuration, which the stage does not have (git-lfs-install(1)).
const lfsFilter = "git -c filter.lfs.required=true -c 'filter.lfs.process=git-lfs filter-process' " +
	"-c 'filter.lfs.clean=git-lfs clean -- %f' -c 'filter.lfs.smudge=git-lfs smudge -- %f'"

const (
	lfsDir  = "steward-lfs"
	lfsFile = lfsDir + "/steward.bin"
)

// lfsTurn is after the commits of all other calls: each takes the index' lock.
const lfsTurn = sshTurn + 2

// gitLFS are the calls in the i-th worktree, at root: a file goes into git-lfs'
// store with a commit, and comes out of it in a clone. None where the project
// has no such file, or git-lfs is not installed.
func gitLFS(b *bench, root string, i int) []ask {
	if _, err := b.r.Look("git-lfs"); err != nil || !mentions(b, root, ".gitattributes", "filter=lfs") {
		return nil
	}
	content := fmt.Sprintf("steward-lfs-%d\n", i)
	sum := sha256.Sum256([]byte(content))
	oid, clone := hex.EncodeToString(sum[:]), fmt.Sprintf("%s-clone-%d", lfsDir, i)
	stored := filepath.Join(host.FindTree(b.r, root).Common, "lfs/objects", oid[:2], oid[2:4], oid)
	id := func(what string) string { return fmt.Sprintf("git-%s-%d", what, i) }
	list := []ask{
		{id: "lfs-add", title: "git add of a file for git-lfs", call: bash(lfsFilter + " add --force " + lfsDir),
			through: trial.Through{File: stored, Text: content},
			files: []fs.Laid{{Path: filepath.Join(root, lfsFile), Mode: 0o644, Data: []byte(content)},
				{Path: filepath.Join(root, lfsDir, ".gitattributes"), Mode: 0o644,
					Data: []byte("*.bin filter=lfs diff=lfs merge=lfs -text\n")}}},
		{id: "lfs-commit", title: "git commit of it", after: id("lfs-add"),
			call: bash(lfsFilter + " commit -m steward-lfs " + lfsDir), through: trial.Through{Reply: "] steward-lfs"}},
		{id: "lfs-clone", title: "git clone of that commit", after: id("lfs-commit"),
			call:    bash(lfsFilter + " clone --no-checkout . " + clone),
			through: trial.Through{File: filepath.Join(root, clone, ".git/HEAD"), Text: ""}},
		{id: "lfs-checkout", title: "git checkout of the file from git-lfs", after: id("lfs-clone"),
			call:    bash(lfsFilter + " -C " + clone + " checkout HEAD -- " + lfsDir),
			through: trial.Through{File: filepath.Join(root, clone, lfsFile), Text: content}},
	}
	for n := range list {
		list[n].turn, list[n].entry = lfsTurn+n, "git-worktree"
	}
	return list
}
