// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package fs_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// aclFor is an access control list (acl(5), version 2 of the attribute) that
// lets one more user read: user::rw-, user:12345:r--, group::r--, mask::r--,
// other::r--.
var aclFor = []byte("\x02\x00\x00\x00" +
	"\x01\x00\x06\x00\xff\xff\xff\xff" + "\x02\x00\x04\x00\x39\x30\x00\x00" + "\x04\x00\x04\x00\xff\xff\xff\xff" +
	"\x10\x00\x04\x00\xff\xff\xff\xff" + "\x20\x00\x04\x00\xff\xff\xff\xff")

func TestAReplacedFileKeepsWhatItWas(t *testing.T) {
	home := testenv.Home(t)
	path := filepath.Join(home, "settings.json")
	write(t, path, "old", 0o640)
	gid := os.Getegid()
	if os.Geteuid() == 0 {
		gid = 12345
	}
	testenv.OK(t, os.Chown(path, -1, gid))
	attributes := map[string][]byte{"user.note": []byte("keep me"), "user.empty": {}, "system.posix_acl_access": aclFor}
	for key, value := range attributes {
		if err := unix.Setxattr(path, key, value, 0); errors.Is(err, unix.ENOTSUP) {
			t.Skipf("this file system has no %s", key)
		} else if err != nil {
			t.Fatal(err)
		}
	}
	is := func(when, content string) {
		t.Helper()
		if got := read(t, path); got != content {
			t.Errorf("%s: holds %q, want %q", when, got, content)
		}
		info := testenv.Must(os.Stat(path))(t)
		if st := info.Sys().(*syscall.Stat_t); int(st.Gid) != gid || int(st.Uid) != os.Geteuid() {
			t.Errorf("%s: belongs to %d:%d, want %d:%d", when, st.Uid, st.Gid, os.Geteuid(), gid)
		}
		for key, want := range attributes {
			got := make([]byte, 100)
			if n, err := unix.Getxattr(path, key, got); err != nil || string(got[:n]) != string(want) {
				t.Errorf("%s: %s is %q (%v), want %q", when, key, got[:max(n, 0)], err, want)
			}
		}
	}
	apply := func(before, after string) {
		t.Helper()
		testenv.OK(t, fs.Apply(report.Change{Path: path, Target: path, Before: []byte(before), After: []byte(after)}, "t",
			nil))
	}
	apply("old", "new")
	is("replaced", "new")
	apply("new", "old")
	is("put back", "old")
	onlyFiles(t, home, "settings.json")
}

func TestAFileOfADirectoryThatHandsOnItsGroupKeepsItsOwn(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("an ordinary user may be in no second group")
	}
	home := testenv.Home(t)
	path := filepath.Join(home, "settings.json")
	write(t, path, "old", 0o644)
	testenv.OK(t, errors.Join(os.Chown(home, -1, 12345), os.Chmod(home, 0o755|os.ModeSetgid)))
	testenv.OK(t, fs.Apply(report.Change{Path: path, Target: path, Before: []byte("old"), After: []byte("new")}, "t",
		nil))
	info := testenv.Must(os.Stat(path))(t)
	if st := info.Sys().(*syscall.Stat_t); int(st.Gid) != os.Getegid() {
		t.Errorf("its group is %d, want %d", st.Gid, os.Getegid())
	}
}

// FS_IMMUTABLE_FL and FS_APPEND_FL (ioctl_iflags(2)).
const immutable, appendOnly = 0x10, 0x20

// setFlags gives a file or directory flags, which are taken away when t ends.
func setFlags(t *testing.T, path string, flags int) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	t.Cleanup(func() { _ = errors.Join(unix.IoctlSetPointerInt(int(f.Fd()), unix.FS_IOC_SETFLAGS, 0), f.Close()) })
	return unix.IoctlSetPointerInt(int(f.Fd()), unix.FS_IOC_SETFLAGS, flags)
}

func TestADirectoryThatOnlyGrowsIsRefused(t *testing.T) {
	testenv.AsRoot(t)
	dir := filepath.Join(testenv.Home(t), "dir")
	path := filepath.Join(dir, "settings.json")
	write(t, path, "old", 0o644)
	if err := setFlags(t, dir, appendOnly); err != nil {
		t.Skip("needs root, and a file system that has the attribute: ", err)
	}
	for _, c := range []report.Change{
		{Path: path, Target: path, Before: []byte("old"), After: []byte("new")},
		{Path: path + ".new", Target: path + ".new", After: []byte("new"), Mode: 0o644},
	} {
		want := "lies in " + dir + ", which is append-only"
		if err := fs.Denied(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the plan says %v, want %q", c.Path, err, want)
		}
	}
}

func TestAFileWhoseTemporaryNameStaysIsSaidToStand(t *testing.T) {
	testenv.AsRoot(t)
	dir := testenv.Home(t)
	path := filepath.Join(dir, "settings.json")
	err := fs.Apply(report.Change{Path: path, Target: path, After: []byte("new"), Mode: 0o644}, "t", func(stage string) {
		if stage != "rename" {
			return
		}
		if err := setFlags(t, dir, appendOnly); err != nil { // nothing in it can be removed
			t.Skip("needs root, and a file system that has the attribute: ", err)
		}
	})
	e, ok := errors.AsType[*report.Error](err)
	if !ok || !fs.Stands(err) || !strings.Contains(e.Next, filepath.Join(dir, ".settings.json.steward-t")) {
		t.Errorf("stands: %v, %+v", fs.Stands(err), e)
	}
	if read(t, path) != "new" {
		t.Error("the file is another")
	}
}

func TestAReplacedFileKeepsTheBitsBesideItsPermissions(t *testing.T) {
	path := filepath.Join(testenv.Home(t), "settings.json")
	for _, mode := range []os.FileMode{0o664 | os.ModeSetgid, 0o755 | os.ModeSetuid, 0o644 | os.ModeSticky} {
		write(t, path, "old", 0o644)
		testenv.OK(t, os.Chmod(path, mode))
		c := report.Change{Path: path, Target: path, Before: []byte("old"), After: []byte("new")}
		testenv.OK(t, fs.Apply(c, "t", nil))
		if got := testenv.Must(os.Stat(path))(t).Mode(); got != mode {
			t.Errorf("the mode is %v, want %v", got, mode)
		}
		c = report.Change{Path: path, Target: path, Before: []byte("new"), After: []byte("old"), Mode: 0o600, SetMode: true}
		testenv.OK(t, fs.Apply(c, "t", nil))
		want := mode&^os.ModePerm | 0o600
		if got := testenv.Must(os.Stat(path))(t).Mode(); got != want {
			t.Errorf("with permissions of its own the mode is %v, want %v", got, want)
		}
	}
}

func TestAFileWithAttributesGivesWayToNoSymlink(t *testing.T) {
	path := filepath.Join(testenv.Home(t), "CLAUDE.md")
	c := report.Change{Path: path, Target: path, Before: []byte("old"), After: []byte("/x"), Turns: true,
		Mode: os.ModeSymlink | 0o777}
	for _, key := range []string{"", "user.note", "system.posix_acl_access"} {
		testenv.OK(t, os.RemoveAll(path))
		write(t, path, "old", 0o644)
		if key == "" {
			testenv.OK(t, fs.Denied(c))
			continue
		}
		if err := unix.Setxattr(path, key, aclFor, 0); err != nil {
			t.Skipf("this file system has no %s: %v", key, err)
		}
		if err := fs.Denied(c); err == nil || !strings.Contains(err.Error(), "has the attribute "+key) {
			t.Errorf("%s: the plan says %v", key, err)
		}
	}
}

func TestACapabilityThatTheUserCannotGiveIsRefused(t *testing.T) {
	testenv.AsRoot(t)
	if os.Geteuid() != 0 {
		t.Skip("only root gives a file a capability")
	}
	home := testenv.Home(t)
	path := filepath.Join(home, "settings.json")
	write(t, path, "old", 0o644)
	const nobody = 65534
	testenv.OK(t, errors.Join(os.Chown(path, nobody, os.Getegid()), os.Chmod(home, 0o755),
		os.Chmod(filepath.Dir(home), 0o755)))
	netRaw := []byte("\x01\x00\x00\x02\x00\x20\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00")
	if err := unix.Setxattr(path, "security.capability", netRaw, 0); err != nil {
		t.Skip("this file system has no capabilities: ", err)
	}
	c := report.Change{Path: path, Target: path, Before: []byte("old"), After: []byte("new")}
	testenv.OK(t, syscall.Setresuid(-1, nobody, -1))
	err := fs.Denied(c)
	testenv.OK(t, syscall.Setresuid(-1, 0, -1))
	if err == nil || !strings.Contains(err.Error(), "has the attribute security.capability") {
		t.Errorf("the plan says %v", err)
	}
	testenv.OK(t, fs.Denied(c)) // root can keep it
}

func TestWhatCannotBeKeptIsRefused(t *testing.T) {
	home := testenv.Home(t)
	for name, make := range map[string]struct {
		seed       func(path string) error
		want, line string
	}{
		"read-only": {func(path string) error { return os.Chmod(path, 0o444) }, "is read-only (mode 0444)", "(chmod u+w @)"},
		"hard-linked": {func(path string) error { return os.Link(path, path+".other") }, "has 2 hard links",
			"(cd $ && cp -p settings.json settings.json.new && mv settings.json.new settings.json)"},
		"immutable": {func(path string) error { return setFlags(t, path, immutable) }, "is immutable", "(sudo chattr -i @)"},
		"append-only": {func(path string) error { return setFlags(t, path, appendOnly) }, ": is append-only",
			"(sudo chattr -a @)"},
	} {
		path := filepath.Join(home, name, "an odd; name", "settings.json")
		write(t, path, "old", 0o644)
		if err := make.seed(path); err != nil {
			t.Logf("%s: cannot be made here: %v", name, err)
			continue
		}
		c := report.Change{Path: path, Target: path, Before: []byte("old"), After: []byte("new")}
		if err := fs.Denied(c); err == nil || !strings.Contains(err.Error(), make.want) {
			t.Errorf("%s: the plan says %v, want %q", name, err, make.want)
		}
		var e *report.Error
		line := strings.NewReplacer("$", "'"+filepath.Dir(path)+"'", "@", "'"+path+"'").Replace(make.line)
		if !errors.As(fs.Denied(c), &e) || !strings.Contains(e.Next, line) {
			t.Errorf("%s: next is %q, want %s", name, e.Next, line)
		}
		if err := fs.Apply(c, "t", nil); err == nil || !strings.Contains(err.Error(), make.want) {
			t.Errorf("%s: got %v, want %q", name, err, make.want)
		}
		if got := read(t, path); got != "old" {
			t.Errorf("%s: holds %q now", name, got)
		}
	}
}
