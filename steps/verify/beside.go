// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: an entry that leads out of the project to the directories
// around it is named, however it is written; one by which commands write
// another repository is a failure.

package verify

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
)

// leavesProject judges an entry that opens a directory around the project, or
// another repository. Measured with 2.1.329: "../" in additionalDirectories lets
// a sandboxed command write the repository beside the project; only the
// project's own .git and .claude are kept from commands.
func (j *pathJudge) leavesProject(e entry, o opening) (opening, bool) {
	dir := pathname.BeforeWildcard(e.real)
	if under(dir, j.own) || pathname.Within(dir, filepath.Join(j.realHome, claude.Dir)) {
		return o, false
	}
	around := slices.ContainsFunc(j.own, func(own string) bool { return pathname.Within(own, dir) })
	upwards := isRelative(e.text) && strings.HasPrefix(filepath.Clean(e.text), "..") || strings.Contains(e.text, "(../")
	repository := j.repositoryIn(e, dir)
	switch {
	case e.key == allowReadKey && (around || upwards):
		o.status, o.opens = report.Warn, "Commands can read "+e.real+notOfProject
	case e.key == allowReadKey:
		return o, false
	case repository != "" && !under(repository, j.kept):
		o.status, o.voids = report.Fail, true
		o.opens = "Commands can write " + repository + ", another repository: its git hooks and configuration run outside " +
			"the sandbox."
	case around, upwards:
		o.status, o.opens = report.Warn, "Commands can write "+e.real+notOfProject
	default:
		return o, false
	}
	return o, true
}

// repositoryIn is a repository that a directory is, or holds as one of its
// entries, that is not the project's, and whose git directory the entry opens;
// "" if there is none.
func (j *pathJudge) repositoryIn(e entry, dir string) string {
	candidates := []string{dir}
	if entries, err := j.r.ReadDir(dir); err == nil {
		for _, entry := range entries {
			candidates = append(candidates, filepath.Join(dir, entry.Name()))
		}
	}
	i := slices.IndexFunc(candidates, func(path string) bool {
		_, err := j.r.Lstat(filepath.Join(path, ".git"))
		return err == nil && !slices.Contains(j.own, path) && holdsPath(e.real, filepath.Join(path, ".git"))
	})
	if i < 0 {
		return ""
	}
	return candidates[i]
}
