// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a policy that the runtime drops is the loudest failure,
// one that lacks a required entry does not protect, and what weakens one is
// always named with its place.

package verify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/policy"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/settings"
)

// layer is one settings file that counts for a session in the project, in the
// runtime's order of precedence (measured with 2.1.329).
type layer struct {
	scope policy.Scope
	doc   *settings.Doc
}

// layers reads the local, project and user settings of a session that starts
// at the root of the worktree around dir; outside a repository, the user's.
func layers(ctx context.Context, r host.Reader, dir string) ([]layer, error) {
	var ls []layer
	add := func(scope policy.Scope, path string) error {
		doc, err := document(r, path)
		if err == nil {
			ls = append(ls, layer{scope, doc})
		}
		return err
	}
	repo, _, err := open(ctx, r, dir)
	if err == nil && repo.Root != "" {
		for _, l := range []struct {
			scope policy.Scope
			name  string
		}{{policy.Local, "settings.local.json"}, {policy.Project, "settings.json"}} {
			if err := add(l.scope, filepath.Join(repo.Root, ".claude", l.name)); err != nil {
				return nil, err
			}
		}
	} else if err != nil && !errors.Is(err, gitrepo.ErrNone) {
		return nil, err
	}
	return ls, add(policy.User, r.Places().UserSettings())
}

// projectSettings asks whether a whole policy is there and switched on.
func projectSettings(dir string) engine.Check {
	return engine.Check{ID: "project-settings", Title: "The policy is there", Layer: report.LayerSandbox,
		Run: func(ctx context.Context, r host.Reader) report.Finding { return checkPolicy(ctx, r, dir) }}
}

func checkPolicy(ctx context.Context, r host.Reader, dir string) report.Finding {
	ls, err := layers(ctx, r, dir)
	if err != nil {
		return Dropped(dir, err)
	}
	pol, err := policy.Embedded()
	if err != nil {
		return report.Finding{Status: report.Unknown, Summary: err.Error(), Evidence: []report.Evidence{report.EnvEvidence("policy", err.Error())}}
	}
	for _, l := range ls {
		v := l.doc.Get("sandbox", "enabled")
		if v.False() {
			return report.Finding{Status: report.Fail, Summary: fmt.Sprintf("the sandbox is switched off in %s scope", l.scope),
				Evidence: []report.Evidence{report.FileEvidence(l.doc.Where(v), "sandbox.enabled: false")},
				Remedies: []report.Remedy{report.DocLink{Title: "remove the line", Target: l.doc.Where(v)}}}
		}
		if v.True() {
			break
		}
	}
	var evidence []report.Evidence
	for _, l := range ls {
		missing := pol.Missing(Content(l.doc), r.Places().Home)
		if len(missing) == 0 {
			return report.Finding{Status: report.Pass, Summary: fmt.Sprintf("the policy stands in %s scope", l.scope),
				Evidence: []report.Evidence{report.FileEvidence(l.doc.Where(l.doc.Get("sandbox", "enabled")), "sandbox.enabled: true, and every required rule")}}
		}
		evidence = append(evidence, report.FileEvidence(l.doc.Path, lacks(l.doc, missing)))
	}
	return report.Finding{Status: report.Fail, Summary: "no settings file holds a whole policy", Evidence: evidence,
		Remedies: []report.Remedy{Again()}}
}

// lacks names what a file has not, shortly.
func lacks(doc *settings.Doc, missing []policy.Entry) string {
	if doc.Get("sandbox") == nil {
		return "there is no sandbox block"
	}
	var ids []string
	for _, e := range missing {
		ids = append(ids, e.ID())
	}
	if len(ids) > 4 {
		ids = append(ids[:4], fmt.Sprintf("and %d more", len(missing)-4))
	}
	return "lacks " + strings.Join(ids, ", ")
}

// policyInvariants asks what takes protection away.
func policyInvariants(dir string) engine.Check {
	return engine.Check{ID: "policy-invariants", Title: "Nothing weakens the policy", Layer: report.LayerSandbox, Needs: []report.ID{"project-settings"},
		Run: func(ctx context.Context, r host.Reader) report.Finding { return checkWeakenings(ctx, r, dir) }}
}

func checkWeakenings(ctx context.Context, r host.Reader, dir string) report.Finding {
	ls, err := layers(ctx, r, dir)
	if err != nil {
		return Dropped(dir, err)
	}
	f := report.Finding{Status: report.Pass, Summary: "nothing in the settings weakens it"}
	for _, l := range ls {
		f.Evidence = append(f.Evidence, report.FileEvidence(l.doc.Path, "looked at"))
	}
	var found []report.Evidence
	for _, l := range ls {
		for _, w := range Weakenings(l.doc, l.scope, r.Places().Home) {
			found = append(found, report.FileEvidence(w.Where, settings.KeyPath(w.Path)+" is "+w.Text+": "+w.Opens))
		}
	}
	if len(found) > 0 {
		f = report.Finding{Status: report.Warn, Summary: fmt.Sprintf("%d settings take protection away", len(found)), Evidence: found}
	}
	return f
}

// Weakenings lists what in a document takes protection away, each with its
// place.
func Weakenings(doc *settings.Doc, scope policy.Scope, home string) []policy.Weakening {
	return policy.Weakenings(policy.Document{Content: Content(doc), Scope: scope, Home: home,
		Where: func(path []string) string {
			if v := doc.Get(path...); v != nil {
				return doc.Where(v)
			}
			return doc.Path
		}})
}

// Content is a document as encoding/json decodes it; an empty one has none.
func Content(doc *settings.Doc) map[string]any {
	var m map[string]any
	_ = json.Unmarshal(bytes.TrimPrefix(doc.Bytes(), []byte("\ufeff")), &m) // Check has accepted it
	return m
}
