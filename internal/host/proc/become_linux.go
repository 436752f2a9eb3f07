// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whoever enters a stage with rights uses them for what the
// stage needs, gives them up for good, and only then becomes something else.

package proc

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// StageAddress is an address of the stage that is not loopback: one of those
// that RFC 5737 keeps for documentation. The runtime's proxy refuses names
// that resolve to loopback, or to an address that an interface has (measured
// with 2.1.329): this one is only in the network of the one that is added, all
// of which a loopback interface takes for itself.
const StageAddress = "192.0.2.2"

// Entry says what is done before the rights are given up.
type Entry struct {
	// UID and GID are who it becomes.
	UID, GID int
	// Proc mounts a fresh /proc: needed where there is no user namespace.
	Proc bool
	// Own are directories of the stage that become the user's, with what
	// is in them on the same file system.
	Own []string
	// Terminal is the descriptor of the session's terminal, 0 if it has
	// none; Port is where on StageAddress StageListener listens, 0 if nothing
	// does.
	Terminal, Port int
	// Nice is by how much it steps back behind other programs (nice(2)).
	Nice int
}

// Enter prepares the stage and replaces this process by the program at path.
// It returns only on failure.
func Enter(e Entry, path string, argv, environ []string) error {
	runtime.LockOSThread() // rights belong to a thread, and exec takes those of the caller
	if e.Proc {
		if err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
			return fmt.Errorf("a fresh /proc cannot be mounted: %w", err)
		}
	}
	if err := addAddress(); err != nil {
		return fmt.Errorf("the stage gets no address: %w", err)
	}
	if err := hand(e.Terminal, e.Port); err != nil {
		return fmt.Errorf("port %d of the stage cannot be had: %w", e.Port, err)
	}
	for _, dir := range e.Own {
		if err := own(dir, e.UID, e.GID); err != nil {
			return err
		}
	}
	if e.Nice > 0 {
		// Of this thread, which becomes the program.
		if err := unix.Setpriority(unix.PRIO_PROCESS, 0, e.Nice); err != nil {
			return fmt.Errorf("the priority cannot be lowered: %w", err)
		}
	}
	if err := renounce(e.UID, e.GID); err != nil {
		return fmt.Errorf("the rights cannot be given up: %w", err)
	}
	return syscall.Exec(path, argv, environ)
}

// addAddress gives the loopback interface a second address, and with it the
// network 192.0.2.0/24: SIOCSIFADDR on an alias (netdevice(7)).
func addAddress() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	request := struct {
		name   [unix.IFNAMSIZ]byte
		family uint16
		port   uint16
		addr   [4]byte
		_      [16]byte
	}{family: unix.AF_INET, addr: [4]byte{192, 0, 2, 1}}
	copy(request.name[:], "lo:1")
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.SIOCSIFADDR,
		uintptr(unsafe.Pointer(&request))); errno != 0 {
		return errno
	}
	return nil
}

// own gives dir and what is in it to a user, without leaving its file system:
// what is mounted from the host stays whose it is.
func own(dir string, uid, gid int) error {
	var top unix.Stat_t
	if err := unix.Lstat(dir, &top); err != nil {
		return err
	}
	return filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		var st unix.Stat_t
		if err := unix.Lstat(path, &st); err != nil {
			return err
		}
		if st.Dev != top.Dev {
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		return unix.Lchown(path, uid, gid)
	})
}

// renounce gives up every right of this thread.
func renounce(uid, gid int) error {
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return err
	}
	for c := 0; c <= unix.CAP_LAST_CAP; c++ {
		// EPERM: without CAP_SETPCAP, as an ordinary user; EINVAL: the
		// kernel does not know it. What is not held cannot come back
		// then either: see below.
		_ = unix.Prctl(unix.PR_CAPBSET_DROP, uintptr(c), 0, 0, 0)
	}
	if unix.Getuid() != uid {
		for _, c := range [][2]int{{unix.SYS_SETGROUPS, 0}, {unix.SYS_SETRESGID, gid}, {unix.SYS_SETRESUID, uid}} {
			if _, _, errno := unix.RawSyscall(uintptr(c[0]), uintptr(c[1]), uintptr(c[1]), uintptr(c[1])); errno != 0 {
				return errno
			}
		}
	}
	// No program of this tree gets rights by being set-uid or by file
	// capabilities.
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	return unix.Capset(&head, &none[0])
}

var adopts bool

// Adopt makes this process the parent of what its descendants leave behind
// (PR_SET_CHILD_SUBREAPER). It is for one that does nothing but one session: it would
// wait for what somebody else waits for.
func Adopt() { adopts = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == nil }

// reap waits for those that have ended.
func reap() {
	for adopts {
		if pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil); pid <= 0 || err != nil {
			return
		}
	}
}

// leaveKeyring gives this thread an anonymous session keyring of its own
// (keyctl(2)): sandboxed commands read every key of the one that they inherit
// (measured with 2.1.141 to 2.1.329). Where the system refuses, as containers
// do, there are no keys to read either.
func leaveKeyring() {
	_, _, _ = unix.Syscall(unix.SYS_KEYCTL, unix.KEYCTL_JOIN_SESSION_KEYRING, 0, 0) // nil is anonymous
}
