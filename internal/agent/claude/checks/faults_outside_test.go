// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: secrets outside of the home that commands of this machine
// can read are named with their place, and those that are hidden are not.

package checks_test

import (
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
)

// system writes a file of the system, which the machine has below a root of
// its own.
func (m *Machine) system(path, text string) {
	m.t.Helper()
	m.write(filepath.Join(m.dir, "root", path), text, 0o644)
}

// mounted makes the machine's list of mounts: the disk that the home is on, and
// what else is mounted, as "ROOT TARGET" with ~ for the home.
func (m *Machine) mounted(mounts ...string) {
	m.t.Helper()
	list := "20 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n21 20 0:5 / /dev rw - devtmpfs devtmpfs rw\n"
	for _, mount := range mounts {
		root, target, _ := strings.Cut(mount, " ")
		list += "22 20 254:0 " + strings.Replace(root, "~", m.Home, 1) + " " + target + " rw,relatime - ext4 /dev/vda rw\n"
		m.system(filepath.Join(strings.ReplaceAll(target, `\040`, " "), m.Home, ".keep"), "")
		m.system(filepath.Join(strings.ReplaceAll(target, `\040`, " "), ".keep"), "")
	}
	m.system("/proc/self/mountinfo", list)
}

// layered adds a mount at target of a file system that is made of directories; its
// type, source and options are the end of a line of mountinfo.
func (m *Machine) layered(target, end string) {
	m.t.Helper()
	home := func(text string) string { return strings.ReplaceAll(text, "~", m.Home) }
	m.mounted()
	list := m.read(filepath.Join(m.dir, "root/proc/self/mountinfo"))
	m.system(filepath.Join(home(target), ".keep"), "")
	m.system("/proc/self/mountinfo", list+"30 20 0:60 / "+home(target)+" rw,relatime - "+home(end)+"\n")
}

// readable is a place outside of the home that commands can read.
func readable(name, where string, seed func(*Machine)) Fault {
	return Fault{Name: name, Breaks: "policy-invariants", Want: report.Warn, Where: where, Break: seed}
}

// shown is a mount in the project that shows a place of the home.
func shown(name, source string) Fault {
	return Fault{Name: name, Breaks: "policy-invariants", Want: report.Fail, Voids: true, Where: "/proc/self/mountinfo:3",
		Break: func(m *Machine) { m.mounted(source + " " + m.Project + "/data") }}
}

// laidOver is a mount of something of the project over a place of the home.
func laidOver(name, source, target string) Fault {
	return Fault{Name: name, Breaks: "policy-invariants", Want: report.Fail, Voids: true, Where: "/proc/self/mountinfo:3",
		Break: func(m *Machine) { m.mounted(source + " " + filepath.Join(m.Home, target)) }}
}

// healthyMounts are mounts in the project that show nothing of the policy's, and of
// the project where nothing of the user's lies.
var healthyMounts = Variant{Name: "a directory of data, and a part of the project, are mounted in the project",
	Setup: on(func(s *setup) {
		s.after = func(m *Machine) {
			m.mounted("~/datasets "+m.Project+"/data", "~/code/tracker/a "+m.Project+"/b", "/srv/cache "+m.Project+"/.cache",
				"~/code/tracker "+m.Home+"/tracker", "~/code/tracker/out "+m.Home+"/.cache/out")
		}
	})}

// healthyLayers is a machine on a live system, with mounts of programs.
var healthyLayers = Variant{Name: "a system of layers, with mounts of programs and of another machine",
	Setup: on(func(s *setup) {
		s.after = func(m *Machine) {
			const fuse = " rw,nosuid,nodev,user_id=1000,group_id=1000\n"
			m.system("/proc/self/mountinfo", "20 1 0:30 / / rw - overlay overlay rw,lowerdir="+m.Home+
				"/.local/share/containers/a:/cow,upperdir="+m.Home+"/.local/share/containers/b,workdir=/w\n"+
				"25 20 0:54 / /proc rw - proc proc rw\n26 25 0:54 /sys /proc/sys ro - proc proc rw\n"+
				"21 20 0:50 / /run/user/1000/doc rw - fuse.portal portal"+fuse+
				"22 20 0:51 / /tmp/.mount_x ro - fuse.x.AppImage x.AppImage"+fuse+
				"23 20 0:52 / /srv/far rw - fuse.sshfs far:"+m.Home+fuse+
				"24 20 0:53 / "+m.Home+"/vault rw - fuse.gocryptfs "+m.Home+"/.vault"+fuse)
		}
	})}

// lacksEntry is a policy without one of its required places.
func lacksEntry(path string) Fault {
	return Fault{Name: "the policy does not hide " + path, Breaks: "project-settings", Want: report.Fail,
		Where: "lacks sandbox.filesystem.denyRead:" + path,
		Break: func(m *Machine) { m.drop(projectFile, "sandbox.filesystem.denyRead", path) }}
}

var outsideFaults = []Fault{
	lacksEntry("/run/user/"),
	lacksEntry("/tmp/krb5cc*"),
	readable("the home is mounted a second time", "/proc/self/mountinfo:3", func(m *Machine) { m.mounted("~ /backup") }),
	readable("a directory above the home is mounted a second time", "mounted at /disk",
		func(m *Machine) { m.mounted("/ /disk") }),
	readable("a directory of the home is mounted elsewhere", "mounted at /export/keys",
		func(m *Machine) { m.mounted("~/.ssh /export/keys") }),
	readable("a key of the home is mounted elsewhere", "mounted at /export/key",
		func(m *Machine) { m.mounted("~/.ssh/id_ed25519 /export/key") }),
	readable("a program shows the home elsewhere", "mounted at /srv/view",
		func(m *Machine) { m.layered("/srv/view", "fuse.bindfs ~ rw,user_id=0,group_id=0") }),
	readable("a directory of the home is decrypted elsewhere", "mounted at /vault", func(m *Machine) {
		m.write("~/.vault/gocryptfs.conf", "{}\n", 0o600)
		m.layered("/vault", "fuse.gocryptfs ~/.vault rw,user_id=0,group_id=0")
	}),
	readable("an overlay shows keys of the home elsewhere", "mounted at /srv/view",
		func(m *Machine) {
			m.layered("/srv/view", "overlay overlay rw,lowerdir=/opt/x:~/.ssh,upperdir=/u,workdir=/w")
		}),
	readable("a system in a directory shows the processes of the machine", "/proc/self/mountinfo:3",
		func(m *Machine) { m.layered("/srv/chroot/proc", "proc proc rw") }),
	readable("a system in the project shows the processes of the machine", "/proc/self/mountinfo:3",
		func(m *Machine) { m.layered("~/code/tracker/jail/proc", "proc proc rw") }),
	{Name: "an overlay in the project shows private keys", Breaks: "policy-invariants", Want: report.Fail, Voids: true,
		Where: "/proc/self/mountinfo:3", Break: func(m *Machine) {
			m.layered("~/code/tracker/data", "overlay overlay rw,lowerdir=~/.ssh,upperdir=/u,workdir=/w")
		}},
	shown("the home is mounted in the project", "~"),
	shown("private keys are mounted in the project", "~/.ssh"),
	shown("programs on PATH are mounted in the project", "~/.local/bin"),
	shown("the whole disk is mounted in the project", "/"),
	laidOver("a directory of the project is mounted over ~/.claude", "~/code/tracker/tools", ".claude"),
	laidOver("a directory of the project is mounted over programs on PATH", "~/code/tracker/tools", ".local/bin"),
	laidOver("a file of the project is mounted over a file of git's", "~/code/tracker/gitconfig", ".gitconfig"),
	readable("the home is mounted at a place with a space in its name", "mounted at /old disk",
		func(m *Machine) { m.mounted(`~ /old\040disk`) }),
	readable("your mail", "/var/mail/ana", func(m *Machine) {
		m.Env["USER"] = "ana"
		m.system("/var/mail/ana", "From: bank\n")
	}),
	readable("secrets of services", "/run/secrets", func(m *Machine) { m.system("/run/secrets/token", "x\n") }),
	readable("Kerberos tickets elsewhere", "/srv/krb/tickets", func(m *Machine) {
		m.Env["KRB5CCNAME"] = "FILE:/srv/krb/tickets"
		m.system("/srv/krb/tickets", "x\n")
	}),
	readable("a directory of the login session elsewhere", "/run/session/7", func(m *Machine) {
		m.Env["XDG_RUNTIME_DIR"] = "/run/session/7"
		m.system("/run/session/7/containers/auth.json", "{}\n")
	}),
	readable("keys in the kernel's keyrings", "/proc/keys", func(m *Machine) {
		uid := m.host().System().UID
		m.system("/proc/keys", keyring(uid, "keyring   _uid: 1")+keyring(uid, "user      krb_ccache: 12"))
	}),
	readable("a FIFO of yours in /tmp", "/tmp/tool/orders", func(m *Machine) { m.fifo("/tmp/tool/orders") }),
	readable("a datagram socket of yours", "/srv/tool/log", func(m *Machine) {
		m.system("/srv/tool/log", "")
		m.system("/proc/net/unix", sockets("0002", "/srv/tool/log"))
	}),
	readable("shared memory", "/proc/sysvipc/shm", func(m *Machine) {
		m.system("/proc/sysvipc/shm", segments(m.host().System().UID))
	}),
}

// fifo makes a FIFO of the system's.
func (m *Machine) fifo(path string) {
	m.t.Helper()
	m.system(path+".keep", "")
	if err := syscall.Mkfifo(filepath.Join(m.dir, "root", path), 0o600); err != nil {
		m.t.Fatal(err)
	}
}

// sockets is the kernel's list of unix sockets, with one at a path.
func sockets(kind, path string) string {
	return "Num       RefCount Protocol Flags    Type St Inode Path\n" +
		"0000000000000000: 00000002 00000000 00000000 0002 01 15200\n" +
		"0000000000000000: 00000002 00000000 00000000 " + kind + " 01 15201 " + path + "\n"
}

func keyring(uid int, what string) string {
	return "2558a87a I--Q---     2 perm 3f010000 " + strconv.Itoa(uid) + "  1001 " + what + "\n"
}

func segments(uid int) string {
	return "       key      shmid perms                  size  cpid  lpid nattch   uid   gid\n" +
		"     21332          0   600                  4096     0     0      0 " + strconv.Itoa(uid) + "  1001\n"
}

// What is hidden, covered or nobody's secret is not named.
func TestNothingOutsideIsReadable(t *testing.T) {
	for name, seed := range map[string]func(*Machine){
		"the home is mounted below /mnt, which is hidden": func(m *Machine) { m.mounted("~ /mnt/backup") },
		"the home is mounted where the user hides it": func(m *Machine) {
			m.mounted("~ /backup")
			m.add(userFile,
				"sandbox.filesystem.denyRead", "/backup")
		},
		"the project is mounted where the session starts, too": func(m *Machine) { m.mounted("~/code/tracker " + m.Project) },
		"another directory of the same disk":                   func(m *Machine) { m.mounted("/var/lib /data") },
		"a second mount that a later one covers":               func(m *Machine) { m.mounted("~ /backup", "/var /backup") },
		"keyrings without keys, and systemd's own mark": func(m *Machine) {
			m.system("/proc/keys", keyring(m.host().System().UID, "keyring   _ses: 1")+keyring(m.host().System().UID,
				"user      invocation_id: 16"))
		},
		"keys and memory of somebody else": func(m *Machine) {
			m.system("/proc/keys", keyring(4242, "user      x: 1"))
			m.system("/proc/sysvipc/shm", segments(4242))
		},
		"a stream socket of yours, and one without a path": func(m *Machine) {
			m.system("/srv/tool/log", "")
			m.system("/proc/net/unix", sockets("0001", "/srv/tool/log")+sockets("0002", "@srv/tool/log"))
		},
		"a FIFO that the user hides, and one of the temporary directory": func(m *Machine) {
			m.fifo("/tmp/tool/orders")
			m.fifo("/tmp/claude-" + strconv.Itoa(m.host().System().UID) + "/orders")
			m.add(userFile, "sandbox.filesystem.denyRead", "/tmp/tool/*")
		},
		"a datagram socket of a hidden place": func(m *Machine) {
			m.system("/run/user/7/notify", "")
			m.system("/proc/net/unix", sockets("0002", "/run/user/7/notify"))
		},
		"tickets in /tmp, which is hidden": func(m *Machine) {
			m.Env["KRB5CCNAME"] = "FILE:/tmp/krb5cc_1"
			m.system("/tmp/krb5cc_1", "x")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := build(t, usualSetup)
			seed(m)
			m.approve()
			if f := m.judged("policy-invariants"); f.Status != report.Pass {
				t.Errorf("policy-invariants is %s: %s", f.Status, told(m, []report.Finding{f}, nil))
			}
		})
	}
}
