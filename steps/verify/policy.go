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
	"fmt"
	"strings"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/policy"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/settings"
)

// projectSettings asks whether a whole policy is there and switched on.
func projectSettings(dir string) engine.Check {
	return engine.Check{ID: "project-settings", Title: "The policy is there", Layer: report.LayerSandbox,
		Run: func(ctx context.Context, r host.Reader) report.Finding { return checkPolicy(ctx, r, dir) }}
}

func checkPolicy(ctx context.Context, r host.Reader, dir string) report.Finding {
	s, err := session(ctx, r, dir)
	if err != nil {
		return notOpened(dir, err)
	}
	if s.Lost != nil {
		return Dropped(dir, s.Lost)
	}
	pol, err := policy.Embedded()
	if err != nil {
		return report.Finding{Status: report.Unknown, Summary: err.Error(), Evidence: []report.Evidence{report.EnvEvidence("policy", err.Error())}}
	}
	if f, void := voided(s); void {
		return f
	}
	var evidence []report.Evidence
	for _, l := range s.Layers {
		missing := pol.Missing(Content(l.Doc), r.Places().Home)
		if len(missing) == 0 {
			return report.Finding{Status: report.Pass, Summary: fmt.Sprintf("the policy stands in %s scope", l.Scope),
				Evidence: []report.Evidence{report.FileEvidence(l.Doc.Where(l.Doc.Get("sandbox", "enabled")), "sandbox.enabled: true, and every required rule")}}
		}
		evidence = append(evidence, report.FileEvidence(l.Doc.Path, lacks(l.Doc, missing)))
	}
	if evidence == nil {
		evidence = append(evidence, report.FileEvidence(r.Places().UserSettings(), "there is no settings file, neither here nor in the project"))
	}
	return report.Finding{Status: report.Fail, Summary: "no settings file holds a whole policy", Evidence: evidence,
		Remedies: []report.Remedy{Again()}}
}

// voided says what in force makes every policy void.
func voided(s Session) (f report.Finding, void bool) {
	f = report.Finding{Status: report.Fail}
	for _, w := range s.Weakenings(s) {
		if !w.Voids() {
			continue
		}
		if !void {
			f.Summary = fmt.Sprintf("the policy does not protect: %s is %s in %s scope", settings.KeyPath(w.Path), w.Text, w.Scope)
		}
		void = true
		f.Evidence = append(f.Evidence, weakened(w))
		f.Remedies = append(f.Remedies, RemoveKey(w.Where, w.Path...))
	}
	return f, void
}

// weakened is a weakening as evidence.
func weakened(w policy.Weakening) report.Evidence {
	return report.FileEvidence(w.Where, settings.KeyPath(w.Path)+" is "+w.Text+": "+w.Opens)
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
	s, err := session(ctx, r, dir)
	if err != nil {
		return notOpened(dir, err)
	}
	if s.Lost != nil {
		return Dropped(dir, s.Lost)
	}
	f := report.Finding{Status: report.Pass, Summary: "nothing in the settings weakens it"}
	for _, l := range s.Layers {
		f.Evidence = append(f.Evidence, report.FileEvidence(l.Doc.Path, "looked at"))
	}
	var found []report.Evidence
	for _, w := range s.Weakenings(s) {
		found = append(found, weakened(w))
	}
	switch len(found) {
	case 0:
		return f
	case 1:
		f.Summary = "1 setting takes protection away"
	default:
		f.Summary = fmt.Sprintf("%d settings take protection away", len(found))
	}
	f.Status, f.Evidence = report.Warn, found
	return f
}

// Content is a document as encoding/json decodes it; an empty one has none.
func Content(doc *settings.Doc) map[string]any {
	var m map[string]any
	_ = json.Unmarshal(bytes.TrimPrefix(doc.Bytes(), []byte("\ufeff")), &m) // Check has accepted it
	return m
}
