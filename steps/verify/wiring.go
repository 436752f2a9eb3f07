// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: wired is what the user-scope settings say and the runtime
// would run; that a script is named somewhere else counts for nothing.

package verify

import (
	"context"
	"errors"
	iofs "io/fs"
	"strings"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/settings"
)

// userWiring asks whether the hooks and a status line are wired.
func userWiring() engine.Check {
	return engine.Check{ID: "user-wiring", Title: "Hooks and status line are wired", Layer: report.LayerVisibility,
		Run: func(_ context.Context, r host.Reader) report.Finding { return checkWiring(r) }}
}

func checkWiring(r host.Reader) report.Finding {
	path := r.Places().UserSettings()
	doc, err := document(r, path)
	if err != nil {
		return Dropped(path, err)
	}
	var missing []string
	var evidence []report.Evidence
	for _, w := range Wires {
		if hook := Wired(doc, r.Places(), w); hook != nil {
			evidence = append(evidence, report.FileEvidence(doc.Where(hook), w.Event+" calls "+w.Script))
		} else {
			missing = append(missing, w.Event)
			evidence = append(evidence, report.FileEvidence(path, w.Event+" does not call "+w.Script))
		}
	}
	f := report.Finding{Status: report.Pass, Summary: "hooks and status line are wired", Evidence: evidence}
	line := doc.Get("statusLine", "command")
	switch {
	case CallsScript(line, r.Places(), StatusLine), CallsScript(line, r.Places(), StatusLineRich):
		f.Evidence = append(f.Evidence, report.FileEvidence(doc.Where(line), "the status line shows the sandbox"))
	case line == nil:
		missing = append(missing, "statusLine")
		f.Evidence = append(f.Evidence, report.FileEvidence(path, "there is no status line"))
	default:
		f.Status, f.Summary = report.Warn, "hooks are wired; a status line of your own does not show the sandbox"
		f.Evidence = append(f.Evidence, report.FileEvidence(doc.Where(line), line.Text))
	}
	if len(missing) > 0 {
		f.Status, f.Summary = report.Fail, "not wired: "+strings.Join(missing, ", ")
		f.Remedies = []report.Remedy{Again()}
	}
	if off := doc.Get("disableAllHooks"); off.True() {
		f.Status, f.Summary = report.Fail, "disableAllHooks is on: no hook runs"
		f.Evidence = append(f.Evidence, report.FileEvidence(doc.Where(off), "disableAllHooks: true"))
		f.Remedies = []report.Remedy{RemoveKey(doc.Where(off), "disableAllHooks")}
	}
	return f
}

// document reads and understands a settings file; an absent one is empty.
func document(r host.Reader, path string) (*settings.Doc, error) {
	b, err := r.Read(path)
	if errors.Is(err, iofs.ErrNotExist) {
		b, err = nil, nil
	}
	if err != nil {
		return nil, err
	}
	return settings.Check(path, b)
}

// Dropped is the loudest failure: a file that the runtime drops whole.
func Dropped(path string, err error) report.Finding {
	f := report.Finding{Status: report.Fail, Summary: "the runtime drops this file whole, silently", Evidence: []report.Evidence{report.FileEvidence(path, err.Error())}}
	var e *report.Error
	if errors.As(err, &e) {
		f.Evidence = []report.Evidence{report.FileEvidence(e.Where, e.What)}
		f.Remedies = []report.Remedy{report.DocLink{Title: "mend the file", Target: e.Where}}
	}
	return f
}

// Again is the remedy that install itself is.
func Again() report.Command {
	return report.Command{ID: "install", Line: "steward-setup install", Why: "adds what is missing", Optional: true}
}
