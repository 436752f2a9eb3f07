// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: who decides what a path is: whoever may write in a
// directory on the way to it, or change a link on that way.

package fs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host/pathname"
)

// maxLinks is how many links the kernel follows in one path
// (path_resolution(7)).
const maxLinks = 40

// Way is the way to a path as the kernel goes it: each part of it, where it really
// lies.
type Way struct {
	// At is each part, and Links those that are links.
	At, Links []string
	// Endless says that there were too many links, and the rest is unknown.
	Endless bool
}

// WayTo is the way to path, which is absolute and need not exist.
func WayTo(path string) Way { return WayBy(os.Readlink, path) }

// WayBy is WayTo where links are read by readlink.
func WayBy(readlink func(string) (string, error), path string) (w Way) {
	at, rest := "/", strings.Split(path, "/")
	for len(rest) > 0 {
		at = filepath.Join(at, rest[0]) // "", "." and "..", too
		rest = rest[1:]
		w.At = append(w.At, at)
		to, err := readlink(at)
		if err != nil {
			continue
		}
		w.Links = append(w.Links, at)
		if len(w.Links) > maxLinks {
			w.Endless = true
			return w
		}
		at = filepath.Dir(at)
		if filepath.IsAbs(to) {
			at = "/"
		}
		rest = append(strings.Split(to, "/"), rest...)
	}
	return w
}

// Through says whether the way leads through one of dirs: whether the path lies in
// it, or a link does that is followed on the way. They are absolute, with links
// resolved. A way of too many links leads anywhere.
func (w Way) Through(dirs []string) bool {
	return w.Endless || slices.ContainsFunc(w.At, func(at string) bool { return pathname.WithinAny(at, dirs) })
}
