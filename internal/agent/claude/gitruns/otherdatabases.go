// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a work tree of Subversion or Fossil names its repository in a file
// that commands write, and a repository on this machine brings hooks and settings.

package gitruns

import (
	"bytes"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"

	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/lazy"
)

// svnRoot is the address of a repository on this machine in the database of a work tree,
// before its number (format 31, Subversion 1.14).
var svnRoot = lazy.Regexp(`file://(?:localhost)?(/[^\x00-\x20]*?)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// svnHooks are the programs that Subversion starts in its directory of hooks: start-commit of
// a repository in the project was run by the user's own svn commit (1.14).
var svnHooks = []string{"start-commit", "pre-commit", "post-commit", "pre-lock", "post-lock", "pre-unlock",
	"post-unlock", "pre-revprop-change", "post-revprop-change"}

// fossilRuns are settings of a repository of Fossil that name programs: a hook of one was run
// by the user's own fossil commit (2.21).
var fossilRuns = []string{"editor", "diff-command", "gdiff-command", "pgp-command", "ssh-command", "web-browser",
	"hooks", "proxy-command", "tcl-setup", "th1-setup"}

// databases judges what a work tree of Subversion or Fossil in a directory leads to. One that is
// too large to be read says nothing: those of large work trees are.
func (o *otherRepos) databases(dir string, has map[string]bool) {
	if db := filepath.Join(dir, ".svn", "wc.db"); has[".svn"] && o.writes(db) {
		b, _ := o.g.Host.Read(db)
		for _, m := range svnRoot().FindAllSubmatch(b, -1) {
			if root, err := url.PathUnescape(string(m[1])); err == nil {
				o.hooksOf(db, root)
			}
		}
	}
	for _, name := range []string{".fslckout", "_FOSSIL_", ".fos"} {
		if db := filepath.Join(dir, name); has[name] && o.writes(db) {
			b, _ := o.g.Host.Read(db)
			for _, path := range textsBehind(b, "repository") {
				o.settingsOf(db, pathname.From(dir, path))
			}
		}
	}
}

// hooksOf names the first hook of a repository of Subversion, if commands can change it.
func (o *otherRepos) hooksOf(db, root string) {
	for _, name := range svnHooks {
		hook := filepath.Join(root, "hooks", name)
		if info, err := o.g.Host.Stat(hook); err != nil || info.Mode()&0o111 == 0 || o.seen[hook] || !o.writes(hook) {
			continue
		}
		o.seen[hook] = true
		o.warn(hook, hook, fmt.Sprintf("Commands can change %s, a hook of the repository that %s names: svn of yours runs "+
			"it, outside the sandbox.", hook, db), "remove the hook, unless it is yours")
		return
	}
}

// settingsOf names the first setting of a repository of Fossil that starts a program, if
// commands can change it.
func (o *otherRepos) settingsOf(db, path string) {
	if o.seen[path] || !o.writes(path) {
		return
	}
	o.seen[path] = true
	b, err := o.g.Host.Read(path)
	if err != nil {
		o.warn(path, path, fmt.Sprintf("Commands can change %s, a repository that %s names. It is too large to be read: "+
			"what fossil of yours runs of it is not known.", path, db),
			"keep that repository outside of what commands may write")
		return
	}
	i := slices.IndexFunc(fossilRuns, func(name string) bool {
		return slices.ContainsFunc(textsBehind(b, name), func(value string) bool { return value != noHooks })
	})
	if i < 0 {
		return
	}
	name, step := fossilRuns[i], "fossil unset "+fossilRuns[i]+", unless it is yours"
	if name == "hooks" { // no setting, but of the same table (fossil help hook)
		step = "fossil hook delete all, unless they are yours"
	}
	o.warn(path, name, setsIt(path, name, "fossil", "runs that, as "+db+" names this repository"), step)
}

// noHooks is what Fossil leaves of hooks that were deleted.
const noHooks = "[]"

// textsBehind are the texts of the column behind the one that holds name, in the records of
// a database of SQLite (sqlite.org/fileformat2.html, "Record Format"): the head has, for each
// column, the number 13+2n of a text of n bytes.
func textsBehind(b []byte, name string) (texts []string) {
	for at := 0; ; {
		i := bytes.Index(b[at:], []byte(name))
		if i < 0 {
			return texts
		}
		i += at
		at = i + 1
		for _, behind := range []int{0, 1} { // columns, such as a time
			end := i - behind
			for width := 1; width <= 2 && end-width-1 >= 0 && b[end-1] < 0x80; width++ {
				kind := int(b[end-1])
				if width == 2 {
					kind += int(b[end-2]&0x7f) << 7
				}
				n, from := (kind-13)/2, i+len(name)
				if int(b[end-width-1]) == 13+2*len(name) && kind > 13 && kind%2 == 1 && from+n <= len(b) {
					texts = append(texts, string(b[from:from+n]))
				}
			}
		}
	}
}
