// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a runtime that is not installed is started outside a stage
// for its version alone, and there it can change nothing and reach nobody.

package proc

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
)

// apart is s in a namespace with a read-only file system, no network, no
// processes of others and no unix sockets, if it would start the runner's
// Runtime: bwrap is then what runs. Other calls stay as they are, and so do all
// where there is no bwrap for the system: there nothing is rehearsed either.
func (r Runner) apart(s Spec) (Spec, error) {
	if s.path != "" || s.name != "claude" || r.Runtime == "" || runtime.GOOS != "linux" {
		return s, nil
	}
	path, err := r.Look(s.name)
	if err != nil {
		return s, err
	}
	filter, ok := noUnixSockets(runtime.GOARCH)
	if !ok {
		return s, fmt.Errorf("%s is not started: unix sockets cannot be kept from it on %s", path, runtime.GOARCH)
	}
	bwrap, err := r.Look("bwrap")
	if err != nil {
		// The reason is text alone: it is not the runtime that is missing.
		return s, errors.New(path + " is not started: it would be without a namespace: " + err.Error())
	}
	s.path, s.fds, s.firm = bwrap, [][]byte{filter}, true // one that hangs is not waited for longer under load
	s.args = append([]string{"--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts",
		"--unshare-cgroup-try", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--ro-bind", "/", "/",
		"--dev", "/dev", "--proc", "/proc", "--chdir", "/", "--seccomp", "3", "--", path}, slices.Clone(s.args)...)
	return s, nil
}
