// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: who decides what a path is: whoever may write in a
// directory on the way to it, or change a link on that way.

package fs

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host/pathname"
)

// maxLinks is how many links the kernel follows in one path
// (path_resolution(7)).
const maxLinks = 40

// Through says whether the way to path leads through one of dirs: whether path
// lies in it, or a link does that is followed on the way. All are absolute,
// dirs with links resolved; path need not exist. A way of too many links leads
// anywhere.
func Through(path string, dirs []string) bool { return ThroughBy(os.Readlink, path, dirs) }

// ThroughBy is Through where links are read by readlink.
func ThroughBy(readlink func(string) (string, error), path string, dirs []string) bool {
	through := false
	whole := follow(readlink, path, func(at string, _ bool) bool {
		for _, dir := range dirs {
			through = through || pathname.Within(at, dir)
		}
		return !through
	})
	return through || !whole
}

// Links lists the links that are followed on the way to path, path itself
// among them, each in the directory that it really lies in. path is absolute
// and need not exist.
func Links(path string) []string { return LinksBy(os.Readlink, path) }

// LinksBy is Links where links are read by readlink.
func LinksBy(readlink func(string) (string, error), path string) []string {
	var links []string
	follow(readlink, path, func(at string, link bool) bool {
		if link {
			links = append(links, at)
		}
		return true
	})
	return links
}

// follow goes the way to path as the kernel does, and calls step with each
// part of it until that says no. whole says that there were not too many
// links.
func follow(readlink func(string) (string, error), path string, step func(at string, link bool) bool) (whole bool) {
	at, rest, links := "/", strings.Split(path, "/"), 0
	for len(rest) > 0 {
		name := rest[0]
		rest = rest[1:]
		at = filepath.Join(at, name) // "", "." and "..", too
		to, err := readlink(at)
		if !step(at, err == nil) {
			return true
		}
		if err != nil {
			continue
		}
		if links++; links > maxLinks {
			return false
		}
		at = filepath.Dir(at)
		if filepath.IsAbs(to) {
			at = "/"
		}
		rest = append(strings.Split(to, "/"), rest...)
	}
	return true
}
