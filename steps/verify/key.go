// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a result of an earlier rehearsal stands only as long as
// everything that decided about it is the same, byte for byte where that is
// cheap; when in doubt the key is another.

package verify

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"path/filepath"
	"runtime/debug"
	"strconv"

	"github.com/steward-setup/steward-setup/internal/approval"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/host/proc"
)

// kernelFiles say what the kernel is and whether it lets an ordinary user make
// namespaces (user_namespaces(7); Debian's and Ubuntu's own switches); on
// macOS, what the system is.
var kernelFiles = []string{
	"/proc/sys/kernel/osrelease",
	"/proc/sys/user/max_user_namespaces",
	"/proc/sys/kernel/unprivileged_userns_clone",
	"/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
	"/System/Library/CoreServices/SystemVersion.plist",
}

// MaxListed bounds how many worktrees, and files of a directory, are part of a
// key. Where there are more, there is no key.
const MaxListed = 64

// Keyer gathers the key of a stored result. What it adds is told apart from what is
// added before and after it.
type Keyer struct {
	Host    host.Reader
	h       hash.Hash
	tooMany bool
	// files are the digests of what was read, by path; "" where there was nothing.
	files map[string]string
}

// Key returns the digest of what decides about a rehearsal of the project: the
// directory to start in, the settings of a session in each worktree, hook scripts, wrapper and how the
// shell reaches it, approvals, the runtime and the sandbox's programs, the kernel, this program. "" means
// that it is unknown, and that nothing may be stored under it. It reads
// files and asks the tools' versions; with host.Once a reader has them already.
func Key(ctx context.Context, r host.Reader, o Options) string {
	k := keyed(ctx, r, o)
	if k.tooMany || ctx.Err() != nil {
		return ""
	}
	return hex.EncodeToString(k.h.Sum(nil)[:16])
}

func keyed(ctx context.Context, r host.Reader, o Options) *Keyer {
	r = host.Still(r)
	k := &Keyer{h: sha256.New(), Host: r, files: map[string]string{}}
	sys, places := r.System(), r.Places()
	k.Add("verify 3", sys.GOOS, sys.GOARCH, strconv.Itoa(sys.UID), places.Home, o.Framework)
	if build, ok := debug.ReadBuildInfo(); ok {
		k.Add("program", build.String())
	}
	if info, err := r.Stat(sys.Executable); err == nil {
		// Not its path or time: install copies the program.
		k.Add("size", strconv.FormatInt(info.Size(), 10))
	}
	for _, path := range kernelFiles {
		k.File(filepath.Join(sys.Root, path))
	}
	dir := host.Resolved(r, pathname.From(sys.Cwd, o.Project))
	k.Add("start", dir) // what is in force depends on it
	for _, tool := range []proc.Tool{proc.Bubblewrap, proc.Socat} {
		k.Version(ctx, tool)
	}
	k.File(approval.Path(places.State))
	o.Agent.Decides(ctx, o.Project, dir, k)
	return k
}

// Add writes length-prefixed fields.
func (k *Keyer) Add(fields ...string) {
	for _, f := range fields {
		fmt.Fprintf(k.h, "%d:%s,", len(f), f)
	}
}

// File adds the bytes of a file, or that there are none.
func (k *Keyer) File(path string) {
	b, err := k.Host.Read(path)
	if err != nil {
		k.files[path] = ""
		k.Add("no file", path)
		return
	}
	k.Read(path, b)
	k.Add("file", path, string(b))
}

// Read says that a file was read whose bytes are added otherwise.
func (k *Keyer) Read(path string, b []byte) {
	k.files[path] = fmt.Sprintf("%x", sha256.Sum256(b))
}

// Dir adds the files of a directory, links followed, with their modes.
func (k *Keyer) Dir(path string) {
	entries, err := k.Host.ReadDir(path)
	k.Add("dir", path, strconv.FormatBool(err == nil))
	if k.TooMany(len(entries)) {
		return
	}
	for _, e := range entries {
		name := filepath.Join(path, e.Name())
		if info, err := k.Host.Stat(name); err == nil && info.Mode().IsRegular() {
			k.Add(info.Mode().String())
			k.File(name)
		}
	}
}

// smallProgram bounds the programs whose bytes are part of a key: scripts,
// bwrap and socat. The runtime has 230 MB.
const smallProgram = 1 << 20

// Program adds which file a program is: where its name leads, its size, when
// it was written, and the bytes of a small one.
func (k *Keyer) Program(path string) {
	real, err := k.Host.Resolve(path)
	if err != nil {
		real = path
	}
	k.Add("program", path, real)
	if info, err := k.Host.Stat(real); err == nil {
		k.Add(strconv.FormatInt(info.Size(), 10), info.ModTime().UTC().Format("20060102150405.000000000"),
			info.Mode().String())
		if info.Mode().IsRegular() && info.Size() <= smallProgram {
			k.File(real)
		}
	}
}

// Version adds which program a tool is, and the version that it says.
func (k *Keyer) Version(ctx context.Context, tool proc.Tool) {
	spec := proc.Version(tool)
	if path, err := k.Host.Look(spec.Program()); err == nil {
		k.Program(path)
	}
	k.Add("version", string(k.Host.Run(ctx, spec).Stdout))
}

// TooMany says of a list that it is too long to be part of a key: there is none then.
func (k *Keyer) TooMany(n int) bool {
	k.tooMany = k.tooMany || n > MaxListed
	return k.tooMany
}
