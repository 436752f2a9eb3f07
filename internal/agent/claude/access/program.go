// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a program that the sandbox hides is not found inside,
// however many rules allow it. A rule that speaks of what a line does and does
// not match it is named, with the reason: who relies on it should know.

package access

import (
	"path"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	sh "github.com/steward-setup/steward-setup/internal/shell"
)

// maxPrograms bounds how many programs of a line are looked for.
const maxPrograms = 8

// programs says of the programs of a line whether a sandboxed command sees them.
func (c Line) programs(s *Start) (notes []report.Note) {
	if on, _ := s.Sandboxed(); !on || c.r == nil {
		return nil
	}
	var asked []string
	for _, p := range c.parts {
		core := p.core()
		if len(core) == 0 || slices.Contains(asked, core[0]) || strings.Contains(core[0], "$") || len(asked) == maxPrograms {
			continue
		}
		asked = append(asked, core[0])
		at := core[0]
		if !strings.Contains(at, "/") {
			found, err := c.r.Look(at)
			if err != nil {
				if !sh.Builtin(at) {
					notes = append(notes, report.Note{Text: at +
						" is not on PATH outside the sandbox either (unless it is a function or alias of yours)"})
				}
				continue
			}
			at = found
		}
		at = pathname.From(c.root, at)
		f := File{Named: at, Real: host.Real(c.r, at)}
		note := report.Note{Text: core[0] + " is visible inside the sandbox: " + at}
		if read := f.Reads(s); read.Answer == report.Denied {
			note.Text = core[0] + " is hidden from sandboxed commands (command not found): " + at
			note.Where = read.By[0].Where
		}
		notes = append(notes, note)
	}
	return notes
}

// missed says which deny and ask rules speak of something that the line does
// and do not match it, where no rule as strict does.
func (c Line) missed(s *Start) (notes []report.Note) {
	told := map[string]bool{}
	tell := func(part, meant simple, why string) {
		for _, list := range []string{claude.Deny, claude.Ask} {
			if len(part.matching(s, list)) > 0 {
				return
			}
			for _, k := range meant.matching(s, list) {
				if !told[k.by.Where] {
					told[k.by.Where] = true
					notes = append(notes, report.Note{Text: k.by.Text +
						" is meant for this but does not match: " + why, Where: k.by.Where})
				}
			}
		}
	}
	var look func(parts []simple, depth int)
	look = func(parts []simple, depth int) {
		for _, p := range parts {
			if form, ok := p.plain(); ok {
				tell(p, simple{sh.Command{Words: strings.Fields(form)}}, "options come before the word that it expects, and "+
					"rules match from the left")
			}
			inner := p.handed(c.home)
			for _, h := range inner {
				tell(p, h, "the words are passed to "+path.Base(p.core()[0])+", and rules do not see what another program starts")
			}
			if depth < maxNested {
				look(inner, depth+1)
			}
		}
	}
	look(c.parts, 0)
	return notes
}
