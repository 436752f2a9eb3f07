// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: many checks ask the same of git, of the tools and of paths;
// each question is asked once, each path looked at and each file read once, nothing
// looked for in a directory that is not there, and a git that did not answer in time
// is waited for once. What follows from that alone is worked out once, too (Found).
// Nothing else is remembered: what tries something out is tried each time.

package host

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	iofs "io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/proc"
)

// Once returns r as a reader that asks each question (proc.Spec.Question) only
// once, for the time of one command. It may be used by several goroutines: the
// second that asks waits for the answer to the first.
func Once(r Reader) Reader { return &once{Reader: r} }

type once struct {
	Reader
	answers sync.Map // by question: a func() proc.Result
}

func (o *once) Run(ctx context.Context, s proc.Spec) proc.Result {
	ask := func() proc.Result { return o.Reader.Run(ctx, s) }
	key, ok := s.Question()
	for ok {
		known, _ := o.answers.LoadOrStore(key, sync.OnceValue(ask))
		answer, _ := known.(func() proc.Result)
		res := answer()
		if !errors.Is(res.Err, context.Canceled) || ctx.Err() != nil {
			return res
		}
		o.answers.Delete(key) // of one that was stopped: it is nobody else's
	}
	return ask()
}

// Anew returns the reader below Once and Still: it is for who has to notice what
// changed since they were asked.
func Anew(r Reader) Reader {
	for {
		switch known := r.(type) {
		case *once:
			r = known.Reader
		case *still:
			r = known.Reader
		default:
			return r
		}
	}
}

// Still returns r as a reader that looks only once at what a path is and holds, and
// where its links lead. It is for the time of one round of checks: what changes
// meanwhile is not noticed, and no two checks judge different bytes of one file. It
// may be used by several goroutines.
func Still(r Reader) Reader { return &still{Reader: r, looks: &looks{}} }

// As is h with what r saw of paths, where r is Still and looks at the same ones: h is the
// same machine with another environment.
func As(h *Host, r Reader) Reader {
	s, is := r.(*still)
	if !is {
		return h
	}
	for below := s.Reader; ; {
		switch known := below.(type) {
		case *Host:
			return &still{Reader: h, looks: s.looks}
		case Asks:
			below = known.Below()
		default:
			return h
		}
	}
}

// Asks is a reader that looks at paths as the one below it does, and asks programs in a
// way of its own.
type Asks interface{ Below() Reader }

// Below implements Asks.
func (o *once) Below() Reader { return o.Reader }

type still struct {
	Reader
	*looks
	late  sync.Map // by the directory that git was asked about, or the call: its result
	found sync.Map // by the key of Found: a func() any
}

// looks are what was seen of paths.
type looks struct {
	lstat, stat    looked[iofs.FileInfo]
	link, resolved looked[string]
	dirs, reals    looked[string] // where directories, and paths as far as they exist, really lie
	ways           looked[fs.Way]
	content        looked[[]byte]
	scripts        looked[bool]
	entries        looked[[]iofs.DirEntry]
}

// Found is what find says, found once for key and the round of checks of r (Still); any
// other reader is asked each time. The key has all that find goes by beside r, and is of
// a type of its own. Who is told must not change it: others are told the same.
func Found[T any](r Reader, key any, find func() T) T {
	s, is := r.(*still)
	if !is {
		return find()
	}
	known, is := s.found.Load(key)
	if !is {
		known, _ = s.found.LoadOrStore(key, sync.OnceValue(func() any { return find() }))
	}
	if once, is := known.(func() any); is {
		if what, is := once().(T); is {
			return what
		}
	}
	return find()
}

// Run does not start git again about a directory about which it did not answer in
// time: each check would wait as long. Of calls about none it is the same call that is
// not made again: one of them may have waited for a remote.
func (s *still) Run(ctx context.Context, spec proc.Spec) proc.Result {
	if spec.Program() != "git" {
		return s.Reader.Run(ctx, spec)
	}
	key := cmp.Or(spec.About(), spec.String())
	if before, is := s.late.Load(key); is {
		if res, ok := before.(proc.Result); ok {
			return res
		}
	}
	res := s.Reader.Run(ctx, spec)
	if errors.Is(res.Err, context.DeadlineExceeded) {
		s.late.Store(key, res)
	}
	return res
}

// Lstat does not look into a directory that is not there, where half of what checks
// look for would lie.
func (s *still) Lstat(path string) (iofs.FileInfo, error) {
	return s.lstat.at(path, func(path string) (iofs.FileInfo, error) {
		if i := strings.LastIndexByte(path, '/'); i > 0 {
			if err := s.missing("lstat", path, path[:i]); err != nil {
				return nil, err
			}
		}
		return s.Reader.Lstat(path)
	})
}

// missing is the error of a call about path where nothing is at at.
func (s *still) missing(call, path, at string) error {
	if _, err := s.Lstat(at); !errors.Is(err, iofs.ErrNotExist) {
		return nil
	}
	return &iofs.PathError{Op: call, Path: path, Err: syscall.ENOENT}
}

// Stat looks again at a link alone.
func (s *still) Stat(path string) (iofs.FileInfo, error) {
	return s.stat.at(path, func(path string) (iofs.FileInfo, error) {
		if err := s.missing("stat", path, path); err != nil {
			return nil, err
		}
		if info, err := s.Lstat(path); err == nil && info.Mode()&iofs.ModeSymlink == 0 {
			return info, nil
		}
		return s.Reader.Stat(path)
	})
}

func (s *still) Readlink(path string) (string, error) {
	return s.link.at(path, func(path string) (string, error) {
		if err := s.missing("readlink", path, path); err != nil {
			return "", err
		}
		if info, err := s.Lstat(path); err == nil && info.Mode()&iofs.ModeSymlink == 0 {
			return "", &iofs.PathError{Op: "readlink", Path: path, Err: syscall.EINVAL}
		}
		return s.Reader.Readlink(path)
	})
}

func (s *still) Resolve(path string) (string, error) {
	return s.resolved.at(path, func(path string) (string, error) { return fs.ResolveBy(s.Lstat, s.real, path) })
}

// real is where a directory really lies. What its parent is was looked at before, by
// another path in it.
func (s *still) real(dir string) (string, error) {
	return s.dirs.at(dir, func(dir string) (string, error) {
		parent := filepath.Dir(dir)
		info, err := s.Lstat(dir)
		switch {
		case errors.Is(err, iofs.ErrNotExist):
			return "", err
		case err != nil || info.Mode()&iofs.ModeSymlink != 0 || parent == dir:
			return filepath.EvalSymlinks(dir)
		}
		parent, err = s.real(parent)
		return filepath.Join(parent, filepath.Base(dir)), err
	})
}

func (s *still) Through(path string, dirs []string) bool { return s.way(path).Through(dirs) }
func (s *still) Links(path string) []string              { return slices.Clone(s.way(path).Links) }

func (s *still) way(path string) fs.Way {
	w, _ := s.ways.at(path, func(path string) (fs.Way, error) { return fs.WayBy(s.Readlink, path), nil })
	return w
}

func (s *still) Read(path string) ([]byte, error) {
	b, err := s.content.at(path, func(path string) ([]byte, error) {
		if err := s.missing("open", path, path); err != nil {
			return nil, err
		}
		return s.Reader.Read(path)
	})
	return bytes.Clone(b), err
}

// Script reads a script as Read does, so that what it holds is looked at once.
func (s *still) Script(path string) ([]byte, error) {
	is, err := s.scripts.at(path, func(path string) (bool, error) {
		if err := s.missing("open", path, path); err != nil {
			return false, err
		}
		b, err := s.Reader.Script(path)
		return b != nil, err
	})
	if !is || err != nil {
		return nil, err
	}
	return s.Read(path)
}

func (s *still) ReadDir(path string) ([]iofs.DirEntry, error) {
	list, err := s.entries.at(path, func(path string) ([]iofs.DirEntry, error) {
		if err := s.missing("open", path, path); err != nil {
			return nil, err
		}
		return s.Reader.ReadDir(path)
	})
	return slices.Clone(list), err
}

// looked is what there was at paths.
type looked[T any] struct{ paths sync.Map }

type sight[T any] struct {
	what T
	err  error
}

// at is what look says of path, or said before. Of two who look at once both are told
// what one of them saw.
func (l *looked[T]) at(path string, look func(string) (T, error)) (T, error) {
	v, ok := l.paths.Load(path)
	if !ok {
		what, err := look(path)
		v, _ = l.paths.LoadOrStore(path, sight[T]{what, err})
	}
	if s, ok := v.(sight[T]); ok {
		return s.what, s.err
	}
	return look(path)
}
