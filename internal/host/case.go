// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a mount and a rule name a path in one spelling; where a
// directory ignores the case of names, every other spelling is the same file.

package host

import (
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// otherCase is a second spelling of path that leads to the same file, since the
// directory that holds it ignores the case of names; "" if there is none. Only
// what is there is looked at. (ext4(5) casefold; drvfs of WSL, ntfs-3g and other
// file systems of programs do so too.)
func otherCase(r Reader, path string) string {
	name := filepath.Base(path)
	other := filepath.Join(filepath.Dir(path), strings.Map(func(c rune) rune {
		if unicode.IsLower(c) {
			return unicode.ToUpper(c)
		}
		return unicode.ToLower(c)
	}, name))
	if other == path || !There(r, path) || !There(r, other) {
		return ""
	}
	entries, err := r.ReadDir(filepath.Dir(path))
	if err != nil {
		return ""
	}
	// A file of that spelling that is there by itself is another one.
	for _, e := range entries {
		if e.Name() == filepath.Base(other) {
			return ""
		}
	}
	return other
}

// IgnoringCase is the first path that has a second spelling (otherCase) of those
// that a session in start rests on: names in its project, the project, the
// home and the directories on the way to them. It is "" if each has one spelling,
// and on other systems than Linux, where none was measured.
func IgnoringCase(r Reader, start string, names ...string) (path, other string) {
	if r.System().GOOS != "linux" {
		return "", ""
	}
	tree := FindTree(r, start)
	var paths []string
	for _, dir := range []string{start, tree.Root, tree.Main} {
		if dir != "" {
			for _, name := range names {
				paths = append(paths, filepath.Join(dir, name))
			}
		}
	}
	for _, dir := range []string{start, tree.Main, Real(r, r.Places().Home)} {
		for ; dir != "" && dir != "/" && dir != "." && !slices.Contains(paths, dir); dir = filepath.Dir(dir) {
			paths = append(paths, dir)
		}
	}
	for _, path := range paths {
		if other := otherCase(r, path); other != "" {
			return path, other
		}
	}
	return "", ""
}
