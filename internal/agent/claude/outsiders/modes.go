// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what runs or decides outside the sandbox, and every
// directory on the way to it, is changed by its user and root alone.

package outsiders

import (
	"fmt"
	iofs "io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude/commandline"
	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/agent/claude/rcfiles"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/githooks"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/shell"
)

// guarded is a path that decides something, and what: whoever changes it does, or
// whoever reads it, if it is a secret. plain says that claude-iso does not load it.
type guarded struct {
	path, what    string
	plain, secret bool
}

// ownedPaths lists those that only their user may change: what runs outside the
// sandbox, the agent's directory, and the settings of the session.
func ownedPaths(r host.Reader, s session.Settings) []guarded {
	return session.Found(r, s, ownedKey{}, func() []guarded { return findOwned(r, s) })
}

type ownedKey struct{}

func findOwned(r host.Reader, s session.Settings) []guarded {
	list := []guarded{{path: s.Dirs.Agent, what: "the agent's directory"}}
	for _, o := range outsiders(r) {
		list = append(list, guarded{path: o.path, what: o.what})
	}
	files, _, _ := rcfiles.Files(r)
	for _, f := range files {
		list = append(list, guarded{path: f.Path, what: iso.ShellRuns})
	}
	if tree := host.FindTree(r, s.Dirs.Start); tree.Common != "" {
		for _, name := range []string{"config", "hooks", "hooks/" + githooks.PostCheckout} {
			list = append(list, guarded{path: filepath.Join(tree.Common, name), what: "what git runs"})
		}
	}
	for _, f := range iso.OwnFiles(r) {
		if !f.Secret {
			list = append(list, guarded{path: f.Path, what: f.What})
		}
	}
	g := grants.Of(r, s)
	for _, l := range s.Layers {
		project := l.Scope.OfProject()
		list = append(list, guarded{path: l.Doc.Path, what: "the " + l.Scope.String() + " settings", plain: project})
		for _, c := range commandline.Wired(l) {
			for _, u := range commandline.Reach(g, c).Uses {
				if u.Kind != shell.Reads && !u.Moves && filepath.IsAbs(u.Path) && !catalog.Own(u.Path) {
					list = append(list, guarded{path: u.Path, what: "what " + c.What + " runs", plain: project})
				}
			}
		}
	}
	return list
}

// ModeOpenings lists the files and directories that somebody else may change.
func ModeOpenings(r host.Reader, s session.Settings) (found []opening.Opening) {
	who := newOthers(r)
	said := map[string]int{}
	type place struct {
		at  string
		all bool
	}
	safe := map[place]bool{} // most lie in the same directories
	for _, o := range ownedPaths(r, s) {
		for i, at := range way(r, o.path) {
			p := place{at, i == 0}
			if safe[p] {
				continue
			}
			why, mend := who.mayChange(p.at, p.all)
			safe[p] = why == ""
			if why == "" {
				continue
			}
			if i, again := said[at]; again {
				found[i].Plain = found[i].Plain && o.plain
				continue
			}
			said[at] = len(found)
			found = append(found, opening.Opening{Status: report.Fail, Plain: o.plain, Where: at, What: at, Remedy: mend,
				Opens: "Another user of this machine can change " + o.what + ": " + at + " " + why + "."})
		}
	}
	return found
}

// way lists a path and the directories on the way to it: those of its links,
// and those of the file that they lead to. What is not there has none.
func way(r host.Reader, path string) (list []string) {
	if _, err := r.Stat(path); err != nil {
		return nil
	}
	real, err := r.Resolve(path)
	if err != nil {
		return nil
	}
	list = []string{real}
	for _, p := range append(r.Links(path), real) {
		for dir := filepath.Dir(p); !slices.Contains(list, dir); dir = filepath.Dir(dir) {
			list = append(list, dir)
		}
	}
	return list
}

// others are the users of the machine that are neither root nor this one.
type others struct {
	r        host.Reader
	uid, gid int
	system   int // who owns the root directory: root, by another number in a namespace
	// named are the members of each group that are not this user or root, by
	// its number; a group that no file names has none.
	named map[int][]string
}

func newOthers(r host.Reader) others {
	system := r.System()
	o := others{r: r, uid: system.UID, gid: system.GID, named: map[int][]string{}}
	if info, err := r.Stat("/"); err == nil {
		o.system, _, _ = host.OwnerOf(info)
	}
	me := system.Get("USER")
	for _, fields := range host.Rows(r, r.Places().Accounts, 4) {
		uid, _ := strconv.Atoi(fields[2])
		gid, err := strconv.Atoi(fields[3])
		if uid == o.uid {
			me = fields[0]
		} else if uid != 0 && err == nil {
			o.named[gid] = append(o.named[gid], fields[0])
		}
	}
	for _, fields := range host.Rows(r, filepath.Join(system.Root, "/etc/group"), 4) {
		gid, err := strconv.Atoi(fields[2])
		if err != nil {
			continue
		}
		if o.named[gid] == nil {
			o.named[gid] = []string{}
		}
		for _, name := range strings.Split(fields[3], ",") {
			if name != "" && name != me && name != "root" {
				o.named[gid] = append(o.named[gid], name)
			}
		}
	}
	return o
}

// mayChange says why somebody else may change a file, or replace what lies in a
// directory; "" if nobody may. In a sticky directory on the way only the owner of
// a file may replace it; all says that what others add to it counts too.
func (o others) mayChange(path string, all bool) (why string, mend report.Remedy) {
	info, err := o.r.Lstat(path)
	if err != nil || !info.Mode().IsRegular() && !info.IsDir() { // /dev/null is for everybody
		return "", nil
	}
	uid, gid, ok := host.OwnerOf(info)
	if !ok {
		return "", nil
	}
	mode := info.Mode()
	quoted := scripts.Quote(path)
	switch {
	case uid != 0 && uid != o.uid && uid != o.system:
		return fmt.Sprintf("is owned by user id %d", uid), report.Command{Line: fmt.Sprintf("sudo chown %d %s",
			o.uid, quoted), Privileged: true, Why: "make yourself the owner"}
	case mode&iofs.ModeSticky != 0 && mode.IsDir() && !all:
		return "", nil
	case mode.Perm()&0o002 != 0:
		return "is world-writable", o.chmod("go-w", uid, quoted)
	}
	group := mode.Perm()&0o020 != 0
	if list, ok := o.r.AccessList(path); ok {
		group = list.Group
		if who := o.listed(list); who != "" {
			return "is writable by " + who + ", by its ACL", o.command("setfacl -b "+quoted, uid,
				"remove the ACL; setfacl is in the package acl")
		}
	}
	if group && o.shared(gid) {
		return fmt.Sprintf("is writable by group id %d, which has other members", gid), o.chmod("g-w", uid, quoted)
	}
	return "", nil
}

// listed names the first of an access list who is neither root nor this user;
// "" if there is none.
func (o others) listed(list fs.Writers) string {
	for _, uid := range list.Users {
		if uid != 0 && uid != o.uid && uid != o.system {
			return fmt.Sprintf("user id %d", uid)
		}
	}
	for _, gid := range list.Groups {
		if o.shared(gid) {
			return fmt.Sprintf("group id %d, which has other members", gid)
		}
	}
	return ""
}

func (o others) chmod(mode string, uid int, quoted string) report.Command {
	return o.command("chmod "+mode+" "+quoted, uid, "remove the write permission of others")
}

// command is one about a file of the user with number uid.
func (o others) command(line string, uid int, why string) report.Command {
	if uid != o.uid {
		return report.Command{Line: "sudo " + line, Privileged: true, Why: why}
	}
	return report.Command{Line: line, Why: why}
}

// shared says whether others are in a group. Of one that no file of this
// machine names nobody knows it, but for the user's own.
func (o others) shared(gid int) bool {
	members, known := o.named[gid]
	if !known {
		return gid != 0 && gid != o.gid
	}
	return gid != 0 && len(members) > 0
}
