// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: another cause than the sandbox is named where the text, or
// the text and this machine, leave no way for the sandbox to have made it.

package doctor

import (
	"net/netip"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/steward-setup/steward-setup/internal/access"
	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/hook"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
)

// other is the verdict over an error of an entry of layer none.
func (l looker) other(a catalog.Answer) (catalog.Verdict, string) {
	if a.Confirm == catalog.Explain {
		return catalog.Ordinary, ""
	}
	if !l.outside {
		return catalog.Silent, ""
	}
	holds, words := false, ""
	switch a.Confirm {
	case catalog.Foreign:
		holds, words = l.foreign(a.Line)
	case catalog.LowPort:
		holds, words = l.lowPort(a.Line)
	case catalog.Library:
		holds, words = l.r.System().Get("LD_LIBRARY_PATH") == "", "LD_LIBRARY_PATH is not set"
	case catalog.Disk:
		holds, words = l.disk(a.Line)
	}
	if !holds {
		return catalog.Silent, ""
	}
	return catalog.Ordinary, words
}

// foreign says whether the host that refused is another machine. A sandboxed
// command reaches none but through the proxy, which speaks of itself: without
// it an address is unreachable, and a name is not found (measured with 2.1.330).
func (l looker) foreign(line string) (bool, string) {
	name := catalog.RefusedBy(line)
	if name == "" {
		return false, ""
	}
	if ip, err := netip.ParseAddr(name); err == nil {
		return !ip.IsLoopback() && !ip.IsUnspecified(), name + " is not an address of this machine's loopback"
	}
	hosts, err := l.r.Read("/etc/hosts")
	if err != nil || slices.Contains(strings.Fields(strings.ToLower(string(hosts))), name) {
		return false, ""
	}
	return true, name + " is not a name of this machine (/etc/hosts)"
}

// lowPort says whether users may not open the port that an error names. The
// sandbox's own network starts at 1024 (measured with 2.1.330), wherever this
// machine's does.
func (l looker) lowPort(line string) (bool, string) {
	data, err := l.r.Read("/proc/sys/net/ipv4/ip_unprivileged_port_start")
	first, notNumber := strconv.Atoi(strings.TrimSpace(string(data)))
	ports := hook.Ports(line)
	if err != nil || notNumber != nil || len(ports) == 0 || ports[0] >= first {
		return false, ""
	}
	return true, "users may open ports from " + strconv.Itoa(first) + " on"
}

// disk says whether a path lies where the policy puts no file system in memory:
// in the project, or outside of the home directory.
func (l looker) disk(line string) (bool, string) {
	for _, s := range catalog.Subjects(line, "no space left on device") {
		if !catalog.Pathlike(s) {
			continue
		}
		if !filepath.IsAbs(s) {
			s = filepath.Join(l.r.System().Cwd, s)
		}
		if !filepath.IsAbs(s) || pathname.Within(s, "/dev") || Strange(l.r, s) != "" {
			continue
		}
		if pathname.Within(s, access.Root(l.ctx, l.r, l.project)) || !pathname.Within(s, l.r.Places().Home) {
			return true, s + " lies on a disk"
		}
	}
	return false, ""
}
