// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a proposal opens as little as helps, for nobody but who it
// is for: the narrowest place, in the user's own settings where it is the
// user's own. What verify would fail is refused, with what it would open.

package explain

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/access"
	"github.com/steward-setup/steward-setup/internal/agent/claude/fixes"
	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/steps/doctor"
)

// claudeCode writes the fixes.
var claudeCode fixes.Claude

// unnamed are words for what the text of an error does not name.
var unnamed = map[string]string{"PATH": "<the file>", "DIRECTORY": "<the directory>", "SOCKET": "<the socket>",
	"HOST": "<the host>", "BROWSERS": "<the directory of your browsers>", "PROJECT_ROOT": "<the project's root>",
	"GIT_DIR": "<the repository's git directory>", doctor.SSHSocket: "<the socket of your agent>",
	doctor.SSHSocket + "_DIR": "<the directory of that socket>"}

// Propose says what a fix of an entry comes to on this machine, and returns
// the fix with what about names in it. about is what an error is about, a path
// or a host, with Subject "" if that is unknown; makes says that the path is
// a directory that was to be made. Nothing is started or written.
func Propose(ctx context.Context, r host.Reader, id string, fix catalog.Fix, about Question, makes bool) (catalog.Fix,
	catalog.Here) {
	root, home := gitrepo.RootOf(ctx, r, about.Project), r.Places().Home
	if fix.Exclude {
		return fix, fixes.Exclude(ctx, r, root, id, fix)
	}
	here := catalog.Here{Refuted: Refuted(ctx, r, fix, about), Wide: claudeCode.Effect(fix).Sockets}
	at := ""
	if about.Kind == AboutPath && about.Subject != "" {
		at = host.Real(r, about.Subject)
		fix = fix.With("PATH", claudeCode.Spelled(at, home))
	}
	if store := doctor.BrowserStore(r, at); store != "" {
		fix = fix.With("BROWSERS", claudeCode.Spelled(store+"/", home))
	}
	if about.Kind == AboutHost {
		fix = fix.With("HOST", about.Subject)
	}
	if root != "" {
		fix = fix.With("PROJECT_ROOT", claudeCode.Spelled(root, home))
	}
	socket := r.System().Get(doctor.SSHSocket)
	if filepath.IsAbs(socket) && pathname.BeforeWildcard(socket) == socket { // an entry with one is a pattern
		fix = fix.With(doctor.SSHSocket, claudeCode.Spelled(socket, home)).
			With(doctor.SSHSocket+"_DIR", claudeCode.Spelled(filepath.Dir(socket), home))
	}
	if at != "" && strings.Contains(fix.Settings, "${DIRECTORY}") {
		if _, cache, ok := fixes.CacheAt(at, home); ok {
			fix = fix.With("DIRECTORY", cache)
		} else {
			p, narrow := narrowest(r, at, root, makes)
			if !narrow && here.Refuted == "" {
				here.Refused = "the smallest directory to open would be " + claudeCode.Spelled(p.path, home) +
					", which other programs use too"
			}
			fix, here.First = fix.With("DIRECTORY", p.entry(home)), p.first()
		}
	}
	if !here.Closed() && strings.Contains(fix.Settings, "${HOST}") { // the error names no host: the reader puts it in
		here.Command = claudeCode.Line(ctx, r, root, fix, "HOST")
	}
	if here.Closed() || strings.Contains(fix.Settings, "${") {
		for name, words := range unnamed {
			fix = fix.With(name, words)
		}
		return fix, here
	}
	if fix.Scope == catalog.Project && at != "" && !pathname.Within(at, root) {
		fix.Scope = catalog.Local
	}
	fix, change, err := effective(ctx, r, root, id, fix, about)
	if err == nil && change.After != nil {
		var opens []string
		if opens, err = claudeCode.WouldOpen(ctx, r, root)(change); opens != nil {
			here.Refused = doctor.Fails(opens)
		}
	}
	switch {
	case err != nil:
		here.Refused = "not judged: " + err.Error()
	case here.Refused != "" || change.After == nil:
	default:
		here.Change, here.Command = &change, claudeCode.Line(ctx, r, root, fix, about.host())
	}
	if here.Change == nil {
		here.First = nil
	}
	return fix, here
}

// effective is a fix in the narrowest scope in which it works for both
// launches, and what it would write: some settings of a worktree's own file
// claude-iso does not hand on.
func effective(ctx context.Context, r host.Reader, root, id string, fix catalog.Fix, about Question) (catalog.Fix,
	report.Change, error) {
	change, err := claudeCode.Change(ctx, r, root, id, fix)
	if err != nil || fix.Scope != catalog.Local || change.After == nil || about.Kind != AboutPath || about.Subject == "" {
		return fix, change, err
	}
	does := access.DoesRead
	if fixes.SetBy(fix, claude.KeyAllowWrite) != nil {
		does = access.DoesWrite
	}
	x, err := Explain(ctx, host.Changed(r, change), about)
	if err == nil && slices.ContainsFunc(x.Rulings, func(r report.Ruling) bool {
		return r.Who == access.WhoCommand && r.Does == does && r.Answer == report.Denied
	}) {
		fix.Scope = catalog.User
		change, err = claudeCode.Change(ctx, r, root, id, fix)
	}
	return fix, change, err
}

// place is a directory, or file, that a fix opens.
type place struct {
	path string
	// file says that it is one, missing that it has to be made first.
	file, missing bool
}

// entry is the place as an entry of the settings.
func (p place) entry(home string) string {
	if entry := claudeCode.Spelled(p.path, home); p.file || strings.HasSuffix(entry, "/") {
		return entry
	}
	return claudeCode.Spelled(p.path, home) + "/"
}

func (p place) first() *report.Command {
	if !p.missing {
		return nil
	}
	return &report.Command{Line: "mkdir -p " + scripts.Quote(p.path),
		Why: "create it: a path that does not exist when a session starts is not opened"}
}

// narrowest is the smallest place that has to be writable for p to be written,
// and whether it is the user's to open: what many programs keep files in is
// not. makes says that p is a directory that was to be made.
func narrowest(r host.Reader, p, root string, makes bool) (place, bool) {
	if info, err := r.Stat(p); err == nil {
		return place{path: p, file: !info.IsDir()}, !shared(r, p, root)
	}
	child, dir := p, filepath.Dir(p)
	for ; dir != filepath.Dir(dir); child, dir = dir, filepath.Dir(dir) {
		if _, err := r.Stat(dir); err == nil {
			break
		}
	}
	switch {
	case !shared(r, dir, root):
		return place{path: dir}, true
	case child != p || makes:
		return place{path: child, missing: true}, true
	}
	return place{path: dir}, false
}

// common are directories, below the home and at the root, in which every
// program has one of its own.
var common = []string{
	"~/.cache", "~/.config", "~/.local", "~/.local/share", "~/.local/state", "~/.local/lib", "~/.var", "~/Library",
	"~/Library/Caches",
	"~/Library/Application Support", "~/Library/Preferences", "~/Documents", "~/Desktop", "~/Downloads", "~/snap",
	"/opt", "/srv", "/mnt", "/media", "/tmp", "/var", "/var/tmp", "/var/lib", "/var/cache", "/run", "/usr", "/usr/local",
	"/etc", "/home", "/root",
	"/Users", "/Volumes", "/private", "/private/tmp", "/private/var",
}

// shared says whether a directory holds the files of other programs or
// projects too.
func shared(r host.Reader, dir, root string) bool {
	home := r.Places().Home
	return pathname.Within(home, dir) || pathname.Within(root, dir) && dir != root ||
		slices.Contains(common, strings.TrimSuffix(claudeCode.Spelled(dir, home), "/"))
}
