// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a settings file is understood before it is changed.

package setup

import (
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/steps/install"
)

// Draft is a plan in the making of Claude Code's files. Another step that writes the
// same files makes the same changes to them.
type Draft struct{ install.Draft }

// NewDraft begins a plan.
func NewDraft(r host.Reader) Draft { return Draft{install.NewDraft(r)} }

// File is one file as the draft sees it.
type File = install.File

// Document is Open for a settings file: what it holds, too.
func (d Draft) Document(path, within string) (File, *settings.Doc, error) {
	f, err := d.Open(path, within)
	if err != nil {
		return f, nil, err
	}
	doc, err := settings.Check(f.Path, f.Bytes)
	return f, doc, err
}

// Lacking are the edits that add strings to an array which lacks them.
func Lacking(doc *settings.Doc, path []string, values ...string) (edits []settings.Edit) {
	for _, v := range values {
		if doc.Get(path...).Element(v) == nil {
			edits = append(edits, settings.Append(path, settings.String(v)))
		}
	}
	return edits
}
