// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package fs reads and writes files for the whole program.
//
// Contract: reading is bounded; writing happens only through Apply, which
// keeps law 3 of ARCHITECTURE (nothing is lost). Only internal/engine may call
// what writes; a test over the import graph and its uses holds that.
package fs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	iofs "io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"syscall"
)

// MaxRead bounds a file that is read whole, in bytes: larger than any
// settings file, smaller than what would hurt. The program's own binary is
// read through ReadAll.
const MaxRead = 8 << 20

// Read returns the bytes of a regular file, links followed. The error wraps
// iofs.ErrNotExist when there is no file; something that is not a regular
// file, or is larger than MaxRead, is an error.
func Read(path string) ([]byte, error) { return read(path, MaxRead) }

// MaxOwn bounds a file that we wrote ourselves, in bytes: what is larger, another
// wrote. Files may seem to be of any size (sparse ones), and memory is not.
const MaxOwn = 1 << 30

// ReadAll is Read up to MaxOwn, for files that we wrote ourselves.
func ReadAll(path string) ([]byte, error) { return read(path, MaxOwn) }

// script is what a script begins with.
const script = "#!"

// ScriptOf is what a file holds, if it is a script, else nothing.
func ScriptOf(b []byte) []byte {
	if bytes.HasPrefix(b, []byte(script)) {
		return b
	}
	return nil
}

// Script is Read for a file that begins with #!. Of another one, such as a program of
// many megabytes, it reads no more than that, and returns nothing.
func Script(path string) ([]byte, error) {
	f, info, err := open(path, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	begin := make([]byte, len(script))
	if n, _ := f.ReadAt(begin, 0); info.Mode().IsRegular() && ScriptOf(begin[:n]) == nil {
		return nil, nil
	}
	return readFile(f, path, MaxRead)
}

// ReadPrivate is Read for a file that is a secret of the program's own: no
// link, and no right for anybody but its owner, who is the user.
func ReadPrivate(path string) ([]byte, error) {
	f, info, err := open(path, syscall.O_NOFOLLOW)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if st, ok := info.Sys().(*syscall.Stat_t); info.Mode().Perm()&0o077 != 0 || ok && int(st.Uid) != os.Geteuid() {
		return nil, &iofs.PathError{Op: "read", Path: path, Err: iofs.ErrPermission}
	}
	return readFile(f, path, MaxRead)
}

// ReadTail returns the last n bytes of a regular file that is only appended
// to, from the first line that begins in them; all of a shorter file.
func ReadTail(path string, n int64) ([]byte, error) {
	f, info, err := open(path, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	from := max(0, info.Size()-n)
	if _, err := f.Seek(from, io.SeekStart); err != nil {
		return nil, err
	}
	b, err := readFile(f, path, n+maxGrowth)
	if from > 0 {
		_, b, _ = bytes.Cut(b, []byte{'\n'})
	}
	return b, err
}

// Map gives look the bytes of a regular file without reading them all into
// memory: for the runtime's own file, which has some 400 MB. They are gone when
// look returns, and also before, where somebody writes another file over that one
// meanwhile: that is an error.
func Map(path string, look func([]byte) error) (err error) {
	f, info, err := open(path, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if !info.Mode().IsRegular() || info.Size() == 0 {
		return &iofs.PathError{Op: "read", Path: path, Err: errors.New("is not a regular file, or is empty")}
	}
	b, err := syscall.Mmap(int(f.Fd()), 0, int(info.Size()), syscall.PROT_READ, syscall.MAP_PRIVATE)
	if err != nil {
		return err
	}
	defer func() { _ = syscall.Munmap(b) }()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch fault := recover().(type) {
		case nil:
		case interface{ Addr() uintptr }: // beyond the end that the file has now
			err = &iofs.PathError{Op: "read", Path: path, Err: errors.New("became shorter while it was read")}
		default:
			panic(fault)
		}
	}()
	return look(b)
}

// maxGrowth is how much a file may grow while its tail is read, in bytes.
const maxGrowth = 1 << 20

// open opens a file for reading. O_NONBLOCK: a FIFO must not wait for its writer.
func open(path string, more int) (f *os.File, info iofs.FileInfo, err error) {
	f, err = os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|more, 0)
	if err != nil {
		return nil, nil, err
	}
	if info, err = f.Stat(); err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

func read(path string, limit int64) ([]byte, error) {
	f, _, err := open(path, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readFile(f, path, limit)
}

// ReadIn is Read for a file of a foreign repository: rel is opened below root
// and no link may lead out of it (os.Root).
func ReadIn(root, rel string) ([]byte, error) {
	r, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	f, err := r.OpenFile(rel, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readFile(f, filepath.Join(root, rel), MaxRead)
}

func readFile(f *os.File, path string, limit int64) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &iofs.PathError{Op: "read", Path: path, Err: errors.New(noRegularFile)}
	}
	at, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil, err
	}
	larger := &iofs.PathError{Op: "read", Path: path, Err: fmt.Errorf("larger than %d bytes", limit)}
	if info.Size()-at > limit {
		return nil, larger
	}
	// With room for all of it: the program's own file has some 30 MB.
	b := bytes.NewBuffer(make([]byte, 0, max(0, info.Size()-at)+bytes.MinRead))
	if _, err := b.ReadFrom(io.LimitReader(f, limit+1)); err != nil {
		return nil, err
	}
	if int64(b.Len()) > limit {
		return nil, larger
	}
	return b.Bytes(), nil
}

// Resolve follows the symbolic links of path to the file that a write would
// have to replace. That file need not exist; its directory may be missing
// too, but only if path itself is no link: a link into a directory that is
// not there is broken, and nobody knows what it should mean.
func Resolve(path string) (string, error) { return ResolveBy(os.Lstat, filepath.EvalSymlinks, path) }

// ResolveBy is Resolve where lstat says what a path is, and real where a directory
// really lies.
func ResolveBy(lstat func(string) (iofs.FileInfo, error), real func(string) (string, error),
	path string) (string, error) {
	named := path
	for range 40 {
		info, err := lstat(path)
		if err != nil && !errors.Is(err, iofs.ErrNotExist) {
			return "", err
		}
		if err != nil || info.Mode()&iofs.ModeSymlink == 0 {
			dir, err := real(filepath.Dir(path))
			if errors.Is(err, iofs.ErrNotExist) && path == named {
				return path, nil
			}
			return filepath.Join(dir, filepath.Base(path)), err
		}
		target, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(target) {
			dir, err := real(filepath.Dir(path))
			if err != nil {
				return "", err
			}
			target = filepath.Join(dir, target)
		}
		path = filepath.Clean(target)
	}
	return "", &iofs.PathError{Op: "resolve", Path: named, Err: syscall.ELOOP}
}

// Stat is what there is at path, links followed.
func Stat(path string) (iofs.FileInfo, error) { return os.Stat(path) }

// OwnedByRoot says whether a file is one that only root may change: inside the
// sandbox it seems to belong to nobody.
func OwnedByRoot(info iofs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && st.Uid == 0 && info.Mode().Perm()&0o022 == 0
}
