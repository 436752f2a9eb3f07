// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the runtime keeps commands from git's configuration of the project
// only. What another version control runs of a repository, commands write, and the
// user's own program, or a prompt that asks it, runs that.

package gitruns

import (
	"cmp"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
)

// maxOtherIncludes bounds how deep files of configuration include others, and maxOther one of
// them in bytes: commands write it, and what reads it calls itself for each bracket in it.
const (
	maxOtherIncludes = 4
	maxOther         = 64 << 10
)

// otherRepos judges the repositories that are not git's.
type otherRepos struct {
	g     grants.Ground
	seen  map[string]bool // directories and files
	found []opening.Opening
}

// in judges what a directory with these entries has.
func (o *otherRepos) in(dir string, has map[string]bool) {
	if o.seen[dir] || len(o.seen) > 4*maxNestedIn {
		return
	}
	o.seen[dir] = true
	for _, c := range otherControls() {
		if !has[c.dir] {
			continue
		}
		o.links(c, filepath.Join(dir, c.dir))
		for _, file := range c.files {
			o.file(c, o.placeOf(filepath.Join(dir, c.dir), file), 0)
		}
	}
	o.databases(dir, has)
	if has[".hgsub"] {
		subs, _ := o.text(filepath.Join(dir, ".hgsub"))
		for line := range strings.SplitSeq(subs, "\n") { // hg help subrepos: PATH = SOURCE
			if path, _, is := strings.Cut(line, "="); is && !strings.HasPrefix(path, "#") {
				o.below(filepath.Join(dir, strings.TrimSpace(path)))
			}
		}
	}
}

// below judges one more directory, which Mercurial enters at any depth.
func (o *otherRepos) below(dir string) {
	if entries, err := o.g.Host.ReadDir(dir); err == nil {
		o.in(dir, namesOf(entries))
	}
}

// links names the first symlink in the directory of Mercurial that it does not make: hg status
// of the user's wrote a log, with the words of an alias, to where blackbox.log led (6.3).
func (o *otherRepos) links(c otherControl, dir string) {
	if c.dir != ".hg" && c.dir != ".sl" {
		return
	}
	entries, _ := o.g.Host.ReadDir(dir)
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if _, yes := o.g.Writable(path); !yes || e.Type()&fs.ModeSymlink == 0 || strings.HasSuffix(e.Name(), "lock") ||
			slices.Contains(c.files, e.Name()) || notGits().MatchString(e.Name()) {
			continue
		}
		to, _ := o.g.Host.Readlink(path)
		o.warn(path, path, madeLink(path, to, c.program)+" writes and reads through it.", iso.LookThenRemove)
		return
	}
}

// madeLink says that a symlink in the directory of a version control is a command's.
func madeLink(path, to, program string) string {
	return fmt.Sprintf("%s is a symlink to %s, which %[3]s does not make. A command may have left it, and your own %[3]s",
		path, to, program)
}

// placeOf is where a file of a repository lies: what jj and Mercurial keep in that of another
// work tree is looked for there. "" if there is no other.
func (o *otherRepos) placeOf(dir, file string) string {
	head, rest, _ := strings.Cut(file, "/")
	if head == "repo" || head == "sharedpath" { // a second workspace of jj; hg help share
		to, is := o.text(filepath.Join(dir, head))
		switch {
		case is:
			return filepath.Join(pathname.From(dir, strings.TrimSpace(to)), filepath.FromSlash(rest))
		case head == "sharedpath":
			return ""
		}
	}
	return filepath.Join(dir, filepath.FromSlash(file))
}

// text is what a small file of a repository holds. Nothing is read of what commands may not
// read, nor by a symlink to what they may not write, such as a key.
func (o *otherRepos) text(path string) (text string, is bool) {
	info, err := o.g.Host.Lstat(path)
	if err != nil || !o.g.Reads(path) || !info.Mode().IsRegular() && !o.writes(path) {
		return "", false
	}
	b, err := o.g.Host.Read(path)
	return string(b), err == nil && len(b) <= maxOther
}

// writes says whether a file is there, and commands can write it.
func (o *otherRepos) writes(path string) bool {
	info, err := o.g.Host.Stat(path)
	if path == "" || err != nil || !info.Mode().IsRegular() {
		return false
	}
	_, yes := o.g.Writable(grants.RealPath(o.g.Host, path))
	return yes
}

// file names one line of a file that starts something, also in what it includes.
func (o *otherRepos) file(c otherControl, path string, depth int) {
	if depth > maxOtherIncludes || o.seen[path] || !o.writes(path) {
		return
	}
	o.seen[path] = true
	text, understood := o.text(path)
	var sets []otherSetting
	if understood {
		sets, understood = c.read(strings.TrimPrefix(text, "\ufeff"))
	}
	if !understood {
		o.warn(path, path, fmt.Sprintf("Commands can change %s, which %s reads, and it is not understood here: what it "+
			"starts is not known.", path, c.program), "correct it, or remove it")
		return
	}
	for _, set := range sets {
		switch name, _, _ := strings.Cut(set.key, "."); {
		case name == "paths": // hg incoming loaded the extension of that repository (6.3)
			if to, _ := pathname.Expand(set.value, o.g.Session.Dirs.Home); !strings.Contains(to, "://") {
				o.below(pathname.From(filepath.Dir(filepath.Dir(path)), to))
			}
		case set.key == includes:
			to, _ := pathname.Expand(set.value, o.g.Session.Dirs.Home)
			o.file(c, pathname.From(filepath.Dir(path), to), depth+1)
		case c.starts(set.key, set.value):
			o.warn(fmt.Sprintf("%s:%d", path, cmp.Or(set.line, lineIn(text, set.key))), set.key,
				setsIt(path, set.key, c.program, "runs that"), unlessYours)
			return
		}
	}
}

func (o *otherRepos) warn(where, what, opens, step string) {
	o.found = append(o.found, opening.Opening{Status: report.Warn, Where: where, What: what, Opens: opens, Step: step})
}

// unlessYours ends what a line of a repository starts.
const unlessYours = "remove the line, unless it is yours"

// setsIt says what a line of a repository that commands write does.
func setsIt(config, key, program, does string) string {
	return fmt.Sprintf("Commands can change %s, and it sets %s: %s of yours, of your prompt or of an editor %s, outside "+
		"the sandbox.", config, key, program, does)
}

// storesIn are the git directories in which another version control keeps the commits of a
// directory: it starts git there.
func (o *otherRepos) storesIn(dir string, has map[string]bool) (stores []string) {
	if has[".jj"] {
		store := o.placeOf(filepath.Join(dir, ".jj"), "repo/store")
		git := filepath.Join(store, "git")
		if to, is := o.text(filepath.Join(store, "git_target")); is {
			git = pathname.From(store, strings.TrimSpace(to))
		}
		stores = append(stores, git)
	}
	if has[".sl"] {
		stores = append(stores, filepath.Join(dir, ".sl", "store", "git"))
	}
	return stores
}
