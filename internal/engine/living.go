// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a git repository that a run made is taken back whole or not
// at all. While it holds anything that no run left there (a commit, a stash, a
// file), none of it is removed, and neither is a symlink that leads to it. What
// cannot be read counts as something.

package engine

import (
	"errors"
	iofs "io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/syncrepo"
)

const gitDir = ".git"

// repositories lists those that the run made: it wrote their HEAD where there was
// none.
func (r Receipt) repositories() (dirs []string) {
	for _, rc := range r.Changes {
		at := filepath.Dir(rc.Target)
		if rc.Before == report.Absent && filepath.Base(rc.Target) == "HEAD" && filepath.Base(at) == gitDir {
			dirs = append(dirs, filepath.Dir(at))
		}
	}
	return dirs
}

// foreign names the first file below dir that is unknown, "" for none. The lock
// of sync and git's note of the last fetch hold nothing.
func foreign(r host.Reader, dir string, known func(path string) bool) string {
	info, err := r.Lstat(dir)
	switch {
	case errors.Is(err, iofs.ErrNotExist):
		return ""
	case err != nil:
		return dir
	case !info.IsDir():
		if known(dir) || filepath.Base(dir) == "FETCH_HEAD" || dir == syncrepo.LockPath(filepath.Dir(dir)) {
			return ""
		}
		return dir
	}
	list, err := r.ReadDir(dir)
	if err != nil {
		return dir
	}
	for _, e := range list {
		if path := foreign(r, filepath.Join(dir, e.Name()), known); path != "" {
			return path
		}
	}
	return ""
}

// leftBy says whether the run left path as it is now, or a temporary file there.
func leftBy(r host.Reader, receipt Receipt, files []writtenFile, path string) bool {
	for _, f := range files {
		if f.Target == path {
			now, err := current(r, receipt, path)
			return err == nil && f.known(now.state())
		}
	}
	return slices.ContainsFunc(files, func(f writtenFile) bool { return fs.IsTemp(path, f.Target, receipt.ID) })
}

// emptied lists the places where the run put a symlink in the place of a
// directory, and it is still there, with what they lead to.
func emptied(r host.Reader, receipt Receipt) map[string]string {
	links := map[string]string{}
	for _, rc := range receipt.Changes {
		if !rc.Emptied {
			continue
		}
		if info, err := r.Lstat(rc.Target); err != nil || info.Mode()&iofs.ModeSymlink == 0 {
			continue
		}
		if dir, err := r.Resolve(rc.Target); err == nil {
			links[rc.Target] = dir
		}
	}
	return links
}

// came names the first file of dir, which a symlink at place leads to, that came
// after the run, "" for none: the run neither wrote it nor found it there.
func came(r host.Reader, receipt Receipt, files []writtenFile, place, dir string) string {
	wrote := slices.ContainsFunc(files, func(f writtenFile) bool { return pathname.Within(f.Target, dir) })
	return foreign(r, dir, func(path string) bool {
		if leftBy(r, receipt, files, path) {
			return true
		}
		rel, _ := pathname.Below(path, dir)
		for _, f := range files {
			if f.Target == filepath.Join(place, rel) { // it lay there before, and is here with the same bytes
				b, err := r.ReadAll(path)
				return err == nil && report.DigestOf(append([]byte{}, b...)) == f.Before
			}
		}
		info, err := r.Lstat(path)
		return !wrote && err == nil && info.ModTime().Before(receipt.StartedAt)
	})
}

// lives refuses to take a run back that made a repository, or linked a directory
// into one, which now holds more than the run left.
func lives(r host.Reader, receipt Receipt) error {
	files := written(receipt)
	for _, dir := range receipt.repositories() {
		path := foreign(r, dir, func(path string) bool {
			if !pathname.Within(path, filepath.Join(dir, gitDir)) &&
				slices.ContainsFunc(files, func(f writtenFile) bool { return f.Target == path }) {
				return true // reverse says it, if it was edited
			}
			return leftBy(r, receipt, files, path)
		})
		if path != "" {
			return &report.Error{Code: report.ExitStale, Where: path, What: "was written after this run, which made the " +
				"repository " + dir, Why: "undo would remove the repository with its commits and files; nothing was changed",
				Next: "keep it, or push its commits, move it away and run undo again:  mv " + scripts.Quote(dir) + " " +
					scripts.Quote(dir+".old")}
		}
	}
	for place, dir := range emptied(r, receipt) {
		if path := came(r, receipt, files, place, dir); path != "" {
			return &report.Error{Code: report.ExitStale, Where: path, What: "was written after this run, through the symlink " +
				place, Why: "undo would take it out of the directory that " + place + " was; nothing was changed",
				Next: "move it away, then run undo again"}
		}
	}
	return nil
}

// staying is what an uninstall leaves since a repository lives on.
type staying struct {
	// why names, for a repository or a linked directory, a file that keeps it.
	why map[string]string
	// links are the symlinks that lead there.
	links []string
}

// stay finds what stays. known says whether a path is as the runs left it.
func stay(r host.Reader, receipts []Receipt, known func(path string) bool) *staying {
	s := &staying{why: map[string]string{}}
	for _, receipt := range receipts {
		for _, dir := range receipt.repositories() {
			if path := foreign(r, dir, known); path != "" {
				s.why[dir] = path
			}
		}
		files := written(receipt)
		for place, dir := range emptied(r, receipt) {
			if path := came(r, receipt, files, place, dir); path != "" && !s.has(dir) {
				s.why[dir] = path
			}
		}
	}
	for _, receipt := range receipts {
		for _, rc := range receipt.Changes {
			info, err := r.Lstat(rc.Target)
			if err != nil || info.Mode()&iofs.ModeSymlink == 0 {
				continue
			}
			to, err := r.Resolve(rc.Target)
			if err != nil {
				to, _ = r.Readlink(rc.Target) // a link that leads nowhere is judged by its text
			}
			if s.has(to) {
				s.links = append(s.links, rc.Target)
			}
		}
	}
	return s
}

// has says whether path lies in what lives on.
func (s *staying) has(path string) bool {
	for dir := range s.why {
		if pathname.Within(path, dir) {
			return true
		}
	}
	return false
}

// keeps says whether a change of a run is not taken back: it lies in what lives
// on, is a symlink to it, lay where that symlink is, or is the copy of a file that
// the symlink replaced.
func (s *staying) keeps(receipt Receipt, target string) bool {
	linked := func(path string) bool { return pathname.WithinAny(path, s.links) }
	if s.has(target) || linked(target) {
		return true
	}
	for _, rc := range receipt.Changes {
		if rc.Target != target || rc.Before != report.Absent {
			continue
		}
		for _, other := range receipt.Changes {
			if other.Turns && other.Before == rc.After && linked(other.Target) {
				return true
			}
		}
	}
	return false
}

// findings say what stays, and why.
func (s *staying) findings() (list []report.Finding) {
	for dir, path := range s.why {
		list = append(list, report.Finding{Check: "uninstall", Status: report.Warn, Decide: true,
			Summary:  dir + " stays, with the symlinks to it: it holds files or commits of yours",
			Evidence: []report.Evidence{report.FileEvidence(path, "was not written by steward-setup, or changed since")}})
	}
	slices.SortFunc(list, func(a, b report.Finding) int { return strings.Compare(a.Summary, b.Summary) })
	return list
}
