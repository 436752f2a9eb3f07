// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a result of an earlier rehearsal stands only as long as
// everything that decided about it is the same, byte for byte where that is
// cheap; when in doubt the key is another.

package verify

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/inforce"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/approval"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/sensitive"
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

// maxListed bounds how many worktrees, and files of a directory, are part of a
// key. Where there are more, there is no key.
const maxListed = 64

// keyer gathers a key.
type keyer struct {
	h       hash.Hash
	r       host.Reader
	tooMany bool
}

// Key returns the digest of what decides about a rehearsal of the project: the
// directory to start in, the settings of a session in each worktree, hook scripts, wrapper and how the
// shell reaches it, approvals, the runtime and the sandbox's programs, the kernel, this program. "" means
// that it is unknown, and that nothing may be stored under it. It reads
// files and asks the tools' versions; with host.Once a reader has them already.
func Key(ctx context.Context, r host.Reader, o Options) string {
	k := &keyer{h: sha256.New(), r: r}
	sys, places := r.System(), r.Places()
	k.add("verify 2", sys.GOOS, sys.GOARCH, strconv.Itoa(sys.UID), places.Home, places.AgentDir, o.Framework)
	if build, ok := debug.ReadBuildInfo(); ok {
		k.add("program", build.String())
	}
	if info, err := r.Stat(sys.Executable); err == nil {
		// Not its path or time: install copies the program.
		k.add("size", strconv.FormatInt(info.Size(), 10))
	}
	for _, path := range kernelFiles {
		k.file(filepath.Join(sys.Root, path))
	}
	dir := cmp.Or(o.Project, sys.Cwd)
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(sys.Cwd, dir)
	}
	if real, err := r.Resolve(dir); err == nil {
		dir = real
	}
	k.add("start", dir) // what is in force depends on it
	root := host.FindTree(r, dir).Root
	for _, found := range iso.FindRuntime(r, sys.Get("PATH"), root) {
		k.program(found.Path)
	}
	for _, tool := range []proc.Tool{proc.ClaudeCode, proc.Bubblewrap, proc.Socat} {
		spec := proc.Version(tool)
		if path, err := r.Look(spec.Program()); err == nil {
			k.program(path)
		}
		k.add("version", string(r.Run(ctx, spec).Stdout))
	}
	for _, name := range started {
		k.add("started", host.LookUp(r, sys.Get("PATH"), dir, name))
	}
	k.sessions(ctx, o.Project, dir)
	k.add("mentions", sys.Get(claude.MentionsVariable))
	k.add("shell", fmt.Sprintf("%+v", ReadShell(r)))
	files, _, _ := rcFiles(r)
	for _, f := range files { // what the user's shells said follows from them
		k.file(f.Path)
	}
	k.file(approval.Path(places.State))
	k.dir(places.Scripts())
	k.dir(places.Isolation())
	if k.tooMany || ctx.Err() != nil {
		return ""
	}
	return hex.EncodeToString(k.h.Sum(nil)[:16])
}

// add writes length-prefixed fields.
func (k *keyer) add(fields ...string) {
	for _, f := range fields {
		fmt.Fprintf(k.h, "%d:%s,", len(f), f)
	}
}

// sessions adds the settings of a session in each worktree, and the project's
// other files that the runtime reads there; outside a repository, those of dir.
func (k *keyer) sessions(ctx context.Context, project, dir string) {
	repo, worktrees, err := open(ctx, k.r, project)
	if err != nil {
		k.add("no repository")
		k.session(dir)
		return
	}
	k.add("project", repo.Root, repo.CommonDir)
	if k.tooMany = k.tooMany || len(worktrees) > maxListed; k.tooMany {
		return
	}
	if repo.Root != "" {
		k.session(repo.Root) // the list of a submodule does not name its work tree
	}
	for _, wt := range worktrees {
		k.add("worktree", wt.Path, string(wt.State))
		if wt.State == gitrepo.Usable && wt.Path != repo.Root {
			k.session(wt.Path)
		}
	}
}

func (k *keyer) session(start string) {
	in := inforce.Gather(k.r, inforce.Invocation{Start: start})
	for _, l := range in.Layers {
		k.add("settings", l.Scope.String(), l.Doc.Path, string(l.Doc.Bytes()))
	}
	for _, lost := range slices.Concat(in.Unread(), in.Doubts()) {
		k.add("lost", lost.Where, lost.What)
	}
	servers := filepath.Join(start, ".mcp.json")
	if e, secret := sensitive.Secret(k.r, in.Root, servers); secret {
		k.add("not opened", e.Path, e.To)
		return
	}
	k.file(servers)
}

// file adds the bytes of a file, or that there are none.
func (k *keyer) file(path string) {
	b, err := k.r.Read(path)
	if err != nil {
		k.add("no file", path)
		return
	}
	k.add("file", path, string(b))
}

// dir adds the files of a directory, links followed, with their modes.
func (k *keyer) dir(path string) {
	entries, err := k.r.ReadDir(path)
	k.add("dir", path, strconv.FormatBool(err == nil))
	if k.tooMany = k.tooMany || len(entries) > maxListed; k.tooMany {
		return
	}
	for _, e := range entries {
		name := filepath.Join(path, e.Name())
		if info, err := k.r.Stat(name); err == nil && info.Mode().IsRegular() {
			k.add(info.Mode().String())
			k.file(name)
		}
	}
}

// smallProgram bounds the programs whose bytes are part of a key: scripts,
// bwrap and socat. The runtime has 230 MB.
const smallProgram = 1 << 20

// program adds which file a program is: where its name leads, its size, when
// it was written, and the bytes of a small one.
func (k *keyer) program(path string) {
	real, err := k.r.Resolve(path)
	if err != nil {
		real = path
	}
	k.add("program", path, real)
	if info, err := k.r.Stat(real); err == nil {
		k.add(strconv.FormatInt(info.Size(), 10), info.ModTime().UTC().Format("20060102150405.000000000"),
			info.Mode().String())
		if info.Mode().IsRegular() && info.Size() <= smallProgram {
			k.file(real)
		}
	}
}
