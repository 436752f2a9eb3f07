// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what was rehearsed before counts as long as nothing that
// decided about it has changed, is shown with its age, and is not believed
// where a sandboxed command could have written it.

package verify

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/settings"
)

// liveOnly are the checks that only a rehearsal answers.
var liveOnly = []engine.Check{
	{ID: "hooks-fire", Title: "Each hook fires", Layer: report.LayerVisibility},
	{ID: "denials", Title: "What is denied stays denied", Layer: report.LayerSandbox},
}

// livePart are checks of files to whose answer a rehearsal adds.
var livePart = []report.ID{"effective-sandbox", "clean-env", "project-root"}

// Live says whether a rehearsal answers a check, or a part of it.
func Live(id report.ID) bool {
	return slices.Contains(livePart, id) || slices.ContainsFunc(liveOnly, func(c engine.Check) bool { return c.ID == id })
}

// Store keeps those of the findings that a rehearsal took part in below the
// cache directory, under the key that Key gave before the rehearsal began.
// What they say passes redact first. An error means that nothing is stored.
func Store(cache, key string, findings []report.Finding, now time.Time) error {
	var live []report.Finding
	for _, f := range findings {
		if Live(f.Check) {
			live = append(live, redacted(f))
		}
	}
	if key == "" || live == nil {
		return nil
	}
	return engine.KeepResult(cache, key, now, live)
}

// redacted is f without secrets. A change with a secret in it is left out
// whole: without its bytes it would be another.
func redacted(f report.Finding) report.Finding {
	f.Summary = redact.Text(f.Summary)
	f.Evidence = slices.Clone(f.Evidence)
	for i, e := range f.Evidence {
		f.Evidence[i].Where, f.Evidence[i].Text = redact.Text(e.Where), redact.Text(e.Text)
	}
	f.Launches = slices.Clone(f.Launches)
	for i, l := range f.Launches {
		f.Launches[i].Summary = redact.Text(l.Summary)
	}
	remedies := f.Remedies
	f.Remedies = nil
	for _, r := range remedies {
		if c, ok := r.(report.Change); ok && (redact.Text(string(c.Before)) != string(c.Before) || redact.Text(string(c.After)) != string(c.After)) {
			continue
		}
		f.Remedies = append(f.Remedies, r)
	}
	return f
}

// Stored returns the findings that are kept under key, and when they were
// found; ok is false where there are none.
func Stored(cache, key string, now time.Time) (findings []report.Finding, when time.Time, ok bool) {
	return engine.KeptResult(cache, key, now)
}

// past is what is known of an earlier rehearsal.
type past struct {
	findings []report.Finding
	when     time.Time
	ok       bool
	// doubt says why a stored result would not be believed.
	doubt []report.Evidence
}

// Recalled returns checks with the answers of the last rehearsal in them, as
// far as one with the same key is stored: those that only a rehearsal answers,
// and, beside what the others see now, what it saw. Without one, the former
// are Unknown and say what to do. from is for RunOptions.
func Recalled(ctx context.Context, r host.Reader, o Options, checks []engine.Check) (all []engine.Check, from func() (engine.LiveFrom, time.Duration)) {
	now := r.System().Now()
	p := past{doubt: openCache(ctx, r, o.Project)}
	if p.doubt == nil {
		p.findings, p.when, p.ok = Stored(r.Places().Cache, Key(ctx, r, o), now)
	}
	for _, c := range checks {
		all = append(all, p.beside(c))
	}
	for _, c := range liveOnly {
		if !slices.ContainsFunc(checks, func(have engine.Check) bool { return have.ID == c.ID }) {
			all = append(all, p.alone(c))
		}
	}
	return all, func() (engine.LiveFrom, time.Duration) {
		if !p.ok {
			return engine.FromNowhere, 0
		}
		return engine.FromStored, now.Sub(p.when)
	}
}

func (p past) of(id report.ID) (report.Finding, bool) {
	i := slices.IndexFunc(p.findings, func(f report.Finding) bool { return f.Check == id })
	if !p.ok || i < 0 {
		return report.Finding{}, false
	}
	return p.findings[i], true
}

// alone answers c from the stored result.
func (p past) alone(c engine.Check) engine.Check {
	c.Run = func(context.Context, host.Reader) report.Finding {
		if f, ok := p.of(c.ID); ok {
			return f
		}
		f := report.Finding{Status: report.Unknown, Summary: "not rehearsed; run steward-setup verify",
			Evidence: []report.Evidence{report.EnvEvidence("rehearsal", "no stored result has these settings, this runtime, these tools and this kernel")},
			Remedies: []report.Remedy{Rehearse}}
		if p.doubt != nil {
			f.Summary, f.Evidence = "not rehearsed now, and a stored result could not be believed; run steward-setup verify", p.doubt
		}
		return f
	}
	return c
}

// Rehearse is the remedy for what was not rehearsed.
var Rehearse = report.Command{ID: report.Rehearse, Line: "steward-setup verify", Why: "rehearse what is denied, with the real runtime"}

// beside adds the stored answer of a check to what it sees now. Where it is
// worse now, that counts, since the key does not hold everything.
func (p past) beside(c engine.Check) engine.Check {
	then, ok := p.of(c.ID)
	if !ok {
		return c
	}
	look := c.Run
	c.Run = func(ctx context.Context, r host.Reader) report.Finding {
		f := look(ctx, r)
		if worse(then.Status, f.Status) != then.Status {
			return f
		}
		both := then
		both.Evidence = append(slices.Clone(then.Evidence), without(f.Evidence, then.Evidence)...)
		return both
	}
	return c
}

func without(list, known []report.Evidence) []report.Evidence {
	return slices.DeleteFunc(slices.Clone(list), func(e report.Evidence) bool { return slices.Contains(known, e) })
}

// openCache names what would let a sandboxed command write the stored result:
// the work tree that it lies in, or what settings open for writing.
func openCache(ctx context.Context, r host.Reader, project string) []report.Evidence {
	s, err := session(ctx, r, project)
	if err != nil {
		return nil // no check believes such a place either
	}
	cache := resolved(r, r.Places().Cache)
	in := func(dir string) bool {
		rel, err := filepath.Rel(dir, cache)
		return err == nil && filepath.IsLocal(rel)
	}
	if s.dirs.Start != s.dirs.Home && in(s.dirs.Start) {
		return []report.Evidence{report.FileEvidence(r.Places().Cache, "the stored result lies in the work tree "+s.dirs.Start+", which the agent writes")}
	}
	for _, l := range s.Layers {
		entries := l.Doc.Get("sandbox", "filesystem", "allowWrite")
		if entries == nil || entries.Kind != settings.Array {
			continue
		}
		for _, v := range entries.Items {
			dir := s.dirs.Resolve(v.Text, l.Scope)
			if i := strings.IndexAny(dir, "*?[{"); i >= 0 {
				dir = filepath.Dir(dir[:i] + "x")
			}
			if dir != "" && in(resolved(r, dir)) {
				return []report.Evidence{report.FileEvidence(l.Doc.Where(v), "lets a sandboxed command write to "+r.Places().Cache+", where results are stored")}
			}
		}
	}
	return nil
}

// resolved is a path with its links resolved, as far as it exists.
func resolved(r host.Reader, path string) string {
	for dir, rest := path, ""; ; dir, rest = filepath.Dir(dir), filepath.Join(filepath.Base(dir), rest) {
		if _, err := r.Lstat(dir); err == nil || dir == filepath.Dir(dir) {
			if real, err := r.Resolve(dir); err == nil {
				dir = real
			}
			return filepath.Join(dir, rest)
		}
	}
}
