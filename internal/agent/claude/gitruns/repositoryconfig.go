// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a repository's own configuration is protected from commands,
// and what it includes or starts need not be. The user's git runs that; the
// runtime's own git does not (measured with 2.1.330).

package gitruns

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
)

// repoOpenings names what of the configuration of the repository commands can
// change: the file itself, where the git directory lies in the project under
// another name, a file that it includes, a program that it starts, and a directory of
// hooks. The runtime keeps commands from the
// configuration below .git, also from config.worktree (measured with 2.1.329).
// Where git gives no answer for the whole, each file is asked for by itself.
func repoOpenings(g grants.Ground, ctx context.Context, t host.Tree) (found []opening.Opening, list []gitrepo.Setting) {
	if t.Root == "" {
		return nil, nil
	}
	var unread []string
	list, err := gitrepo.RepoConfig(ctx, g.Host, t.Root)
	if err != nil {
		list, unread = repoFiles(g, ctx, t)
	}
	warn := func(where, path, does string) {
		if slices.ContainsFunc(found, func(o opening.Opening) bool { return o.What == path }) {
			return
		}
		found = append(found, opening.Opening{Status: report.Warn, Where: where, What: path,
			Opens: fmt.Sprintf("Commands can change %s, which %s: your own git runs programs that it names, outside the "+
				"sandbox.", path, does), Step: "keep it outside of what commands may write"})
	}
	aliases := gitAliases(list)
	if hooks := filepath.Join(t.Common, "hooks"); changes(g, hooks) && !changes(g, filepath.Join(t.Common, "config")) {
		warn(hooks, hooks, "holds the hooks of this repository")
	}
	for _, set := range list {
		if changes(g, set.Origin) {
			warn(set.Origin, set.Origin, "is configuration of this repository")
			continue
		}
		where := lineOf(g.Host, set)
		if path, yes := set.Includes(g.Session.Dirs.Home); yes {
			if _, yes := g.Writable(path); !yes && !g.Leads(path) {
				continue
			}
			if slices.Contains(unread, path) {
				found = append(found, opening.Opening{Status: report.Fail, Where: where, What: path,
					Opens: fmt.Sprintf("Commands can change %s, which the configuration of this repository includes, and git "+
						"cannot read it: it answers nothing about this repository.", path),
					Step: "remove the include, or mend the file and move it to where commands may not write"})
			} else {
				warn(where, path, "the configuration of this repository includes")
			}
			continue
		}
		if strings.HasPrefix(set.Key, "alias.") {
			continue // the user's own word
		}
		for _, o := range gitProgram(g, set, where, "the configuration of this repository", aliases) {
			if o.Status == report.Fail {
				o.Status = report.Warn
			}
			found = append(found, o)
		}
	}
	return found, list
}

// changes says whether commands can change a file of a git directory that the runtime
// does not keep: one by another name than .git, and that of a submodule (measured with
// 2.1.330).
func changes(g grants.Ground, path string) bool {
	_, yes := g.Writable(path)
	return yes && (!strings.Contains(path, "/.git/") || strings.Contains(path, "/.git/modules/"))
}

// maxConfigFiles bounds how many files of a repository's configuration are asked
// for one by one.
const maxConfigFiles = 50

// repoFiles lists the settings of a repository's configuration file by file, and
// the files that git cannot read: one include that is malformed and git gives no
// answer at all (git 2.39 exits with 128).
func repoFiles(g grants.Ground, ctx context.Context, t host.Tree) (list []gitrepo.Setting, unread []string) {
	files := []string{filepath.Join(t.Common, "config"), filepath.Join(t.Git, "config.worktree")}
	for i := 0; i < len(files) && i < maxConfigFiles; i++ {
		info, err := g.Host.Stat(files[i])
		if err != nil {
			continue // git goes on without it
		}
		var of []gitrepo.Setting
		if info.Mode().IsRegular() {
			of, err = gitrepo.FileConfig(ctx, g.Host, files[i])
		}
		if err != nil || !info.Mode().IsRegular() {
			unread = append(unread, files[i])
		}
		for _, set := range of {
			if path, yes := set.Includes(g.Session.Dirs.Home); yes && !slices.Contains(files, path) {
				files = append(files, path)
			}
		}
		list = append(list, of...)
	}
	return list, unread
}
