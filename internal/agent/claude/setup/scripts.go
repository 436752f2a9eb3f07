// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a hook script of ours is brought up to date; one that is
// not ours is shown and kept until the user says otherwise. With a private
// sync repository new files lie there and links lead to them; a file that is
// there stays a file, so that undo can put back what it was.

package setup

import (
	"cmp"
	"context"
	"errors"
	iofs "io/fs"
	"path/filepath"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/pins"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/steps/install"
)

var replaceScriptsQuestion = report.Question{
	ID: "replace-scripts", Once: true, Section: "hooks", Kind: report.Confirm,
	Title: "Replace the hook scripts that steward-setup did not write?",
	Help: "They have the same names and other content: an earlier setup, or your own changes. The old content is " +
		"kept with the receipt.",
	Price:   "manual changes in them no longer run",
	Default: []string{"no"},
}

func (p *proposer) hooks(context.Context) (report.Section, error) {
	s := report.Section{ID: "hooks", Title: "Hook scripts",
		Why: "Small shell scripts that the runtime calls for every command and for its footer. They call steward-setup; if " +
			"it is missing, the bypass warning still works."}
	if p.program.Path == "" {
		s.Note(leftOut("there is no safe program that they could call"))
		p.scriptsMissing = !p.scriptsThere()
		return s, nil
	}
	sync, err := p.syncScripts()
	if err != nil {
		return s, err
	}
	places := []string{p.r.Places().Scripts()}
	if sync != "" {
		places = append(places, sync)
	}
	if !p.places.Guard(&s, "hook-scripts", "every hook script", places...) {
		p.scriptsMissing = true
		return s, nil
	}
	var kept, apart []report.Evidence
	for _, name := range scripts.Hooks {
		h, err := p.readHook(name, sync)
		if err != nil {
			return s, err
		}
		if len(h.foreign) > 0 {
			p.ask(replaceScriptsQuestion)
			if !p.answers.Yes(replaceScriptsQuestion) {
				kept = append(kept, h.foreign...)
				continue
			}
		}
		s.Items = append(s.Items, p.writeHook(h)...)
		if h.apart {
			apart = append(apart, report.FileEvidence(h.file.Path,
				"a file; remove it and install again to have a link in its place"))
		}
	}
	if apart != nil {
		s.Note(report.Finding{Check: "hook-scripts", Status: report.Warn,
			Summary: "hook scripts lie beside your sync repository and not in it", Evidence: apart})
	}
	_, answered := p.answers[replaceScriptsQuestion.ID]
	switch {
	case kept != nil:
		s.Note(report.Finding{Check: "hook-scripts", Status: report.Warn, Decide: !answered,
			Summary: "hook scripts that steward-setup did not write are kept as they are", Evidence: kept,
			Remedies: []report.Remedy{report.Own("install --replace-scripts",
				report.Command{ID: "hooks/replace", Optional: true, Why: "see the difference and replace them"})}})
	case len(s.Items) == 0:
		s.Note(report.Finding{Check: "hook-scripts", Status: report.Pass, Summary: "the hook scripts are in place",
			Evidence: []report.Evidence{report.FileEvidence(p.r.Places().Scripts(), strings.Join(scripts.Hooks, " "))}})
	}
	return s, nil
}

// scriptsThere says whether the runtime could start every hook script now.
func (p *proposer) scriptsThere() bool {
	for _, name := range scripts.Hooks {
		if !host.Program(p.r, filepath.Join(p.r.Places().Scripts(), name)) {
			return false
		}
	}
	return true
}

// syncScripts is the directory of the private sync repository that hook
// scripts belong in: it exists, in a git checkout, and the runtime's own
// directory is not a link to it already. Otherwise it is "".
func (p *proposer) syncScripts() (string, error) {
	places := p.r.Places()
	dir := filepath.Join(places.SyncRepo, "scripts")
	for _, path := range []string{filepath.Join(places.SyncRepo, ".git"), dir} {
		if _, err := p.r.Stat(path); errors.Is(err, iofs.ErrNotExist) {
			return "", nil
		} else if err != nil {
			return "", install.Unreadable(path, err)
		}
	}
	if p.same(dir, places.Scripts()) {
		return "", nil
	}
	return dir, nil
}

// hook is one hook script as it is and as it should be.
type hook struct {
	name string
	want []byte
	// file is where the bytes belong. link, if not "", is the path that
	// should lead there; its linkTarget is the real path of the link
	// itself, linkNow where it leads now (nil: there is none).
	file             install.File
	link, linkTarget string
	linkNow          []byte
	// apart says that a file lies where a link would.
	apart bool
	// foreign says what of this the user wrote.
	foreign []report.Evidence
}

// readHook looks at everything that lies in the way of one hook script.
func (p *proposer) readHook(name, sync string) (hook, error) {
	h := hook{name: name}
	var err error
	if h.want, err = p.hookBytes(name); err != nil {
		return h, err
	}
	path := filepath.Join(p.r.Places().Scripts(), name)
	if sync != "" {
		if err := p.readLink(&h, path, filepath.Join(sync, name)); err != nil {
			return h, err
		}
		if !h.apart {
			path = filepath.Join(sync, name)
		}
	}
	if h.file, err = p.draft.Open(path, ""); err != nil {
		return h, err
	}
	p.judge(&h, h.file)
	return h, nil
}

// judge notes a file that is neither ours nor what is wanted.
func (p *proposer) judge(h *hook, f install.File) {
	if f.Bytes == nil || string(f.Bytes) == string(h.want) || scripts.Ours(f.Bytes) || p.fromFramework(h.name, f.Bytes) {
		return
	}
	text := scripts.Foreign
	if f.Target != f.Path {
		text += ", a symlink to " + f.Target
	}
	h.foreign = append(h.foreign, report.FileEvidence(f.Path, text))
}

// hookBytes are the script's bytes: those of the framework checkout if it has
// the script, else ours.
func (p *proposer) hookBytes(name string) ([]byte, error) {
	if p.opts.Framework != "" {
		b, err := p.r.ReadIn(p.opts.Framework, filepath.Join(pins.FrameworkDir, name))
		if err == nil || !errors.Is(err, iofs.ErrNotExist) {
			return b, err
		}
	}
	if name == scripts.AddProjectRoot {
		return scripts.Render(name, p.program.Path)
	}
	return scripts.Render(name, cmp.Or(p.program.Hook, p.program.Path))
}

// readLink looks at the place from which a link should lead to file.
func (p *proposer) readLink(h *hook, path, to string) error {
	dir, err := p.r.Resolve(filepath.Dir(path))
	if err != nil {
		return install.Unreadable(path, err)
	}
	info, err := p.r.Lstat(path)
	switch {
	case errors.Is(err, iofs.ErrNotExist):
	case err != nil:
		return install.Unreadable(path, err)
	case info.Mode()&iofs.ModeSymlink == 0:
		h.apart = true
		return nil
	case p.same(path, to):
		return nil
	default:
		now, err := p.r.Readlink(path)
		if err != nil {
			return install.Unreadable(path, err)
		}
		h.linkNow = []byte(now)
		if b, err := p.r.Read(path); !errors.Is(err, iofs.ErrNotExist) && !scripts.Ours(b) {
			h.foreign = append(h.foreign, report.FileEvidence(path, "a link of your own to "+now))
		}
	}
	h.link, h.linkTarget = path, filepath.Join(dir, filepath.Base(path))
	return nil
}

// writeHook makes the changes for one hook script: the file, then the link to
// it.
func (p *proposer) writeHook(h hook) []report.Item {
	var items []report.Item
	id := report.ID("hooks/" + h.name)
	c, needed := p.draft.Change(id, hookWhy[h.name], h.file, h.want, scripts.Mode)
	if h.file.Bytes != nil && h.file.Mode&0o100 == 0 {
		if !needed {
			c = report.Change{ID: id, Why: "makes the script executable: the runtime cannot start it", Path: h.file.Path,
				Target: h.file.Target, Before: h.file.Bytes, After: h.file.Bytes, ModeBefore: h.file.Mode}
		}
		c.Mode, c.SetMode, needed = fs.Executable(h.file.Mode), true, true
	}
	if needed {
		items = append(items, c)
	}
	if h.link == "" {
		return items
	}
	return append(items, report.Change{ID: id + "#link", Why: "leads to the script in the sync repository", Path: h.link,
		Target: h.linkTarget, Before: h.linkNow, After: []byte(h.file.Path), Mode: iofs.ModeSymlink | 0o777})
}

// hookWhy says what each script is for.
var hookWhy = map[string]string{
	"sandbox-bypass-warn.sh":      "announces a command that asks to run outside the sandbox, before you approve it",
	"sandbox-error-hint.sh":       "names the sandbox rule behind an error where it happens",
	"sandbox-status-line.sh":      "says in the footer whether the sandbox is in force",
	"sandbox-status-line-rich.sh": "the same with folder, branch and pull request",
	scripts.AddProjectRoot:        "adds a worktree's path to its own local settings, as far as approved",
}

// document is Open for a settings file: what it holds, too.
func document(d install.Draft, path, within string) (install.File, *settings.Doc, error) {
	f, err := d.Open(path, within)
	if err != nil {
		return f, nil, err
	}
	doc, err := settings.Check(f.Path, f.Bytes)
	return f, doc, err
}

// lacking are the edits that add strings to an array which lacks them.
func lacking(doc *settings.Doc, path []string, values ...string) (edits []settings.Edit) {
	for _, v := range values {
		if doc.Get(path...).Element(v) == nil {
			edits = append(edits, settings.Append(path, settings.String(v)))
		}
	}
	return edits
}
