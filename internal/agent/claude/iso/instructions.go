// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what instructions bring along is told to the model outside
// the sandbox, whatever the sandbox hides: symlinks are followed, and files
// that a line imports with @ (measured with 2.1.224, 2.1.324 and 2.1.329).
// What the user's own instructions import is told to the model without a
// prompt, by both launches, whatever the Read rules say (measured with 2.1.329
// and 2.1.324). A file there that commands may write can import every other.
// Instructions that the launch has the runtime read are those that were looked
// through. The runtime reads them again after /clear and /compact, so that no
// command may put another file in their place by then.

package iso

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/inforce"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/sensitive"
)

// Lead is a place at which the instructions of a project bring along what is
// not its own, or not for the model.
type Lead struct {
	// File is the file of instructions, Where that or "file:line".
	File, Where string
	// To is what it leads to, Credential what lies there, "" if that is only
	// outside the project.
	To, Credential string
	// Import says that a line imports it, not that File is a symlink. Unread
	// says that it was not looked through. Open says that commands may write
	// it, Loose that File is a symlink that a command can replace. Allows says
	// that the user allowed imports from outside To, which a command can add.
	Import, Unread, Open, Loose, Allows bool
}

// String says what the file, or its line, does.
func (l Lead) String() string {
	verb, out := "is a symlink to", "is a symlink out of the project, to "
	if l.Import {
		verb, out = "imports", "imports a file outside the project, "
	}
	switch {
	case l.Loose:
		return fmt.Sprintf("is a symlink to %s, which a command can replace", l.To)
	case l.Allows:
		return "allows imports from outside " + l.To + ", which a command can add"
	case l.Unread:
		return "holds more than is looked through"
	case l.Open:
		return fmt.Sprintf("%s %s, which commands may write", verb, l.To)
	case l.Credential != "":
		return fmt.Sprintf("%s a credential file (%s, %s)", verb, l.To, l.Credential)
	}
	return out + l.To
}

// maxHops bounds how far imports are followed: the runtime follows them four deep.
const maxHops = 5

// instructions looks through the instructions of a project, or of the user.
type instructions struct {
	Project
	// open says of the user's own instructions whether commands may write a
	// path; nil for those of a project.
	open func(path string) bool
	// committed says that CLAUDE.local.md and AGENTS.md are not read.
	committed bool
	there     bool
	seen      []string
	leads     []Lead
}

// Project is one whose texts are looked through.
type Project struct {
	host.Reader
	// Root is the root of the work tree, Main that of the main checkout: what lies
	// in neither is not the project's own.
	Root, Main string
}

// Instructions looks through those that a plain session reads from some directories.
func (p Project) Instructions(dirs []string) []Lead {
	w := &instructions{Project: p}
	for _, dir := range dirs {
		w.of(dir)
	}
	return w.leads
}

// Mentions looks through a text of a file that is sent as a prompt: the runtime
// adds the files that it names with @, relative to the start directory, and
// not what those name (measured with 2.1.329). line is that of its beginning.
func (p Project) Mentions(start, file, text string, line int) []Lead {
	w := &instructions{Project: p}
	w.mentions(start, file, text, line)
	return w.leads
}

// Linked says where a file leads that is a symlink out of the project, or to a
// credential file.
func (p Project) Linked(path string) []Lead {
	w := &instructions{Project: p}
	if real, err := p.Resolve(path); err == nil && real != path {
		w.judge(Lead{File: path, Where: path, To: real})
	}
	return w.leads
}

// of looks at what is read of one directory. Its .claude may be the user's own.
func (w *instructions) of(dir string) {
	w.file(filepath.Join(dir, claude.Instructions))
	if !w.committed {
		w.file(filepath.Join(dir, claude.LocalInstructions))
		w.agents(dir)
	}
	if own := filepath.Join(dir, claude.Dir); host.Real(w, own) != host.Real(w, w.Places().AgentDir) {
		w.file(filepath.Join(own, claude.Instructions))
		w.rules(filepath.Join(own, "rules"), 0)
		if !w.committed {
			w.agents(own)
		}
	}
}

func (w *instructions) mentions(start, file, text string, line int) {
	if !imports(text, func(n int, name string) {
		w.follow(file, fmt.Sprintf("%s:%d", file, line+n-1), start, name, maxHops+1)
	}) {
		w.add(Lead{File: file, Where: file, Unread: true})
	}
}

// agents looks at the AGENTS.md of a directory, which is read unless there is a
// CLAUDE.md beside it (measured with 2.1.329).
func (w *instructions) agents(dir string) {
	if info, err := w.Stat(filepath.Join(dir, claude.Instructions)); err != nil || !info.Mode().IsRegular() {
		w.file(filepath.Join(dir, claude.OtherInstructions))
	}
}

// rules looks through a directory of rules. One that is a symlink is judged by
// where it leads, and not walked.
func (w *instructions) rules(path string, depth int) {
	info, err := w.Lstat(path)
	if err == nil && w.open != nil && info.Mode()&fs.ModeSymlink != 0 { // of the user's own it is walked (measured)
		if w.judge(Lead{File: path, Where: path, To: path}) {
			return
		}
		info, err = w.Stat(path)
	}
	if err != nil || !info.IsDir() {
		w.file(path)
		return
	}
	if real := host.Real(w, path); slices.Contains(w.seen, real) {
		return
	} else {
		w.seen = append(w.seen, real)
	}
	entries, err := w.ReadDir(path)
	if err != nil || depth > MaxTextDepth {
		w.add(Lead{File: path, Where: path, Unread: true})
		return
	}
	for _, e := range entries {
		w.rules(filepath.Join(path, e.Name()), depth+1)
	}
}

// full says that no more is looked through, which was noted: a command makes as many
// files as it likes.
func (w *instructions) full() bool { return len(w.seen) > MaxTexts }

// file looks at one file of instructions: where it leads, and what it imports.
func (w *instructions) file(path string) {
	if w.full() {
		return
	}
	if w.open != nil && w.judge(Lead{File: path, Where: path, To: path}) {
		return
	}
	real, err := w.Resolve(path)
	if err != nil || !host.There(w, path) {
		return
	}
	if w.open == nil && real != path && w.judge(Lead{File: path, Where: path, To: real}) {
		return
	}
	if info, err := w.Stat(real); err == nil && info.Mode().IsRegular() {
		w.there = true
		w.read(real, 0)
	}
}

// read follows the imports of a file, whose own path has no links: the runtime
// takes relative ones from there.
func (w *instructions) read(real string, hops int) {
	if w.full() || slices.Contains(w.seen, real) {
		return
	}
	if w.seen = append(w.seen, real); hops > maxHops || w.full() {
		w.add(Lead{File: real, Where: real, Unread: true})
		return
	}
	b, err := w.bytes(real)
	if err != nil {
		w.add(Lead{File: real, Where: real, Unread: true})
		return
	}
	if !imports(string(b), func(line int, name string) {
		w.follow(real, fmt.Sprintf("%s:%d", real, line), filepath.Dir(real), name, hops)
	}) {
		w.add(Lead{File: real, Where: real, Unread: true})
	}
}

func (w *instructions) bytes(real string) ([]byte, error) {
	if w.open != nil {
		return w.Read(real)
	}
	return sensitive.ReadProject(w, w.Root, real)
}

// follow follows one import. What is not there, or is no file, imports nothing.
// Relative names are taken from dir.
func (w *instructions) follow(file, where, dir, path string, hops int) {
	path, _ = pathname.Expand(path, w.Places().Home)
	path = pathname.From(dir, path)
	info, err := w.Stat(path)
	if err == nil && !info.Mode().IsRegular() || w.open != nil &&
		w.judge(Lead{File: file, Where: where, To: filepath.Clean(path), Import: true}) {
		return
	}
	real, gone := w.Resolve(path)
	if err != nil || gone != nil {
		return
	}
	if !w.judge(Lead{File: file, Where: where, To: real, Import: true}) && hops <= maxHops {
		w.read(real, hops+1)
	}
}

// judge adds a lead, if what it leads to is none of the project's own, or a
// credential file.
func (w *instructions) judge(l Lead) bool {
	if w.open != nil {
		l.Open = w.open(l.To)
		if named := func(have Lead) bool { return have.Where == l.Where }; l.Open &&
			!slices.ContainsFunc(w.leads, named) { // a line once, whatever its spellings
			l.To = host.Real(w, l.To)
			w.add(l)
		}
		return l.Open
	}
	if e, secret := sensitive.Credential(w, w.Root, l.To); secret {
		l.Credential = e.What
	} else if pathname.Within(l.To, w.Root) || pathname.Within(l.To, w.Main) {
		return false
	}
	w.add(l)
	return true
}

func (w *instructions) add(l Lead) { w.leads = report.Union(w.leads, l) }

// OwnInstructions looks through the instructions of the user's own that the
// runtime reads in every session: CLAUDE.md and rules of the user's directory,
// symlinks among the rules followed. open says whether commands may write a
// path, be it there or not. Its other texts (output styles, agents, notes of the
// model) import nothing.
func OwnInstructions(h host.Reader, open func(path string) bool) []Lead {
	agent := h.Places().AgentDir
	return instructionsIn(h, agent, agent, open)
}

// ManagedInstructions looks through those beside managed settings, in the same way.
func ManagedInstructions(h host.Reader, open func(path string) bool) []Lead {
	dir := filepath.Dir(h.Places().Managed)
	return instructionsIn(h, dir, filepath.Join(dir, claude.Dir), open)
}

func instructionsIn(h host.Reader, dir, ofRules string, open func(path string) bool) []Lead {
	w := &instructions{Project: Project{Reader: h}, open: open}
	w.file(filepath.Join(dir, claude.Instructions))
	w.rules(filepath.Join(ofRules, "rules"), 0)
	return w.leads
}

// InstructionsAbove looks through the instructions of the directories above a
// project, which a plain session reads too. What these import of other places
// is read once external imports are allowed. A repository around the project is
// written by commands of its own sessions: what its instructions lead to out of it
// counts, as for a project.
func InstructionsAbove(h host.Reader, root string, open func(path string) bool) []Lead {
	w := &instructions{Project: Project{Reader: h}, open: open}
	var around []string
	for dir := root; dir != filepath.Dir(dir); {
		dir = filepath.Dir(dir)
		if open(dir) {
			around = append(around, dir)
			continue
		}
		w.of(dir)
	}
	if around == nil {
		return w.leads
	}
	return append(w.leads, Project{Reader: h, Root: around[len(around)-1]}.Instructions(around)...)
}

// OwnMentions looks through a text of the user's own that is sent as a prompt
// (a skill or a command, or loop.md): the runtime adds the files that it names
// with @, relative to the start directory, and not what those name. A Read rule
// that names such a file keeps it out (measured with 2.1.329 and 2.1.324).
func OwnMentions(h host.Reader, start, file, text string, open func(path string) bool) []Lead {
	w := &instructions{Project: Project{Reader: h}, open: open}
	w.mentions(start, file, text, 1)
	return w.leads
}

// externalKey is what the runtime keeps, per project, of the user's yes to
// imports from outside the project.
const externalKey = "hasClaudeMdExternalIncludesApproved"

// keepInstructions decides whether the project's instructions are read, and
// which of their files commands may then not write: those that are there, and
// the names at which a command could put one.
func (l *Launch) keepInstructions(h host.Reader) {
	root := l.Place.Root
	w := &instructions{Project: Project{Reader: h, Root: root}, committed: true}
	w.of(root)
	if l.Leads = w.leads; !w.there || len(w.leads) > 0 {
		return
	}
	blocked := l.Policy.doc != nil && l.Policy.doc.Get(claude.KeyBlockReads...).True() ||
		l.users.doc != nil && l.users.doc.Get(claude.KeyBlockReads...).True()
	if !blocked {
		if l.Leads = l.exchangeable(h); len(l.Leads) > 0 {
			return
		}
		for _, name := range claude.Reread {
			l.kept = append(l.kept, filepath.Join(root, name))
		}
	}
	l.Instructions = true
}

// exchangeable are the places at which a command could have other instructions
// read, although it may not write the files: it can remove a symlink, and add
// an import to a rule where the user has allowed those from outside.
func (l *Launch) exchangeable(h host.Reader) (leads []Lead) {
	real := host.Real(h, l.Place.Root)
	for _, name := range claude.Reread {
		path := filepath.Join(l.Place.Root, name)
		if to, err := h.Resolve(path); err == nil && to != filepath.Join(real, name) {
			leads = append(leads, Lead{File: path, Where: path, To: to, Loose: true})
		}
	}
	return append(leads, ImportsAllowed(h, l.Place.Root, l.Place.Main)...)
}

// ImportsAllowed says, with file and line, in which of these directories the user has
// allowed imports of other places, once for all that are ever written: the runtime does
// not ask again when there is another (measured with 2.1.330). A directory may be "".
func ImportsAllowed(h host.Reader, dirs ...string) (leads []Lead) {
	state := inforce.StateFile(h)
	b, err := h.Read(state)
	if err != nil {
		if !missing(err) {
			leads = append(leads, Lead{File: state, Where: state, Unread: true})
		}
		return leads
	}
	doc, err := settings.Parse(state, b)
	if err != nil {
		return nil // the runtime starts anew with a file that it cannot read
	}
	for _, dir := range slices.Compact(dirs) {
		if v := doc.Get("projects", dir, externalKey); v.True() {
			leads = append(leads, Lead{File: state, Where: doc.Where(v), To: dir, Allows: true})
		}
	}
	return leads
}
