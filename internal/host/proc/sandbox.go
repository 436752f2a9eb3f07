// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the sandbox's own programs are tried on nothing: a
// read-only root, no network, a command that does nothing, bytes that mean
// nothing; and no file is left.

package proc

import (
	"encoding/binary"
	"fmt"
	"os"
	"strings"
	"time"
)

// trialTimeout bounds a trial. The slowest takes 20 ms on a machine with
// nothing else to do.
const trialTimeout = 5 * time.Second

// trial is bwrap as the runtime starts it (the options are those that 2.1.329
// passed, without its mounts), with what runs in it.
func trial(then ...string) Spec {
	return Spec{name: "bwrap", args: append([]string{"--new-session", "--die-with-parent", "--unshare-net", "--ro-bind",
		"/", "/",
		"--dev", "/dev", "--unshare-pid", "--unshare-user", "--cap-drop", "ALL", "--cap-add", "CAP_SETFCAP", "--proc",
		"/proc"}, then...), timeout: trialTimeout}
}

// NoBubblewrap is said of a system whose sandbox is another, and NoStart begins why one
// does not start.
const NoBubblewrap, NoStart = "there is no bubblewrap on this system", "the sandbox does not start: "

// SandboxTrial runs true in the sandbox. It takes about 10 ms; a kernel or a
// profile that forbids user namespaces shows as a non-zero exit code with the
// reason on standard error.
func SandboxTrial() Spec { return trial("--", "true") }

// NestedTrial makes a user namespace in the sandbox and maps the user in it,
// which writes /proc/self/setgroups: the runtime's own seccomp helper does so
// there, and Ubuntu's AppArmor profiles may refuse it where SandboxTrial works
// (anthropics/claude-code#81799). unshare is part of util-linux. What runs in
// it lists the namespaces that it is in, for Shared.
func NestedTrial() Spec {
	return trial("--", "unshare", "--user", "--map-root-user", "ls", "-l", "/proc/self/ns/net", "/proc/self/ns/pid")
}

// Shared names what a command in the sandbox shares with what is outside of
// it, by r, the answer of NestedTrial that ended well: "network", "processes".
// A bwrap that starts what it is given, without a namespace for it, shares
// both.
func Shared(r Result) (list []string) {
	for _, ns := range []struct{ file, what string }{{"net", "network"}, {"pid", "processes"}} {
		// namespaces(7): the links of two processes are the same if they
		// are in the same namespace.
		if outside, err := os.Readlink("/proc/self/ns/" + ns.file); err == nil &&
			strings.Contains(string(r.Stdout), outside) {
			list = append(list, ns.what)
		}
	}
	return list
}

// SeccompTrial loads a filter that refuses unix sockets, as the runtime's
// does, and has socat make one: exit code 1 with "Operation not permitted"
// means that filters hold. arch is a GOARCH; ok is false for one whose system
// calls are not known here.
func SeccompTrial(arch string) (s Spec, ok bool) {
	filter, ok := noUnixSockets(arch)
	s = trial("--seccomp", "3", "--", "socat", "-u", "/dev/null", "ABSTRACT-SENDTO:steward-setup")
	s.fds = [][]byte{filter}
	return s, ok
}

// noUnixSockets is a classic BPF program for seccomp(2): socket(AF_UNIX, ...)
// is answered with EPERM, everything else is allowed. Numbers are those of
// linux/audit.h and of the architecture's asm/unistd.h.
func noUnixSockets(arch string) (filter []byte, ok bool) {
	const (
		load, ifEqual, give = 0x20, 0x15, 0x06 // BPF_LD|BPF_W|BPF_ABS, BPF_JMP|BPF_JEQ|BPF_K, BPF_RET|BPF_K
		number, machine     = 0, 4             // offsets in struct seccomp_data
		firstArgument       = 16               // its low half, on little-endian machines
		allow, refuse       = 0x7fff0000, 0x00050001
		unix                = 1
	)
	calls := map[string]struct{ machine, socket uint32 }{
		"amd64": {0xc000003e, 41},
		"arm64": {0xc00000b7, 198},
	}
	call, ok := calls[arch]
	for _, step := range []struct {
		code           uint16
		ifTrue, ifElse uint8
		k              uint32
	}{
		{load, 0, 0, machine},
		{ifEqual, 0, 5, call.machine},
		{load, 0, 0, number},
		{ifEqual, 0, 3, call.socket},
		{load, 0, 0, firstArgument},
		{ifEqual, 0, 1, unix},
		{give, 0, 0, refuse},
		{give, 0, 0, allow},
	} {
		filter = binary.LittleEndian.AppendUint16(filter, step.code)
		filter = append(filter, step.ifTrue, step.ifElse)
		filter = binary.LittleEndian.AppendUint32(filter, step.k)
	}
	return filter, ok
}

// bridgeText is what is carried over a bridge.
const bridgeText = "over the bridge\n"

// BridgeTrial is socat at both ends of a unix socket, as the runtime bridges
// the sandbox's network to its proxy: near sends bytes, far sends them back.
// They have to run at the same time; the socket's name is abstract
// (unix(7)), so that no file is left, and id tells concurrent trials apart.
func BridgeTrial(id int64) (near, far Spec) {
	name := fmt.Sprintf("steward-setup-%d", id)
	near = Spec{name: "socat", args: []string{"-t", "2", "-", "ABSTRACT-CONNECT:" + name + ",retry=400,interval=0.005"},
		stdin: []byte(bridgeText), timeout: trialTimeout}
	far = Spec{name: "socat", args: []string{"-t", "2", "ABSTRACT-LISTEN:" + name, "EXEC:cat"}, timeout: trialTimeout}
	return near, far
}

// Carried says whether r, the answer of BridgeTrial's near end, is what was
// sent.
func Carried(r Result) bool { return r.OK() && string(r.Stdout) == bridgeText }

// SearchTrial has ripgrep find one line of two.
func SearchTrial() Spec {
	return Spec{name: "rg", args: []string{"--no-config", "--fixed-strings", "--count", "needle", "-"},
		stdin: []byte("hay\nneedle\n"), timeout: trialTimeout}
}

// SeatbeltTrial runs true under a macOS sandbox profile that allows
// everything: it shows that Seatbelt works. Unproven: it was not run on macOS.
func SeatbeltTrial() Spec {
	return Spec{name: "sandbox-exec", args: []string{"-p", "(version 1)(allow default)", "/usr/bin/true"},
		timeout: trialTimeout}
}
