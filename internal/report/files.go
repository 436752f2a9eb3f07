// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is counted and listed are files as a user knows them.

package report

import (
	"strings"
)

// Known are the names by which a user knows paths, one for each: several of git's
// own files of a repository are known as its .git.
func Known(paths []string) []string {
	const git = "/.git/"
	known := func(path string) string {
		if i := strings.Index(path, git); i >= 0 {
			return path[:i+len(git)-1]
		}
		return path
	}
	first := map[string]string{} // by known name
	several := map[string]bool{}
	for _, path := range paths {
		name := known(path)
		if first[name] == "" {
			first[name] = path
		}
		several[name] = several[name] || first[name] != path
	}
	names := make([]string, len(paths))
	for i, path := range paths {
		if names[i] = path; several[known(path)] {
			names[i] = known(path)
		}
	}
	return names
}

// KnownOnce is Known with each name once, in the order of paths.
func KnownOnce(paths []string) (names []string) {
	seen := map[string]bool{}
	for _, name := range Known(paths) {
		if !seen[name] {
			seen[name], names = true, append(names, name)
		}
	}
	return names
}

// Paths are those of changes, in their order.
func Paths(changes []Change) []string {
	paths := make([]string, len(changes))
	for i, c := range changes {
		paths[i] = c.Path
	}
	return paths
}

// Files counts the files that changes are of.
func Files(changes []Change) int { return len(KnownOnce(Paths(changes))) }
