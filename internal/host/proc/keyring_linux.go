// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the agent gets no key of the shell that starts it.

package proc

import "golang.org/x/sys/unix"

// leaveKeyring gives this thread an anonymous session keyring of its own
// (keyctl(2)): sandboxed commands read every key of the one that they inherit
// (measured with 2.1.141 to 2.1.329). Where the system refuses, as containers
// do, there are no keys to read either.
func leaveKeyring() {
	_, _, _ = unix.Syscall(unix.SYS_KEYCTL, unix.KEYCTL_JOIN_SESSION_KEYRING, 0, 0) // nil is anonymous
}
