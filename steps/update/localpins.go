// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a pin is moved by a change that was shown, in the user's
// own override and in no manifest.

package update

import (
	"context"
	"errors"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/pins"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/upstream"
	"github.com/steward-setup/steward-setup/steps/install"
)

// LocalPins proposes the candidates as a change of pinned-versions.local.toml.
// The error is a *report.Error: a manifest that is malformed, or an override
// that cannot be added to.
func LocalPins(ctx context.Context, r host.Reader, o Options) (report.Plan, error) {
	list, err := Survey(ctx, r, o)
	if err != nil {
		return report.Plan{}, err
	}
	s := report.Section{ID: "pins", Title: "Pins of this machine",
		Why: "Pins each tool to the newest release whose cooldown has passed, in your own override. Installing it is a " +
			"command of its own."}
	path := pins.LocalPath(r.Places().Config)
	var overrides []pins.Override
	for _, t := range list {
		now := r.System().Now()
		status, said, seen := t.judge(now)
		switch {
		case status == report.Pass && errors.Is(t.Err, upstream.ErrOffline):
			status, said = report.Skip, t.Pin.Tool+" not looked up (--offline)"
		case status == report.Pass:
			said = t.Pin.Tool + " stays at " + t.Pin.Version
		}
		s.Findings = append(s.Findings, report.Finding{Check: Tools, Layer: report.LayerTools, Status: status, Summary: said,
			Evidence: seen})
		if t.Candidate == nil || t.Pin.Version == "" {
			continue
		}
		override := pins.Override{Tool: t.Pin.Tool, Version: t.Candidate.Version, Install: map[string]string{}}
		if !t.Candidate.At.IsZero() {
			override.Released = day(t.Candidate.At)
		}
		for _, e := range t.Edit() { // the manifest's lines follow; those of the override have to be moved
			if manager, ok := strings.CutPrefix(e.Key, "install."); ok && strings.HasPrefix(e.Where, path+":") {
				override.Install[manager] = strings.Trim(e.Is, `"`)
			}
		}
		overrides = append(overrides, override)
		if line, ok := t.Pin.Install("npm"); ok {
			s.Items = append(s.Items, report.Command{ID: report.ID("pins/" + t.Pin.Tool), Optional: true,
				Why:  "install the pinned version",
				Line: t.adopt(line)})
		}
	}
	if overrides != nil {
		d := install.NewDraft(r)
		f, err := d.Open(path, "")
		if err != nil {
			return report.Plan{}, err
		}
		after, err := pins.Apply(f.Path(), f.Bytes(), overrides)
		if err != nil {
			return report.Plan{}, err
		}
		if c, needed := d.Change("pins/override",
			"pins the newest settled releases on this machine; delete a table to go back", f, after, 0o644); needed {
			s.Items = append([]report.Item{c}, s.Items...)
		}
	}
	return report.NewPlan([]report.Section{s}), nil
}
