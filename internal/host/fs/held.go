// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: who asks whether a lock is held disturbs nobody that takes it:
// where the system lists its locks, a free one is not touched.

package fs

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// lockList is the kernel's list of locks (proc_locks(5)). It leaves out those of
// processes that this one does not see.
const lockList = "/proc/locks"

// Held says whether some process holds a lock (flock(2)) of its own on the file
// at path. A lock that the system lists, or one on a system without a list, is
// asked for, shared, and given back at once. The file is not made.
func Held(path string) bool {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	if isFree(f) {
		return false
	}
	return errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}

// isFree says that the system lists its locks and has none on f. The kernel gives
// out a page at a time, and where another lock is given back between two pages,
// the entry between them is missing: a longer list is read again from within its
// first page, so that pages end elsewhere.
func isFree(f *os.File) bool {
	const readings = 4
	page := os.Getpagesize()
	for i := range readings {
		list, err := readFrom(lockList, int64(i*page/readings))
		if err != nil || listed(string(list), f) {
			return false
		}
		if i == 0 && len(list) < page {
			break
		}
	}
	return true
}

// readFrom reads what a file has from offset on, as much at a time as is given.
func readFrom(path string, offset int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if _, err := f.Seek(offset, io.SeekStart); err != nil {
		return nil, err
	}
	var all bytes.Buffer
	all.Grow(1 << 16)
	_, err = all.ReadFrom(f)
	return all.Bytes(), err
}

// listed says whether a list of locks has one of flock(2) on the inode of f. The
// device is not compared: on some file systems stat(2) names another one.
func listed(list string, f *os.File) bool {
	info, err := f.Stat()
	if err != nil {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return true
	}
	inode := ":" + strconv.FormatUint(stat.Ino, 10)
	for line := range strings.Lines(list) {
		words := strings.Fields(line)
		if len(words) > 5 && words[1] == "FLOCK" && strings.HasSuffix(words[5], inode) {
			return true
		}
	}
	return false
}
