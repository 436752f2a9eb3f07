// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what git was stopped in the middle of is a list of orders that
// the user's own git takes up, and a sandboxed command writes it.

package gitruns

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/lazy"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
)

// unfinished is a file in the git directory of a work tree that git goes on with:
// goesOn is the user's command that takes it up, ends and look are git's that forget it
// and that show the file, and runs is what a line of it starts, "" if nothing.
type unfinished struct {
	name, goesOn, ends, look string
	runs                     func(line string) string
}

// unfinishedFiles are those by which git starts a program: the list of a rebase,
// and the merge strategy of a rebase, cherry-pick or revert (git 2.39, sequencer.c).
// Its other files name commits, authors and keys.
var unfinishedFiles = []unfinished{
	{"rebase-merge/git-rebase-todo", "git rebase --continue", "rebase --quit", "rebase --edit-todo", todoRuns},
	{"rebase-merge/strategy", "git rebase --continue", "rebase --quit", "", strategyRuns},
	{"sequencer/opts", "git cherry-pick --continue", "cherry-pick --quit", "", func(line string) string {
		if m := strategyOption().FindStringSubmatch(line); m != nil {
			return strategyRuns(m[1])
		}
		return ""
	}},
}

// todoRuns is the command of a line in the list of a rebase.
func todoRuns(line string) string {
	words := strings.Fields(line) // a tab ends the word as well (git 2.39)
	if len(words) == 0 || words[0] != "exec" && words[0] != "x" {
		return ""
	}
	return strings.Join(words[1:], " ")
}

var strategyOption = lazy.Regexp(`(?i)(?:^|\])\s*strategy\s*=(.*)`)

// ownStrategies are git's own merge strategies (git 2.39, builtin/merge.c).
var ownStrategies = []string{"octopus", "ort", "ours", "recursive", "resolve", "subtree"}

// strategyRuns is the program of a merge strategy that is none of git's own: "x" is
// git-merge-x on PATH, and "../x" is x in the directory git-merge-.. of the work
// tree, where commands put it (measured with git 2.39).
func strategyRuns(text string) string {
	name := strings.Trim(strings.TrimSpace(text), `"`)
	if name == "" || slices.Contains(ownStrategies, name) {
		return ""
	}
	return "the merge strategy " + strconv.Quote(name)
}

// rebaseOpenings names the first program that git would start in each work tree
// of the repository when the user goes on: git reads it from its own directory,
// where commands write (measured with 2.1.330 and 2.1.329, git 2.39).
func rebaseOpenings(r host.Reader, t host.Tree) (found []opening.Opening) {
	if t.Git == "" {
		return nil
	}
	for _, file := range unfinishedFiles {
		for _, git := range dirsOf(r, t) {
			found = append(found, file.opening(r, t, git)...)
		}
	}
	return found
}

// dirsOf are the git directories of the work trees of a repository, that of t first.
func dirsOf(r host.Reader, t host.Tree) []string {
	return report.Union([]string{t.Git}, append(t.Linked(r), t.Common)...)
}

// inTree is a line of git's for the work tree that has a git directory: it works wherever
// it is pasted.
func inTree(r host.Reader, t host.Tree, git, words string) string {
	for _, dir := range append([]string{t.Root}, host.Checkouts(r, t)...) {
		if host.FindTree(r, dir).Git == git {
			return "git -C " + scripts.Quote(dir) + " " + words
		}
	}
	return "git " + words
}

// opening looks into one git directory. No symlink is followed: a
// command may have led it to a file that nobody should print.
func (u unfinished) opening(r host.Reader, t host.Tree, git string) []opening.Opening {
	path := filepath.Join(git, u.name)
	info, err := r.Lstat(path)
	if err != nil {
		return nil
	}
	var b []byte
	if info.Mode().IsRegular() {
		b, err = r.ReadIn(git, u.name)
	}
	if err != nil || !info.Mode().IsRegular() {
		return []opening.Opening{{Status: report.Unknown, Group: opening.Unresolved, Where: path, What: path,
			Opens: path + " is a symlink, or could not be read. A command may have left it: " +
				u.goesOn + " follows it, and runs the commands that it finds.", Step: "remove it, unless it is yours"}}
	}
	for i, line := range strings.Split(string(b), "\n") {
		runs := u.runs(line)
		if runs == "" {
			continue
		}
		remedy := report.Command{Why: "forget it; files and commits stay as they are", Line: inTree(r, t, git, u.ends)}
		if u.look != "" {
			remedy = report.Command{Why: "see what is left of the rebase", Line: inTree(r, t, git, u.look)}
		}
		return []opening.Opening{{Status: report.Warn, Where: fmt.Sprintf("%s:%d", path, i+1), What: u.goesOn,
			Opens:  u.goesOn + " runs " + runs + " outside the sandbox, and a command can have written that line.",
			Remedy: remedy}}
	}
	return nil
}

// pickLists are what a rebase or a cherry-pick goes on with, a commit each line (git 2.39,
// sequencer.c).
var pickLists = []kept{{"rebase-merge/git-rebase-todo", "git rebase --continue"},
	{"sequencer/todo", "git cherry-pick --continue"}}

// maxPicks is how many commits of such a list are looked at.
const maxPicks = 100

// picks are the commits of these lists: the first word behind the order and its options.
// longer warns of a list that has more.
func (c checkouts) picks() (list []kept, longer []opening.Opening) {
	if c.tree.Git == "" {
		return nil, nil
	}
	for _, git := range dirsOf(c.r, c.tree) {
		for _, of := range pickLists {
			info, err := c.r.Lstat(filepath.Join(git, of.ref))
			if err != nil || !info.Mode().IsRegular() {
				continue // rebaseOpenings says so
			}
			text, _ := c.r.ReadIn(git, of.ref)
			var picks []kept
			for line := range strings.Lines(string(text)) {
				words := strings.Fields(line)
				if len(words) < 2 || strings.HasPrefix(words[0], "#") {
					continue
				}
				words = slices.DeleteFunc(words[1:], func(word string) bool { return strings.HasPrefix(word, "-") })
				if len(words) > 0 {
					picks = append(picks, kept{words[0], of.step + c.where(git)})
				}
			}
			if len(picks) > maxPicks {
				path := filepath.Join(git, of.ref)
				longer = append(longer, opening.Opening{Status: report.Warn, Plain: true, Group: opening.Unsandboxed, Where: path,
					What: path, Opens: fmt.Sprintf("%s of yours takes more than %d commits, and the rest is not looked at. A command "+
						"can add one. The session that follows may have no sandbox.", of.step+c.where(git), maxPicks),
					Step: "run verify again when it is done"})
			}
			list = append(list, picks[:min(len(picks), maxPicks)]...)
		}
	}
	return list, longer
}

// where says in which work tree a step is taken, "" for this one.
func (c checkouts) where(git string) string {
	switch git {
	case c.tree.Git:
		return ""
	case c.tree.Common:
		return " in the main checkout"
	}
	return " in the worktree " + filepath.Base(git)
}
