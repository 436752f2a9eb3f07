// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the runtime keeps the file that a symlink leads to, not
// the symlink. What it must keep is reached by none that a command may
// replace.

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
// runtime keeps. Measured with 2.1.329:
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
	}
	return found
}

// Links is what linkOpenings and secondNames find, for a plan.
func (s SessionSettings) Links(r host.Reader) (findings []report.Finding) {
	for _, o := range slices.Concat(linkOpenings(r, s), secondNames(r, s)) {
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
