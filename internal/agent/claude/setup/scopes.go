// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what whole-user scope writes into settings is what install would,
// and what it added, and nothing else, can be taken out again.

package setup

import (
	"context"
	"slices"

	"github.com/steward-setup/steward-setup/internal/agent"
	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/agent/claude/play"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/agent/claude/starts"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/steps/install"
)

// Settings is Claude Code for what changes its settings, besides install: scope and sync.
type Settings struct{}

// Layout implements scope.Agent and sync.Agent.
func (Settings) Layout(places env.Places) agent.Layout { return play.Claude{}.Layout(places) }

// Starts implements scope.Agent.
func (Settings) Starts(ctx context.Context, r host.Reader, dir string) []report.StartRow {
	rows, _ := starts.Starts(ctx, r, dir)
	return rows
}

// Unusable implements scope.Agent.
func (Settings) Unusable(root string) string { return settings.Unnamable(root) }

// Root implements scope.Agent, as project-root does under its default answers.
func (Settings) Root(d install.Draft, root string) (c report.Change, needed bool, err error) {
	return addRoot(d, root, writesRoot(d))
}

// writesRoot says whether commands may write in a root that Root names.
func writesRoot(d install.Draft) bool { return d.Host.System().GOOS == "darwin" }

// entries are what an array of the settings is to hold.
type entries struct {
	path []string
	list []string
}

// rootStrings are what names a root: commands may read it and, if asked, write there,
// and its secrets are denied.
func rootStrings(root string, write bool) []entries {
	all := []entries{{claude.KeyAllowRead, []string{root}}}
	if write {
		all = append(all, entries{claude.KeyAllowWrite, []string{root}})
	}
	return append(all, entries{claude.KeyDeny, iso.RootRules(root)})
}

// WithoutRoot implements scope.Agent.
func (Settings) WithoutRoot(d install.Draft, f install.File, root string, before [][]byte) ([]byte, error) {
	var had []*settings.Doc
	for _, b := range before {
		if doc, err := settings.Accept(f.Path, b); err == nil { // else nothing is known of what the run added
			had = append(had, doc)
		}
	}
	after := f.Bytes
	for _, s := range rootStrings(root, writesRoot(d)) {
		added := slices.DeleteFunc(s.list, func(v string) bool {
			return !slices.ContainsFunc(had, func(doc *settings.Doc) bool { return doc.Get(s.path...).Element(v) == nil })
		})
		if len(added) == 0 {
			continue
		}
		doc, err := settings.Parse(f.Path, after)
		if err != nil {
			return nil, err
		}
		if after, err = settings.Without(doc, s.path, added...); err != nil {
			return nil, err
		}
	}
	return after, nil
}

// Floored implements scope.Agent.
func (Settings) Floored(path string, b []byte) (stays report.Finding, yes bool) {
	doc, err := settings.Parse(path, b)
	return report.Finding{Check: "scope", Layer: report.LayerSandbox, Status: report.Warn,
		Evidence: []report.Evidence{report.FileEvidence(path,
			"its sandbox and permissions apply to every start of plain claude")},
		Remedies: []report.Remedy{report.DocLink{Title: "to have it per project again, remove sandbox.enabled there; deny " +
			"rules can stay", Target: path}}}, err == nil && Floored(doc)
}

// Retract implements scope.Agent.
func (Settings) Retract(path string, now, before, after []byte) ([]byte, error) {
	var docs [3]*settings.Doc
	for i, b := range [][]byte{now, before, after} {
		doc, err := settings.Parse(path, b)
		if err != nil {
			return nil, err
		}
		docs[i] = doc
	}
	b, err := settings.Retract(docs[0], docs[1], docs[2])
	if err == nil && before == nil && settings.Blank(b) {
		return nil, nil // as before the run, there is no file
	}
	return b, err
}

// Reads implements scope.Agent.
func (Settings) Reads(path string, b []byte, dir string) []report.Evidence {
	doc, err := settings.Parse(path, b)
	if err != nil || doc.Get(claude.KeyAllowRead...).Element(dir) == nil {
		return nil
	}
	return []report.Evidence{report.FileEvidence(path, claude.KeyAllowRead.String()+" has "+dir)}
}

// Reading implements scope.Agent.
func (Settings) Reading(path string, b []byte, dirs ...string) ([]byte, error) {
	doc, err := settings.Check(path, b)
	if err != nil {
		return nil, err
	}
	return settings.Splice(doc, lacking(doc, claude.KeyAllowRead, dirs...))
}

// WithoutReading implements scope.Agent.
func (Settings) WithoutReading(path string, b []byte, dir string) ([]byte, error) {
	doc, err := settings.Parse(path, b)
	if err != nil {
		return nil, err
	}
	return settings.Without(doc, claude.KeyAllowRead, dir)
}

// Opens implements sync.Agent: the entries are the user's own, whatever the project says in
// which this runs.
func (Settings) Opens(d install.Draft, dir string) (f install.File, by string, err error) {
	path := d.Host.Places().UserSettings()
	f, _, err = document(d, path, "")
	if f.Path = path; err != nil {
		return f, "", err
	}
	s := session.At(d.Host, d.Host.System().Cwd)
	s.Layers = slices.DeleteFunc(s.Layers, func(l settings.ScopedDoc) bool { return l.Scope.OfProject() })
	for _, e := range grants.Writes(d.Host, s) {
		if e.Scope == settings.User && pathname.Within(host.Real(d.Host, dir), pathname.BeforeWildcard(e.Real)) {
			return f, e.Key + " has " + e.Text, nil
		}
	}
	return f, "", nil
}

// Closes implements sync.Agent. A rule follows a symlink in its own path and none
// below it (measured with 2.1.329), so that those for ~/.claude/scripts say nothing
// of what single symlinks there lead to; and no denyWrite holds for a symlink in a
// writable directory (measured with 2.1.330).
func (Settings) Closes(f install.File, dirs, runs []string) ([]byte, error) {
	doc, err := settings.Check(f.Path, f.Bytes)
	if err != nil {
		return nil, err
	}
	var rules []string
	for _, dir := range runs {
		rules = append(rules, "Edit(/"+literal(dir)+"/**)")
	}
	return settings.Splice(doc, append(lacking(doc, claude.KeyDenyWrite, dirs...),
		lacking(doc, claude.KeyDeny, rules...)...))
}
