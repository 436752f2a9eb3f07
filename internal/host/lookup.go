// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a program is looked for as the runtime looks for it,
// whoever put it there. Which of them the project could have put there is
// asked of what was found.

package host

import (
	"path/filepath"
	"strings"
)

// Entries lists the directories of a PATH in their order, as a process in
// start knows them: one that is empty or relative is taken from there.
func Entries(path, start string) []string {
	var list []string
	for dir := range strings.SplitSeq(path, ":") {
		if !filepath.IsAbs(dir) {
			dir = start + "/" + dir
		}
		list = append(list, dir)
	}
	return list
}

// Program says whether the file at path can be started.
func Program(r Reader, path string) bool {
	info, err := r.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// LookUp finds a program as the runtime does: the first on path, also below a
// relative entry, in a process that starts in start. It is "" if there is
// none.
func LookUp(r Reader, path, start, name string) string {
	for _, dir := range Entries(path, start) {
		if at := filepath.Join(dir, name); Program(r, at) {
			return at
		}
	}
	return ""
}
