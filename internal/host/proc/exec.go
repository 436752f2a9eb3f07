// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what replaces this process gets exactly the arguments and
// the environment that it is given, and nothing of ours stays behind: signals,
// exit code and terminal are its own.

package proc

import (
	"runtime"
	"syscall"
)

// Exec replaces this process by the program at the absolute path. argv
// includes the name that the program sees itself under. It returns only if
// the system refuses. The session keyring of the caller is not handed on.
func Exec(path string, argv, environ []string) error {
	runtime.LockOSThread() // a keyring belongs to a thread, and exec takes that of the caller
	defer runtime.UnlockOSThread()
	leaveKeyring()
	return syscall.Exec(path, argv, environ)
}
