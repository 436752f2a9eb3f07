// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a repository's own configuration is protected from commands,
// and what it includes or starts need not be. The user's git runs that; the
// runtime's own git does not (measured with 2.1.330).

package verify

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
)

// repoOpenings names what of the configuration of the repository commands can
// change: the file itself, where the git directory lies in the project under
// another name, a file that it includes, and a program that it starts. Directories
// of hooks are the scope's to say (scope). The runtime keeps commands from the
// configuration below .git, also from config.worktree (measured with 2.1.329). Git that cannot be asked is said by the
// checks of the policy.
func (g ground) repoOpenings(ctx context.Context, t host.Tree) (found []opening) {
	if t.Root == "" {
		return nil
	}
	list, err := gitrepo.RepoConfig(ctx, g.r, t.Root)
	if err != nil {
		return nil
	}
	warn := func(where, path, does string) {
		if slices.ContainsFunc(found, func(o opening) bool { return o.what == path }) {
			return
		}
		found = append(found, opening{status: report.Warn, where: where, what: path,
			opens: fmt.Sprintf("Commands can change %s, which %s: your own git runs programs that it names, outside the "+
				"sandbox.", path, does),
			remedy: report.DocLink{Title: "keep it outside of what commands may write", Target: where}})
	}
	aliases := gitAliases(list)
	for _, set := range list {
		if slices.Contains(gitDirs, set.Key) {
			continue
		}
		if _, yes := g.writable(set.Origin); yes && !strings.Contains(set.Origin, "/.git/") {
			warn(set.Origin, set.Origin, "is configuration of this repository")
			continue
		}
		where := lineOf(g.r, set)
		if path, yes := set.Includes(g.s.dirs.Home); yes {
			if _, yes := g.writable(path); yes || g.leads(path) {
				warn(where, path, "the configuration of this repository includes")
			}
			continue
		}
		if strings.HasPrefix(set.Key, "alias.") {
			continue // the user's own word
		}
		for _, o := range g.gitProgram(set, where, "the configuration of this repository", aliases) {
			if o.status == report.Fail {
				o.status, o.voids = report.Warn, false
				o.opens = strings.Replace(o.opens, "The runtime's git runs it outside the sandbox when a session starts.",
					"Your own git runs it outside the sandbox.", 1)
				found = append(found, o)
			}
		}
	}
	return found
}
