// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what was rehearsed before counts as long as nothing that
// decided about it has changed, is shown with its age, and is not believed
// where a command of the agent could have made it.

package verify

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/regress"
	"github.com/steward-setup/steward-setup/internal/report"
)

// Store keeps those of the findings that a rehearsal took part in below the
// cache directory, under the key that Key gave before the rehearsal began, and
// signs them with the one in the state directory. What they say passes redact
// first. An error means that nothing is stored.
func Store(places env.Places, key string, findings []report.Finding, now time.Time) error {
	var live []report.Finding
	for _, f := range findings {
		if report.Info(f.Check).Live != report.NotLive {
			live = append(live, redacted(f))
		}
	}
	if key == "" || live == nil {
		return nil
	}
	return engine.KeepResult(places.State, places.Cache, key, now, live)
}

// redacted is f without secrets. A change with a secret in it is left out
// whole: without its bytes it would be another.
func redacted(f report.Finding) report.Finding {
	f = f.With(redact.Text, redact.Text)
	remedies := f.Remedies
	f.Remedies = nil
	for _, r := range remedies {
		if c, ok := r.(report.Change); ok && (redact.Text(string(c.Before)) != string(c.Before) ||
			redact.Text(string(c.After)) != string(c.After)) {
			continue
		}
		f.Remedies = append(f.Remedies, r)
	}
	return f
}

// past is what is known of an earlier rehearsal.
type past struct {
	findings []report.Finding
	when     time.Time
	ok       bool
	// doubt says why a stored result is not believed.
	doubt []report.Evidence
	// last says when and with which version the project was rehearsed before something
	// changed, "" if it is not known.
	last string
}

// Recalled returns checks with the answers of the last rehearsal in them, as
// far as one with the same key is stored: those that only a rehearsal answers,
// and, beside what the others see now, what it saw. Without one, the former
// are Unknown and say what to do. from is for RunOptions.
func Recalled(ctx context.Context, r host.Reader, o Options, checks []engine.Check) (all []engine.Check,
	from func() (engine.LiveFrom, time.Duration)) {
	now := r.System().Now()
	var p past
	if p.findings, p.when, p.ok = engine.KeptResult(r.Places().State, r.Places().Cache, Key(ctx, r, o), now); p.ok {
		p.doubt = o.Agent.Forgeable(ctx, r, o.Project)
		p.ok = p.doubt == nil
	} else if list, doubt := PastOf(ctx, r, o); list != nil && doubt == nil {
		p.last = fmt.Sprintf("last tested %s, with %s %s", report.Ago(now.Sub(list[0].At)),
			o.Agent.Layout(r.Places()).Program, list[0].Runtime)
	}
	for _, c := range checks {
		all = append(all, p.beside(c))
	}
	for _, c := range report.Contract {
		if c.Live == report.OnlyLive && !slices.ContainsFunc(checks, func(have engine.Check) bool {
			return have.ID == c.ID
		}) {
			all = append(all, p.alone(engine.CheckOf(c.ID, nil)))
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
		f := report.Finding{Status: report.Unknown, Summary: "not tested",
			Evidence: []report.Evidence{report.EnvEvidence("rehearsal",
				"no stored result matches these settings, runtime, tools and kernel")}, Remedies: []report.Remedy{Rehearse}}
		if p.last != "" {
			f.Summary = "not tested since something changed; " + p.last
		}
		if p.doubt != nil {
			f.Summary, f.Evidence = "not tested now, and the stored result could be forged", p.doubt
			f.Remedies = []report.Remedy{report.Own("verify", report.Command{ID: report.Rehearse,
				Why: "test it now, as each time until commands cannot forge a result"})}
		}
		return f
	}
	return c
}

// Rehearse is the remedy for what was not rehearsed.
var Rehearse = report.Own("verify", report.Command{ID: report.Rehearse,
	Why: "test what must be blocked, with the installed runtime"})

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
		if f.Status.WorseThan(then.Status) {
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

// Record is what each call of a rehearsal came to. The error says why there was
// no rehearsal.
func (l *Rehearsal) Record(ctx context.Context, r host.Reader, o Options) (regress.Record, error) {
	if err := l.Wait(nil); err != nil {
		return regress.Record{}, err
	}
	return l.record(ctx, r, o), nil
}

// Past is a rehearsal of the project's history.
type Past struct {
	Key string
	regress.Record
}

// history is where the rehearsals of the project are kept.
func history(ctx context.Context, r host.Reader, o Options) engine.Kind {
	return engine.PastOf(gitrepo.RootOf(ctx, r, o.Project))
}

// KeepPast keeps a record in the history of the project, under the key that Key
// gave before its rehearsal began. One of another runtime than the installed one,
// or whose settings changed meanwhile (key is ""), is left out.
func KeepPast(ctx context.Context, r host.Reader, o Options, key string, rec regress.Record) error {
	b, err := json.Marshal(rec)
	if err != nil || key == "" || r.System().Runtime != "" || len(rec.Answers) == 0 {
		return err
	}
	return history(ctx, r, o).Keep(r.Places().State, r.Places().Cache, key, r.System().Now(), b)
}

// PastOf returns the history of the project, the newest first. doubt says why
// nothing good is believed of it: a command of the agent could have made it
// under the settings of now.
func PastOf(ctx context.Context, r host.Reader, o Options) (list []Past, doubt []report.Evidence) {
	doubt = o.Agent.Forgeable(ctx, r, o.Project)
	for _, kept := range history(ctx, r, o).All(r.Places().State, r.Places().Cache, r.System().Now()) {
		p := Past{Key: kept.Key}
		if json.Unmarshal(kept.Record, &p.Record) == nil {
			list = append(list, p)
		}
	}
	return list, doubt
}
