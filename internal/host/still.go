// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: many checks ask the same of the same paths, and each path
// is looked at once; what was looked at is known for one round of checks, which
// write nothing, and to no other reader.

package host

import (
	iofs "io/fs"
	"sync"
)

// Still returns r as a reader that looks only once at what a path is and where
// its links lead. It is for the time of one round of checks: what changes
// meanwhile is not noticed. The bytes of files and the entries of directories
// are read each time. It may be used by several goroutines.
func Still(r Reader) Reader { return &still{Reader: r} }

type still struct {
	Reader
	lstat, stat    looked[iofs.FileInfo]
	link, resolved looked[string]
}

func (s *still) Lstat(path string) (iofs.FileInfo, error) { return s.lstat.at(path, s.Reader.Lstat) }
func (s *still) Stat(path string) (iofs.FileInfo, error)  { return s.stat.at(path, s.Reader.Stat) }
func (s *still) Readlink(path string) (string, error)     { return s.link.at(path, s.Reader.Readlink) }
func (s *still) Resolve(path string) (string, error)      { return s.resolved.at(path, s.Reader.Resolve) }

// looked is what there was at paths.
type looked[T any] struct{ paths sync.Map }

type sight[T any] struct {
	what T
	err  error
}

// at is what look says of path, or said before.
func (l *looked[T]) at(path string, look func(string) (T, error)) (T, error) {
	if v, ok := l.paths.Load(path); ok {
		if s, ok := v.(sight[T]); ok {
			return s.what, s.err
		}
	}
	what, err := look(path)
	l.paths.Store(path, sight[T]{what, err})
	return what, err
}
