// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the user's own directory loads runs outside the
// sandbox in both launches. A part of it that commands can change fails, and
// so does one that starts what they can change. A text of the user's own that
// brings along a file which commands may write brings along whatever they want
// the model to be told.

package checks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/frontmatter"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
)

// ownWalk looks through what the runtime loads from the user's own directory.
// Measured with 2.1.324 and 2.1.329, in both launches: hooks and servers of
// skills, commands, agents and plugins run outside the sandbox; commands
// written into a text (!`x`) and hooks of an output style do not.
type ownWalk struct {
	g     ground
	whose string // "your own", or those beside managed settings: "the managed"
	seen  int
	dirs  []string // real paths of plugins, and of directories of texts
	found []opening
}

// ownOpenings judges the user's own texts and plugins.
func ownOpenings(ctx context.Context, r host.Reader, s SessionSettings) []opening {
	w := &ownWalk{g: groundOf(r, s)}
	w.g.creates = true
	agent := r.Places().AgentDir
	for _, name := range claude.KeptNames() {
		w.g.kept = append(w.g.kept, realPath(r, filepath.Join(agent, name)))
	}
	w.starting(s)
	w.instructions()
	w.loop(filepath.Join(agent, "loop.md"))
	w.whose = "the managed"
	w.managedInstructions()
	unknown := func(o opening) bool { return o.group == openUnknownKey }
	if slices.ContainsFunc(w.found, unknown) && !claudeKnown(ctx, r) {
		for i := range w.found {
			if unknown(w.found[i]) {
				w.found[i].status = report.Unknown
			}
		}
	}
	return w.found
}

// starting judges the texts and plugins that start something.
func (w *ownWalk) starting(s SessionSettings) {
	w.whose = "the managed"
	w.texts(filepath.Join(filepath.Dir(w.g.r.Places().Managed), claude.Dir))
	w.whose = "your own"
	w.texts(w.g.r.Places().AgentDir)
	w.plugins(s)
}

// texts judges the texts below a directory that run something: those of the
// user, or of a plugin.
func (w *ownWalk) texts(dir string) {
	for _, d := range claude.TextDirs {
		if d.Kind != claude.Style {
			w.dir(filepath.Join(dir, d.Name), d.Kind, d.Name == "skills", 0)
		}
	}
}

// dir walks one directory, links followed. Among skills, SKILL.md of each is
// looked at, and what makes it a plugin: the rest is material.
func (w *ownWalk) dir(path string, kind claude.Text, skills bool, depth int) {
	real := realPath(w.g.r, path)
	if depth > maxTextDepth || skills && depth > 1 || slices.Contains(w.dirs, real) {
		return
	}
	entries, err := w.g.r.ReadDir(real)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			w.unread(path, noReading)
		}
		return
	}
	w.dirs = append(w.dirs, real)
	what := w.whose + " " + filepath.Base(path)
	if skills && depth == 1 {
		what = w.whose + " skill " + filepath.Base(path)
	}
	if w.changeable(path, path, what) {
		return
	}
	for _, e := range entries {
		if w.seen++; w.seen > maxTexts {
			w.unread(path, fmt.Sprintf("there are more than %d files", maxTexts))
			return
		}
		name := filepath.Join(path, e.Name())
		info, err := w.g.r.Stat(name)
		switch {
		case err != nil:
		case info.IsDir() && isPlugin(w.g.r, name):
			w.plugin(name, name, strings.TrimSuffix(w.whose, " own")+" plugin "+e.Name())
		case info.IsDir():
			w.dir(name, kind, skills, depth+1)
		case info.Mode().IsRegular() && strings.EqualFold(filepath.Ext(name), ".md") && (!skills || isSkill(name)):
			w.text(name, kind)
		}
	}
}

// isSkill says whether a file among skills is the text of one.
func isSkill(path string) bool { return strings.EqualFold(filepath.Base(path), "SKILL.md") }

// text judges one text by where it lies, and by what its front matter starts.
func (w *ownWalk) text(path string, kind claude.Text) {
	what := w.whose + " " + string(kind) + " " + strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	if isSkill(path) {
		what = w.whose + " skill " + filepath.Base(filepath.Dir(path))
	}
	if w.changeable(path, path, what) {
		return
	}
	b, err := w.g.r.Read(path)
	if err != nil {
		w.unread(path, noReading)
		return
	}
	if kind == claude.Skill {
		w.mentions(path, string(b), what)
	}
	keys, doubt := frontmatter.Read(kind, b)
	if doubt != nil {
		w.unread(fmt.Sprintf("%s:%d:%d", path, doubt.Line, doubt.Col), doubt.String())
	}
	for _, k := range keys {
		if k.Class == claude.Opens && k.Path == claude.FrontIsolation && claude.Isolates(k.Values) {
			w.found = append(w.found, opening{status: report.Warn, where: fmt.Sprintf("%s:%d", path, k.Line), what: path,
				opens: "The front matter of " + what + " " + k.Effect + ".",
				remedy: report.DocLink{Title: "remove isolation from the front matter",
					Target: fmt.Sprintf("%s:%d", path, k.Line)}})
		}
		for _, h := range k.Hooks {
			w.found = append(w.found, w.g.answered(answering{Hook: h, what: aHook(h.Event) + " of " + what,
				where: fmt.Sprintf("%s:%d", path, h.Line)})...)
		}
		for _, c := range k.Commands {
			start := startup{command: c.Command, args: c.Args, exec: c.Exec}
			for _, v := range c.Env {
				start.env = append(start.env, startVar{v.Name, v.Value, fmt.Sprintf("%s:%d", path, v.Line)})
			}
			w.start(start, k.Path+" of "+what, fmt.Sprintf("%s:%d", path, c.Line))
		}
	}
}

// start judges a program that is started outside the sandbox.
func (w *ownWalk) start(p startup, what, where string) {
	w.found = append(w.found, w.g.startOpenings(p, what, where)...)
}

// changeable judges where something lies that can run programs; where says
// what leads there.
func (w *ownWalk) changeable(path, where, what string) bool {
	real := realPath(w.g.r, path)
	o, yes := w.g.opening(path, where, "Commands can change "+what+", whose hooks run outside the sandbox: "+real)
	if yes {
		o.remedy = moveOut(real)
		w.found = append(w.found, o)
	}
	return yes
}

// unread says that it is unknown what a file starts.
func (w *ownWalk) unread(where, why string) {
	w.found = append(w.found, opening{status: report.Unknown, group: openUnresolved, where: where,
		what:   filepath.Base(where),
		remedy: report.DocLink{Title: "fix the file", Target: where},
		opens:  "What it runs outside the sandbox is unknown: " + why + "."})
}

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
				"imports. These can be any file of yours, whatever the Read rules say."})
	}
	root := cmp.Or(host.FindTree(w.g.r, w.g.s.dirs.Start).Root, w.g.s.dirs.Start)
	for _, l := range iso.InstructionsAbove(w.g.r, root, w.g.leads) {
		if !l.Unread {
			w.found = append(w.found, opening{status: report.Warn, plain: true, where: l.Where, what: w.short(l.File),
				remedy: outOfProject(l),
				opens: w.short(l.File) + " " + l.String() + ": a plain session sends the model that file and, once external " +
					"imports are allowed, its imports."})
		}
	}
}

// managedInstructions judges those beside managed settings, which both launches
// read. What is imported of other places than the project is read once external
// imports are allowed (measured with 2.1.330).
func (w *ownWalk) managedInstructions() {
	for _, l := range iso.ManagedInstructions(w.g.r, w.g.leads) {
		if l.Unread {
			w.unread(l.Where, "it "+l.String())
			continue
		}
		w.found = append(w.found, opening{status: report.Warn, where: l.Where, what: l.File, remedy: outOfProject(l),
			opens: l.File + " " + l.String() + ": every session sends the model that file and, once external imports are " +
				"allowed, its imports."})
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
