// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: wired is what the user-scope settings say and the runtime
// would run; that a script is named somewhere else counts for nothing, and
// what switches hooks off counts in every scope.

package checks

import (
	"context"
	"errors"
	iofs "io/fs"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/agent/claude/wiring"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// checkWiring asks whether the hooks and a status line are wired, and would run
// in a session that starts at the root of the project around dir.
func checkWiring(_ context.Context, r host.Reader, dir string) report.Finding {
	start := session.StartsIn(r, dir)[0]
	s := session.At(r, start)
	path := s.UserFile
	doc, err := document(r, path)
	if err != nil {
		return session.Dropped(path, err)
	}
	f := report.Finding{Status: report.Pass, Summary: "hooks and status line are wired"}
	var missing, elsewhere []string
	for _, w := range wiring.Wires {
		wired, e := wiring.Judge(r, doc, w)
		if !wired {
			switch scope, there := wiredIn(r, s, w); {
			case there != nil && scope == settings.Managed:
				e = *there
			case there != nil:
				elsewhere = append(elsewhere, w.Event)
				f.Evidence = append(f.Evidence, *there)
			default:
				missing = append(missing, w.Event)
			}
		}
		f.Evidence = append(f.Evidence, e)
	}
	line := doc.Get(claude.KeyStatusLine...)
	leads, at, wrong := wiring.LeadsTo(r, line, wiring.StatusLine)
	if !leads {
		leads, at, wrong = wiring.LeadsTo(r, line, wiring.StatusLineRich)
	}
	command, _ := line.Command()
	switch {
	case leads && wrong == "":
		f.Evidence = append(f.Evidence, report.FileEvidence(doc.Where(at), "the status line shows the sandbox"))
	case leads:
		missing = append(missing, claude.KeyStatusLine.String())
		f.Evidence = append(f.Evidence,
			report.FileEvidence(doc.Where(at), "the status line is not from steward-setup: "+wrong))
	case command == nil:
		missing = append(missing, claude.KeyStatusLine.String())
		f.Evidence = append(f.Evidence, report.FileEvidence(path, "there is no status line"))
	default:
		f.Status, f.Summary = report.Warn, "hooks are wired; your own status line does not show the sandbox state"
		f.Evidence = append(f.Evidence, report.FileEvidence(doc.Where(command), redact.Command(settings.Shown(command))))
		f.Remedies = []report.Remedy{report.Own("install --plan --status-line=plain",
			report.Command{ID: "status-line", Optional: true, Why: "replace yours with one that shows it"})}
	}
	if elsewhere != nil {
		f.Status, f.Summary = report.Warn, "wired by the project, not for your other sessions: "+strings.Join(elsewhere, ", ")
		f.Remedies = []report.Remedy{verify.Again()}
	}
	if missing != nil {
		f.Status, f.Summary = report.Fail, "not wired: "+strings.Join(missing, ", ")
		f.Remedies = []report.Remedy{verify.Again()}
	}
	nothing := len(missing) == len(wiring.Wires)+1
	if nothing {
		f.Summary = nothingWired
	}
	f = linked(r, s, reading(s, instructed(s, copying(r, s, attaching(r, s, switchedOff(r, f, s, start))))))
	if nothing {
		f.Summary = onlyThat(f.Summary)
		for i, l := range f.Launches {
			f.Launches[i].Summary = onlyThat(l.Summary)
		}
	}
	return f
}

const nothingWired = "hooks and status line are not wired"

// onlyThat is a summary without what follows nothingWired: where nothing is installed, the
// rest is evidence, and the same install sets it right.
func onlyThat(summary string) string {
	if strings.HasPrefix(summary, nothingWired) {
		return nothingWired
	}
	return summary
}

// wiredIn looks for a wire in the scopes beside the user's, the strongest
// first.
func wiredIn(r host.Reader, s session.Settings, w wiring.Wire) (settings.Scope, *report.Evidence) {
	for _, l := range s.Layers {
		if l.Scope == settings.User {
			continue
		}
		if wired, e := wiring.Judge(r, l.Doc, w); wired {
			e.Text += " (" + l.Scope.String() + " scope)"
			return l.Scope, &e
		}
	}
	return 0, nil
}

// switchedOff turns f into a failure where no hook of the user's would run,
// whoever says so. A project's word does not reach claude-iso.
func switchedOff(r host.Reader, f report.Finding, s session.Settings, start string) report.Finding {
	e := s.InForce()
	off, key := e.Scalar(claude.KeyDisableAllHooks...), claude.KeyDisableAllHooks
	none := off.Value.True()
	for _, only := range []claude.KeyPath{claude.KeyAllowManagedHooksOnly, claude.KeyStrictPluginOnly} {
		if v := e.Scalar(only...); !none && v.Scope == settings.Managed &&
			(v.Value.True() || v.Value.Element(claude.KeyHooks.Leaf()) != nil) {
			off, key, none = v, only, true
		}
	}
	if !none {
		return f
	}
	hard := f
	f.Status, f.Summary = report.Fail, "no hook runs: "+key.String()+" is on in "+off.Scope.String()+" scope"
	f.Evidence = append([]report.Evidence{report.FileEvidence(off.Where(), key.String()+": true")}, f.Evidence...)
	f.Remedies = append([]report.Remedy{opening.RemoveKey(off.Where(), key...)}, f.Remedies...)
	if !off.Scope.OfProject() {
		return f
	}
	_, in, err := iso.Outlook(r, start)
	if err == nil && !settings.Combine(in.Layers, in.Dirs).Scalar(key...).Value.True() {
		f.Launches = []report.LaunchStatus{{Launch: report.Plain, Status: f.Status, Summary: f.Summary},
			{Launch: report.Iso, Status: hard.Status,
				Summary: hard.Summary + "; claude-iso does not load the project's settings"}}
	}
	return f
}

// document reads and understands a settings file; an absent one is empty.
func document(r host.Reader, path string) (*settings.Doc, error) {
	b, err := r.Read(path)
	if err != nil && !errors.Is(err, iofs.ErrNotExist) {
		return nil, err
	}
	return settings.Accept(path, b)
}
