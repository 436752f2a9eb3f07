// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a rebase that is not finished is a list of commands that the
// user's own git runs, and a sandboxed command writes it.

package verify

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
)

// rebaseTodo is what is left of a rebase, in the git directory of a work tree.
const rebaseTodo = "rebase-merge/git-rebase-todo"

// rebaseOpenings names the first command that "git rebase --continue" would run
// in each work tree of the repository: git reads it from its own directory, where
// commands write (measured with 2.1.329, git 2.39). Without such a line a rebase
// runs nothing.
func rebaseOpenings(r host.Reader, t host.Tree) (found []opening) {
	if t.Git == "" {
		return nil
	}
	found = rebaseOpening(r, t.Git, "")
	if t.Common != t.Git {
		found = append(found, rebaseOpening(r, t.Common, "")...)
	}
	linked, _ := r.ReadDir(filepath.Join(t.Common, "worktrees"))
	for _, entry := range linked {
		dir := filepath.Join("worktrees", entry.Name())
		if filepath.Join(t.Common, dir) != t.Git {
			found = append(found, rebaseOpening(r, t.Common, dir)...)
		}
	}
	return found
}

// rebaseOpening looks into one git directory, below root. No symlink is followed:
// a command may have led it to a file that nobody should print.
func rebaseOpening(r host.Reader, root, dir string) []opening {
	rel := filepath.Join(dir, rebaseTodo)
	path := filepath.Join(root, rel)
	info, err := r.Lstat(path)
	if err != nil {
		return nil
	}
	var b []byte
	if info.Mode().IsRegular() {
		b, err = r.ReadIn(root, rel)
	}
	if err != nil || !info.Mode().IsRegular() {
		return []opening{{status: report.Unknown, group: openUnresolved, where: path, what: path,
			opens: path + " is a symlink, or could not be read. A command may have left it: " +
				"git rebase --continue follows it, and runs the commands that it finds.",
			remedy: report.DocLink{Title: "remove it, unless it is yours", Target: path}}}
	}
	for i, line := range strings.Split(string(b), "\n") {
		words := strings.Fields(line) // a tab ends the word as well (git 2.39)
		if len(words) == 0 || !slices.Contains([]string{"exec", "x"}, words[0]) {
			continue
		}
		where := fmt.Sprintf("%s:%d", path, i+1)
		return []opening{{status: report.Warn, where: where, what: "git rebase --continue",
			opens: "git rebase --continue runs " + strings.Join(words[1:], " ") +
				" outside the sandbox, and a command can have written that line.",
			remedy: report.Command{Why: "see what is left of the rebase", Line: "git rebase --edit-todo"}}}
	}
	return nil
}
