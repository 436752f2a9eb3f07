// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a stage that cannot be set up is explained by what the
// kernel refused and by the switch that makes it refuse, read on this machine.

package rehearsal

import (
	"cmp"
	"path/filepath"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/report"
)

// switches are the kernel's, each with the value that forbids user namespaces
// to ordinary users: the documentation of AppArmor in Ubuntu 23.10 and later,
// Debian's patch to the kernel, and user_namespaces(7).
var switches = []struct{ path, forbids, why string }{
	{"/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1", "AppArmor lets only programs with a profile use " +
		"user namespaces (kernel.apparmor_restrict_unprivileged_userns = 1)"},
	{"/proc/sys/kernel/unprivileged_userns_clone", "0",
		"only root may create user namespaces (kernel.unprivileged_userns_clone = 0)"},
	{"/proc/sys/user/max_user_namespaces", "0", "user namespaces are disabled (user.max_user_namespaces = 0)"},
}

// refusals are what bwrap 0.8 to 0.11 says, part of a line each, when a
// namespace is the reason.
var refusals = []string{"new namespace", "uid map", "gid map", "No permissions", "RTM_NEWADDR", "setgroups",
	"user namespace"}

// NoStage and NotTested are said where no stage can be set up.
const NoStage, NotTested = "the test environment cannot be set up: ", "nothing can be tested without it"

// blocked says why there is no stage.
func blocked(r host.Reader, res proc.Result) error {
	said := cmp.Or(strings.TrimPrefix(lastWords(string(res.Stderr)), ": "), res.Text())
	e := &report.Error{Code: report.ExitLeft, Where: "bwrap", What: NoStage + said,
		Why: NotTested, Lines: []report.Line{{Words: "doctor userns"}}}
	switch {
	case res.Missing():
		e.What = "bwrap is not installed: nothing can be tested without it"
		e.Next, e.Lines = "see the line that installs it:  ", []report.Line{{Words: "install --plan"}}
	case res.Err != nil:
		e.What, e.Next = "the session did not end: "+res.Err.Error(), "try again when the machine is less busy"
		e.Lines = nil
	case strings.Contains(said, "mount proc"):
		e.Why = "this is a container whose /proc is masked: no namespace in it gets a /proc of its own"
		e.Next = "verify outside the container; or, in a replica of the home: "
		e.Lines = []report.Line{{Words: "verify --live=always"}}
	default:
		for _, refusal := range refusals {
			if strings.Contains(said, refusal) {
				e.Why = why(r)
				break
			}
		}
	}
	return e
}

// why names the switch that forbids user namespaces here.
func why(r host.Reader) string {
	for _, s := range switches {
		if b, err := r.Read(filepath.Join(r.System().Root, s.path)); err == nil && strings.TrimSpace(string(b)) == s.forbids {
			return s.why
		}
	}
	return "the kernel, a seccomp filter or the container that this runs in refuses user namespaces"
}
