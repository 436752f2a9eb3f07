// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: nothing is lost (ARCHITECTURE, law 3). Killed at any moment, a
// file is either the old one or the new one, with its mode, owner and
// attributes; a file that is not what the change was computed from is left
// alone.

package fs

import (
	"errors"
	iofs "io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/steward-setup/steward-setup/internal/report"
)

// What is said of files in several places.
const (
	NotRead, NotWritten, NotInspected = "could not be read", "could not be written", "could not be inspected"
	noDirectory, otherType            = "its directory could not be opened", "is of another type now"
	noRegularFile, NotRegular         = "not a regular file", "is " + noRegularFile
	NewPlan, Again                    = "make a new plan and review it", ", then make a new plan with the same flags"
)

// standing is the cause of an error of Apply whose change was made all the same.
type standing struct{ error }

// Stands says whether the change of an Apply that returned err was made.
func Stands(err error) bool {
	_, made := errors.AsType[standing](err)
	return made || err == nil
}

// Apply makes c.Target be what c says, if it still is what c was computed
// from. tag becomes part of the temporary file's name, so that whoever finds
// one knows the receipt it belongs to. step, which may be nil, is told before
// each stage that a kill could separate.
//
// The error is a *report.Error: code ExitStale when the file has changed
// since the change was shown, ExitInternal when the system refused.
func Apply(c report.Change, tag string, step func(stage string)) error {
	if step == nil {
		step = func(string) {}
	}
	made := MissingDirs(c)
	dir, name, err := openParent(c)
	if err != nil {
		return refused(c, noDirectory, err)
	}
	defer dir.Close()
	if err := unchanged(dir, name, c); err != nil {
		return err
	}
	if err := unkept(c); err != nil {
		return err
	}
	switch {
	case c.After == nil:
		step("remove")
		err = dir.Remove(name)
	case c.Link():
		if c.Emptied {
			step("remove directory")
			err = giveWay(dir, name, c)
		}
		if err == nil {
			err = replaceLink(dir, name, c, tag, step)
		}
	default:
		err = replaceFile(dir, name, c, tag, step)
	}
	if _, ok := errors.AsType[*report.Error](err); ok {
		return err
	}
	if err != nil {
		return refused(c, NotWritten, err)
	}
	step("sync directory")
	if err := errors.Join(syncDir(dir), syncNames(made)); err != nil {
		return &report.Error{Code: report.ExitLeft, Where: shown(c),
			What: "was written, but its directory could not be synced", Err: standing{err},
			Why: "after a power failure it may be as it was before", Next: "check the disk, then make a new plan"}
	}
	return nil
}

// Differs says why c.Target is not what c was computed from; nil if it is.
func Differs(c report.Change) error {
	dir, err := os.OpenRoot(filepath.Dir(c.Target))
	if errors.Is(err, iofs.ErrNotExist) && c.Before == nil {
		return nil
	}
	if err != nil {
		return refused(c, noDirectory, err)
	}
	defer dir.Close()
	return unchanged(dir, filepath.Base(c.Target), c)
}

// openParent opens the directory that holds c.Target, creating it if need be,
// without leaving c.Within.
func openParent(c report.Change) (dir *os.Root, name string, err error) {
	parent, name := filepath.Dir(c.Target), filepath.Base(c.Target)
	if c.Within == "" {
		if c.After != nil {
			if err := os.MkdirAll(parent, 0o755); err != nil {
				return nil, "", err
			}
		}
		dir, err := os.OpenRoot(parent)
		return dir, name, err
	}
	root, err := os.OpenRoot(c.Within)
	if errors.Is(err, iofs.ErrNotExist) && c.After != nil {
		// The user's own: what others may read is decided by whoever opens it.
		if err = os.MkdirAll(filepath.Dir(c.Within), 0o755); err == nil {
			if err = os.Mkdir(c.Within, 0o700); err == nil || errors.Is(err, iofs.ErrExist) {
				root, err = os.OpenRoot(c.Within)
			}
		}
	}
	if err != nil {
		return nil, "", err
	}
	defer root.Close()
	rel, err := filepath.Rel(c.Within, parent)
	if err != nil {
		return nil, "", err
	}
	if c.After != nil {
		if err := root.MkdirAll(rel, 0o755); err != nil {
			return nil, "", err
		}
	}
	dir, err = root.OpenRoot(rel)
	return dir, name, err
}

// unchanged compares what is there with what the change was computed from.
func unchanged(dir *os.Root, name string, c report.Change) error {
	info, err := dir.Lstat(name)
	if errors.Is(err, iofs.ErrNotExist) {
		if c.Before == nil {
			return nil
		}
		return stale(c, "is gone")
	}
	if err != nil {
		return refused(c, NotInspected, err)
	}
	isLink := info.Mode()&iofs.ModeSymlink != 0
	switch {
	case c.Emptied && info.IsDir():
		return nil // whether it is empty is known when it goes
	case c.Before == nil:
		return stale(c, "exists now")
	case isLink != c.WasLink():
		return stale(c, otherType)
	}
	var now []byte
	if isLink {
		target, err := dir.Readlink(name)
		if err != nil {
			return refused(c, NotRead, err)
		}
		now = []byte(target)
	} else {
		f, err := dir.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
		if err != nil {
			return refused(c, NotRead, err)
		}
		defer f.Close()
		if now, err = readFile(f, c.Target, MaxOwn); err != nil {
			return refused(c, NotRead, err)
		}
	}
	if report.DigestOf(now) != c.Base() {
		return stale(c, "has changed")
	}
	if !isLink {
		return readOnly(c, info)
	}
	return nil
}

func replaceFile(dir *os.Root, name string, c report.Change, tag string, step func(string)) (err error) {
	mode, uid, gid, err := ownership(dir, name, c)
	if err != nil {
		return err
	}
	temp := tempName(name, tag)
	step("create temporary file")
	f, err := dir.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			_ = dir.Remove(temp)
		}
	}()
	step("write temporary file")
	if _, err = f.Write(c.After); err != nil {
		return err
	}
	was := c.Before != nil && !c.Turns // a file, which stays what it is but for its bytes
	if was || os.Geteuid() == 0 {
		if err = keepOwner(f, uid, gid); err != nil {
			return err
		}
	}
	if err = f.Chmod(mode); err != nil {
		return err
	}
	if was {
		// After the mode, which an access control list holds too.
		if err = keepAttributes(dir, name, f); err != nil {
			return err
		}
	}
	step("sync temporary file")
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	// The last moment: an editor may have saved while we wrote.
	if err = unchanged(dir, name, c); err != nil {
		return err
	}
	step("rename")
	if c.Before == nil {
		return create(dir, temp, name, c)
	}
	return dir.Rename(temp, name)
}

// create gives the temporary file its name unless somebody took that name
// meanwhile. A file system without hard links gets a rename.
func create(dir *os.Root, temp, name string, c report.Change) error {
	err := dir.Link(temp, name)
	switch {
	case err == nil:
		return secondName(dir.Remove(temp), temp, c)
	case errors.Is(err, iofs.ErrExist):
		return stale(c, "exists now")
	default:
		return dir.Rename(temp, name)
	}
}

// secondName says that a file that was made has the name of the temporary file, too.
func secondName(err error, temp string, c report.Change) error {
	if err == nil {
		return nil
	}
	return &report.Error{Code: report.ExitLeft, Where: shown(c), Err: standing{err},
		What: "was written, but its temporary name could not be removed", Why: "the file has that name, too",
		Next: "remove " + filepath.Join(filepath.Dir(c.Target), temp) + Again}
}

func replaceLink(dir *os.Root, name string, c report.Change, tag string, step func(string)) error {
	temp := tempName(name, tag)
	step("create temporary link")
	if err := dir.Symlink(string(c.After), temp); err != nil {
		return err
	}
	err := unchanged(dir, name, c) // the last moment, as for a file
	step("rename")
	if err == nil {
		err = dir.Rename(temp, name)
	}
	if err != nil {
		_ = dir.Remove(temp)
	}
	return err
}

// giveWay removes the directory that the link takes the place of, with the
// directories below it. A file in it is one that came since: it stays, and so
// does the directory.
func giveWay(dir *os.Root, name string, c report.Change) error {
	info, err := dir.Lstat(name)
	if errors.Is(err, iofs.ErrNotExist) {
		return nil
	}
	if err != nil || !info.IsDir() {
		return errors.Join(err, stale(c, otherType))
	}
	sub, err := dir.OpenRoot(name)
	if err != nil {
		return err
	}
	defer sub.Close()
	f, err := sub.Open(".")
	if err != nil {
		return err
	}
	entries, err := f.ReadDir(-1)
	f.Close()
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.IsDir() {
			return stale(c, "holds "+e.Name()+", which came")
		}
		if err := giveWay(sub, e.Name(), c); err != nil {
			return err
		}
	}
	return dir.Remove(name)
}

// ownership is what the new file must have: mode and owner of the old one, or
// the change's mode and the directory's owner for a new one, so that a run as
// root leaves no root-owned file in another user's home.
func ownership(dir *os.Root, name string, c report.Change) (mode iofs.FileMode, uid, gid int, err error) {
	of, fresh := name, c.Before == nil || c.Turns
	if fresh {
		of = "."
	}
	info, err := dir.Lstat(of)
	if err != nil {
		return 0, 0, 0, err
	}
	mode = info.Mode() & chmodBits
	if fresh {
		mode = c.Mode.Perm()
	} else if c.SetMode {
		mode = mode&^iofs.ModePerm | c.Mode.Perm()
	}
	uid, gid = os.Geteuid(), os.Getegid()
	if st, ok := info.Sys().(*syscall.Stat_t); ok && (!fresh || uid == 0) {
		uid, gid = int(st.Uid), int(st.Gid)
	}
	return mode, uid, gid, nil
}

func tempName(name, tag string) string { return "." + name + tempMark + tag }

// AnyTemp is what such a name matches (path.Match).
const AnyTemp, tempMark = ".*" + tempMark + "*", ".steward-"

func syncDir(dir *os.Root) error {
	d, err := dir.Open(".")
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

func stale(c report.Change, how string) error {
	return &report.Error{Code: report.ExitStale, Where: c.Path, What: how + " since the change was shown",
		Why: "writing now would lose what came between; this file was not written", Next: NewPlan}
}

// refused says that the system did not do it, and what there is now.
func refused(c report.Change, what string, err error) error {
	why := "the old file is as it was"
	if c.Before == nil {
		why = "there was no file, and there is none now"
	}
	next := "fix the cause" + Again
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		next = "free some space" + Again
	}
	return &report.Error{Code: report.ExitLeft, Where: shown(c), What: what, Why: why, Next: next, Err: err}
}

// shown names a change's file as the user knows it, and the one that is meant.
func shown(c report.Change) string {
	if c.Target != c.Path {
		return c.Path + " -> " + c.Target
	}
	return c.Path
}
