// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: files, remotes and hints only choose a default: git failing
// to give one is no error; it means that nothing is known. What a commit holds is
// read from git's objects: nothing is checked out, and no filter runs.

// Package gitrepo is what git says about a place: its work tree, the
// repository behind it, the other worktrees, what is ignored and tracked, and
// where hooks are looked for.
//
// Contract: paths come only from git and are believed only when git, asked
// there, names the same repository, so that neither a hostile configuration
// nor a stale record leads to a directory of somebody else's. Nothing of the
// repository is run and nothing is written. Answers are NUL-separated or one
// path each, so a name may hold any byte that a file name may.
package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	iofs "io/fs"
	"maps"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/report"
)

// ErrNone says that a directory lies in no git repository. A git hook calls
// the program, so callers warn and go on.
var ErrNone = errors.New("not inside a git repository")

// Repo is a repository as seen from one directory. All paths are absolute.
type Repo struct {
	// Root is the root of the work tree, "" in a bare repository.
	Root string
	// GitDir belongs to this work tree, CommonDir to all of them.
	GitDir, CommonDir string
	// Main is the root of the main work tree, "" if the repository is bare
	// or git does not record where it is (git init --separate-git-dir).
	Main string
	// Bare says that the directory lies in a bare repository itself, not
	// in a worktree of one.
	Bare bool
	// Superproject is the work tree whose submodule this is, or "".
	Superproject string

	host host.Reader
}

// Linked says whether the work tree is a linked one (git worktree add).
func (r *Repo) Linked() bool { return r.GitDir != r.CommonDir }

// Open asks git about dir. The error is ErrNone (wrapped) when dir lies in no
// repository, and a *report.Error when git is missing, does not answer,
// refuses the repository's owner, or describes a place that is not what it
// says.
func Open(ctx context.Context, h host.Reader, dir string) (*Repo, error) {
	if dir == "" { // a working directory without a name (env.Here)
		return nil, &report.Error{Code: report.ExitUsage, What: "the working directory is gone",
			Next: "cd to an existing directory"}
	}
	info, err := h.Stat(dir)
	if err == nil && !info.IsDir() {
		err = errors.New("not a directory")
	}
	if err != nil {
		return nil, &report.Error{Code: report.ExitUsage, Where: dir, What: "cannot be inspected",
			Next: "name a directory inside a git work tree", Err: err}
	}
	r := &Repo{host: h}
	at, err := r.locate(ctx, dir)
	if err != nil {
		return nil, err
	}
	r.GitDir, r.CommonDir, r.Root, r.Bare = at.gitDir, at.commonDir, at.root, at.bare
	switch {
	case at.bare:
		return r, nil
	case !at.inside:
		return nil, &report.Error{Code: report.ExitLeft, Where: dir,
			What: "belongs to the repository " + r.GitDir + " but to no work tree of it",
			Next: "go to the work tree and run this again"}
	}
	if err := r.confirmRoot(ctx); err != nil {
		return nil, err
	}
	if r.enclosed() {
		super := h.Run(ctx, proc.GitSuperproject(dir))
		if !super.OK() {
			return nil, failure(ctx, super, dir)
		}
		r.Superproject = strings.TrimSuffix(string(super.Stdout), "\n")
	}
	if r.Main = r.Root; r.Linked() {
		list, err := r.list(ctx)
		if err != nil {
			return nil, err
		}
		r.Main = list[0].Path
		if list[0].Bare {
			r.Main = ""
		}
	}
	return r, nil
}

// enclosed says whether the work tree may lie in another one, which alone can have it
// as a submodule: git finds one by a .git above (gitrepository-layout(5)).
func (r *Repo) enclosed() bool {
	for dir := range pathname.Upward(r.Root) {
		if dir == r.Root {
			continue
		}
		if _, err := r.host.Lstat(filepath.Join(dir, ".git")); !errors.Is(err, iofs.ErrNotExist) {
			return true
		}
	}
	return false
}

// confirmRoot asks git again at the root that it named: core.worktree of a
// hostile configuration may name any directory above.
func (r *Repo) confirmRoot(ctx context.Context) error {
	at, err := r.locate(ctx, r.Root)
	if err == nil && at.gitDir == r.GitDir {
		return nil
	}
	if _, ok := errors.AsType[*report.Error](err); ok {
		return err
	}
	return &report.Error{Code: report.ExitLeft, Where: r.Root,
		What: "is named as the work tree of " + r.GitDir + ", but git knows nothing of it there",
		Why:  "core.worktree of that repository's configuration may lead anywhere",
		Next: "git config --file " + pathname.Word(filepath.Join(r.GitDir, "config")) + " core.worktree"}
}

// location is what git says of a directory: inside says that it lies in a work tree, root is
// "" where it does not.
type location struct {
	bare, inside            bool
	gitDir, commonDir, root string
}

// locate asks git about dir in one question; each in one of its own where that has no
// answer: a path holds a newline, or dir lies in no work tree.
func (r *Repo) locate(ctx context.Context, dir string) (at location, err error) {
	read := func(lines []string) bool {
		at = location{bare: lines[0] == "true", inside: lines[1] == "true", gitDir: lines[2]}
		return filepath.IsAbs(at.gitDir)
	}
	res := r.host.Run(ctx, proc.GitLocation(dir))
	lines := strings.Split(strings.TrimSuffix(string(res.Stdout), "\n"), "\n")
	switch {
	case res.Err != nil, !res.OK() && len(res.Stdout) == 0:
		return at, failure(ctx, res, dir)
	case res.OK() && len(lines) == 5 && read(lines) && filepath.IsAbs(lines[3]) && filepath.IsAbs(lines[4]):
		at.commonDir, at.root = lines[3], lines[4]
		return at, nil
	}
	res = r.host.Run(ctx, proc.GitState(dir))
	if !res.OK() {
		return at, failure(ctx, res, dir)
	}
	if lines = strings.SplitN(strings.TrimSuffix(string(res.Stdout), "\n"), "\n", 3); len(lines) != 3 || !read(lines) {
		return at, unexpected(res, dir)
	}
	if at.commonDir, err = r.path(ctx, dir, proc.GitCommonDir(dir)); err == nil && at.inside {
		at.root, err = r.path(ctx, dir, proc.GitTopLevel(dir))
	}
	return at, err
}

// path runs a question whose answer is one absolute path and a newline.
func (r *Repo) path(ctx context.Context, dir string, s proc.Spec) (string, error) {
	res := r.host.Run(ctx, s)
	if !res.OK() {
		return "", failure(ctx, res, dir)
	}
	path, ok := strings.CutSuffix(string(res.Stdout), "\n")
	if !ok || !filepath.IsAbs(path) {
		return "", unexpected(res, dir)
	}
	return path, nil
}

// What is said where git cannot be asked, and of what follows from it.
const (
	NotInstalled, InstallGit     = "git is not installed", "install git, then run this again"
	NoAnswer, NoneHere, NoBranch = "git did not answer", "no git repository here", "no branch is checked out"

	newerGit = "git 2.36 or newer is needed; see: git --version"
)

// failure puts git's refusal in the user's words. git's messages are in
// English, since it runs in the C locale (proc.Runner).
func failure(ctx context.Context, res proc.Result, dir string) error {
	said, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(string(res.Stderr)), "fatal: "), "\n")
	e := &report.Error{Code: report.ExitLeft, Where: dir}
	waits, wait := errors.AsType[*host.Waits](res.Err)
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		e.Code, e.What = report.ExitInterrupted, "interrupted while git was asked"
	case res.Missing():
		e.Where, e.What, e.Next = "PATH", NotInstalled, InstallGit
		e.Why = "work trees and ignore rules are read only through git"
	case wait && waits.Huge:
		e.Where, e.What, e.Next = waits.Path, "it is too large to hold one line", "remove it, or write a line into it"
		e.Why = "git would read all of it into memory; a command may have made it"
	case wait:
		e.Where, e.What, e.Next = waits.Path, fs.NotRegular, "remove it"
		if waits.From != "" {
			e.Where, e.What, e.Next = waits.From, waits.Path+" "+fs.NotRegular, "remove it, or the line"
		}
		e.Why = "git would wait for somebody to write to it; a command may have made it"
	case res.Err != nil:
		e.What, e.Err = NoAnswer, res.Err
		e.Next = "try it yourself: git -C " + pathname.Word(dir) + " rev-parse --show-toplevel"
	case strings.HasPrefix(said, "not a git repository (or any"):
		return fmt.Errorf("%s: %w", dir, ErrNone)
	case strings.HasPrefix(said, "detected dubious ownership"):
		e.What, e.Why = "git refuses this repository: "+said, "its files belong to another user, whose configuration could "+
			"run programs as you"
		e.Next = "if you trust it, do what git says: " + wayOut(res.Stderr)
	case strings.HasPrefix(said, "not a git repository: "):
		e.What, e.Next = "its .git file leads nowhere: "+said, "run git worktree repair in the main work tree"
	case res.Code < 0:
		e.What, e.Next = "git was killed before it answered", "run it yourself: "+res.Line
		e.Why = "another program, or the system for want of memory or processes, ended it"
	default:
		e.What = fmt.Sprintf("git refused (exit code %d): %s", res.Code, said)
		e.Next = "run it yourself: " + res.Line
	}
	return e
}

// wayOut is the line that git prints below its refusal of another user's
// repository. It names the directory that git means, which is not always the
// one it was asked about, quoted for a shell.
func wayOut(stderr []byte) string {
	const line = "git config --global --add safe.directory "
	_, dir, ok := strings.Cut(string(stderr), "\n\t"+line)
	if !ok {
		return "see safe.directory in git-config(1)"
	}
	return line + strings.TrimSuffix(dir, "\n")
}

func unexpected(res proc.Result, dir string) error {
	return &report.Error{Code: report.ExitLeft, Where: dir, What: fmt.Sprintf("git answered %q", res.Text()),
		Why: "that is not the form this program knows", Next: newerGit}
}

// Files lists the tracked files below the work tree's root, with slashes; none
// where git's answer is longer than what is kept (proc.ErrCut).
func (r *Repo) Files(ctx context.Context) []string {
	return split(r.host.Run(ctx, proc.GitFiles(r.Root)))
}

// Remotes lists the addresses of the repository's remotes.
func (r *Repo) Remotes(ctx context.Context) (addresses []string) {
	for _, entry := range split(r.host.Run(ctx, proc.GitRemotes(r.Root))) {
		if _, address, ok := strings.Cut(entry, "\n"); ok {
			addresses = append(addresses, address)
		}
	}
	return addresses
}

// HasRemote says whether the repository whose work tree is at root has a remote of
// this name with an address, also by the user's own configuration.
func HasRemote(ctx context.Context, h host.Reader, root, name string) bool {
	for _, entry := range split(h.Run(ctx, proc.GitRemotes(root))) {
		if strings.HasPrefix(entry, "remote."+name+".url\n") {
			return true
		}
	}
	return false
}

// Hints are the files and remotes of the repository whose work tree is at root,
// for suggestions: they are what the repository says of itself, and nothing is
// asked but that.
func Hints(ctx context.Context, h host.Reader, root string) (files, remotes []string) {
	r := &Repo{host: h, Root: root}
	return r.Files(ctx), r.Remotes(ctx)
}

// split takes a NUL-terminated list apart.
func split(res proc.Result) []string {
	if !res.OK() {
		return nil
	}
	entries := strings.Split(string(res.Stdout), "\x00")
	return entries[:len(entries)-1]
}

// Gitlinks lists the paths at which the index of the repository whose work tree is at root
// has another repository (gitglossary(7)); none where git's answer is longer than what is
// kept.
func Gitlinks(ctx context.Context, h host.Reader, root string) (paths []string) {
	for _, entry := range split(h.Run(ctx, proc.GitIndex(root))) {
		if mode, path, ok := strings.Cut(entry, "\t"); ok && strings.HasPrefix(mode, "160000 ") {
			paths = append(paths, path)
		}
	}
	return paths
}

// Contents are the contents of git's commits and files by their names (REF:PATH,
// :PATH of the index, REF^{commit}) in the repository whose work tree is at root, as
// Batch reads them.
func Contents(ctx context.Context, h host.Reader, root string, names ...string) map[string][]byte {
	return Batch(names, func(asked []string) proc.Result { return h.Run(ctx, proc.GitContents(root, asked...)) })
}

// Batch reads the contents of objects by their names from what ask answers
// (git-cat-file(1), --batch); what does not exist, and a directory, is not among them.
// Names with a newline are left out, and what is too long (proc.ErrCut): what stands
// behind it is asked for again.
func Batch(names []string, ask func(names []string) proc.Result) map[string][]byte {
	var asked []string
	for _, name := range names {
		if name != "" && !strings.Contains(name, "\n") {
			asked = append(asked, name)
		}
	}
	found := map[string][]byte{}
	if len(asked) == 0 {
		return found
	}
	rest := ask(asked).Stdout
	// behind adds what stands behind the first so many names, where the output was cut off there.
	behind := func(n int) map[string][]byte {
		if n > 0 {
			maps.Copy(found, Batch(asked[n:], ask))
		}
		return found
	}
	for i, name := range asked {
		line, more, ok := bytes.Cut(rest, []byte("\n"))
		if rest = more; !ok {
			return behind(i)
		}
		size, err := strconv.Atoi(string(line[bytes.LastIndexByte(line, ' ')+1:]))
		if err != nil {
			continue // "NAME missing"
		}
		if size >= len(rest) {
			return behind(i + 1)
		}
		if !bytes.Contains(line, []byte(" tree ")) {
			found[name] = rest[:size]
		}
		rest = rest[size+1:]
	}
	return found
}

// Tracked is a file of a commit: Path is relative to the root, Link says that it is a
// symlink, whose content is where it leads.
type Tracked struct {
	Path string
	Link bool
}

// FilesIn lists the files of a commit at or below paths; none where there is no such
// commit.
func FilesIn(ctx context.Context, h host.Reader, root, commit string, paths ...string) (list []Tracked) {
	for _, entry := range split(h.Run(ctx, proc.GitFilesIn(root, commit, paths...))) {
		if mode, name, ok := strings.Cut(entry, "\t"); ok {
			list = append(list, Tracked{name, strings.HasPrefix(mode, "120000 ")})
		}
	}
	return list
}
