// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: git fetches into a bare repository of this program's own
// and into no other, by the address alone. The configuration of the checkout
// that the address is from names no program, proxy or helper for it; the
// checkout's objects are read and nothing of it is written (ARCHITECTURE, laws 4
// and 6).

package proc

import (
	"strings"
)

// Bare is a bare repository of this program's own at Dir, a directory of the cache. It
// reads the objects of a checkout in Objects too, if that is not "". What its
// configuration could name was written by this program; hooks and templates there are
// none.
type Bare struct{ Dir, Objects string }

func (b Bare) git(args ...string) Spec {
	return ours(b.Dir, args...).with("GIT_DIR=" + b.Dir).with(alternates(b.Objects)...)
}

// alternates lets git read the objects in a directory, too.
func alternates(objects string) []string {
	if objects == "" {
		return nil
	}
	quoted := strings.NewReplacer(`\`, `\\`, `"`,
		`\"`).Replace(objects) // git(1): a list, whose elements may be quoted as in C
	return []string{`GIT_ALTERNATE_OBJECT_DIRECTORIES="` + quoted + `"`}
}

// Init makes it, empty.
func (b Bare) Init() Spec { return ours("/", "init", "--quiet", "--bare", "--template=", "--", b.Dir) }

// Fetch fetches what a remote names ref, as refs/fetched/head. Only https, ssh and
// the local file system are spoken to, nothing prompts, and what the remote runs is
// git's own program of that name.
func (b Bare) Fetch(address, ref string) Spec {
	return b.git("-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "fetch.fsckObjects=true",
		"fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance",
		"--upload-pack", "git-upload-pack", "--", address, "+"+ref+":refs/fetched/head").
		slow().with(transports, ownSSH)
}

// Fetched asks for the commit that was fetched last; exit code 1 means none.
func (b Bare) Fetched() Spec {
	return b.git("rev-parse", "--verify", "--quiet", "refs/fetched/head^{commit}")
}

// Apart counts the commits that x has and y has not, and the reverse.
func (b Bare) Apart(x, y string) Spec { return b.git("rev-list", "--left-right", "--count", x+"..."+y) }

// Changed lists the files that differ between two commits below paths,
// NUL-separated.
func (b Bare) Changed(from, to string, paths ...string) Spec {
	return b.git(append([]string{"diff-tree", "-r", "-z", "--name-only", "--no-renames",
		"--no-ext-diff", "--no-textconv", from, to, "--"}, paths...)...)
}

// GitHead asks for the commit that dir has checked out, and GitObjects for the
// directory of its objects (absolute).
func GitHead(dir string) Spec { return git(dir, "rev-parse", "--verify", "--quiet", "HEAD^{commit}") }

// GitObjects asks for the object directory of dir's repository (absolute).
func GitObjects(dir string) Spec {
	return git(dir, "rev-parse", "--path-format=absolute", "--git-path", "objects")
}

// GitBranch asks for the branch that is checked out, by its whole name; exit
// code 1 means none.
func GitBranch(dir string) Spec { return git(dir, "symbolic-ref", "--quiet", "HEAD") }

// GitDefault asks which branch of the remote origin is its default one, as
// the checkout knows it; exit code 1 means that it does not.
func GitDefault(dir string) Spec {
	return git(dir, "symbolic-ref", "--quiet", "refs/remotes/origin/HEAD")
}

// GitOrigin asks for the address of the remote origin, with no rewriting of it;
// exit code 1 means that there is none.
func GitOrigin(dir string) Spec { return git(dir, "config", "--get", "remote.origin.url") }

// GitDirty lists what differs from the commit that is checked out, tracked
// files and others, NUL-separated; submodules are not looked into.
func GitDirty(dir string) Spec {
	return git(dir, "--no-optional-locks", "status", "--porcelain=v1", "-z", "--ignore-submodules=all")
}

// GitFilters lists the filter programs that the configuration names, each with
// its scope, as "scope", "key\nvalue", NUL after each; exit code 1 means none.
// git status would start those of a repository.
func GitFilters(dir string) Spec {
	return git(dir, "config", "--show-scope", "-z", "--get-regexp", `^filter\..*\.(clean|process)$`)
}

// GitTracking asks for the commit of a branch of origin as the checkout last
// fetched it; exit code 1 means none.
func GitTracking(dir, branch string) Spec {
	return git(dir, "rev-parse", "--verify", "--quiet", "refs/remotes/origin/"+branch+"^{commit}")
}
