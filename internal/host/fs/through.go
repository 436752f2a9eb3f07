// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: who decides what a path is: whoever may write in a
// directory on the way to it, or change a link on that way.

package fs

import (
	"os"
	"path/filepath"
	"strings"
)

// maxLinks is how many links the kernel follows in one path
// (path_resolution(7)).
const maxLinks = 40

// Through says whether the way to path leads through one of dirs: whether path
// lies in it, or a link does that is followed on the way. All are absolute,
// dirs with links resolved; path need not exist. A way of too many links leads
// anywhere.
func Through(path string, dirs []string) bool {
	at, rest, links := "/", strings.Split(path, "/"), 0
	for len(rest) > 0 {
		name := rest[0]
		rest = rest[1:]
		at = filepath.Join(at, name) // "", "." and "..", too
		for _, dir := range dirs {
			if rel, err := filepath.Rel(dir, at); err == nil && filepath.IsLocal(rel) {
				return true
			}
		}
		to, err := os.Readlink(at)
		if err != nil {
			continue
		}
		if links++; links > maxLinks {
			return true
		}
		at = filepath.Dir(at)
		if filepath.IsAbs(to) {
			at = "/"
		}
		rest = append(strings.Split(to, "/"), rest...)
	}
	return false
}
