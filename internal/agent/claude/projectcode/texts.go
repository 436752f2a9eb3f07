// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the texts for the model that a project brings are all
// found, links inside the work tree followed; what was not opened is said, and
// so is what leads out of the project.

package projectcode

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/frontmatter"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/sensitive"
)

// textWalk looks through the texts of a project.
type textWalk struct {
	r host.Reader
	// project has an absolute root, links resolved; nothing outside it is opened.
	project iso.Project
	start   string
	seen    int
	found   []textKey
	unread  []report.Evidence
	// leads are the files that a text names with @.
	leads []iso.Lead
	// plugins are the manifests of plugins.
	plugins []string
	// why says of texts outside of the work tree that they are loaded.
	why string
}

// textKey is a key of the front matter of a text.
type textKey struct {
	frontmatter.Key
	at settings.Source
}

// remove is the remedy for a key that should not be there.
func (k textKey) remove() report.Remedy {
	return report.DocLink{Title: "remove " + k.Path + " from the front matter", Target: k.at.Where()}
}

// ofTexts takes the texts that the runtime would load in a session in start:
// those in .claude of each directory up to the root of the work tree, and textsAround.
func (b *brought) ofTexts(r host.Reader, start string) (unread []report.Evidence) {
	tree, s := host.FindTree(r, start), session.At(r, start)
	root := cmp.Or(tree.Root, start)
	w := &textWalk{r: r, project: iso.Project{Reader: r, Root: root, Main: tree.Main}, start: start}
	for dir := range pathname.UpTo(start, root) {
		if agent := filepath.Join(dir, claude.Dir); session.StartAt(r, agent) != session.StartAt(r, r.Places().AgentDir) {
			for _, d := range claude.TextDirs {
				w.dir(filepath.Join(agent, d.Name), d.Kind, 0)
			}
			b.ofFiles(r, agent)
			b.ofLoop(w.project, filepath.Join(agent, "loop.md"))
		}
	}
	attaches, _, _ := session.Attaches(r, s)
	for _, w := range slices.Concat([]*textWalk{w}, textsAround(r, tree, start)) {
		for _, k := range w.found {
			b.ofText(r, s, w, k)
		}
		for _, l := range w.leads {
			const prompt = ": a plain session adds it to the conversation when the text is used"
			switch {
			case !attaches:
			case l.Unread:
				w.cannot(l.File, "names more files with @ than are looked for")
			default:
				b.ofLead(l, prompt)
			}
		}
		unread = report.Union(unread, w.unread...)
	}
	for _, manifest := range w.plugins {
		b.ofPlugin(r, root, manifest)
	}
	return unread
}

// ofLoop takes the list of tasks that the skill loop puts into the conversation,
// in both launches (measured with 2.1.329).
func (b *brought) ofLoop(p iso.Project, path string) {
	for _, l := range p.Linked(path) {
		const both = ": the skill loop sends it to the model, in claude-iso too"
		b.ofLead(l, both)
		b.both = append(b.both, "claude-iso reads "+path+" out of the project when the skill loop is used")
	}
}

// ofFiles takes the files of a project's .claude that have no keys of their own
// in a table and take protection away, in claude-iso too: it sent what scheduled_tasks.json
// holds (measured with 2.1.332 and 2.1.324, on a terminal).
func (b *brought) ofFiles(r host.Reader, agent string) {
	entries, err := r.ReadDir(agent)
	if err != nil {
		return
	}
	for _, e := range entries {
		info, err := e.Info()
		if k := claude.ProjectFile(e.Name()); k.Class == claude.Opens && (err != nil || !left(info)) {
			b.weakens(filepath.Join(agent, e.Name()), ".claude/"+e.Name(), e.Name()+" "+k.Effect,
				report.DocLink{Title: "remove the file", Target: filepath.Join(agent, e.Name())})
			b.both = append(b.both, "claude-iso on a terminal as well: .claude/"+e.Name()+" "+k.Effect)
		}
	}
}

// left says whether a file is one that a session leaves where it was killed, in the
// place of a file or directory that was not there: empty, and read as nothing (2.1.332).
func left(info fs.FileInfo) bool { return info.Mode().IsRegular() && info.Size() == 0 }

// says adds to what is said of a text why it is loaded, if it lies outside of the work tree.
func (w *textWalk) says(text string) string {
	if w.why == "" {
		return text
	}
	return strings.TrimSuffix(text, ".") + w.why
}

func (w *textWalk) cannot(path, why string) {
	w.unread = report.Union(w.unread, report.FileEvidence(path, why))
}

// dir walks one directory, links inside the work tree followed.
func (w *textWalk) dir(path string, kind claude.Text, depth int) {
	real, err := w.r.Resolve(path)
	if err != nil {
		w.cannot(path, "cannot be followed")
		return
	}
	if !pathname.Within(real, w.project.Root) {
		w.cannot(path, "is a symlink out of the project: not opened")
		return
	}
	entries, err := w.r.ReadDir(real)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return
	case err != nil:
		if info, err := w.r.Lstat(real); err != nil || !left(info) {
			w.cannot(path, "cannot be read")
		}
		return
	case depth > iso.MaxTextDepth:
		w.cannot(path, fmt.Sprintf("is more than %d levels deep: not opened", iso.MaxTextDepth))
		return
	}
	for _, e := range entries {
		if w.seen++; w.seen > iso.MaxTexts {
			w.cannot(w.project.Root, fmt.Sprintf("has more than %d texts for the agent: not all were opened", iso.MaxTexts))
			return
		}
		name := filepath.Join(path, e.Name())
		info, err := w.r.Stat(name)
		switch {
		case err != nil:
		case info.IsDir() && e.Name()+"/" == claude.AgentsDir && IsPlugin(w.r, path):
			w.dir(name, claude.Agent, depth+1)
		case info.IsDir():
			w.dir(name, kind, depth+1)
		case e.Name() == string(claude.Plugin) && filepath.Base(path) == claude.ManifestDir &&
			!slices.Contains(w.plugins, name):
			w.plugins = append(w.plugins, name)
		case info.Mode().IsRegular() && claude.IsText(name):
			w.file(name, kind, e.Type()&fs.ModeSymlink != 0)
		}
	}
}

// file looks at the front matter of one text. Opened below the root, it does
// not lead out of it.
func (w *textWalk) file(path string, kind claude.Text, link bool) {
	rel, err := filepath.Rel(w.project.Root, path)
	if err != nil {
		return
	}
	if link {
		if _, secret := sensitive.Secret(w.r, w.project.Root, path); secret {
			w.cannot(path, opening.ToCredentials)
			return
		}
	}
	b, err := w.r.ReadIn(w.project.Root, rel)
	if err != nil {
		w.cannot(path, "cannot be read below the project's root: not opened")
		return
	}
	keys, doubt := frontmatter.Read(kind, b)
	if doubt != nil && !claude.IsMaterial(rel) {
		w.cannot(settings.Source{Path: path, Line: doubt.Line, Col: doubt.Col}.Where(), doubt.String()+notKnown)
	}
	if kind == claude.Skill {
		w.leads = append(w.leads, w.project.Mentions(w.start, path, string(b), 1)...)
	}
	for _, k := range keys {
		if kind == claude.Agent && k.Path == claude.FrontInitialPrompt {
			for _, text := range k.Values {
				w.leads = append(w.leads, w.project.Mentions(w.start, path, text, k.Line)...)
			}
		}
		w.found = append(w.found, textKey{k, settings.Source{Path: path, Line: k.Line, Col: 1}})
	}
}

// notKnown is said of a text that the runtime may read differently.
const notKnown = ": what it sets is not known"

// ofInstructions takes the instructions that the runtime would read in a
// session in start: those of each directory up to the root of the work tree.
// Of .claude/rules, 2.1.141 follows symlinks and 2.1.329 does not. A plain
// session puts what they lead to and import into the conversation, whatever the
// sandbox hides (measured with 2.1.141, 2.1.224 and 2.1.329); a Read rule holds
// from 2.1.324 on, and not in a subdirectory.
func (b *brought) ofInstructions(r host.Reader, start string) (unread []report.Evidence) {
	tree := host.FindTree(r, start)
	root := cmp.Or(tree.Root, start)
	project := iso.Project{Reader: r, Root: root, Main: tree.Main}
	for _, l := range project.Instructions(slices.Collect(pathname.UpTo(start, root))) {
		const plainly = ": a plain session sends it to the model, outside the sandbox"
		switch {
		case l.Unread:
			unread = append(unread, report.FileEvidence(l.Where, l.String()))
		case l.Import && l.Credential == "":
			b.ofLead(l, plainly+", once external imports are allowed")
		default:
			b.ofLead(l, plainly)
		}
	}
	return unread
}

// ofLead takes a text that leads to credentials, or else out of the project; sent says what is sent of it, and when.
func (b *brought) ofLead(l iso.Lead, sent string) {
	names, seen, next := &b.outside, report.FileEvidence(l.Where, l.String()+sent), "check where it leads, or remove it"
	switch {
	case l.Credential != "" && !l.Import:
		b.ofLink(l.File, seen.Text)
		return
	case l.Credential != "":
		names, next = &b.links, "remove the import"
	}
	b.take(names, filepath.Base(l.File), seen, report.DocLink{Title: next, Target: l.Where})
}

// ofPlugin takes a plugin among the project's skills by its manifest: its hooks
// and servers run from the start of the session (measured with 2.1.329 in a
// trusted folder).
func (b *brought) ofPlugin(r host.Reader, root, manifest string) {
	if !b.add(report.FileEvidence(manifest, "the plugin loads by itself; its hooks and servers run outside the sandbox")) {
		return
	}
	dir := filepath.Dir(filepath.Dir(manifest))
	parts := claude.PluginFiles()
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		if host.There(r, filepath.Join(dir, name)) {
			b.add(report.FileEvidence(filepath.Join(dir, name), claude.OfManifest(claude.Plugin, parts[name]).Effect))
		}
	}
	rel, _ := filepath.Rel(root, dir)
	b.plugins = append(b.plugins, rel)
	b.remedies = append(b.remedies, report.DocLink{Title: "remove the plugin", Target: dir})
}
