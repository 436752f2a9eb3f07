// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a rebase that is not finished is a list of commands that the
// user's own git runs, and a sandboxed command writes it.

package verify

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
)

// rebaseOpenings names the first command that "git rebase --continue" would run in
// this work tree: git reads it from its own directory, where commands write
// (measured with 2.1.329, git 2.39). Without such a line a rebase runs nothing.
func rebaseOpenings(r host.Reader, t host.Tree) []opening {
	if t.Git == "" {
		return nil
	}
	path := filepath.Join(t.Git, "rebase-merge", "git-rebase-todo")
	b, err := r.Read(path)
	if err != nil {
		return nil
	}
	for i, line := range strings.Split(string(b), "\n") {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if word != "exec" && word != "x" {
			continue
		}
		where := fmt.Sprintf("%s:%d", path, i+1)
		return []opening{{status: report.Warn, where: where, what: "git rebase --continue",
			opens: "git rebase --continue runs " + strings.TrimSpace(rest) +
				" outside the sandbox, and a command can have written that line.",
			remedy: report.Command{Why: "shows what is left of the rebase", Line: "git rebase --edit-todo"}}}
	}
	return nil
}
