// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: gh is asked from outside the repository, about a
// repository and a branch that it is told, so that nothing of a foreign
// repository's configuration is read; what it may ask of the network is its
// user's own.

package proc

import "time"

// PullRequestTitle asks gh for the title of the pull request of a branch.
// repo is HOST/OWNER/NAME. Exit code 1 means that there is none.
func PullRequestTitle(repo, branch string) Spec {
	return Spec{name: "gh", args: []string{"pr", "view", "--repo", repo, "--json", "title", "--", branch},
		timeout: 10 * time.Second,
		extra:   []string{"GH_PROMPT_DISABLED=1", "GH_NO_UPDATE_NOTIFIER=1", "NO_COLOR=1"}}
}
