// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a settings file is understood before it is changed.

package setup

import (
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/steps/install"
)

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
