// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a pasted error names is looked at and nothing more:
// no file is opened, nothing is written or connected to.

package main

import (
	"context"
	"errors"
	iofs "io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/steps/doctor"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// look adds to an answer what this machine says of it: whether the condition
// holds, what the fixes would name, and which of them cannot help. It
// returns the line that tells more of the path or host, if there is one.
func (d *consultation) look(ctx context.Context, found *catalog.Answer) []report.NextStep {
	about := doctor.Question{Project: d.a.project}
	path, sure := d.named(found.Paths)
	outside := d.a.sys.Get("SANDBOX_RUNTIME") == "" // in a sandboxed command a look tells of the inside
	if outside {
		d.condition(found, path, sure)
	}
	switch {
	case found.Not:
		return nil
	case path != "":
		about.Kind, about.Subject = doctor.AboutPath, path
	case found.Host != "":
		about.Kind, about.Subject = doctor.AboutHost, found.Host
	}
	found.Entry.Fixes = slices.Clone(found.Entry.Fixes)
	for i, f := range found.Entry.Fixes {
		switch {
		case !outside:
			found.Here = append(found.Here, catalog.Here{})
			continue
		case f.Proof[d.a.sys.GOOS] == catalog.Refuted:
			found.Here = append(found.Here, catalog.Here{Refuted: doctor.Refuted(ctx, d.r, f, about)})
			continue
		}
		fix, here := doctor.Propose(ctx, d.r, found.Entry.ID, f, about, makesDirectory(found.Line))
		found.Entry.Fixes[i], found.Here = fix, append(found.Here, d.pasted(here))
	}
	d.rehearse(ctx, found.Here)
	if about.Subject == "" {
		return nil
	}
	c := d.called(report.Command{Line: "steward-setup doctor --explain-" + string(about.Kind) + " " + scripts.Quote(about.Subject) + " --live"})
	return []report.NextStep{{Command: &c}}
}

// makesDirectory says whether an error is about a directory that was to be
// made.
func makesDirectory(line string) bool {
	line = strings.ToLower(line)
	return strings.Contains(line, "mkdir") || strings.Contains(line, "create directory") || strings.Contains(line, "makedirs")
}

// pasted is what a fix comes to with lines that can be pasted.
func (d *consultation) pasted(h catalog.Here) catalog.Here {
	if h.Command != nil {
		c := d.called(*h.Command)
		h.Command = &c
	}
	return h
}

// rehearse asks the denials with each change in a rehearsal: what opens one is
// refused.
func (d *consultation) rehearse(ctx context.Context, fixes []catalog.Here) {
	var changes []report.Change
	var of []*catalog.Here
	for i := range fixes {
		switch h := &fixes[i]; {
		case h.Change == nil:
		case d.o.live == verify.Never:
			h.Untried = "not tried (--live=never)"
		default:
			changes, of = append(changes, *h.Change), append(of, h)
		}
	}
	if changes == nil {
		return
	}
	for i, o := range doctor.Denials(ctx, d.r, doctor.Options{Project: d.a.project, Framework: d.a.framework}, changes) {
		switch h := of[i]; {
		case o.Err != nil:
			h.Untried = "not tried: " + o.Err.Error()
		case o.Opened != nil:
			*h = catalog.Here{Refused: "tried on a copy of your setup, it opened: " + strings.Join(o.Opened, "; ")}
		default:
			h.Held = o.Held
		}
	}
}

// named is the path that an error is about, absolute: of the likely ones the
// first that is there, else the first that is a path and no word; "" if there
// is none. It is sure if the error names it in full: the command may have been
// in another directory.
func (d *consultation) named(paths []string) (path string, sure bool) {
	for _, p := range paths {
		at, full := p, filepath.IsAbs(p) || strings.HasPrefix(p, "~/")
		switch rest, home := strings.CutPrefix(p, "~/"); {
		case home:
			at = filepath.Join(d.r.Places().Home, rest)
		case !filepath.IsAbs(p) && filepath.IsAbs(d.a.sys.Cwd):
			at = filepath.Join(d.a.sys.Cwd, p)
		}
		if !filepath.IsAbs(at) {
			continue
		}
		at = filepath.Clean(at)
		if _, err := d.r.Lstat(at); err == nil {
			return at, full
		}
		if path == "" && (full || !strings.Contains(p, " ") && strings.ContainsAny(p, "/.")) {
			path, sure = at, full
		}
	}
	return path, sure
}

// condition says whether what has to be so outside of the sandbox is so. It
// says nothing where a look does not tell.
func (d *consultation) condition(found *catalog.Answer, path string, sure bool) {
	say := func(holds bool, words string) {
		found.Looked, found.Not = words, !holds
	}
	switch found.Confirm {
	case catalog.Exists, catalog.Allowed, catalog.Writable, catalog.Temporary:
		if path != "" {
			d.file(found.Confirm, path, sure, say)
		}
	case catalog.Socket:
		if at := catalog.SocketPath(found.Line); at != "" {
			info, err := d.r.Stat(at)
			switch {
			case err == nil && info.Mode()&iofs.ModeSocket != 0:
				say(true, at+" is there")
			case errors.Is(err, iofs.ErrNotExist):
				say(false, at+" is not there outside of the sandbox either")
			}
		}
	case catalog.Witness:
		d.witness(found.Witness, say)
	}
}

// file says what a condition comes to that is about a file.
func (d *consultation) file(c catalog.Confirm, path string, sure bool, say func(holds bool, words string)) {
	at := path
	_, err := d.r.Stat(at)
	gone := errors.Is(err, iofs.ErrNotExist)
	writes := c == catalog.Writable || c == catalog.Temporary
	for writes && errors.Is(err, iofs.ErrNotExist) && at != filepath.Dir(at) {
		at = filepath.Dir(at) // where it would be created
		_, err = d.r.Stat(at)
	}
	switch {
	case c == catalog.Exists && err == nil:
		say(true, at+" is there")
	case c == catalog.Exists && gone && sure:
		say(false, at+" is not there outside of the sandbox either")
	case err != nil:
	case writes && fs.Accessible(at, true):
		say(true, "you may write "+at)
	case writes && sure:
		say(false, "you may not write "+at+" outside of the sandbox either")
	case c == catalog.Allowed && fs.Accessible(at, true):
		say(true, "you may read and write "+at)
	case c == catalog.Allowed && sure && !fs.Accessible(at, false):
		say(false, "you may not read "+at+" outside of the sandbox either")
	}
}

// witness looks for the file of a witness: "~" is the home directory, "$NAME"
// a variable.
func (d *consultation) witness(witness string, say func(holds bool, words string)) {
	at := witness
	if name, variable := strings.CutPrefix(witness, "$"); variable {
		if at = d.a.sys.Get(name); at == "" {
			say(false, witness+" is not set outside of the sandbox either")
			return
		}
	} else if rest, home := strings.CutPrefix(witness, "~/"); home {
		at = filepath.Join(d.r.Places().Home, rest)
	}
	switch _, err := d.r.Stat(at); {
	case err == nil:
		say(true, at+" is there")
	case errors.Is(err, iofs.ErrNotExist):
		say(false, at+" is not there outside of the sandbox either")
	}
}
