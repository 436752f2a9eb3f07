// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what comes in is fetched and rebased in a repository of
// this program's own, where no hook of the user's runs; the user's repository
// gets commits, an index and a branch, and git writes none of its files. What
// goes out is committed and pushed with the hooks that the user's git runs, and
// without any option that forces or bypasses one
// (docs/adr/0019-what-sync-runs.md).

package proc

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

const (
	// hooksTimeout bounds a commit or a push, whose hooks may test something.
	hooksTimeout = 5 * time.Minute
	// maxBlob bounds one file of the repository, in bytes.
	maxBlob = 64 << 20
	// maxPack bounds what arrives at once.
	maxPack = 512 << 20
)

// plain is what git is always told here: files are what the commit holds, on
// every machine.
var plain = []string{"-c", "core.autocrlf=false", "-c", "core.eol=lf", "-c", "gc.auto=0", "-c",
	"maintenance.auto=false"}

// GitSyncFetchOn fetches a branch of a remote, as the user, into the bare
// repository dir of this program's own, as refs/fetched/head: what the checkout
// with these objects has not.
func GitSyncFetchOn(dir, objects, address, branch string) Spec {
	return asUser(GitFetch(dir, objects, address, "refs/heads/"+branch))
}

// GitAncestor asks whether commit a is b or lies before it; exit code 1 means
// no.
func GitAncestor(dir, objects, a, b string) Spec {
	return ownRepository(dir, objects, "merge-base", "--is-ancestor", a, b)
}

// GitMergeBase asks for the last commit that a and b share; exit code 1 means
// none.
func GitMergeBase(dir, objects, a, b string) Spec {
	return ownRepository(dir, objects, "merge-base", a, b)
}

// GitMerges asks for the last merge that commit to has and from has not; an empty
// answer means that there is none.
func GitMerges(dir, objects, from, to string) Spec {
	return ownRepository(dir, objects, "rev-list", "--merges", "--max-count=1", to, "^"+from, "--")
}

// GitTree asks for the tree of a commit, GitEmptyTree for the one without
// files.
func GitTree(dir, objects, commit string) Spec {
	return ownRepository(dir, objects, "rev-parse", "--verify", "--quiet", commit+"^{tree}")
}

// GitEmptyTree writes the tree without files, and asks for its name.
func GitEmptyTree(dir string) Spec {
	return ownRepository(dir, "", "hash-object", "-w", "-t", "tree", "--stdin").reading([]byte{})
}

// GitEntries lists what differs between two trees: modes, objects, status and
// path, NUL-separated (git-diff-tree(1), "RAW OUTPUT FORMAT").
func GitEntries(dir, objects, from, to string) Spec {
	return ownRepository(dir, objects, "diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", from, to)
}

// GitCommitEntries lists what the commits of a range changed in the same form,
// each against each of its parents, after "commit", name, subject and message.
func GitCommitEntries(dir, objects string, revisions ...string) Spec {
	return ownRepository(dir, objects, append([]string{"log", "-m", "--root", "-r", "-z", "--raw", "--no-abbrev",
		"--no-renames", "--no-ext-diff",
		"--no-textconv", "--format=%x00commit%x00%H%x00%s%x00%B%x00"}, append(revisions, "--")...)...)
}

// GitFind asks for one path of a tree: mode, type, object and path, and NUL.
// The path is taken literally.
func GitFind(dir, objects, tree, rel string) Spec {
	return ownRepository(dir, objects, "--literal-pathspecs", "ls-tree", "-z", "--full-tree", tree, "--", rel)
}

// GitBlob asks for the bytes of an object; one longer than 64 MiB is an ErrCut.
func GitBlob(dir, objects, id string) Spec {
	s := ownRepository(dir, objects, "cat-file", "blob", id)
	s.most = maxBlob
	return s
}

// GitBlobs is GitBlob for several, in the form of GitContents.
func GitBlobs(dir, objects string, ids ...string) Spec {
	s := ownRepository(dir, objects, "cat-file", "--batch").reading([]byte(strings.Join(ids, "\n") + "\n"))
	s.most = maxBlob
	return s
}

// GitStoreBlob stores bytes as an object of the program's own repository.
func GitStoreBlob(dir string, content []byte) Spec {
	return ownRepository(dir, "", "hash-object", "-w", "-t", "blob", "--stdin").reading(append([]byte{}, content...))
}

// GitReadTree makes a tree the index at the path index, GitSetEntry replaces
// one file in it, GitWriteTree makes a tree of it.
func GitReadTree(dir, objects, index, tree string) Spec {
	return ownRepository(dir, objects, "read-tree", tree).with("GIT_INDEX_FILE=" + index)
}

// GitSetEntry replaces one file in an index.
func GitSetEntry(dir, objects, index, mode, id, rel string) Spec {
	return ownRepository(dir, objects, "update-index", "--add", "-z", "--index-info").with("GIT_INDEX_FILE=" + index).
		reading([]byte(mode + " " + id + "\t" + rel + "\x00"))
}

// GitWriteTree makes a tree of an index.
func GitWriteTree(dir, objects, index string) Spec {
	return ownRepository(dir, objects, "write-tree").with("GIT_INDEX_FILE=" + index)
}

// GitCommitTree makes a commit of a tree, by who is named in identity.
func GitCommitTree(dir, objects, tree, parent, message string, identity Identity) Spec {
	return ownRepository(dir, objects, "commit-tree", "--no-gpg-sign", "-p", parent, "-F", "-", tree).
		reading([]byte(message)).with(identity.env()...)
}

// Identity is who commits, as git takes it from the environment.
type Identity struct{ Name, Email string }

func (i Identity) env() []string {
	return []string{"GIT_COMMITTER_NAME=" + i.Name, "GIT_COMMITTER_EMAIL=" + i.Email, "GIT_AUTHOR_NAME=" + i.Name,
		"GIT_AUTHOR_EMAIL=" + i.Email}
}

// GitIdentity asks who commits in dir: "NAME <EMAIL> TIME ZONE".
func GitIdentity(dir string) Spec { return git(dir, "var", "GIT_COMMITTER_IDENT") }

// GitScratch checks commit out at the path work, in a repository of the
// program's own.
func GitScratch(dir, objects, work, commit string) Spec {
	return ownRepository(dir, objects, append(slices.Clone(plain), "worktree", "add", "--quiet", "--force", "--detach",
		"--", work, commit)...).slow()
}

// GitForgetScratch forgets working directories that are gone.
func GitForgetScratch(dir string) Spec {
	return ownRepository(dir, "", "worktree", "prune", "--expire=now")
}

// GitRebase puts the commits between base and the one checked out in work onto
// another commit, signed as signing says. It stops at the first conflict. The
// committer's date is the author's, so that the same rebase makes the same
// commits.
func GitRebase(work, objects, base, onto string, signing Signing, committer Identity) Spec {
	sign := "--no-gpg-sign"
	if signing.On {
		sign = "--gpg-sign"
	}
	args := append(slices.Clone(plain), "-c", "rerere.enabled=false", "-c", "rebase.updateRefs=false")
	if signing.Format != "" {
		args = append(args, "-c", "gpg.format="+signing.Format)
	}
	if signing.Key != "" {
		args = append(args, "-c", "user.signingKey="+signing.Key)
	}
	return ours(work, append(args, "rebase", "--quiet", "--no-autostash", "--no-autosquash", "--no-stat", "--empty=keep",
		"--committer-date-is-author-date", sign, "--onto", onto, base)...).slow().
		with(alternates(objects)...).with("GIT_EDITOR=/bin/false", "GIT_COMMITTER_NAME="+committer.Name,
		"GIT_COMMITTER_EMAIL="+committer.Email)
}

// GitUnmerged lists the files in conflict in a working directory,
// NUL-separated.
func GitUnmerged(work, objects string) Spec {
	return ours(work, "diff", "--name-only", "--diff-filter=U", "-z", "--no-ext-diff").with(alternates(objects)...)
}

// GitScratchHead asks for the commit that is checked out in work, and its
// subject, a line each.
func GitScratchHead(work, objects string) Spec {
	return ours(work, "log", "-1", "--format=%H%n%P%n%s").with(alternates(objects)...)
}

// GitPack packs what a commit of the program's own repository needs beyond one
// that both have ("" for none), GitUnpack stores that in the user's one.
func GitPack(dir, objects, commit, have string) Spec {
	s := ownRepository(dir, objects, "pack-objects", "--quiet", "--revs", "--stdout")
	s.stdin = []byte(commit + "\n")
	if have != "" {
		s.stdin = append(s.stdin, "^"+have+"\n"...)
	}
	s.most, s.timeout = maxPack, syncTimeout
	return s
}

// GitUnpack stores the objects of a pack, each under the name of its content.
func GitUnpack(dir string, pack []byte) Spec {
	return git(dir, "unpack-objects", "-q", "--strict").reading(pack).slow()
}

// GitNoteFetch notes in the user's repository that its remote was asked now, as
// git fetch does.
func GitNoteFetch(dir, ref string) Spec {
	return git(dir, "-c", "gc.auto=0", "-c", "maintenance.auto=false", "fetch", "--quiet", "--no-tags", "--refmap=",
		"--no-recurse-submodules", "--no-auto-maintenance", "--upload-pack", "git-upload-pack", "--", ".",
		ref).with("GIT_ALLOW_PROTOCOL=file")
}

// GitIndexTo makes the index of dir what tree to holds, where it was what tree
// from holds; what else is staged stays. With try nothing is written. objects
// are those of the program's own repository.
func GitIndexTo(dir, objects, from, to string, try bool) Spec {
	args := []string{"read-tree", "-i", "-m"}
	if try {
		args = append(args, "-n")
	}
	return git(dir, append(args, from, to)...).with(alternates(objects)...)
}

// GitMoveBranch makes ref lead to a commit, if it still leads to the one that
// is named ("" for none).
func GitMoveBranch(dir, ref, to, from, why string) Spec {
	from = cmp.Or(from, "0000000000000000000000000000000000000000")
	return git(dir, "update-ref", "--no-deref", "--create-reflog", "-m", why, ref, to, from)
}

// withHooks is git as the user would call it there: the hooks that the user's
// git runs may refuse.
func withHooks(dir string, args ...string) Spec {
	s := asUser(git(dir))
	s.args = append([]string{"-C", dir, "--no-pager", "-c", "core.fsmonitor=false", "--literal-pathspecs"},
		append(slices.Clone(plain), args...)...)
	s.timeout = hooksTimeout
	return s.with("GIT_EDITOR=/bin/false")
}

// GitSyncAdd tells the index of dir that files are to be tracked, and nothing
// of what they hold.
func GitSyncAdd(dir string, files []string) Spec {
	return withHooks(dir, "add", "--intent-to-add", "--pathspec-from-file=-", "--pathspec-file-nul").reading(names(files))
}

// GitSyncCommit commits files and nothing else, whatever is staged.
func GitSyncCommit(dir, message string, files []string) Spec {
	return withHooks(dir, "commit", "--quiet", "--only", "--no-status", "-m", message, "--pathspec-from-file=-",
		"--pathspec-file-nul").reading(names(files))
}

func names(files []string) (b []byte) {
	for _, f := range files {
		b = append(append(b, f...), 0)
	}
	return b
}

// GitPushAddress asks where a push to origin goes: an address a line.
func GitPushAddress(dir string) Spec {
	return git(dir, "remote", "get-url", "--push", "--all", "origin")
}

// GitPushOwn asks for the address that origin has for pushes alone; exit code 1
// means that there is none.
func GitPushOwn(dir string) Spec { return git(dir, "config", "--get-all", "remote.origin.pushurl") }

// GitSyncPush pushes the branch that is checked out to a branch of origin.
func GitSyncPush(dir, branch, to string) Spec {
	return withHooks(dir, "push", "--porcelain", "--no-follow-tags", "--recurse-submodules=no", "--set-upstream",
		"--receive-pack", "git-receive-pack",
		"--", "origin", "refs/heads/"+branch+":refs/heads/"+to)
}
