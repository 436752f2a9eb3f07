// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: nobody here waits for what is started. A detached call has no
// terminal and nobody's output; what replaces this process has all of ours.

package proc

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// Detach starts a program in a session of its own, with the base environment
// and /dev/null for all three streams, and returns without waiting for it.
// The timeout of the Spec is not enforced. An error means that nothing was
// started.
func (r Runner) Detach(s Spec) error {
	path := s.path
	if path == "" {
		var err error
		if path, err = r.Look(s.name); err != nil {
			return err
		}
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	cmd := exec.Command(path, s.args...)
	cmd.Dir, cmd.Env = "/", append(r.base(s.network, s.agent), s.extra...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = null, null, null
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	return cmd.Process.Release()
}

// RefreshTitle is this program, at the absolute path binary, told to refresh
// the pull request title of the worktree at root.
func RefreshTitle(binary, root string) Spec {
	return Spec{name: "steward-setup", path: binary, args: []string{"hook", "refresh-title", root}}
}

// Exec replaces this process by the program at the absolute path. argv
// includes the name that the program sees itself under. It returns only if
// the system refuses. The session keyring of the caller is not handed on.
func Exec(path string, argv, environ []string) error {
	runtime.LockOSThread() // a keyring belongs to a thread, and exec takes that of the caller
	defer runtime.UnlockOSThread()
	leaveKeyring()
	return syscall.Exec(path, argv, environ)
}
