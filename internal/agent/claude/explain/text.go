// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: an error is the sandbox's when its words say so, or when
// this machine shows both that the thing works outside the sandbox and that
// the policy keeps commands from it. It is ordinary when the machine shows that
// it fails outside too, or that no policy stands against it. Else nobody knows,
// and that is said. No file is opened and nothing is connected to.

package explain

import (
	"context"
	"errors"
	iofs "io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude/access"
	"github.com/steward-setup/steward-setup/internal/agent/claude/hook"
	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/shellrc"
)

// Look says what this machine shows of an error that was pasted; project is a
// directory in the project, "" for the working directory.
func Look(ctx context.Context, r host.Reader, project string) catalog.Looking {
	// In a sandboxed command a look tells of the inside.
	_, inside := r.System().Sandboxed()
	return looker{ctx: ctx, r: r, project: project, outside: !inside}.look
}

type looker struct {
	ctx     context.Context
	r       host.Reader
	project string
	outside bool
}

func (l looker) look(a catalog.Answer) (catalog.Verdict, string) {
	if a.Entry.Layer == catalog.None {
		return l.other(a)
	}
	switch a.Confirm {
	case catalog.Sandbox, catalog.Words:
		return catalog.Sandboxed, ""
	case catalog.Nothing:
		return l.host(a)
	case catalog.Exists, catalog.Allowed, catalog.Writable, catalog.Temporary:
		return l.file(a)
	}
	if !l.outside {
		return catalog.Undecided, ""
	}
	switch a.Confirm {
	case catalog.Login:
		return catalog.Undecided, l.hidden(a.Witness)
	case catalog.Listener:
		return l.listener(a.Line)
	case catalog.Socket:
		return l.socket(catalog.SocketPath(a.Line))
	case catalog.Program:
		return l.program(a.Line)
	case catalog.Owned:
		return l.owned(catalog.OwnedIn(a.Line))
	case catalog.Witness:
		v, words := l.witness(a.Witness)
		if v == catalog.Sandboxed && strings.Contains(a.Line, "(publickey") {
			v, words = catalog.Undecided, words+"; whether the server takes a key of it is not known"
		}
		return v, words
	}
	return catalog.Undecided, ""
}

// Named is the path that an error is about, absolute: of the likely ones the
// first that is there, else the first that is a path and no word; "" if there
// is none. It is sure if the error names it in full: the command may have been
// in another directory.
func Named(r host.Reader, paths []string) (path string, sure bool) {
	for _, p := range paths {
		at, home := pathname.Expand(p, r.Places().Home)
		full := filepath.IsAbs(at)
		switch {
		case !catalog.Pathlike(p) || catalog.Elided(p):
			continue
		case !home && !full && filepath.IsAbs(r.System().Cwd):
			at = filepath.Join(r.System().Cwd, p)
		}
		if !filepath.IsAbs(at) {
			continue
		}
		at = filepath.Clean(at)
		if host.There(r, at) {
			return at, full
		}
		if path == "" && (full || !strings.Contains(p, " ")) {
			path, sure = at, full
		}
	}
	return path, sure
}

// file is the verdict over an error about a file: what does not exist, or is
// not open, outside either has an ordinary cause, and so has what the policy
// lets commands do.
func (l looker) file(a catalog.Answer) (catalog.Verdict, string) {
	path, sure := Named(l.r, a.Paths)
	switch {
	case slices.ContainsFunc(a.Paths, catalog.Elided) && !sure && a.Confirm != catalog.Temporary:
		return catalog.Undecided, ""
	case path == "" || a.Confirm == catalog.Temporary && (!sure || !pathname.Within(path, "/tmp") ||
		pathname.Within(path, l.r.Places().Home)):
		return catalog.Silent, ""
	case a.Confirm == catalog.Allowed && strings.HasPrefix(a.Line, "warning: ") ||
		strings.Contains(a.Line, "bad interpreter"):
		return catalog.Silent, ""
	case !l.outside:
		return catalog.Undecided, ""
	}
	if home := Strange(l.r, path); home != "" {
		return catalog.Undecided, home + ofNone
	}
	if catalog.Own(path) {
		return catalog.Undecided, path + " is another file to each process"
	}
	path = l.matched(path)
	v, words := l.open(a, path, sure)
	if v == catalog.Sandboxed {
		if v, words = l.covered(path, words, a.Confirm); !sure {
			v, words = unsure(v, words)
		}
	}
	if v != catalog.Sandboxed && a.Confirm == catalog.Allowed && catalog.ByMode(a.Line) {
		return catalog.Silent, "" // an entry of another cause says more
	}
	return v, words
}

// matched is the first file that a pattern of the shell names, or the path.
func (l looker) matched(path string) string {
	dir, name := filepath.Split(path)
	if !strings.ContainsAny(name, "*?[") {
		return path
	}
	return append(shellrc.FilesIn(l.r, dir, name), path)[0]
}

// Strange is the home, or runtime directory, of a user whom this machine does
// not know, if a path lies below one: the text is of another machine.
func Strange(r host.Reader, path string) string {
	for _, homes := range []string{"/home", "/Users", "/run/user"} {
		rest, ok := pathname.Below(path, homes)
		if !ok {
			continue
		}
		user, _, _ := strings.Cut(rest, "/")
		home := filepath.Join(homes, user)
		if _, err := r.Lstat(home); errors.Is(err, iofs.ErrNotExist) && !pathname.Within(r.Places().Home, home) {
			return home
		}
	}
	return ""
}

// open says whether what failed inside is possible outside.
func (l looker) open(a catalog.Answer, path string, sure bool) (catalog.Verdict, string) {
	at := path
	info, err := l.r.Stat(at)
	gone := errors.Is(err, iofs.ErrNotExist)
	creates := a.Confirm != catalog.Exists
	above := 0
	for creates && errors.Is(err, iofs.ErrNotExist) && at != filepath.Dir(at) {
		at = filepath.Dir(at) // where it would be created
		_, err = l.r.Stat(at)
		above++
	}
	no := catalog.Ordinary
	if !sure { // the command may have been in another directory
		no = catalog.Undecided
	}
	switch missing := !creates && gone && sure; {
	case !creates && err == nil:
		return catalog.Sandboxed, at + " is there"
	case missing && l.discards(path):
		return catalog.Undecided, at + notThere + "; what a command writes there is gone when it ends"
	case missing && catalog.Device(path):
		return catalog.Undecided, noDevice(path)
	case missing && (l.passing(path) || !l.directory(filepath.Dir(path)) && !l.inProject(path)):
		return catalog.Undecided, at + notThereNow
	case missing:
		return no, at + notThere
	case err != nil || !creates || at == "/" && path != at: // nobody can make a file where no directory is
		return catalog.Undecided, ""
	case info != nil && !gone && hook.NotExecutable(a.Line, info) && !l.masked(at):
		return no, at + noExecute
	case fs.Accessible(at, true):
		if creates && a.Confirm != catalog.Allowed {
			return catalog.Sandboxed, "you may write " + at
		}
		return catalog.Sandboxed, "you may read and write " + at
	case !sure || above > 1 || l.masked(path): // of a file whose directory is not there either nothing is known
		return catalog.Undecided, ""
	case a.Confirm == catalog.Allowed && fs.Accessible(at, false):
		return no, neither("write", at)
	case l.mounted(a.Line, at):
		return catalog.Undecided, at + " is not on a read-only file system outside the sandbox; there the command fails " +
			"too, by owner and mode"
	case a.Confirm == catalog.Allowed:
		return no, neither("read", at)
	}
	return no, neither("write", at)
}

// passing says whether files come and go in the place of a path, so that one that
// is missing now may have been there: what programs run and keep for a while. A
// home in such a place is a home.
func (l looker) passing(path string) bool {
	return !pathname.Within(path, l.r.Places().Home) &&
		pathname.WithinAny(path, []string{"/tmp", "/var/tmp", "/run", "/var/run", "/dev", "/proc", "/sys"})
}

// inProject says whether a path that is not there lies in the project, and the policy
// does not hide it: nothing between the project and the path can be hidden then.
func (l looker) inProject(path string) bool {
	root, starts := l.starts()
	return l.directory(root) && pathname.Within(path, root) && !l.hides(starts, path)
}

// mounted says whether an error is of a read-only mount that is not there
// outside: of a directory that is closed by its mode the kernel says so only
// where the mount is writable.
func (l looker) mounted(line, at string) bool {
	readOnly, err := fs.ReadOnly(at)
	return strings.Contains(strings.ToLower(line), catalog.ReadOnly[0]) && err == nil && !readOnly
}

// covered holds a path that is open outside against the policy.
func (l looker) covered(path, words string, c catalog.Confirm) (catalog.Verdict, string) {
	root, starts := l.starts()
	f := access.File{Named: path, Real: host.Real(l.r, path)}
	writes := c == catalog.Writable || c == catalog.Temporary
	by := ""
	for _, s := range starts {
		if catalog.Device(f.Real) {
			return catalog.Sandboxed, words
		}
		d, write := f.Reads(s), f.Writes(s)
		if d.Answer == report.Denied ||
			write.Answer == report.Denied && (writes || c == catalog.Allowed && s.Protects(f.Real)) {
			return catalog.Sandboxed, words
		}
		if writes {
			d = write
		}
		by = d.Why + " (" + d.By[0].Where + ")"
	}
	if len(starts) == 0 {
		return catalog.Undecided, words + ", but no sandbox is in force in " + root
	}
	if writes { // nothing else makes a place read-only that you may write
		return catalog.Undecided, "a session that starts in " + root + " may write " + path + ": " + by
	}
	return catalog.Ordinary, "the policy lets sandboxed commands read " + path + ": " + by
}

// host holds an error that names a host against the lists of hosts.
func (l looker) host(a catalog.Answer) (catalog.Verdict, string) {
	if !l.outside || a.Host == "" || a.Entry.Probe != "egress" {
		return catalog.Sandboxed, ""
	}
	if l.refuses(a.Host) {
		return catalog.Sandboxed, ""
	}
	return catalog.Undecided, "the settings allow " + a.Host + " now: a session started before they did still refuses it"
}

// listener looks for a server on the port that an error names.
func (l looker) listener(line string) (catalog.Verdict, string) {
	ports := hook.Ports(line)
	if len(ports) == 0 || l.r.System().GOOS != "linux" {
		return catalog.Undecided, ""
	}
	port := strconv.Itoa(ports[0])
	if hook.Listening(l.r.Read, ports) {
		return catalog.Sandboxed, "something listens on port " + port
	}
	// A server that an earlier command started inside ended with that command.
	return catalog.Undecided, "nothing listens on port " + port + " outside the sandbox now"
}

// program looks for a program that was not found.
func (l looker) program(line string) (catalog.Verdict, string) {
	name, sure := catalog.ProgramIn(line)
	at, err := l.r.Look(name)
	switch {
	case name == "" || err != nil && !sure:
		return catalog.Silent, ""
	case err != nil:
		if at := l.kept(name); at != "" {
			return catalog.Undecided, name + " is not on PATH here, but " + at + " is there"
		}
		return catalog.Undecided, name + " is not on PATH outside the sandbox either, nor where the home usually has programs"
	}
	return unsure(l.covered(at, name+" is "+at, catalog.Exists))
}

// unsure is a verdict that cannot be "ordinary": the text may be of another time,
// directory or PATH.
func unsure(v catalog.Verdict, words string) (catalog.Verdict, string) {
	if v == catalog.Ordinary {
		v = catalog.Undecided
	}
	return v, words
}

func (l looker) socket(at string) (catalog.Verdict, string) {
	if at == "" {
		return catalog.Undecided, ""
	}
	info, err := l.r.Stat(at)
	switch {
	case errors.Is(err, iofs.ErrNotExist) && Strange(l.r, at) != "":
		return catalog.Undecided, Strange(l.r, at) + ofNone
	case errors.Is(err, iofs.ErrNotExist): // the service may have run then
		return catalog.Undecided, at + notThereNow
	case err != nil || info.Mode()&iofs.ModeSocket == 0:
		return catalog.Undecided, ""
	case !fs.Accessible(at, true):
		return catalog.Ordinary, neither("connect to", at)
	}
	return catalog.Sandboxed, at + " is there"
}

// owned looks at the file whose owner was refused.
func (l looker) owned(at string) (catalog.Verdict, string) {
	switch info, err := l.r.Stat(at); {
	case err == nil && fs.OwnedByRoot(info):
		return catalog.Sandboxed, at + " belongs to root, which seems to be nobody inside the sandbox"
	case err == nil:
		return catalog.Ordinary, at + " has such an owner or mode outside the sandbox too"
	}
	return catalog.Undecided, ""
}

const ofNone, noExecute = " is not a directory of this machine", " has no execute permission"
const notThere, notThereNow = " is not there outside the sandbox either", " is not there outside the sandbox now either"

func neither(do, at string) string {
	return "you may not " + do + " " + at + " outside the sandbox either"
}
