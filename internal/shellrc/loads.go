// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a file that is not there yet is read as soon as somebody
// creates it.

package shellrc

import (
	"path/filepath"
	"slices"
)

// Loads lists the files and directories that s reads by their names or places
// alone, whether they are there or not: the rc files, and of fish the files of
// conf.d, functions and completions (fish "Configuration files", "Autoloading
// functions", "Where to put completions").
func (u User) Loads(d Disk, s Shell) []string {
	interactive, login := u.Files(s)
	list := slices.Concat(interactive, login)
	if s == Fish {
		for _, name := range []string{"conf.d", "functions", "completions"} {
			dir := filepath.Join(u.fishDir(), name)
			list = append(append(list, dir), filesIn(d, dir, "*.fish")...)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
