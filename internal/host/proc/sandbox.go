// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the sandbox's own programs are tried on nothing: a
// read-only root, no network, a command that does nothing.

package proc

import "time"

// SandboxTrial starts bwrap as the runtime does (the options are those that
// 2.1.329 passed, without its mounts) and runs true in it. It takes about
// 10 ms; a kernel or a profile that forbids user namespaces shows as a
// non-zero exit code with the reason on standard error.
func SandboxTrial() Spec {
	return Spec{name: "bwrap", args: []string{"--new-session", "--die-with-parent", "--unshare-net", "--ro-bind", "/", "/",
		"--dev", "/dev", "--unshare-pid", "--unshare-user", "--cap-drop", "ALL", "--cap-add", "CAP_SETFCAP", "--proc", "/proc", "--", "true"},
		timeout: 5 * time.Second}
}
