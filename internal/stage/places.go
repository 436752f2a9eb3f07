// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a place that has to be on the stage is made there, or the
// reason is said.

package stage

import (
	"path/filepath"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/sensitive"
)

// playable says why no stage can be made for this home.
func (s *Stage) playable(r host.Reader) error {
	if s.Home == "/" {
		return noHome("/", "is the root directory", "everything would have to be hidden")
	}
	if info, err := r.Stat(s.Home); err != nil || !info.IsDir() {
		return noHome(s.Home, "is no directory", "a stage has the home where it is")
	}
	return nil
}

func noHome(home, what, why string) error {
	return &report.Error{Code: report.ExitLeft, Where: "HOME=" + home, What: what, Why: why,
		Next: "run again with HOME set to the home directory"}
}

// spelled lays the links by which HOME leads to the home where their directory
// is memory; all others are on the stage anyway.
func (s *Stage) spelled(r host.Reader, home string) {
	at := "/"
	for name := range strings.SplitSeq(filepath.Clean(home), "/") {
		path := filepath.Join(at, name)
		to, err := r.Readlink(path)
		if err != nil {
			at = path
			continue
		}
		if s.Hidden(path) {
			s.Files = append(s.Files, fs.Laid{Path: path, Link: to})
		}
		if at, err = r.Resolve(path); err != nil {
			return
		}
	}
}

// memoryAt makes dir memory. Where it does not exist, nothing can be mounted
// on it: then what is nearest above it becomes memory, with all that is there.
func (s *Stage) memoryAt(r host.Reader, dir string) error {
	switch near := host.StandingDir(r, dir); {
	case near == dir:
		s.add(Memory, "", dir)
	case s.Hidden(near): // memory already
	case near == "/":
		return &report.Error{Code: report.ExitLeft, Where: dir, What: "does not exist, and nothing above it does",
			Why:  "a rehearsal needs the agent's own directory",
			Next: "make it, or leave " + r.Places().Agent.Variable + " out"}
	default:
		if err := s.expand(r, near, nil); err != nil {
			return unreadable(near, err)
		}
	}
	s.Files = append(s.Files, fs.Directory(dir))
	return nil
}

// keepFile keeps a file of the host where it is, links followed.
func (s *Stage) keepFile(r host.Reader, path string) error {
	real, err := r.Resolve(path)
	if err != nil {
		return nil //nolint:nilerr // it leads nowhere here too
	}
	info, err := r.Stat(real)
	if err != nil || !info.Mode().IsRegular() {
		return nil //nolint:nilerr // likewise
	}
	if !s.AsRoot || !s.private(r, real) {
		s.add(ReadOnly, real, path)
		return nil
	}
	return s.copy.copy(r, real, func(f fs.Laid) {
		f.Path = path
		s.Files = append(s.Files, f)
	})
}

// share keeps a directory of the host where it is, links followed.
func (s *Stage) share(r host.Reader, dir string) {
	real, err := r.Resolve(dir)
	if err != nil || !s.Hidden(dir) || s.AsRoot && s.private(r, real) || Covers(s.Canaries, dir) ||
		Covers(s.Canaries, real) {
		return
	}
	if _, secret := sensitive.Credential(r, "", dir); secret {
		return
	}
	if info, err := r.Stat(real); err == nil && info.IsDir() {
		s.add(ReadOnly, real, dir)
	}
}
