// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a text of the user's own that brings along a file which
// commands may write brings along whatever they want the model to be told.

package verify

import (
	"path/filepath"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/inforce"
	"github.com/steward-setup/steward-setup/internal/iso"
	"github.com/steward-setup/steward-setup/internal/report"
)

// instructions judges the instructions that the runtime reads beside those of
// the project: the user's own in both launches, those of the directories above
// the project in a plain start. Measured with 2.1.329 and 2.1.324: no Read rule
// and no blockReadsOutsideWorkingDirectories keeps out what the user's own
// import, nor what that imports.
func (w *ownWalk) instructions() {
	for _, l := range iso.OwnInstructions(w.g.r, w.g.leads) {
		if l.Unread {
			w.unread(l.Where, "it "+l.String())
			continue
		}
		w.found = append(w.found, opening{status: report.Fail, voids: true, where: l.Where, what: w.short(l.File),
			remedy: outOfProject(l),
			opens: "Your own " + w.short(l.File) + " " + l.String() + ": every session sends the model that file and its " +
				"imports, which can be any file of yours, whatever the Read rules say."})
	}
	root := inforce.FindTree(w.g.r, w.g.s.dirs.Start).Root
	if root == "" {
		root = w.g.s.dirs.Start
	}
	for _, l := range iso.InstructionsAbove(w.g.r, root, w.g.leads) {
		if l.Open {
			w.found = append(w.found, opening{status: report.Warn, plain: true, where: l.Where, what: w.short(l.File),
				remedy: outOfProject(l),
				opens: w.short(l.File) + " " + l.String() + ": a plain session sends the model that file and, once external " +
					"imports are allowed, its imports."})
		}
	}
}

// loop judges the user's list of tasks, which the skill loop sends as a prompt.
func (w *ownWalk) loop(path string) {
	if b, err := w.g.r.Read(path); err == nil {
		w.mentions(path, string(b), "your own loop.md")
	}
}

// mentions judges the files that a text of the user's own names with @, where
// it is sent as a prompt: a command puts a symlink in their place.
func (w *ownWalk) mentions(path, text, what string) {
	if w.g.s.inForce().AnyTrue(claude.KeyBlockReads...) {
		return
	}
	for _, l := range iso.OwnMentions(w.g.r, w.g.s.dirs.Start, path, text, w.named) {
		if l.Open {
			w.found = append(w.found, opening{status: report.Warn, where: l.Where, what: filepath.Base(l.To),
				remedy: outOfProject(l),
				opens: "A text (" + what + ") names " + l.To + " with @. Commands can put a symlink there, and the model gets " +
					"its target: any file that no Read rule names."})
		}
	}
}

// named says whether a name in a text is that of a file where commands may
// write. One that is not there counts if it is written as a file: a word after
// @ may be anything.
func (w *ownWalk) named(path string) bool {
	base := filepath.Base(path)
	if _, err := w.g.r.Lstat(path); err != nil && !strings.Contains(strings.Trim(base, "."), ".") {
		return false
	}
	return w.g.leads(path)
}

// short is a path as the user would write it.
func (w *ownWalk) short(path string) string {
	return pathname.Tilde(path, w.g.s.dirs.Home)
}

// outOfProject is the remedy for a text that brings along what commands write.
func outOfProject(l iso.Lead) report.Remedy {
	if !l.Import {
		return report.DocLink{Title: "replace the symlink by a file of your own", Target: l.Where}
	}
	return report.DocLink{Title: "copy the file to a place that commands cannot write, and name the copy; or add it to " +
		claude.KeyDenyWrite.String(), Target: l.Where}
}
