// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a footer waits 150 ms for git and no longer.

package proc

import "time"

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
		timeout: 10 * time.Second,
		extra:   []string{"GH_PROMPT_DISABLED=1", "GH_NO_UPDATE_NOTIFIER=1", "NO_COLOR=1"}}
}
