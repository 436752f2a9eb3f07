// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: files are laid on a stage, or in a replica home, that is
// thrown away as a whole; nothing of the user's is written.

package fs

import (
	"errors"
	"fmt"
	iofs "io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// Lay makes every one of files with the directories above it. What is there
// already is replaced, a directory kept.
func Lay(files []Laid) error {
	for _, f := range files {
		if err := lay(f); err != nil {
			return fmt.Errorf("%s cannot be laid on the stage: %w", f.Path, err)
		}
	}
	return nil
}

func lay(f Laid) error {
	if f.Mode.IsDir() {
		return os.MkdirAll(f.Path, f.Mode.Perm())
	}
	if err := os.MkdirAll(filepath.Dir(f.Path), 0o755); err != nil {
		return err
	}
	if f.Link != "" {
		return os.Symlink(f.Link, f.Path)
	}
	if err := os.WriteFile(f.Path, f.Data, f.Mode.Perm()); err != nil {
		return err
	}
	return os.Chmod(f.Path, f.Mode.Perm()) // whatever the umask is
}

// replicaName begins the names of replica directories; the process that made
// one follows.
const replicaName = "steward-setup-replica-"

// Replica makes a private directory below the one for temporary files, links
// resolved, for a replica home, and returns it with what removes it. Those of
// processes that are gone are removed first: a killed process could not.
func Replica() (dir string, remove func() error, err error) {
	base := os.TempDir()
	if len(base) > maxTemp {
		base = "/tmp"
	}
	sweep(base)
	if dir, err = os.MkdirTemp(base, replicaName+strconv.Itoa(os.Getpid())+"-"); err != nil {
		return "", nil, err
	}
	remove = func() error { return removeAll(dir) }
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", nil, errors.Join(err, remove())
	}
	return real, remove, nil
}

// maxTemp is how long the path of the directory for temporary files may be, in
// bytes: the runtime makes sockets below a replica, whose whole path may have
// 107 (unix(7)), and its own part of it has 65 (2.1.329).
const maxTemp = 40

// sweep removes this user's replicas in dir whose process is gone.
func sweep(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		rest, ours := strings.CutPrefix(e.Name(), replicaName)
		number, _, _ := strings.Cut(rest, "-")
		pid, err := strconv.Atoi(number)
		if !ours || err != nil || pid <= 0 || !e.IsDir() || syscall.Kill(pid, 0) != syscall.ESRCH {
			continue
		}
		info, err := e.Info()
		if err != nil {
			continue
		}
		if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) == os.Getuid() {
			_ = removeAll(filepath.Join(dir, e.Name())) // what is left is tried again next time
		}
	}
}

// removeAll removes a directory of ours, also where a command has taken the
// right to write away.
func removeAll(dir string) error {
	if err := os.RemoveAll(dir); err == nil {
		return nil
	}
	_ = filepath.WalkDir(dir, func(path string, d iofs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil // what cannot be opened is said by the removal
	})
	return os.RemoveAll(dir)
}

// AppendOnStage adds text to the end of a file, which is made if it is not
// there. It is what a scripted call does on a stage.
func AppendOnStage(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// Records lists, on a stage, the records of the sessions that were there: the
// runtime keeps one in a directory for each project.
func Records(dir string) []string {
	list, _ := filepath.Glob(filepath.Join(dir, "*", "*.jsonl")) // the pattern is a good one
	return list
}

// Replace puts, on a stage, a directory of its own in the place of path, and
// then what was there back. The error says what of it was refused.
func Replace(path string) error {
	aside := path + ".steward"
	if err := os.Rename(path, aside); err != nil {
		return err
	}
	err := os.Mkdir(path, 0o755)
	if err == nil {
		err = os.Remove(path)
	}
	return errors.Join(err, os.Rename(aside, path))
}

// SetMode gives a path, on a stage, the mode that it has: who may do that may
// change it.
func SetMode(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return os.Chmod(path, info.Mode().Perm())
}
