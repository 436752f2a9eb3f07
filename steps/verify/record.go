// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what two rehearsals are compared by is the judgement that
// the check of the denials makes of each call, and nothing that is softer.

package verify

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/regress"
	"github.com/steward-setup/steward-setup/internal/report"
)

// Play plays the sessions of the project of o with the runtime of r, those
// that only chooses (nil: all), and returns what each call came to. emit may be
// nil. The error says why there was no rehearsal.
func Play(ctx context.Context, r host.Reader, o Options, only func(session string) bool,
	emit engine.Sink) (regress.Record, error) {
	l := NewRehearsal()
	l.Only = only
	l.Begin(ctx, r, o)
	if err := l.Wait(emit); err != nil {
		return regress.Record{}, err
	}
	return l.record(ctx, r, o), nil
}

// Calls lists the calls that Play would play, by session: nothing is started but
// what the stage is tried with. The error says why nothing can be rehearsed.
func Calls(ctx context.Context, r host.Reader, o Options) (map[string][]string, error) {
	p, err := plan(ctx, r, o)
	if err != nil {
		return nil, err
	}
	calls := map[string][]string{}
	for _, t := range p.trials {
		if t.Session.Name == Twin {
			continue
		}
		for _, one := range t.Probes {
			calls[t.Session.Name] = append(calls[t.Session.Name], one.ID)
		}
	}
	return calls, nil
}

// record is what was seen, once all is played.
func (l *Rehearsal) record(ctx context.Context, r host.Reader, o Options) regress.Record {
	rec := regress.Record{Runtime: l.plan.version, At: r.System().Now().UTC(), Failed: map[string]string{},
		Seconds: map[string]float64{}}
	twin := l.plan.of(Twin)
	for _, t := range l.plan.trials {
		s := t.Session
		rec.Seconds[s.Name] = t.Took.Seconds()
		switch {
		case t.Err != nil:
			rec.Failed[s.Name] = redact.Text(t.Err.Error())
			continue
		case len(t.Probes) == 0 || s.Name == Twin:
			continue
		case twin.Err != nil:
			rec.Failed[s.Name] = twinFailed + redact.Text(twin.Err.Error())
			continue
		}
		_, proxied := l.plan.forceOf(s.Name).Proxied(s.Launch)
		for _, o := range t.Judge(twin) {
			if proxied && ofNetwork(o) {
				o.Status, o.Why = report.Unknown, "a proxy of your own answers for the network"
			}
			a := regress.AnswerOf(s.Name, o)
			a.Why = redact.Text(a.Why)
			rec.Answers = append(rec.Answers, a)
		}
	}
	rec.StatusLine = statusKeys(l.plan.of(PlainTerminal).Raw.Files[statusLineFile])
	if hooks := l.plan.of(HookSession); hooks.Played && hooks.Err == nil {
		rec.Hooks = o.Agent.Fired(ctx, r, o.Project, hooks)
	}
	return rec
}

// statusKeys lists the keys of a JSON document, dotted, in byte order; none of what
// is no document.
func statusKeys(text string) []string {
	var doc map[string]any
	if json.Unmarshal([]byte(text), &doc) != nil {
		return nil
	}
	var keys []string
	var walk func(prefix string, m map[string]any)
	walk = func(prefix string, m map[string]any) {
		for name, v := range m {
			if below, ok := v.(map[string]any); ok {
				walk(prefix+name+".", below)
				continue
			}
			keys = append(keys, prefix+name)
		}
	}
	walk("", doc)
	slices.Sort(keys)
	return keys
}

// CacheDoubt says why a program in this program's cache is not started: commands
// of the agent could have put it there. It is nil if nothing says so.
func CacheDoubt(ctx context.Context, r host.Reader, o Options) error {
	doubts := o.Agent.Forgeable(ctx, r, o.Project)
	if doubts == nil {
		return nil
	}
	return &report.Error{Code: report.ExitLeft, Where: doubts[0].Where, What: doubts[0].Text,
		Why:  "a runtime from there would run outside the sandbox; nothing was started",
		Next: "take that permission away, or set XDG_CACHE_HOME to a directory that no command may write"}
}

// KeepRecord keeps a record under the key that Key gave before its rehearsal
// began, signed like the findings of one.
func KeepRecord(r host.Reader, key string, rec regress.Record) error {
	b, err := json.Marshal(rec)
	if err != nil || key == "" {
		return err
	}
	p := r.Places()
	return engine.Records.Keep(p.State, p.Cache, key, r.System().Now(), b)
}

// KeptRecord returns the record that is kept under key, or else the one that a
// verify of the project left in its history under the same key, if each of its
// sessions was played to the end. ok is false where there is none, or where a
// command of the agent could have made it.
func KeptRecord(ctx context.Context, r host.Reader, o Options, key string) (rec regress.Record, ok bool) {
	p, now := r.Places(), r.System().Now()
	b, _, compared := engine.Records.Kept(p.State, p.Cache, key, now)
	if ok = compared; !ok {
		b, _, ok = history(ctx, r, o).Kept(p.State, p.Cache, key, now)
	}
	if !ok || o.Agent.Forgeable(ctx, r, o.Project) != nil || json.Unmarshal(b, &rec) != nil ||
		!compared && len(rec.Failed) > 0 {
		return regress.Record{}, false
	}
	return rec, true
}
