// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: another cause than the sandbox is named where the text alone,
// or this machine and the policy together, leave no way for the sandbox to have
// made it. Else it is unknown.

package explain

import (
	"errors"
	iofs "io/fs"
	"net/netip"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/access"
	"github.com/steward-setup/steward-setup/internal/agent/claude/hook"
	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
)

// other is the verdict over an error of an entry of layer none.
func (l looker) other(a catalog.Answer) (catalog.Verdict, string) {
	switch {
	case a.Confirm == catalog.Sure:
		return catalog.Ordinary, ""
	case a.Confirm == catalog.Explain:
		return catalog.Undecided, ""
	case !l.outside && (a.Confirm == catalog.Shown || a.Confirm == catalog.Reached || a.Confirm == catalog.Absent):
		return catalog.Undecided, ""
	case !l.outside:
		return catalog.Silent, ""
	}
	switch a.Confirm {
	case catalog.Shown:
		return l.shown(a.Witness)
	case catalog.Barred:
		return l.barred(a)
	case catalog.Foreign:
		return l.foreign(a.Line)
	case catalog.LowPort:
		return l.lowPort(a.Line)
	case catalog.Disk:
		return l.disk(a.Line)
	case catalog.Mode:
		return l.mode(a)
	case catalog.Absent:
		return l.absent(a)
	case catalog.Reached:
		return l.reached(a)
	}
	return catalog.Silent, ""
}

// starts are the sandboxed sessions that may start in the project.
func (l looker) starts() (root string, list []*access.Start) {
	root = gitrepo.RootOf(l.ctx, l.r, l.project)
	plain := access.Plain(l.ctx, l.r, root)
	for _, s := range []*access.Start{plain, access.Iso(l.ctx, l.r, root, plain)} {
		if s.Missing {
			continue
		}
		if on, _ := s.Sandboxed(); on {
			list = append(list, s)
		}
	}
	return root, list
}

// hides says whether a sandboxed command of one of the sessions may not read a path.
func (l looker) hides(starts []*access.Start, path string) bool {
	f := access.File{Named: path, Real: host.Real(l.r, path)}
	return slices.ContainsFunc(starts, func(s *access.Start) bool { return f.Reads(s).Answer != report.Allowed })
}

// shown says whether the policy hides none of the places of a witness.
func (l looker) shown(witness string) (catalog.Verdict, string) {
	if hidden := l.hidden(witness); hidden != "" {
		return catalog.Undecided, hidden
	}
	return catalog.Ordinary, "the policy hides none that is here"
}

// hidden says which of the places that a witness names is here and kept from
// commands, "" if none is.
func (l looker) hidden(witness string) string {
	root, starts := l.starts()
	for _, place := range catalog.PlacesOf(witness, l.r.Places().Home, root, l.r.System().Get) {
		if place.Variable != "" {
			if place.Path != "" && slices.ContainsFunc(starts, func(s *access.Start) bool {
				rulings, _ := access.Variable(place.Variable).Rule(s)
				return rulings[0].Answer != report.Allowed
			}) {
				return place.Named + " is set here, and commands do not see it"
			}
			continue
		}
		if _, err := l.r.Lstat(place.Path); errors.Is(err, iofs.ErrNotExist) {
			continue
		}
		if l.hides(starts, place.Path) {
			return place.Named + " is there, and the policy hides it from commands"
		}
	}
	return ""
}

// barred says whether a socket, or the directory of another path, is closed to
// this user outside the sandbox too.
func (l looker) barred(a catalog.Answer) (catalog.Verdict, string) {
	path, full := catalog.SocketPath(a.Line), true
	at := path
	if path == "" {
		path, full = Named(l.r, a.Paths)
		at = filepath.Dir(path)
	}
	if path == "" || !full || Strange(l.r, path) != "" {
		return catalog.Undecided, ""
	}
	_, err := l.r.Stat(at)
	for at != path && errors.Is(err, iofs.ErrNotExist) && at != "/" {
		at = filepath.Dir(at)
		_, err = l.r.Stat(at)
	}
	_, starts := l.starts()
	switch {
	case errors.Is(err, iofs.ErrNotExist):
		return catalog.Undecided, at + " is not there"
	case fs.Accessible(at, true):
		return catalog.Undecided, "you may write " + at + " outside the sandbox"
	case err != nil && !errors.Is(err, iofs.ErrPermission):
		return catalog.Undecided, ""
	case l.hides(starts, path):
		return catalog.Undecided, "the policy hides " + path
	}
	return catalog.Ordinary, neither("write", at)
}

// mode says whether the file that a shell was to run lacks the execute permission.
// One that the policy hides by itself cannot be run inside either.
func (l looker) mode(a catalog.Answer) (catalog.Verdict, string) {
	path, _ := Named(l.r, a.Paths)
	info, err := l.r.Stat(path)
	switch {
	case path == "" || err != nil:
		return catalog.Undecided, ""
	case !info.Mode().IsRegular() || info.Mode()&0o111 != 0:
		return catalog.Silent, ""
	}
	if l.masked(path) {
		return catalog.Silent, ""
	}
	return catalog.Ordinary, path + noExecute
}

// absent says whether a file that a tool wants to read is missing outside too.
func (l looker) absent(a catalog.Answer) (catalog.Verdict, string) {
	a.Confirm = catalog.Exists
	v, words := l.file(a)
	if v == catalog.Sandboxed {
		return catalog.Silent, ""
	}
	return v, words
}

// reached says whether an error of who opened a unix socket came from outside the
// sandbox: in it the settings may let nobody open one. A client that asks a TCP
// address, and a socket that the policy hides, prove nothing.
func (l looker) reached(a catalog.Answer) (catalog.Verdict, string) {
	_, starts := l.starts()
	path := catalog.SocketPath(a.Line)
	opens := slices.ContainsFunc(starts, func(s *access.Start) bool {
		return s.Settings.Scalar(claude.KeyAllowAllUnixSockets...).Value.True()
	})
	address := l.r.System().Get("DOCKER_HOST")
	switch {
	case path != "" && l.hides(starts, path):
		return catalog.Silent, ""
	case len(starts) > 0 && !opens && (address == "" || strings.HasPrefix(address, "unix://")):
		return catalog.Ordinary, "the settings let no sandboxed command open a unix socket, and this one was opened"
	}
	return l.shown(a.Witness)
}

// masked says whether the policy hides a file by itself: it answers "Permission
// denied" then. Below a hidden directory it does not exist.
func (l looker) masked(path string) bool {
	_, starts := l.starts()
	return l.hides(starts, path) && !l.hides(starts, filepath.Dir(path))
}

// foreign says whether the host that refused is another machine, one that
// commands may reach. A sandboxed command reaches none but through the proxy,
// which speaks of itself: without it an address is unreachable, and a name is
// not found (measured with 2.1.330).
func (l looker) foreign(line string) (catalog.Verdict, string) {
	name := catalog.RefusedBy(line)
	if name == "" {
		return catalog.Silent, ""
	}
	words := name + " is not an address of this machine's loopback"
	if ip, err := netip.ParseAddr(name); err == nil {
		if ip.IsLoopback() || ip.IsUnspecified() {
			return catalog.Silent, ""
		}
	} else {
		hosts, err := l.r.Read("/etc/hosts")
		own, ownErr := l.r.Read("/proc/sys/kernel/hostname")
		machine, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(string(own))), ".")
		first, _, _ := strings.Cut(name, ".")
		if err != nil || ownErr != nil || first == machine ||
			slices.Contains(strings.Fields(strings.ToLower(string(hosts))), name) {
			return catalog.Silent, ""
		}
		words = name + " is not a name of this machine"
	}
	if l.refuses(name) {
		return catalog.Undecided, words + ", but the settings do not let commands reach it"
	}
	return catalog.Ordinary, words + ", and the settings let commands reach it"
}

// refuses says whether the settings may keep commands from a host.
func (l looker) refuses(name string) bool {
	x, err := Explain(l.ctx, l.r, Question{Kind: AboutHost, Subject: name, Project: l.project})
	return err != nil || slices.ContainsFunc(x.Rulings, func(r report.Ruling) bool {
		return r.Who == access.WhoCommand && (r.Does == access.ViaProxy || r.Does == access.DoesReach) &&
			r.Answer != report.Allowed
	})
}

// sandboxPort is the first port that users may open in the sandbox's own
// network, wherever this machine's is (measured with 2.1.330).
const sandboxPort = 1024

// lowPort says what is known of the port that an error names. It is never sure:
// root, and a program with file capabilities, may open it outside only.
func (l looker) lowPort(line string) (catalog.Verdict, string) {
	data, err := l.r.Read("/proc/sys/net/ipv4/ip_unprivileged_port_start")
	first, notNumber := strconv.Atoi(strings.TrimSpace(string(data)))
	ports := hook.Ports(line)
	if err != nil || notNumber != nil || len(ports) == 0 || ports[0] >= max(first, sandboxPort) {
		return catalog.Silent, ""
	}
	return catalog.Undecided, "users may open ports from " + strconv.Itoa(first) + " on outside the sandbox; root, and " +
		"programs with file capabilities, all"
}

// disk says whether a path lies where the policy puts no file system in memory:
// in the project, or outside of the home directory, and in nothing that it hides.
func (l looker) disk(line string) (catalog.Verdict, string) {
	root, starts := l.starts()
	for _, s := range catalog.Subjects(line, "no space left on device") {
		if !catalog.Pathlike(s) {
			continue
		}
		s = pathname.From(l.r.System().Cwd, s)
		if !filepath.IsAbs(s) || pathname.Within(s, "/dev") || Strange(l.r, s) != "" {
			continue
		}
		if l.hides(starts, s) {
			return catalog.Undecided, "the policy hides " + s + ": inside, a file system in memory lies there"
		}
		if pathname.Within(s, root) || !pathname.Within(s, l.r.Places().Home) {
			return catalog.Ordinary, s + " lies on a disk"
		}
	}
	return catalog.Silent, ""
}
