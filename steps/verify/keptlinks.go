// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the runtime keeps the file that a symlink leads to, not
// the symlink. What it must keep is reached by none that a command may
// replace, and has no second name where commands may write.

package verify

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/inforce"
	"github.com/steward-setup/steward-setup/internal/report"
)

// keptFile is a path that the runtime keeps commands from writing, and what
// whoever replaces it decides. plain says that claude-iso does not load it.
type keptFile struct {
	path, decides string
	plain         bool
}

// keptFiles lists what the runtime loads for a session: of the project, of the
// main checkout of a linked worktree, and of the user.
func keptFiles(r host.Reader, s SessionSettings) (list []keptFile) {
	add := func(dir string, names ...string) {
		for _, name := range names {
			f := keptFile{filepath.Join(dir, name), "what the next plain session loads there: settings, or programs that run " +
				"outside the sandbox", true}
			if strings.HasPrefix(name, ".git/") {
				f.decides, f.plain = "what your own git runs here, outside the sandbox", false
			}
			list = append(list, f)
		}
	}
	add(s.dirs.Start, claude.ProtectedPrograms...)
	if main := inforce.FindTree(r, s.dirs.Start).Main; main != "" && main != s.dirs.Start && main != s.dirs.Home {
		add(main, ".claude/settings.local.json", ".git/hooks", ".git/config")
	}
	for _, name := range claude.KeptNames() {
		list = append(list, keptFile{path: filepath.Join(s.dirs.Agent, name),
			decides: "what every session loads there: settings, or programs that run outside the sandbox"})
	}
	return list
}

// linkOpenings lists the symlinks by which a command can replace what the
// runtime keeps, and second names (hard links) of it. Measured with 2.1.329:
// the sandbox protects the file or directory that a path leads to; a command
// removes the symlink, or one on the way, and puts a file in its place. A
// directory on the way cannot be renamed.
func linkOpenings(r host.Reader, s SessionSettings) (found []opening) {
	g := groundOf(r, s)
	for _, f := range keptFiles(r, s) {
		for _, link := range r.Links(f.path) {
			named := func(o opening) bool { return o.where == link }
			if !g.replaces(link) || slices.ContainsFunc(found, named) {
				continue
			}
			found = append(found, opening{status: report.Fail, voids: true, plain: f.plain, where: link, what: link,
				opens: fmt.Sprintf("Commands can replace this symlink to %s, and so control %s.",
					f.path, f.decides),
				remedy: report.DocLink{Title: "replace the symlink by a real file or directory", Target: link}})
		}
		if other, whole := g.otherName(f.path); other != "" || !whole {
			o := opening{status: report.Fail, voids: true, plain: f.plain, where: f.path, what: f.path,
				opens: fmt.Sprintf("Commands can write %s, a hard link to %s, and so control %s.", other,
					f.path, f.decides),
				remedy: report.DocLink{Title: "remove the hard link", Target: other}}
			if other == "" {
				o.status, o.voids, o.group = report.Unknown, false, openUnresolved
				o.opens = fmt.Sprintf("%s has hard links. Whether commands can write one of them is unknown: there are more than "+
					"%d files.", f.path, maxNested)
				o.remedy = report.DocLink{Title: "make it a file without hard links: copy it and rename the copy over it",
					Target: f.path}
			}
			found = append(found, o)
		}
	}
	return found
}

// Links is what linkOpenings finds, for a plan.
func (s SessionSettings) Links(r host.Reader) (findings []report.Finding) {
	for _, o := range linkOpenings(r, s) {
		findings = append(findings, report.Finding{Check: "policy-invariants", Layer: report.LayerSandbox, Status: o.status,
			Decide:  o.voids,
			Summary: o.opens, Evidence: []report.Evidence{o.evidence()}, Remedies: []report.Remedy{o.remedy}})
	}
	return findings
}

// replaces says whether commands of this session or of one beside it may
// remove a symlink: a right of the directory that it lies in.
func (g ground) replaces(link string) bool {
	return under(link, g.places()) && !under(link, g.kept) && !g.protected(filepath.Dir(link))
}

// otherName looks for another name of a file where commands may write; whole
// says that there is none, if none was found.
func (g ground) otherName(path string) (other string, whole bool) {
	info, err := g.r.Stat(path)
	if err != nil || !info.Mode().IsRegular() || host.Names(info) < 2 {
		return "", true
	}
	real := realPath(g.r, path)
	seen := 0
	for queue := g.places(); len(queue) > 0; queue = queue[1:] {
		entries, err := g.r.ReadDir(queue[0])
		if err != nil {
			continue // nor can a command find its way there
		}
		if seen += len(entries); seen > maxNested {
			return "", false
		}
		for _, e := range entries {
			at := filepath.Join(queue[0], e.Name())
			if e.IsDir() {
				queue = append(queue, at)
				continue
			}
			same, err := g.r.Lstat(at)
			if err == nil && host.Same(info, same) && at != real && !under(at, g.kept) && !g.protected(at) {
				return at, true
			}
		}
	}
	return "", true
}
