// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a path is compared by where it leads, and a pattern by
// what it matches when a session starts.

package grants

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
)

// HoldsPath says whether path may be what a pattern means, or lie below that; both may
// have wildcards: one stands for a part of one name, and two for anything.
func HoldsPath(pattern, path string) bool {
	if strings.Contains(pattern, "**") {
		return pathname.Within(path, pathname.BeforeWildcard(pattern))
	}
	names, parts := strings.Split(path, "/"), strings.Split(strings.TrimSuffix(pattern, "/"), "/")
	if len(names) < len(parts) {
		return false
	}
	may := func(part, name string) bool { ok, err := filepath.Match(part, name); return ok || err != nil }
	for i, part := range parts {
		if strings.Contains(names[i], "**") {
			return true
		}
		if part != names[i] && !may(part, names[i]) && !may(names[i], part) {
			return false
		}
	}
	return true
}

// Under says whether a path is one of some or below one; a pattern among them
// covers nothing for sure.
func Under(p string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool {
		return !strings.ContainsAny(dir, "*?[") && pathname.Within(p, dir)
	})
}

// RealPath is an absolute path with its symlinks resolved, as far as it exists
// and up to its first wildcard.
func RealPath(r host.Reader, p string) string {
	p = filepath.Clean(p)
	dir := pathname.BeforeWildcard(p)
	return filepath.Join(host.Real(r, dir), strings.TrimPrefix(p, strings.TrimSuffix(dir, "/")))
}

// maxMatches bounds what is looked at for one pattern.
const maxMatches = 1000

// MatchesOf lists the paths that an entry means and that are there. known is
// false where that was not found out: for "**", in directories that cannot be
// listed, and of too many.
func MatchesOf(r host.Reader, pattern string) (list []string, known bool) {
	if strings.Contains(pattern, "**") {
		return nil, false
	}
	list = []string{"/"}
	for name := range strings.SplitSeq(strings.Trim(pattern, "/"), "/") {
		var next []string
		for _, dir := range list {
			if !strings.ContainsAny(name, "*?[") {
				if host.There(r, filepath.Join(dir, name)) {
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
