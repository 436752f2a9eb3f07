// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what another user of the machine may change is named with
// its path.

package checks_test

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// chmod gives a file or directory a mode, whatever the umask.
func (m *Machine) chmod(name string, mode os.FileMode) {
	m.t.Helper()
	if err := os.Chmod(m.at(name), mode); err != nil {
		m.t.Fatal(err)
	}
}

// group says who is in the group that this user's files belong to.
func (m *Machine) group(members string) {
	m.write("/etc/group", fmt.Sprintf("root:x:0:\nshared:x:%d:%s\n", os.Getgid(), members), 0o644)
}

// listEntry is an entry of an access list.
type listEntry struct {
	tag, perm uint16
	id        uint32
}

// list gives a file an access list (acl(5)) in which the user or group with
// number id has perm; the mask lets it write.
func (m *Machine) list(name string, tag, perm uint16, id uint32) {
	m.t.Helper()
	const none = ^uint32(0)
	entries := []listEntry{{1, 7, none}, {4, 5, none}, {tag, perm, id}, {16, 7, none}, {32, 5, none}}
	slices.SortFunc(entries, func(a, b listEntry) int { return int(a.tag) - int(b.tag) }) // as the kernel wants them
	list := binary.LittleEndian.AppendUint32(nil, 2)
	for _, e := range entries {
		list = binary.LittleEndian.AppendUint16(list, e.tag)
		list = binary.LittleEndian.AppendUint16(list, e.perm)
		list = binary.LittleEndian.AppendUint32(list, e.id)
	}
	if err := unix.Setxattr(m.at(name), "system.posix_acl_access", list, 0); err != nil {
		m.t.Skip("the file system of the tests has no access lists: ", err)
	}
}

// opened is a path that everybody may write.
func opened(name string, mode os.FileMode) Fault {
	return Fault{Name: "everybody may write " + name, Breaks: "policy-invariants", Want: report.Fail, Where: name,
		Break: func(m *Machine) { m.chmod(name, mode) }}
}

var ownerFaults = []Fault{
	opened("~/.claude", 0o777),
	opened(userFile, 0o666),
	opened(projectFile, 0o666),
	opened("~/.claude/scripts", 0o777),
	opened("~/.claude/scripts/sandbox-bypass-warn.sh", 0o777),
	opened("~/.claude/agent-isolation/claude-iso.sh", 0o666),
	opened("~/.local/bin", 0o777),
	opened("~/.local/bin/steward-setup", 0o777),
	opened("~/code", 0o777),
	opened("~/.bashrc", 0o666),
	opened("~/.local/state/steward-setup/approvals.json", 0o666),
	{Name: "everybody may write the copy of an approved policy", Breaks: "policy-invariants", Want: report.Fail,
		Where: "~/.local/state/steward-setup/policies/",
		Break: func(m *Machine) {
			copies, err := filepath.Glob(m.at("~/.local/state/steward-setup/policies/*"))
			if err != nil || len(copies) == 0 {
				m.t.Fatal("no policy was kept: ", err)
			}
			m.chmod(copies[0], 0o666)
		}},
	{Name: "everybody may write git's hooks", Breaks: "policy-invariants", Want: report.Fail,
		Where: "~/code/tracker/.git/hooks",
		Break: func(m *Machine) {
			m.write("~/code/tracker/.git/hooks/post-checkout", "#!/bin/sh\n", 0o755)
			m.chmod("~/code/tracker/.git/hooks", 0o777)
		}},
	opened("~/code/tracker/.git/config", 0o666),
	{Name: "everybody may add to ~/.claude, and replace nothing", Breaks: "policy-invariants", Want: report.Fail,
		Where: "~/.claude",
		Break: func(m *Machine) { m.chmod("~/.claude", 0o777|os.ModeSticky) }},
	{Name: "a group that others are in may write ~/.claude", Breaks: "policy-invariants", Want: report.Fail,
		Where: "~/.claude is writable by group id",
		Break: func(m *Machine) {
			m.group("ana,ben")
			m.chmod("~/.claude", 0o770)
		}},
	{Name: "everybody may write a hook of the user's own", Breaks: "policy-invariants", Want: report.Fail,
		Where: "~/bin/note",
		Break: func(m *Machine) {
			m.write("~/bin/note", "#!/bin/sh\n", 0o755)
			m.userHook(m.at("~/bin/note"))
			m.chmod("~/bin/note", 0o777)
		}},
}

// listFaults name users whom only root can give anything: where an ordinary
// user's numbers are not mapped, the kernel takes no such list.
var listFaults = []Fault{
	{Name: "an access list lets another user write a hook", Breaks: "policy-invariants", Want: report.Fail,
		Where: "by its ACL",
		Break: func(m *Machine) { m.list("~/.claude/scripts/sandbox-bypass-warn.sh", 2, 6, 12345) }},
	{Name: "an access list lets a group write the settings", Breaks: "policy-invariants", Want: report.Fail,
		Where: "by its ACL",
		Break: func(m *Machine) { m.list(userFile, 8, 6, 23456) }},
}

func TestAccessListFaults(t *testing.T) {
	testenv.AsRoot(t)
	if os.Getuid() != 0 {
		t.Skip("only root gives access to any number")
	}
	stock := newStock(t, listFaults)
	for _, f := range listFaults {
		t.Run(f.Name, func(t *testing.T) { f.try(t, stock, testenv.NewLines(t)) })
	}
}

// TestAHooksStreamsAreNotOurs: verify's own streams may lead to a file in a
// directory that everybody may write.
func TestAHooksStreamsAreNotOurs(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	m := build(t, usualSetup)
	m.userHook(fmt.Sprintf("jq . > /dev/fd/%d", log.Fd()))
	m.approve()
	if f := m.judged("policy-invariants"); f.Status != report.Pass {
		t.Errorf("%s %s: %+v", f.Status, f.Summary, f.Evidence)
	}
}

// privateGroup is a machine with umask 002, whose user's group has nobody else.
var privateGroup = Variant{Name: "umask 002, and a group of the user's own", Setup: on(func(s *setup) {
	s.after = func(m *Machine) {
		m.group("")
		for _, name := range []string{"~", "~/.claude", "~/.claude/scripts", "~/.local", "~/.local/bin", "~/code"} {
			m.chmod(name, 0o775)
		}
		for _, name := range []string{userFile, projectFile, localFile} {
			m.chmod(name, 0o664)
		}
	}
})}
