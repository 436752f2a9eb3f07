// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a program that the sandbox hides is not found inside, however
// many rules allow it.

package access

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host"
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
		} else if !filepath.IsAbs(at) {
			at = filepath.Join(c.root, at)
		}
		f := File{Named: at, Real: host.Real(c.r, at)}
		note := report.Note{Text: core[0] + " is visible inside the sandbox: " + at}
		if read, by := f.Reads(s); read.Answer == report.Denied {
			note.Text = core[0] + " is hidden from sandboxed commands (command not found): " + at
			if len(by) > 0 {
				note.Where = by[0].Where
			}
		}
		notes = append(notes, note)
	}
	return notes
}
