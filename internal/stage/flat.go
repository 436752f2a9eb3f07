// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the same layout, without a namespace: what is memory or
// mounted on a stage becomes files, copies and links, for a directory that is
// thrown away.

package stage

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
)

// maxFlatFile bounds one file of a work tree that is copied, in bytes.
const maxFlatFile = 1 << 20

// Flat is the layout as files and links at their places on the stage. What a
// stage mounts of the work trees is copied, the nearest first, until the
// bounds of a copy are reached; what is beyond them, or larger than 1 MB, is
// left out, and complete is false. Programs and git's objects become links to
// where they are.
func (s *Stage) Flat(r host.Reader, trees []host.Tree) (files []fs.Laid, complete bool) {
	complete = true
	var queue []string
	var over []fs.Laid
	for _, m := range s.Mounts {
		ofTree := slices.ContainsFunc(trees, func(t host.Tree) bool { return pathname.Within(m.Target, t.Root) })
		switch {
		case m.Kind == Memory && (ofTree || pathname.Within(m.Target, s.Home) || pathname.Within(m.Target, s.Agent)):
			files = append(files, fs.Directory(m.Target))
		case m.Kind == Data && (ofTree || pathname.Within(m.Target, s.Home)):
			over = append(over, fs.Laid{Path: m.Target, Mode: 0o644, Data: m.Bytes})
		case m.Kind == Link:
			files = append(files, fs.Laid{Path: m.Target, Link: m.Source})
		case m.Kind == ReadOnly && ofTree:
			queue = append(queue, m.Source)
		case m.Kind == ReadOnly && (pathname.Within(m.Target, Own) || pathname.Within(m.Target, s.Home)):
			files = append(files, fs.Laid{Path: m.Target, Link: m.Source})
		}
	}
	slices.SortStableFunc(queue, func(a, b string) int { return strings.Count(a, "/") - strings.Count(b, "/") })
	for ; len(queue) > 0; queue = queue[1:] {
		info, err := r.Lstat(queue[0])
		switch {
		case err != nil:
		case info.IsDir():
			s.copy.files--
			entries, err := r.ReadDir(queue[0])
			if err != nil || s.copy.files < 0 {
				complete = false
				continue
			}
			files = append(files, fs.Directory(queue[0]))
			for _, e := range entries {
				queue = append(queue, filepath.Join(queue[0], e.Name()))
			}
		case info.Size() > maxFlatFile || s.copy.copy(r, queue[0], func(f fs.Laid) { files = append(files, f) }) != nil:
			complete = false
		}
	}
	return append(append(files, s.Files...), over...), complete
}
