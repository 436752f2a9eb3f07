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

// Ancestor asks whether commit x is y or lies before it; exit code 1 means
// no.
func (b Bare) Ancestor(x, y string) Spec { return b.git("merge-base", "--is-ancestor", x, y) }

// MergeBase asks for the last commit that x and y share; exit code 1 means
// none.
func (b Bare) MergeBase(x, y string) Spec { return b.git("merge-base", x, y) }

// Merges asks for the last merge that commit to has and from has not; an empty
// answer means that there is none.
func (b Bare) Merges(from, to string) Spec {
	return b.git("rev-list", "--merges", "--max-count=1", to, "^"+from, "--")
}

// Tree asks for the tree of a commit.
func (b Bare) Tree(commit string) Spec {
	return b.git("rev-parse", "--verify", "--quiet", commit+"^{tree}")
}

// EmptyTree writes the tree without files, and asks for its name.
func (b Bare) EmptyTree() Spec {
	return b.git("hash-object", "-w", "-t", "tree", "--stdin").reading([]byte{})
}

// Entries lists what differs between two trees: modes, objects, status and
// path, NUL-separated (git-diff-tree(1), "RAW OUTPUT FORMAT").
func (b Bare) Entries(from, to string) Spec {
	return b.git("diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", from, to)
}

// CommitEntries lists what the commits of a range changed in the same form,
// each against each of its parents, after "commit", name, subject and message.
func (b Bare) CommitEntries(revisions ...string) Spec {
	return b.git(append([]string{"log", "-m", "--root", "-r", "-z", "--raw", "--no-abbrev",
		"--no-renames", "--no-ext-diff",
		"--no-textconv", "--format=%x00commit%x00%H%x00%s%x00%B%x00"}, append(revisions, "--")...)...)
}

// Find asks for one path of a tree: mode, type, object and path, and NUL.
// The path is taken literally.
func (b Bare) Find(tree, rel string) Spec {
	return b.git("--literal-pathspecs", "ls-tree", "-z", "--full-tree", tree, "--", rel)
}

// Blob asks for the bytes of an object; one longer than 64 MiB is an ErrCut.
func (b Bare) Blob(id string) Spec {
	s := b.git("cat-file", "blob", id)
	s.most = maxBlob
	return s
}

// Blobs is Blob for several, in the form of GitContents.
func (b Bare) Blobs(ids ...string) Spec {
	s := b.git("cat-file", "--batch").reading([]byte(strings.Join(ids, "\n") + "\n"))
	s.most = maxBlob
	return s
}

// StoreBlob stores bytes as an object of it.
func (b Bare) StoreBlob(content []byte) Spec {
	return b.git("hash-object", "-w", "-t", "blob", "--stdin").reading(append([]byte{}, content...))
}

// ReadTree makes a tree the index at the path index. That knows no file's time, so
// that its bytes depend on the tree alone.
func (b Bare) ReadTree(index, tree string) Spec {
	return b.git("read-tree", tree).with("GIT_INDEX_FILE=" + index)
}

// SetEntry replaces one file in an index.
func (b Bare) SetEntry(index, mode, id, rel string) Spec {
	return b.git("update-index", "--add", "-z", "--index-info").with("GIT_INDEX_FILE=" + index).
		reading([]byte(mode + " " + id + "\t" + rel + "\x00"))
}

// WriteTree makes a tree of an index.
func (b Bare) WriteTree(index string) Spec {
	return b.git("write-tree").with("GIT_INDEX_FILE=" + index)
}

// CommitTree makes a commit of a tree, by who is named in identity.
func (b Bare) CommitTree(tree, parent, message string, identity Identity) Spec {
	return b.git("commit-tree", "--no-gpg-sign", "-p", parent, "-F", "-", tree).
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

// Scratch checks commit out at the path work.
func (b Bare) Scratch(work, commit string) Spec {
	return b.git(append(slices.Clone(plain), "worktree", "add", "--quiet", "--force", "--detach",
		"--", work, commit)...).slow()
}

// ForgetScratch forgets working directories that are gone.
func (b Bare) ForgetScratch() Spec { return b.git("worktree", "prune", "--expire=now") }

// Rebase puts the commits between base and the one checked out in work onto
// another commit, signed as signing says. It stops at the first conflict. The
// committer's date is the author's, so that the same rebase makes the same
// commits.
func (b Bare) Rebase(work, base, onto string, signing Signing, committer Identity) Spec {
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
		with(alternates(b.Objects)...).with("GIT_EDITOR=/bin/false", "GIT_COMMITTER_NAME="+committer.Name,
		"GIT_COMMITTER_EMAIL="+committer.Email)
}

// Unmerged lists the files in conflict in a working directory,
// NUL-separated.
func (b Bare) Unmerged(work string) Spec {
	return ours(work, "diff", "--name-only", "--diff-filter=U", "-z", "--no-ext-diff").with(alternates(b.Objects)...)
}

// ScratchHead asks for the commit that is checked out in work, and its
// subject, a line each.
func (b Bare) ScratchHead(work string) Spec {
	return ours(work, "log", "-1", "--format=%H%n%P%n%s").with(alternates(b.Objects)...)
}

// Pack packs what a commit needs beyond one that the user's repository has, too ("" for
// none); GitUnpack stores that there.
func (b Bare) Pack(commit, have string) Spec {
	s := b.git("pack-objects", "--quiet", "--revs", "--stdout")
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
// git runs may refuse. ssh is that of asUser.
func withHooks(dir, ssh string, args ...string) Spec {
	s := asUser(git(dir), ssh)
	s.args = append([]string{"-C", dir, "--no-pager", "-c", "core.fsmonitor=false", "--literal-pathspecs"},
		append(slices.Clone(plain), args...)...)
	s.timeout = hooksTimeout
	return s.with("GIT_EDITOR=/bin/false")
}

// GitSyncAdd tells the index of dir that files are to be tracked, and nothing
// of what they hold.
func GitSyncAdd(dir string, files []string) Spec {
	return onFiles(dir, files, "add", "--intent-to-add")
}

// GitSyncCommit commits files and nothing else, whatever is staged.
func GitSyncCommit(dir, message string, files []string) Spec {
	return onFiles(dir, files, "commit", "--quiet", "--only", "--no-status", "-m", message)
}

func onFiles(dir string, files []string, args ...string) Spec {
	return withHooks(dir, "", append(args, "--pathspec-from-file=-", "--pathspec-file-nul")...).
		reading([]byte(strings.Join(files, "\x00") + "\x00"))
}

// GitPushAddress asks where a push to origin goes: an address a line.
func GitPushAddress(dir string) Spec {
	return git(dir, "remote", "get-url", "--push", "--all", "origin")
}

// GitPushOwn asks for the address that origin has for pushes alone; exit code 1
// means that there is none.
func GitPushOwn(dir string) Spec { return git(dir, "config", "--get-all", "remote.origin.pushurl") }

// GitSyncPush pushes the branch that is checked out to a branch of origin.
func GitSyncPush(dir, ssh, branch, to string) Spec {
	return withHooks(dir, ssh, "push", "--porcelain", "--no-follow-tags", "--recurse-submodules=no", "--set-upstream",
		"--receive-pack", "git-receive-pack", "--", "origin", "refs/heads/"+branch+":refs/heads/"+to)
}
