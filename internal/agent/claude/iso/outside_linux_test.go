// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what commands get at outside of the home: the home at a
// second place, the kernel's keyrings, shared memory. Each is first seen to be
// open in a plain start; what the launch cannot close is seen to be open in it.

package iso_test

import (
	"fmt"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestTheHomeAtASecondPlace(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.approve()
	l.root = filepath.Join(l.marks, "root")
	mounts := []string{
		"254:0 HOME SECOND rw - ext4 x rw",
		"254:0 HOME/secret.txt SECOND/secret.txt rw - ext4 x rw",
		"0:60 / SECOND rw - overlay x rw,lowerdir=/opt/x:HOME",
		"0:61 / SECOND rw - fuse.bindfs HOME rw,user_id=0",
	}
	list := "20 1 254:0 / / rw - ext4 x rw\n"
	var script []model.Turn
	for i, mount := range mounts {
		second := filepath.Join(l.marks, fmt.Sprint("again", i)) // a copy stands for the mount: only its name is looked up
		testenv.Write(t, filepath.Join(second, "secret.txt"), secret+"\n", 0o644)
		testenv.Write(t, filepath.Join(l.root, second, "secret.txt"), "", 0o644)
		list += fmt.Sprint(22+i, " 20 ") + strings.NewReplacer("HOME", l.home, "SECOND", second).Replace(mount) + "\n"
		script = append(script, calls(open(filepath.Join(second, "secret.txt")))...)
	}
	testenv.Write(t, filepath.Join(l.root, "proc", "self/mountinfo"), list, 0o644)
	script = append(script, calls(model.Bash("cat README.md"))...)
	plain := l.plain("p", script...)
	for i, mount := range mounts {
		if got := plain.text(t, i); !strings.Contains(got, secret) {
			t.Fatalf("%s: a plain start does not read it: %s", mount, got)
		}
	}
	s := l.hardened("p", iso.Options{}, script...)
	for i, mount := range mounts {
		if got := s.text(t, i); strings.Contains(got, secret) {
			t.Errorf("%s: the launch reads it: %s", mount, got)
		}
	}
	if got := s.text(t, len(mounts)); !strings.Contains(got, "README") {
		t.Errorf("the project is not readable any more: %s", got)
	}
}

// TestTheHomeIsMountedInTheProject: a copy stands for the mount, as above.
func TestTheHomeIsMountedInTheProject(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	l := newLab(t)
	l.approve()
	inside := filepath.Join(l.project, "data")
	l.root = filepath.Join(l.marks, "root")
	for path, text := range map[string]string{
		filepath.Join(inside, ".ssh", "id_rsa"): secret + "\n",
		filepath.Join(l.root, "proc", "self/mountinfo"): "20 1 254:0 / / rw - ext4 x rw\n22 20 254:0 " + l.home + " " +
			inside + " rw - ext4 x rw\n",
	} {
		for _, err := range []error{os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	script := calls(model.Bash("cat data/.ssh/id_rsa; python3 -c 'open(\"data/.zshenv\",\"w\")'; cat README.md"),
		open(filepath.Join(inside, ".ssh", "id_rsa")))
	if got := l.plain("p", script...).text(t, 0); !strings.Contains(got, secret) {
		t.Fatalf("a plain start does not read it: %s", got)
	}
	written := filepath.Join(inside, ".zshenv")
	if err := os.Remove(written); err != nil {
		t.Fatalf("a plain start does not write there: %v", err)
	}
	s := l.hardened("p", iso.Options{}, script...)
	for i := range 2 {
		if got := s.text(t, i); strings.Contains(got, secret) {
			t.Errorf("the launch reads it: %s", got)
		}
	}
	if _, err := os.Lstat(written); err == nil {
		t.Error("the launch writes there")
	}
	if got := s.text(t, 0); !strings.Contains(got, "README") {
		t.Errorf("the project is not readable any more: %s", got)
	}
}

func init() { startWithKey = keyed }

// keyed is this test binary as the shell that starts an agent: it has a key
// in its session keyring, and is replaced by the agent as the launch does it,
// or plainly.
func keyed(args []string) error {
	goruntime.LockOSThread()
	if _, _, errno := unix.Syscall(unix.SYS_KEYCTL, unix.KEYCTL_JOIN_SESSION_KEYRING, 0, 0); errno != 0 {
		return errno
	}
	if _, err := unix.AddKey("user", "steward", []byte(secret), unix.KEY_SPEC_SESSION_KEYRING); err != nil {
		return err
	}
	if args[0] == "launch" {
		return proc.Exec(args[1], args[2:], os.Environ())
	}
	return syscall.Exec(args[1], args[2:], os.Environ())
}

// python is a call that does something with system calls and prints what lies
// in the buffer b.
func python(lines string) model.Call {
	return model.Bash("/usr/bin/python3 -c 'import ctypes\nl=ctypes.CDLL(None, use_errno=True)\n" +
		"b=ctypes.create_string_buffer(64)\n" + lines + "\nprint(\"got\", b.value.decode())'")
}

func TestTheSessionKeyring(t *testing.T) {
	t.Parallel()
	if ring, err := unix.KeyctlGetKeyringID(unix.KEY_SPEC_SESSION_KEYRING, true); err != nil {
		t.Skipf("no keyrings here: %d, %v", ring, err)
	}
	l := newLab(t)
	l.approve()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	script := calls(python(fmt.Sprintf("k=l.syscall(%d,%d,-3,b\"user\",b\"steward\",0)\nl.syscall(%d,%d,k,b,64)",
		unix.SYS_KEYCTL, unix.KEYCTL_SEARCH, unix.SYS_KEYCTL, unix.KEYCTL_READ)))
	l.beside = "a key in a keyring"
	from := func(way string, start func() (string, []string, []string)) string {
		return l.play("p", script, func() (string, []string, []string) {
			path, argv, _ := start()
			return self, append([]string{self, withKey, way, path}, argv...), l.environ()
		}).text(t, 0)
	}
	if got := from("plain", func() (string, []string, []string) {
		return filepath.Join(l.bin, "claude"), append([]string{"claude"}, headless...), nil
	}); !strings.Contains(got, secret) {
		t.Fatalf("a plain start does not read the key: %s", got)
	}
	if got := from("launch", l.launch("p", iso.Options{Args: headless})); strings.Contains(got, secret) ||
		!strings.Contains(got, "got") {
		t.Errorf("the launch reads the key: %s", got)
	}
}

// No setting of the runtime gives commands shared memory of their own: where
// this fails, docs/protection.md says too little for the runtime.
func TestSharedMemoryIsOpenInBothLaunches(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	l := newLab(t)
	l.beside = "shared memory"
	l.approve()
	id, err := unix.SysvShmGet(os.Getpid(), 64, unix.IPC_CREAT|0o600)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _, _ = unix.SysvShmCtl(id, unix.IPC_RMID, nil) })
	at, err := unix.SysvShmAttach(id, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	copy(at, secret)
	if err := unix.SysvShmDetach(at); err != nil {
		t.Fatal(err)
	}
	script := calls(python(fmt.Sprintf("l.shmat.restype=ctypes.c_void_p\n"+
		"ctypes.memmove(b,l.shmat(l.shmget(%d,0,0),None,0o10000),%d)", os.Getpid(), len(secret))))
	if got := l.plain("p", script...).text(t, 0); !strings.Contains(got, secret) {
		t.Errorf("a plain start does not read it any more: %s", got)
	}
	if got := l.hardened("p", iso.Options{}, script...).text(t, 0); !strings.Contains(got, secret) {
		t.Errorf("the launch does not read it any more: %s", got)
	}
}
