// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a pattern in allowWrite opens at most what it matches when a
// session starts: the sandbox mounts paths that are there. On Linux one with a
// wildcard other than a last "/**" opens nothing (measured with 2.1.329); macOS
// goes by patterns, also for what is made later, and settings are shared.

package verify

import (
	"path/filepath"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
)

// maxMatches bounds what is looked at for one pattern.
const maxMatches = 1000

// matchesOf lists the paths that an entry means and that are there. known is
// false where that was not found out: for "**", in directories that cannot be
// listed, and of too many.
func matchesOf(r host.Reader, pattern string) (list []string, known bool) {
	if strings.Contains(pattern, "**") {
		return nil, false
	}
	list = []string{"/"}
	for name := range strings.SplitSeq(strings.Trim(pattern, "/"), "/") {
		var next []string
		for _, dir := range list {
			if !strings.ContainsAny(name, "*?[") {
				if _, err := r.Lstat(filepath.Join(dir, name)); err == nil {
					next = append(next, filepath.Join(dir, name))
				}
				continue
			}
			if info, err := r.Stat(dir); err != nil || !info.IsDir() {
				continue
			}
			entries, err := r.ReadDir(dir)
			if err != nil {
				return nil, false
			}
			for _, e := range entries {
				if ok, err := filepath.Match(name, e.Name()); ok || err != nil {
					next = append(next, filepath.Join(dir, e.Name()))
				}
			}
		}
		if list = next; len(list) > maxMatches {
			return nil, false
		}
	}
	return list, true
}

// spread puts what patterns match in their place, where the sandbox mounts.
func spread(r host.Reader, entries []entry) []entry {
	if r.System().GOOS != "linux" {
		return entries
	}
	var list []entry
	for _, e := range entries {
		found, known := matchesOf(r, e.real)
		if !known || !strings.ContainsAny(e.real, "*?[") {
			list = append(list, e)
			continue
		}
		for _, path := range found {
			e.real = realPath(r, path)
			list = append(list, e)
		}
	}
	return list
}

// opensNothing says whether nothing is there that an entry means, and no
// command can make it: what is hidden below the home is memory to them, where
// the sandbox mounts.
func (j *pathJudge) opensNothing(e entry) bool {
	if j.r.System().GOOS != "linux" {
		return false
	}
	found, known := matchesOf(j.r, e.real)
	if !known || len(found) > 0 {
		return false
	}
	for dir := filepath.Dir(pathname.BeforeWildcard(e.real)); ; dir = filepath.Dir(dir) {
		if _, err := j.r.Lstat(dir); err == nil || dir == "/" {
			return under(dir, j.hidden) && !under(dir, j.own)
		}
	}
}
