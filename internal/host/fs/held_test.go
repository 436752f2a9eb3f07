// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the locks are real ones of flock(2), asked about while others
// take them.

package fs

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/steward-setup/steward-setup/internal/testenv"
)

// TestAskingDisturbsNobody: while others ask without a pause whether a free lock
// is held, it can be taken. Each file is locked once, so that nobody asks about
// one that was just given back.
func TestAskingDisturbsNobody(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux lists its locks")
	}
	var now atomic.Pointer[string]
	dir, done, asking := t.TempDir(), make(chan struct{}), sync.WaitGroup{}
	for range 4 {
		asking.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					if path := now.Load(); path != nil {
						Held(*path)
					}
				}
			}
		})
	}
	for i := range 100 {
		path := filepath.Join(dir, strconv.Itoa(i))
		testenv.OK(t, os.WriteFile(path, nil, 0o600))
		now.Store(&path)
		for range 20 {
			runtime.Gosched()
		}
		unlock, err := LockFile(path)
		if err != nil {
			t.Errorf("file %d: %v", i, err)
			break
		}
		defer unlock()
		if !Held(path) {
			t.Error("a held lock is not seen")
			break
		}
	}
	close(done)
	asking.Wait()
}

// TestAHeldLockIsSeenWhileOthersComeAndGo: the list is longer than the kernel
// gives out at once, and changes between its parts.
func TestAHeldLockIsSeenWhileOthersComeAndGo(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux lists its locks")
	}
	dir := t.TempDir()
	lock := func(name string) (path string, unlock func()) {
		path = filepath.Join(dir, name)
		unlock, err := LockFile(path)
		testenv.OK(t, err)
		return path, unlock
	}
	var held []string
	for i := range 200 {
		path, unlock := lock(strconv.Itoa(i))
		defer unlock()
		held = append(held, path)
	}
	done, others := make(chan struct{}), sync.WaitGroup{}
	for i := range 4 {
		others.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					if unlock, err := LockFile(filepath.Join(dir, "other"+strconv.Itoa(i))); err == nil {
						unlock()
					}
				}
			}
		})
	}
	missed := 0
	for i := range 500 {
		if !Held(held[i%len(held)]) {
			missed++
		}
	}
	close(done)
	others.Wait()
	if missed > 0 {
		t.Errorf("%d of 500 questions about held locks came to no", missed)
	}
}

// TestALockIsGivenBackWhileAProgramStarts: until it runs, the new process has every
// open file of this one.
func TestALockIsGivenBackWhileAProgramStarts(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux lists the open files")
	}
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := LockFile(path)
	testenv.OK(t, err)
	open, err := os.ReadDir("/proc/self/fd")
	testenv.OK(t, err)
	for _, e := range open {
		if to, _ := os.Readlink("/proc/self/fd/" + e.Name()); to == path {
			fd, err := strconv.Atoi(e.Name())
			testenv.OK(t, err)
			other, err := syscall.Dup(fd)
			testenv.OK(t, err)
			defer func() { _ = syscall.Close(other) }()
		}
	}
	unlock()
	again, err := LockFile(path)
	testenv.OK(t, err)
	again()
}
