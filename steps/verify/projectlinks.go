// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: instructions for the agent that are a link are what they
// lead to. A plain session puts that into the conversation outside the
// sandbox, whatever the sandbox hides (measured with 2.1.141 and 2.1.329). A
// Read rule against it holds with 2.1.329 alone, and not in a subdirectory.

package verify

import (
	"path/filepath"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/inforce"
	"github.com/steward-setup/steward-setup/internal/report"
)

// linkWalk looks through the instructions of a project.
type linkWalk struct {
	r    host.Reader
	tree inforce.Tree
	b    *brought
	seen int
}

// ofInstructions takes the instructions that the runtime would read in a
// session in start: those of each directory up to the root of the work tree.
// Of .claude/rules, 2.1.141 follows links and 2.1.329 does not.
func (b *brought) ofInstructions(r host.Reader, start string) {
	w := &linkWalk{r: r, tree: inforce.FindTree(r, start), b: b}
	if w.tree.Root == "" {
		w.tree.Root = start
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		w.file(filepath.Join(dir, "CLAUDE.md"))
		w.file(filepath.Join(dir, "CLAUDE.local.md"))
		if claude := filepath.Join(dir, ".claude"); startAt(r, claude) != startAt(r, r.Places().AgentDir) {
			w.file(filepath.Join(claude, "CLAUDE.md"))
			w.rules(filepath.Join(claude, "rules"), 0)
		}
		if dir == w.tree.Root || dir == filepath.Dir(dir) {
			return
		}
	}
}

// rules looks through a directory of rules. One that is a link is judged by
// where it leads, and not walked.
func (w *linkWalk) rules(dir string, depth int) {
	w.file(dir)
	if info, err := w.r.Lstat(dir); err != nil || !info.IsDir() || depth > maxTextDepth {
		return
	}
	entries, err := w.r.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if w.seen++; w.seen > maxTexts {
			return
		}
		w.rules(filepath.Join(dir, e.Name()), depth+1)
	}
}

// file judges one path by where it leads. A link that leads nowhere, or stays
// in the repository's checkouts and leads to no credential, is none.
func (w *linkWalk) file(path string) {
	real, err := w.r.Resolve(path)
	if err != nil || real == path {
		return
	}
	const plainly = ": a plain session reads it to the model, outside the sandbox"
	if e, secret := inforce.Secret(w.r, w.tree.Root, path); secret {
		w.b.ofLink(path, "is a link to a credential file ("+real+", "+e.What+")"+plainly)
		return
	}
	if below(real, w.tree.Root) || w.tree.Main != "" && below(real, w.tree.Main) {
		return
	}
	if w.b.add(report.FileEvidence(path, "is a link out of the project, to "+real+plainly)) {
		w.b.outside = append(w.b.outside, filepath.Base(path))
		w.b.remedies = append(w.b.remedies, report.DocLink{Title: "look at where it leads, or remove the link", Target: path})
	}
}
