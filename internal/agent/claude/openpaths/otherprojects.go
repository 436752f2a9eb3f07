// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the runtime keeps commands from the .git and .claude of the
// project that it is started in, and from no others: not from those that lie deep
// below what an entry opens, nor where the entry opens a part of one. Measured with
// 2.1.330 in both launches.

package openpaths

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
)

// otherProject says that an entry opens another project, or a part of one that
// decides what runs outside the sandbox. dir is where the entry leads, up to its
// first wildcard.
func (j *Judge) otherProject(e grants.Entry, dir string, o opening.Opening) (opening.Opening, bool) {
	o.Status, o.Voids = report.Fail, true
	for at := dir; at != filepath.Dir(at) && !pathname.Within(j.realHome, at) && !slices.Contains(j.gits, at); {
		if says := j.runsThere(at); says != "" {
			o.Opens = "Commands can write " + says
			return o, !grants.Under(dir, j.kept)
		}
		at = filepath.Dir(at)
	}
	seen, queue := 0, []string{dir}
	if matches, known := grants.MatchesOf(j.r, e.Real); known {
		queue = matches
	}
	for ; len(queue) > 0; queue = queue[1:] {
		if says := j.runsThere(queue[0]); says != "" && !grants.Under(queue[0], j.kept) {
			o.Opens = "Commands can write " + says
			return o, true
		}
		entries, err := j.r.ReadDir(queue[0])
		if err != nil || grants.Under(queue[0], j.own) {
			continue
		}
		if seen += len(entries); seen > host.MaxEntries {
			o.Status, o.Voids, o.Group = report.Unknown, false, opening.Unresolved
			o.Opens = fmt.Sprintf("Whether another project is there, which commands could write, is unknown: there are more "+
				"than %d files.", host.MaxEntries)
			o.Step = "name the directories that commands write, not one above them"
			return o, true
		}
		for _, entry := range entries {
			if entry.IsDir() || entry.Name() == ".git" || entry.Name() == claude.ServersFile {
				queue = append(queue, filepath.Join(queue[0], entry.Name()))
			}
		}
	}
	return o, false
}

// runsThere says what a file or directory is, if it decides what runs outside the
// sandbox in another project: a git directory, by whatever name, the settings of a
// project, or its MCP servers; "" if it is none.
func (j *Judge) runsThere(at string) string {
	dir := filepath.Dir(at)
	if slices.Contains(j.own, dir) || slices.Contains(j.gits, at) || !host.There(j.r, at) {
		return ""
	}
	has := func(names ...string) bool {
		return !slices.ContainsFunc(names, func(name string) bool { return !host.There(j.r, filepath.Join(at, name)) })
	}
	const hooks = ": its git hooks and configuration run outside the sandbox."
	switch {
	case filepath.Base(at) == ".git":
		return dir + ", another repository" + hooks
	case has("HEAD", "objects", "refs"):
		return at + ", the git directory of another repository" + hooks
	case filepath.Base(at) == claude.Dir && (has(claude.SettingsFile) || has(claude.LocalSettingsFile)):
		return at + ", the settings of another project: its policy is there, and its hooks run outside the sandbox."
	case filepath.Base(at) == claude.ServersFile:
		return at + ": these MCP servers of another project run outside the sandbox."
	}
	return ""
}
