// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a terminal is made outside of the stage and handed in as a
// descriptor: a stage has no /dev/pts, through which it would reach the user's
// own terminals.

package proc

import (
	"cmp"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// rows and columns of the terminal of a session: enough for its screens.
const rows, columns = 45, 150

// newTerminal makes a pseudo-terminal, both ends of which are closed at an exec.
func newTerminal(rows, columns uint16) (master, terminal *os.File, err error) {
	if master, err = os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		return nil, nil, err
	}
	control, err := master.SyscallConn()
	if err != nil {
		master.Close()
		return nil, nil, err
	}
	var peer uintptr
	var failed error
	err = control.Control(func(fd uintptr) {
		if failed = unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0); failed != nil {
			return
		}
		if failed = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: rows, Col: columns}); failed != nil {
			return
		}
		// Not by its name: /dev/pts may be another one's (ioctl_tty(2)).
		var errno unix.Errno
		if peer, _, errno = unix.Syscall(unix.SYS_IOCTL, fd, unix.TIOCGPTPEER,
			unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC); errno != 0 {
			failed = errno
		}
	})
	if err = cmp.Or(err, failed); err != nil {
		master.Close()
		return nil, nil, err
	}
	return master, os.NewFile(peer, "terminal"), nil
}

// openTerminal makes a terminal for a session. What is written to it is read
// and forgotten, until stop.
func openTerminal() (terminal *os.File, stop func(), err error) {
	master, terminal, err := newTerminal(rows, columns)
	if err != nil {
		return nil, nil, err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(io.Discard, master)
	}()
	return terminal, func() {
		terminal.Close()
		master.Close()
		<-done
	}, nil
}

// hand puts what the stage's own process is given on its descriptors: the
// terminal, and a listener for port of StageAddress, which takes a right below
// 1024.
func hand(terminal, port int) error {
	if terminal != 0 {
		if err := unix.Dup3(terminal, stageTerminal, 0); err != nil {
			return err
		}
		unix.CloseOnExec(terminal)
	}
	if port == 0 {
		return nil
	}
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if err := unix.Bind(fd, &unix.SockaddrInet4{Port: port, Addr: [4]byte{192, 0, 2, 2}}); err != nil {
		return err
	}
	if err := unix.Listen(fd, 64); err != nil {
		return err
	}
	return unix.Dup3(fd, stageListener, 0)
}
