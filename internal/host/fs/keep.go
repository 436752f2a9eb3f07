// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a file that is replaced stays what it was but for its
// bytes: owner, group, access control list and extended attributes. What
// cannot be kept is said before anything is written.

package fs

import (
	"bytes"
	"errors"
	"fmt"
	iofs "io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
)

// unkept says why the file that c replaces or removes cannot be, or would not
// stay what it is; nil where nothing is known to stand in the way. The error is
// a *report.Error.
func unkept(c report.Change) error {
	if err := mounted(c); err != nil {
		return err
	}
	info, err := os.Lstat(c.Target)
	if c.Before == nil || c.WasLink() || err != nil || !info.Mode().IsRegular() {
		return nil //nolint:nilerr // what is not there, or no file, is judged elsewhere
	}
	if err := readOnly(c, info); err != nil {
		return err
	}
	const writeOK = 2 // access(2), the same on Linux and macOS
	if err := syscall.Access(c.Target, writeOK); errors.Is(err, syscall.EPERM) {
		return &report.Error{Code: report.ExitLeft, Where: shown(c), What: "is immutable",
			Why:  "the file system refuses every change of it, also by its owner",
			Next: "take the attribute away (sudo chattr -i " + pathname.Word(c.Target) + ")" + Again}
	}
	if appendOnly(c.Target) {
		return onlyGrows(c, c.Target)
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if c.After == nil || !ok {
		return nil
	}
	uid := os.Geteuid()
	key := ""
	if c.Link() {
		key = ownAttribute(c.Target)
	}
	switch {
	case key != "":
		return &report.Error{Code: report.ExitLeft, Where: shown(c), What: "has the attribute " + key,
			Why: "a symlink takes its place, and undo could not give it back",
			Next: "take it away (setfattr -x " + key + " " + pathname.Word(c.Target) + "; an access control list: setfacl -b " +
				pathname.Word(c.Target) + "), or leave this part out" + Again}
	case st.Nlink > 1:
		return &report.Error{Code: report.ExitLeft, Where: shown(c), What: fmt.Sprintf("has %d hard links", st.Nlink),
			Why:  "a new file would take this name alone, and the others would keep the old content",
			Next: "keep one name (or use a symlink), or make this a file of its own (" + copied(c.Target) + ")" + Again}
	case uid != 0 && int(st.Uid) != uid:
		return lost(c, fmt.Sprintf("belongs to another user (uid %d)", st.Uid), "the new file would be yours")
	case uid != 0 && int(st.Gid) != os.Getegid() && !member(int(st.Gid)):
		return lost(c, fmt.Sprintf("belongs to a group that you are not in (gid %d)", st.Gid),
			"the new file would lose that group")
	case uid != 0 && hasAttribute(c.Target, capability):
		return &report.Error{Code: report.ExitLeft, Where: shown(c), What: "has the attribute " + capability,
			Why: "only root can give that to the new file", Next: "take it away (sudo setcap -r " +
				pathname.Word(c.Target) + ")" + Again}
	}
	return nil
}

// mounted refuses a file, or a directory that gives way, whose place nothing can take.
// A mounted file could be written in place, and would be half of one if that was stopped.
func mounted(c report.Change) error {
	at, next := c.Target, "mount its directory in place of the file"
	switch {
	case c.Emptied:
		next = "unmount it"
		below := DirModes(c.Target)
		i := slices.IndexFunc(below, func(d DirMode) bool { return mountPoint(d.Path) })
		if i < 0 {
			return nil
		}
		at = below[i].Path
	case c.Before == nil || !mountPoint(c.Target):
		return nil
	}
	what := "is a mount point"
	if at != c.Target {
		what = "holds " + at + ", which " + what
	}
	return &report.Error{Code: report.ExitLeft, Where: shown(c), What: what,
		Why:  "the system lets nothing take its place; nothing was changed",
		Next: next + ", or leave this part out" + Again}
}

// capability is the attribute that holds what a program may do beyond its user's
// rights (capabilities(7)). Everybody may read it, and root alone may set it.
const capability = "security.capability"

func hasAttribute(path, key string) bool {
	_, err := unix.Lgetxattr(path, key, nil)
	return err == nil
}

// ownAttribute names an extended attribute of the file at path that somebody gave
// it, "" for none: those that begin with security. are the system's labels, those with
// com.apple. notes of macOS.
func ownAttribute(path string) string {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return ""
	}
	defer f.Close()
	has, _ := attributes(f) // none that can be listed: none that is known
	for _, key := range slices.Sorted(maps.Keys(has)) {
		if !strings.HasPrefix(key, "security.") && !strings.HasPrefix(key, "com.apple.") {
			return key
		}
	}
	return ""
}

// onlyGrows refuses a file or directory in which nothing may be replaced.
func onlyGrows(c report.Change, path string) error {
	what := "is append-only"
	if path != c.Target {
		what = "lies in " + path + ", which " + what
	}
	return &report.Error{Code: report.ExitLeft, Where: shown(c), What: what,
		Why:  "the file system lets nothing in it be replaced, also by its owner; nothing was changed",
		Next: "take the attribute away (sudo chattr -a " + pathname.Word(path) + ")" + Again}
}

func lost(c report.Change, what, why string) error {
	return &report.Error{Code: report.ExitLeft, Where: shown(c), What: what, Why: why,
		Next: "make it your own (sudo chown \"$(id -u):$(id -g)\" " + pathname.Word(c.Target) + ")" + Again}
}

// readOnly refuses a file that somebody made read-only.
func readOnly(c report.Change, info iofs.FileInfo) error {
	if info.Mode().Perm()&0o200 != 0 {
		return nil
	}
	return &report.Error{Code: report.ExitLeft, Where: c.Path,
		What: fmt.Sprintf("is read-only (mode %04o)", info.Mode().Perm()),
		Why:  "somebody meant it not to be written; nothing was changed",
		Next: "make it writable (chmod u+w " + pathname.Word(c.Target) + "), or leave this part out, then make a new plan"}
}

// copied is the line that puts a copy in the place of a file.
func copied(path string) string {
	name, beside := pathname.Word(filepath.Base(path)), pathname.Word(filepath.Base(path)+".new")
	return "cd " + pathname.Word(filepath.Dir(path)) + " && cp -p " + name + " " + beside + " && mv " + beside + " " + name
}

func member(gid int) bool {
	groups, err := os.Getgroups()
	return err == nil && slices.Contains(groups, gid)
}

// keepOwner gives a new file an owner and group, unless it has them: in a
// directory that hands on its group a new file has another than its user.
func keepOwner(f *os.File, uid, gid int) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) == uid && int(st.Gid) == gid {
		return nil
	}
	if err := f.Chown(uid, gid); err != nil {
		return fmt.Errorf("its owner or group cannot be kept: %w", err)
	}
	return nil
}

// keepAttributes gives a new file the extended attributes of the file that it
// will replace, an access control list among them; those that it has and the
// old one has not are taken away.
func keepAttributes(dir *os.Root, name string, f *os.File) error {
	old, err := dir.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return err
	}
	defer old.Close()
	had, err := attributes(old)
	if err != nil {
		return err
	}
	has, err := attributes(f)
	if err != nil {
		return err
	}
	for key, value := range had {
		if bytes.Equal(has[key], value) && has[key] != nil || ofTheSystem(key) {
			continue
		}
		if err := unix.Fsetxattr(int(f.Fd()), key, value, 0); err != nil {
			return fmt.Errorf("its attribute %s cannot be kept: %w", key, err)
		}
	}
	for key := range has {
		if _, kept := had[key]; kept || ofTheSystem(key) {
			continue
		}
		if err := unix.Fremovexattr(int(f.Fd()), key); err != nil {
			return fmt.Errorf("the attribute %s of new files in this directory cannot be taken away: %w", key, err)
		}
	}
	return nil
}

// ofTheSystem says whether the system writes an attribute by itself, for the
// content that a file has.
func ofTheSystem(key string) bool {
	return key == "com.apple.provenance" || key == "security.ima" || key == "security.evm"
}

// attributes are the extended attributes of an open file that this process
// sees; none where the file system has none.
func attributes(f *os.File) (map[string][]byte, error) {
	fd := int(f.Fd())
	size, err := unix.Flistxattr(fd, nil)
	if errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.ENOSYS) || size == 0 && err == nil {
		return nil, nil
	}
	names := make([]byte, max(size, 0))
	if err == nil {
		size, err = unix.Flistxattr(fd, names)
	}
	if err != nil {
		return nil, fmt.Errorf("its attributes cannot be listed: %w", err)
	}
	values := map[string][]byte{}
	for key := range strings.SplitSeq(strings.TrimRight(string(names[:size]), "\x00"), "\x00") {
		size, err := unix.Fgetxattr(fd, key, nil)
		value := make([]byte, max(size, 0))
		if err == nil && size > 0 {
			size, err = unix.Fgetxattr(fd, key, value)
		}
		if err != nil {
			return nil, fmt.Errorf("its attribute %s cannot be read: %w", key, err)
		}
		values[key] = value[:size]
	}
	return values, nil
}
