// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the runtime keeps .claude from commands, and not what symlinks
// below it lead to: a text of the project is as safe as where it lies.

package outsiders

import (
	"cmp"
	"io/fs"
	"path/filepath"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/agent/claude/projectcode"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
)

// linkWalk looks for symlinks among the project's texts for the model.
type linkWalk struct {
	g     grants.Ground
	kind  claude.Text
	seen  int
	found []opening.Opening
}

// TextLinks lists the skills, agents, commands and output styles of the project that
// are symlinks to where commands may write. Measured with 2.1.330: a command makes the
// target of a skill a plugin, and the next plain session runs its hooks outside the
// sandbox; the target of a style it makes a symlink, and the next plain session sends
// any file, whatever the Read rules say. claude-iso loads none of them.
func TextLinks(r host.Reader, s session.Settings) []opening.Opening {
	w := &linkWalk{g: grants.Of(r, s)}
	root := cmp.Or(host.FindTree(r, s.Dirs.Start).Root, s.Dirs.Start)
	for dir := range pathname.UpTo(s.Dirs.Start, root) {
		if dir == s.Dirs.Home {
			continue
		}
		for _, d := range claude.TextDirs {
			w.kind = d.Kind
			w.dir(filepath.Join(dir, claude.Dir, d.Name), d.Name == claude.SkillsDir, 0)
		}
	}
	return w.found
}

// dir walks one directory. Of a skill that is no plugin only its text and what would
// make it a plugin count.
func (w *linkWalk) dir(path string, skills bool, depth int) {
	entries, err := w.g.Host.ReadDir(path)
	if err != nil || depth > iso.MaxTextDepth {
		return
	}
	material := skills && depth > 0 && !projectcode.IsPlugin(w.g.Host, path)
	for _, e := range entries {
		if w.seen++; w.seen > iso.MaxTexts {
			return // project-code says so
		}
		at := filepath.Join(path, e.Name())
		switch {
		case e.Type()&fs.ModeSymlink != 0:
			if !material || claude.IsSkill(at) || e.Name() == claude.ManifestDir {
				w.link(at)
			}
		case e.IsDir():
			w.dir(at, skills, depth+1)
		}
	}
}

// link judges a symlink by where it leads.
func (w *linkWalk) link(path string) {
	can := "whose hooks and servers the next plain session runs outside the sandbox"
	if w.kind == claude.Style {
		can = "which plain sessions send to the model: with a symlink in its place any file of yours, whatever the Read " +
			"rules say"
	}
	o, yes := w.g.Opening(path, path, "Commands can change what this symlink leads to, "+can+": "+
		grants.RealPath(w.g.Host, path))
	if yes {
		o.Plain, o.Remedy = true, report.DocLink{Title: "replace the symlink by a copy, or add its target to " +
			claude.KeyDenyWrite.String(), Target: path}
		w.found = append(w.found, o)
	}
}
