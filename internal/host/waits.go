// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a FIFO is opened by nobody who would wait for its writer, and a file that
// holds a line is not read where it holds gigabytes. Our own reads have these bounds (fs.Read);
// git does not, so it is not started there.

package host

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/lazy"
)

// Waits is the error of a question that git would not answer: Path is no regular
// file, and git opens it, or it is Huge, and git reads all of it. From is the line of git's
// configuration that names it, "path:line", "" where none does.
type Waits struct {
	Path, From string
	Huge       bool
}

func (e *Waits) Error() string {
	if e.Huge {
		return e.Path + " is too large: git would read all of it"
	}
	return e.Path + " is not a regular file: git would wait for it"
}

// Files that git opens for the questions of this program: of a git directory
// (gitrepository-layout(5)), the branch that HEAD names beside them, and of a
// directory of the work tree.
var (
	gitOpens = []string{"commondir", "HEAD", "config", "config.worktree", "index", "packed-refs", "shallow",
		"info/exclude", "info/attributes", "info/grafts", "info/sparse-checkout", "objects/info/alternates",
		"objects/info/commit-graph", "MERGE_AUTOSTASH", "BISECT_START", "sequencer/head", "rebase-merge/autostash",
		"rebase-merge/orig-head", "rebase-apply/autostash", "rebase-apply/orig-head"}
	treeOpens = []string{".git", ".gitignore", ".gitattributes", ".gitmodules"}
	// userOpens are files beside the user's own configuration, read without a line of it.
	userOpens = []string{"ignore", "attributes"}
	// linesOf are files of one line.
	linesOf = []string{"commondir", "HEAD", "refs/stash", "gitdir"}
)

// maxWorktrees bounds how many linked worktrees are looked at.
const maxWorktrees = 100

// GitConfigs are the files of the user's own that git reads, the last of them first
// (git-config(1), "FILES").
func GitConfigs(r Reader) []string {
	p := r.Places()
	return []string{filepath.Join(p.Home, ".gitconfig"), filepath.Join(filepath.Dir(p.Config), "git", "config")}
}

// WaitsFor is a file that git would wait for if it is asked about dir, nil if none is
// known: a FIFO, a socket or a device. With dir "" it is asked about no repository:
// git reads the user's own configuration all the same.
func WaitsFor(r Reader, dir string) *Waits {
	named := configured{r: r}
	named.read("/etc/gitconfig")
	for _, path := range slices.Backward(GitConfigs(r)) {
		named.read(path)
	}
	for _, path := range within(filepath.Join(filepath.Dir(r.Places().Config), "git"), userOpens) {
		if named.waits == nil && waited(r, path) {
			named.waits = &Waits{Path: path}
		}
	}
	tree := Tree{}
	if dir != "" {
		tree = FindTree(r, Real(r, dir))
	}
	if tree.Root == "" {
		return named.waits
	}
	var paths, lines []string
	linked := tree.Linked(r)
	for _, git := range linked[:min(len(linked), maxWorktrees)] {
		lines = append(lines, within(git, linesOf)...)
	}
	for _, git := range slices.Compact([]string{tree.Git, tree.Common}) {
		lines = append(lines, within(git, linesOf)...)
		paths = append(paths, within(git, gitOpens)...)
		for _, name := range []string{"config", "config.worktree"} {
			named.read(filepath.Join(git, name))
		}
		head, _ := gitFile(r, filepath.Join(tree.Git, "HEAD"), "ref: ", git)
		paths, lines = append(paths, head), append(lines, head)
	}
	for _, path := range lines {
		if info, err := r.Stat(path); err == nil && info.Mode().IsRegular() && info.Size() > fs.MaxRead {
			return &Waits{Path: path, Huge: true}
		}
	}
	for _, at := range slices.Compact([]string{tree.Root, Real(r, dir)}) {
		paths = append(paths, within(at, treeOpens)...)
	}
	for _, path := range paths {
		if waited(r, path) {
			return &Waits{Path: path}
		}
	}
	return named.waits
}

// within are the paths of names in dir.
func within(dir string, names []string) (paths []string) {
	for _, name := range names {
		paths = append(paths, filepath.Join(dir, name))
	}
	return paths
}

// waited says whether whoever opens a path may wait: it is there, and neither a
// regular file nor a directory, nor what is always empty, by whatever name.
func waited(r Reader, path string) bool {
	info, err := r.Stat(path)
	if err != nil || info.Mode().IsRegular() || info.IsDir() {
		return false
	}
	null, err := r.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

// maxConfigured bounds how many files of configuration are looked through.
const maxConfigured = 50

// configured looks for what git opens because its configuration says so.
type configured struct {
	r     Reader
	seen  []string
	waits *Waits
}

// opens finds a setting that names a file which git opens: of an include, whatever
// its condition says, of patterns, or of attributes (git-config(1)). A path of
// another section is another file that is there.
var opens = lazy.Regexp(`(?i)(?:^|\])[ \t]*(?:path|excludesfile|attributesfile)[ \t]*=[ \t]*(.*)`)

// unquoted are the characters of a value that stand for others.
var unquoted = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `"`, "")

// read looks through a file, and through what it includes.
func (c *configured) read(path string) {
	if slices.Contains(c.seen, path) || len(c.seen) >= maxConfigured {
		return
	}
	c.seen = append(c.seen, path)
	if c.waits == nil && waited(c.r, path) {
		c.waits = &Waits{Path: path}
	}
	b, err := c.r.Read(path)
	if err != nil {
		return
	}
	for i, line := range strings.Split(string(b), "\n") {
		m := opens().FindStringSubmatch(line)
		if m == nil {
			continue
		}
		value := strings.TrimSpace(m[1])
		if at := strings.IndexAny(value, "#;"); at >= 0 && !strings.Contains(value[:at], `"`) {
			value = strings.TrimSpace(value[:at]) // a comment
		}
		to := unquoted.Replace(value)
		to, _ = pathname.Expand(to, c.r.Places().Home)
		to = pathname.From(filepath.Dir(Real(c.r, path)), to)
		if c.waits == nil && waited(c.r, to) {
			c.waits = &Waits{Path: to, From: fmt.Sprintf("%s:%d", path, i+1)}
		}
		c.read(to)
	}
}
