// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: git in a foreign repository runs nothing of that
// repository: no hooks, no fsmonitor, no locks, no prompts, no pager, no
// network, and no GIT_* variable of ours leads it elsewhere (ARCHITECTURE, law 6).

package proc

import (
	"slices"
	"strings"
	"time"
)

// gitTimeout bounds a local git question. A repository on a disk that hangs
// is reported, not waited for.
const gitTimeout = 10 * time.Second

func git(dir string, args ...string) Spec {
	return Spec{
		name:  "git",
		about: dir,
		args: append([]string{"-C", dir, "--no-pager", "-c", "core.fsmonitor=false",
			"-c", "core.hooksPath=/dev/null"}, args...),
		timeout: gitTimeout,
		extra:   gitEnv,
	}
}

// ours is git in a directory of this program's own, or in none: no project is
// asked about.
func ours(dir string, args ...string) Spec {
	s := git(dir, args...)
	s.about = ""
	return s
}

// reading is s with what it reads from standard input.
func (s Spec) reading(b []byte) Spec {
	s.stdin = b
	return s
}

// slow is s with the time of a call that waits for a server, or writes much.
func (s Spec) slow() Spec {
	s.timeout = syncTimeout
	return s
}

// with is s with these variables, NAME=value, in place of others of their names
// (os/exec takes the last of each).
func (s Spec) with(variables ...string) Spec {
	s.extra = slices.Concat(s.extra, variables)
	return s
}

// No local question needs a transport; a partial clone must not fetch to
// answer one.
var gitEnv = []string{"GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=/bin/false",
	"GIT_ALLOW_PROTOCOL=none"}

// GitLocation asks where dir lies in a work tree: what GitState and GitCommonDir answer
// and the root of the work tree, a line each (git 2.31 or newer, an older one echoes
// the option). A path may hold newlines: only five lines are an answer. It fails
// where dir lies in no work tree.
func GitLocation(dir string) Spec {
	return git(dir, "rev-parse", "--is-bare-repository", "--is-inside-work-tree", "--absolute-git-dir",
		"--path-format=absolute", "--git-common-dir", "--show-toplevel")
}

// GitState asks where dir lies: whether the repository is bare, whether dir
// is inside a work tree, and the git directory (absolute, links resolved).
// Two words and one path, a line each.
func GitState(dir string) Spec {
	return git(dir, "rev-parse", "--is-bare-repository", "--is-inside-work-tree", "--absolute-git-dir")
}

// GitCommonDir asks for the git directory that all worktrees share (absolute,
// links resolved).
func GitCommonDir(dir string) Spec {
	return git(dir, "rev-parse", "--path-format=absolute", "--git-common-dir")
}

// GitTopLevel asks for the root of the work tree that dir lies in.
func GitTopLevel(dir string) Spec { return git(dir, "rev-parse", "--show-toplevel") }

// GitSuperproject asks for the work tree whose submodule dir lies in; an
// empty answer means that there is none.
func GitSuperproject(dir string) Spec {
	return git(dir, "rev-parse", "--show-superproject-working-tree")
}

// GitWorktrees lists the repository's worktrees, NUL-separated
// (git-worktree(1), "PORCELAIN FORMAT"; -z needs git 2.36).
func GitWorktrees(dir string) Spec { return git(dir, "worktree", "list", "--porcelain", "-z") }

// GitIgnored asks which rule decides about a path relative to dir; exit code
// 1 means none. It prints the rule's source, line and pattern and the path,
// each followed by NUL; a pattern that begins with "!" means not ignored.
// The path goes through standard input, as git allows -z only there, and
// after "./", so that no pathspec magic is read into it.
func GitIgnored(dir, rel string) Spec {
	return git(dir, "check-ignore", "-v", "-z", "--no-index", "--stdin").reading([]byte("./" + rel + "\x00"))
}

// GitKeptOut is GitIgnored, but a tracked path is not ignored (git-check-ignore(1),
// --no-index).
func GitKeptOut(dir, rel string) Spec {
	return git(dir, "check-ignore", "-v", "-z", "--stdin").reading([]byte("./" + rel + "\x00"))
}

// GitTracked asks whether a path relative to dir is tracked; exit code 0
// means yes, 1 no. The path is taken literally.
func GitTracked(dir, rel string) Spec {
	return git(dir, "--literal-pathspecs", "ls-files", "--error-unmatch", "-z", "--", rel)
}

// GitInHead lists a path relative to dir if the commit that is checked out has
// it. The path is taken literally.
func GitInHead(dir, rel string) Spec {
	return git(dir, "--literal-pathspecs", "ls-tree", "--name-only", "-z", "HEAD", "--", rel)
}

// GitSparse asks whether dir's worktree has a sparse checkout; exit code 1
// means that nothing is set.
func GitSparse(dir string) Spec {
	return git(dir, "config", "--type=bool", "--get", "core.sparseCheckout")
}

// GitFiles lists the tracked files below dir, NUL-separated.
func GitFiles(dir string) Spec { return git(dir, "ls-files", "-z") }

// GitIndex lists the entries of the index, each a mode, an object and a stage, and behind
// a tab the path from the root, NUL-separated.
func GitIndex(root string) Spec { return git(root, "ls-files", "--stage", "-z") }

// GitHooksPath asks for every core.hooksPath with its scope and origin, each
// followed by NUL, "~/" expanded, the one that counts last; exit code 1 means
// that none is set.
func GitHooksPath(dir string) Spec {
	return asked(dir, "--type=path", "--show-scope", "--show-origin", "-z", "--get-all", "core.hooksPath")
}

// asked is a question to git's configuration in dir, without settings of ours: they
// would be answers, and none of them is for what only reads configuration.
func asked(dir string, args ...string) Spec {
	s := git(dir)
	s.args = append([]string{"-C", dir, "--no-pager", "config"}, args...)
	return s
}

// GitRemotes lists the addresses of the remotes, each as "key\nvalue" and a
// NUL byte; exit code 1 means that there are none.
func GitRemotes(dir string) Spec {
	return git(dir, "config", "-z", "--get-regexp", `^remote\..*\.url$`)
}

// GitSigning asks whether commits are signed in dir, and with what: every value of
// the settings of Signing as "scope", "key\nvalue" (or the key alone, which means
// true), a NUL byte after each, the one that counts last; exit code 1 means that none
// is set.
func GitSigning(dir string) Spec {
	return git(dir, "config", "--show-scope", "-z", "--get-regexp",
		`^(commit\.gpgsign|gpg\.format|user\.signingkey|gpg\.ssh\.program)$`)
}

// GitUserConfig lists the settings of the user's and the machine's own git
// configuration, with what it includes: scope, origin, and "key\nvalue" (or the
// key alone, which means true), each followed by NUL. The settings of a
// repository at the root are among them, with a scope of their own.
func GitUserConfig() Spec { return gitConfig("--show-scope", "--includes") }

// GitConfigFile lists the settings of one file of git configuration in the same
// form.
func GitConfigFile(path string) Spec { return gitConfig("--show-scope", "--includes", "--file", path) }

// GitConfigAlone lists the settings of one file, without what it includes, in the
// same form.
func GitConfigAlone(path string) Spec {
	return gitConfig("--show-scope", "--no-includes", "--file", path)
}

// GitRepoConfig lists the settings that count in a work tree, with what they
// include, in the same form.
func GitRepoConfig(dir string) Spec {
	return asked(dir, "--list", "--show-origin", "-z", "--show-scope", "--includes")
}

func gitConfig(args ...string) Spec {
	s := asked("/", append([]string{"--list", "--show-origin", "-z"}, args...)...)
	s.about = ""
	return s
}

// Signing is how commits are signed (git-config(1)): gpg.format, the key or the file
// that it is in, and the program that signs in the place of ssh-keygen, with the scope
// that names it; "" where nothing is set.
type Signing struct {
	On                          bool
	Format, Key, Program, Scope string
}

// sampleGit writes a repository in a scratch directory, with an identity and a
// branch of its own.
func sampleGit(dir string, args ...string) Spec {
	s := git(dir, args...)
	s.args = append([]string{"-c", "user.name=Sample", "-c", "user.email=sample@example.invalid", "-c",
		"init.defaultBranch=main", "-c", "commit.gpgSign=false"}, s.args...)
	return s
}

// SampleInit makes a repository in dir.
func SampleInit(dir string) Spec { return sampleGit(dir, "init", "--quiet") }

// SampleAdd stages everything in dir.
func SampleAdd(dir string) Spec { return sampleGit(dir, "add", "--all") }

// SampleCommit commits what is staged in dir.
func SampleCommit(dir string) Spec {
	return sampleGit(dir, "commit", "--quiet", "--message", "A sample project")
}

// SampleWorktree adds a linked worktree at path on a new branch.
func SampleWorktree(dir, path, branch string) Spec {
	return sampleGit(dir, "worktree", "add", "--quiet", "-b", branch, path)
}

// GitContents prints the objects with these names: for each a line "id type size"
// with the content and a newline behind it, or "NAME missing". A name with a newline
// would be two.
func GitContents(dir string, names ...string) Spec {
	return git(dir, "cat-file", "--batch").reading([]byte(strings.Join(names, "\n") + "\n"))
}

// GitFilesIn lists the files that a commit has at or below these paths, as
// "mode type id", a tab and the path from its root, NUL-separated.
func GitFilesIn(dir, commit string, paths ...string) Spec {
	return git(dir, append([]string{"--literal-pathspecs", "ls-tree", "-r", "--full-tree", "-z", commit, "--"},
		paths...)...)
}

// footerTimeout bounds what a footer waits for git.
const footerTimeout = 150 * time.Millisecond

// GitStatus asks for branch, distance to its upstream and changed files, in
// git-status(1)'s porcelain format 2. Untracked files and submodules are not
// looked for: the one may be many, the other are repositories of their own.
func GitStatus(dir string) Spec {
	s := git(dir, "--no-optional-locks", "status", "--porcelain=v2", "--branch", "--untracked-files=no",
		"--ignore-submodules=all")
	s.timeout, s.firm = footerTimeout, true
	return s
}

// PullRequestTitle asks gh for the title of the pull request of a branch.
// repo is HOST/OWNER/NAME. Exit code 1 means that there is none.
func PullRequestTitle(repo, branch string) Spec {
	return Spec{name: "gh", args: []string{"pr", "view", "--repo", repo, "--json", "title", "--", branch},
		timeout: 10 * time.Second, extra: []string{"GH_PROMPT_DISABLED=1", "GH_NO_UPDATE_NOTIFIER=1", "NO_COLOR=1"}}
}
