// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: where a path leads is said as far as it exists. What is
// not there yet lies where its directory leads.

package host

import "path/filepath"

// maxLinks bounds symlinks to what is not there (path_resolution(7)).
const maxLinks = 40

// Real is a path with its symlinks resolved, as far as it exists: those of the
// directories above what does not, and of a symlink to what is not there too.
func Real(r Reader, path string) string { return realIn(r, filepath.Clean(path), 0) }

func realIn(r Reader, path string, links int) string {
	for dir, rest := path, ""; ; dir, rest = filepath.Dir(dir), filepath.Join(filepath.Base(dir), rest) {
		above := filepath.Dir(dir)
		if _, err := r.Lstat(dir); err != nil && dir != above {
			continue
		}
		if to, err := r.Resolve(dir); err == nil {
			return filepath.Join(to, rest)
		}
		to, err := r.Readlink(dir)
		if err != nil || links >= maxLinks {
			return path
		}
		if !filepath.IsAbs(to) { // its target's directory is not there
			to = filepath.Join(realIn(r, above, links+1), to)
		}
		return filepath.Join(realIn(r, to, links+1), rest)
	}
}
