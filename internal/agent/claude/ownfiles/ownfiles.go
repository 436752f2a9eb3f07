// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the user's own directory loads runs outside the
// sandbox in both launches. A part of it that commands can change fails, and
// so does one that starts what they can change. A text of the user's own that
// brings along a file which commands may write brings along whatever they want
// the model to be told.

// Package ownfiles says what the user's own agent directory and plugins start, and whether commands
// may change that.
//
// Contract: each file is judged by where it lies and by what it starts; one that cannot be read
// is unknown.
package ownfiles

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
	"github.com/steward-setup/steward-setup/internal/agent/claude/dotfiles"
	"github.com/steward-setup/steward-setup/internal/agent/claude/frontmatter"
	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/agent/claude/inforce"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/agent/claude/projectcode"
	"github.com/steward-setup/steward-setup/internal/agent/claude/prompts"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
)

// ownWalk looks through what the runtime loads from the user's own directory.
// Measured with 2.1.324 and 2.1.329, in both launches: hooks and servers of
// skills, commands, agents and plugins run outside the sandbox; commands
// written into a text (!`x`) and hooks of an output style do not.
type ownWalk struct {
	g     grants.Ground
	whose string // "your own", or those beside managed settings: "the managed"
	seen  int
	dirs  []string // real paths of plugins, and of directories of texts
	found []opening.Opening
}

// Openings judges the user's own texts and plugins.
func Openings(ctx context.Context, r host.Reader, s session.Settings) []opening.Opening {
	w := &ownWalk{g: grants.Of(r, s)}
	w.g.Creates = true
	agent := r.Places().AgentDir
	for _, name := range claude.KeptNames() {
		w.g.Kept = append(w.g.Kept, grants.RealPath(r, filepath.Join(agent, name)))
	}
	w.managedPlaces()
	w.starting(s)
	w.instructions()
	loop := filepath.Join(agent, "loop.md") // a list of tasks, which the skill loop sends as a prompt
	if b, err := r.Read(loop); err == nil {
		w.mentions(loop, string(b), "your own loop.md")
	}
	w.keys(filepath.Join(agent, claude.KeysFile))
	// Both launches read those beside managed settings. What is imported of other places than the project is read once
	// external imports are allowed (measured with 2.1.330).
	w.leads(iso.ManagedInstructions(r, w.g.Leads), opening.Opening{Status: report.Warn}, "",
		": every session sends the model that file and, once external imports are allowed, its imports.")
	return projectcode.Newer(ctx, r, w.found)
}

// starting judges the texts and plugins that start something.
func (w *ownWalk) starting(s session.Settings) {
	w.whose = "the managed"
	managed := filepath.Join(filepath.Dir(w.g.Host.Places().Managed), claude.Dir)
	w.texts(managed, true)
	w.whose = "your own"
	w.texts(w.g.Host.Places().AgentDir, true)
	w.plugins(s)
	w.writtenMods()
}

// texts judges the texts below a directory that run something: those of the
// user, or of a plugin. Output styles of a plugin are not among them: they are not
// read where they are symlinks (measured with 2.1.330).
func (w *ownWalk) texts(dir string, styles bool) {
	for _, d := range claude.TextDirs {
		if styles || d.Kind != claude.Style {
			w.dir(filepath.Join(dir, d.Name), d.Kind, d.Name == claude.SkillsDir, 0)
		}
	}
}

// dir walks one directory, links followed. Among skills, SKILL.md of each is
// looked at, and what makes it a plugin: the rest is material.
func (w *ownWalk) dir(path string, kind claude.Text, skills bool, depth int) {
	real := grants.RealPath(w.g.Host, path)
	if depth > iso.MaxTextDepth || skills && depth > 1 || slices.Contains(w.dirs, real) {
		return
	}
	what := w.whose + " " + filepath.Base(path)
	if skills && depth == 1 {
		what = w.whose + " skill " + filepath.Base(path)
	}
	entries, err := w.g.Host.ReadDir(real)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			w.unread(path, opening.NoReading)
		} else {
			w.changeable(path, path, what, kind)
		}
		return
	}
	w.dirs = append(w.dirs, real)
	if w.changeable(path, path, what, kind) {
		return
	}
	for _, e := range entries {
		if w.seen++; w.seen > iso.MaxTexts {
			w.unread(path, fmt.Sprintf("there are more than %d files", iso.MaxTexts))
			return
		}
		name := filepath.Join(path, e.Name())
		info, err := w.g.Host.Stat(name)
		switch {
		case err == nil && info.IsDir() && projectcode.IsPlugin(w.g.Host, name):
			w.plugin(name, name, strings.TrimSuffix(w.whose, " own")+" plugin "+e.Name())
		case err == nil && info.IsDir():
			w.dir(name, kind, skills, depth+1)
		case err == nil && info.Mode().IsRegular() && claude.IsText(name) &&
			(!skills || claude.IsSkill(name)):
			w.text(name, kind)
		case e.Type()&fs.ModeSymlink != 0: // to what is not there, or is no text yet
			if !skills || depth == 0 || claude.IsSkill(name) || e.Name() == claude.ManifestDir {
				w.changeable(name, name, what+" ("+e.Name()+")", kind)
			}
		}
	}
}

// text judges one text by where it lies, and by what its front matter starts.
func (w *ownWalk) text(path string, kind claude.Text) {
	what := w.whose + " " + string(kind) + " " + strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	if claude.IsSkill(path) {
		what = w.whose + " skill " + filepath.Base(filepath.Dir(path))
	}
	if w.changeable(path, path, what, kind) || kind == claude.Style {
		return
	}
	b, err := w.g.Host.Read(path)
	if err != nil {
		w.unread(path, opening.NoReading)
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
			w.found = append(w.found, opening.Opening{Status: report.Warn, Where: fmt.Sprintf("%s:%d", path, k.Line), What: path,
				Opens: "The front matter of " + what + " " + k.Effect + ".", Step: "remove isolation from the front matter"})
		}
		if k.Path == claude.FrontAllowedTools {
			w.approves(k, path, what)
		}
		if k.Class == claude.Runs {
			w.starts(&settings.Doc{Path: path}, k.Value, strings.NewReplacer(), k.Path, what)
		}
	}
}

// approves judges what a text approves while it is used. What it fetches is asked about
// where a rule of the policy says so.
func (w *ownWalk) approves(k frontmatter.Key, path, what string) {
	s := w.g.Session
	asks := prompts.FetchRule.Unasked(s.InForce(), s.Dirs) == ""
	at := fmt.Sprintf("%s:%d", path, k.Line)
	for _, o := range prompts.InText(w.g.Host, s, frontmatter.Rules(k.Values)) {
		if tool, _, _, _ := claude.SplitRule(o.Text); tool == claude.ToolWebFetch && asks {
			continue
		}
		w.found = append(w.found, opening.Opening{Status: report.Warn, Group: opening.Approves, Where: at, What: o.Text,
			Opens: "While " + what + " is used, it approves " + o.Text + ". " + o.Opens,
			Step:  "remove " + o.Text + " from allowed-tools"})
	}
}

// start judges a program that is started outside the sandbox.
func (w *ownWalk) start(p dotfiles.Startup, what, where string) {
	w.found = append(w.found, dotfiles.StartOpenings(w.g, p, what, where)...)
}

// changeable judges where something lies that can run programs, or that is sent;
// where says what leads there. Symlinks of output styles are followed (measured with
// 2.1.330 in both launches).
func (w *ownWalk) changeable(path, where, what string, kind claude.Text) bool {
	does := "whose hooks run outside the sandbox"
	if kind == claude.Style {
		does = "which sessions send to the model: with a symlink in its place any file of yours, whatever the Read " +
			"rules say"
	}
	return w.control(path, where, what+", "+does)
}

// control judges a file that decides what sessions do, or are sent.
func (w *ownWalk) control(path, where, what string) bool {
	real := grants.RealPath(w.g.Host, path)
	o, yes := w.g.Opening(path, where, "Commands can change "+what+": "+real)
	if yes {
		o.Remedy = grants.MoveOut(real)
		w.found = append(w.found, o)
	}
	return yes
}

// unread says that it is unknown what a file starts.
func (w *ownWalk) unread(where, why string) {
	w.found = append(w.found, opening.Opening{Status: report.Unknown, Group: opening.Unresolved, Where: where,
		What: filepath.Base(where), Step: "fix the file",
		Opens: "What it runs outside the sandbox is unknown: " + why + "."})
}

// instructions judges the instructions that the runtime reads beside those of
// the project: the user's own in both launches, those of the directories above
// the project in a plain start. Measured with 2.1.329 and 2.1.324: no Read rule
// and no blockReadsOutsideWorkingDirectories keeps out what the user's own
// import, nor what that imports.
func (w *ownWalk) instructions() {
	w.leads(iso.OwnInstructions(w.g.Host, w.g.Leads), opening.Opening{Status: report.Fail, Voids: true}, "Your own ",
		": every session sends the model that file and its imports. These can be any file of yours, whatever the Read "+
			"rules say.")
	w.notes()
	tree := host.FindTree(w.g.Host, w.g.Session.Dirs.Start)
	root := cmp.Or(tree.Root, w.g.Session.Dirs.Start)
	w.importsAllowed(root, tree.Main)
	w.leads(slices.DeleteFunc(iso.InstructionsAbove(w.g.Host, root, w.g.Leads), func(l iso.Lead) bool { return l.Unread }),
		opening.Opening{Status: report.Warn, Plain: true}, "", ": a plain session sends the model that file and, once "+
			"external imports are allowed, its imports.")
}

// notes judges the notes that the runtime keeps for each project, and sends at each start there: where commands can
// write them, as behind a symlink, a symlink in their place sends any file (measured with 2.1.332).
func (w *ownWalk) notes() {
	records := filepath.Join(w.g.Host.Places().AgentDir, claude.Records)
	projects, _ := w.g.Host.ReadDir(records)
	for _, project := range projects {
		dir := filepath.Join(records, project.Name(), "memory")
		file := filepath.Join(dir, "MEMORY.md")
		for _, path := range []string{filepath.Dir(dir), dir, file} {
			if _, err := w.g.Host.Readlink(path); err == nil && w.control(file, path, "the agent's own notes, which "+
				"sessions send to the model: with a symlink in their place any file of yours, whatever the Read rules say") {
				break
			}
		}
	}
}

// leads judges instructions: each is as o, and said to be whose, and what is sent of it.
func (w *ownWalk) leads(list []iso.Lead, o opening.Opening, whose, sent string) {
	for _, l := range list {
		if l.Unread {
			w.unread(l.Where, "it "+l.String())
			continue
		}
		o.Where, o.What, o.Step = l.Where, w.short(l.File), outOfProject(l)
		does := l.String()
		if other := w.g.SecondName(l.File); other != "" && l.To == l.File {
			does, o.Step = "has the hard link "+other+", which commands may write", "remove the hard link"
		}
		o.Opens = whose + o.What + " " + does + sent
		w.found = append(w.found, o)
	}
}

// importsAllowed judges the user's yes to imports of other places, once given for one
// that was there. Measured with 2.1.330: a command adds @~/x to CLAUDE.md, and the next
// plain session sends that file; claude-iso reads no instructions there.
func (w *ownWalk) importsAllowed(dirs ...string) {
	if w.g.Session.InForce().AnyTrue(claude.KeyBlockReads...) {
		return
	}
	for _, l := range iso.ImportsAllowed(w.g.Host, dirs...) {
		if !l.Unread {
			w.found = append(w.found, opening.Opening{Status: report.Warn, Plain: true, Where: l.Where, What: w.short(l.File),
				Opens: "You allowed imports from outside " + l.To + ". A command can add one to CLAUDE.md there, and the next " +
					"plain session sends the model any file that no Read rule names.", Step: "set this to false in an editor"})
		}
	}
}

// keys judges the file of the user's keys. Measured with 2.1.330, in both launches: a
// command writes what a symlink in its place leads to, Escape then says yes to an
// unsandboxed call, and a letter types /statusline.
func (w *ownWalk) keys(path string) {
	if o, yes := w.g.Opening(path, path, "Commands can change what your keys do at a prompt, such as Escape to say yes: "+
		grants.RealPath(w.g.Host, path)); yes {
		w.found = append(w.found, o)
	}
}

// mentions judges the files that a text of the user's own names with @, where
// it is sent as a prompt: a command puts a symlink in their place.
func (w *ownWalk) mentions(path, text, what string) {
	if w.g.Session.InForce().AnyTrue(claude.KeyBlockReads...) {
		return
	}
	for _, l := range iso.OwnMentions(w.g.Host, w.g.Session.Dirs.Start, path, text, func(to string) bool {
		return w.named(text, to)
	}) {
		if l.Open {
			w.found = append(w.found, opening.Opening{Status: report.Warn, Where: l.Where, What: filepath.Base(l.To),
				Step: outOfProject(l),
				Opens: "A text (" + what + ") names " + l.To + " with @. Commands can put a symlink there, and the model gets " +
					"its target: any file that no Read rule names."})
		}
	}
}

// named says whether a name in a text is that of a file where commands may
// write. One that is not there counts if it is written as a file, or from the home or
// the root on: another word after @ may be anything.
func (w *ownWalk) named(text, path string) bool {
	if _, err := w.g.Host.Lstat(path); err != nil && !strings.Contains(strings.Trim(filepath.Base(path), "."), ".") &&
		!slices.ContainsFunc([]string{path, w.short(path)}, func(written string) bool {
			return strings.Contains(text, "@"+written) || strings.Contains(text, `@"`+written)
		}) {
		return false
	}
	return w.g.Leads(path)
}

// short is a path as the user would write it.
func (w *ownWalk) short(path string) string { return pathname.Tilde(path, w.g.Session.Dirs.Home) }

// outOfProject ends that a text brings along what commands write.
func outOfProject(l iso.Lead) string {
	if !l.Import {
		return "replace the symlink by a file of your own"
	}
	return "copy the file to a place that commands cannot write, and name the copy; or add it to " +
		claude.KeyDenyWrite.String()
}

// managedPlaces judges where the files of managed-settings.d and the managed MCP
// servers lie, and where their symlinks lead. Measured with 2.1.330: the runtime
// keeps what managed-settings.json and managed-settings.d lead to, whether it is
// there or not, but neither what a file of managed-settings.d leads to, nor what
// managed-mcp.json does: a command writes it, or creates it.
func (w *ownWalk) managedPlaces() {
	managed := w.g.Host.Places().Managed
	w.g.Kept = append(w.g.Kept, grants.RealPath(w.g.Host, managed), grants.RealPath(w.g.Host, inforce.DropInDir(managed)))
	for _, path := range inforce.DropIns(w.g.Host, managed) {
		w.control(path, path, "managed settings, which decide what every session may do and runs")
	}
	servers := filepath.Join(filepath.Dir(managed), claude.ManagedServersFile)
	w.control(servers, servers, "the managed MCP servers, which every session starts outside the sandbox")
}
