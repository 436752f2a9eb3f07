// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what git-lfs does is tried with a file of the stage's own: the
// project's are not there, and each may be large.

package doctor

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/trial"
)

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
