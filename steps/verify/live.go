// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: one rehearsal serves every check of a run; a check that
// asks waits for it, and what could not be rehearsed is a reason, not an
// answer.

package verify

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/steward-setup/steward-setup/internal/agent"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/trial"
)

// Rehearsal plays the sessions of a verify run, once.
type Rehearsal struct {
	// Only, if not nil, chooses sessions by their names. What the others
	// would have shown is then not judged.
	Only func(session string) bool
	// Timed keeps the times of each session, and plays one more, whose script is
	// empty: the least that a session costs.
	Timed bool

	begin sync.Once
	done  chan struct{}
	steps chan engine.Progress
	host  host.Reader
	// aside does something else with what the sessions have, nil before they begin;
	// later is what waits for that.
	aside func(func(context.Context, host.Reader))
	later []func(context.Context, host.Reader)
	// What came of it; to be read when done is closed.
	plan  sessionPlan
	err   error
	floor rehearsal.Raw
	// judged is what soFar said when the two sessions of the root had played,
	// nil before.
	judged *string
}

// NewRehearsal returns a rehearsal that has not begun.
func NewRehearsal() *Rehearsal {
	return &Rehearsal{done: make(chan struct{}), steps: make(chan engine.Progress, 64)}
}

// Begin works out the sessions and plays them in the background. Only the
// first call does anything.
func (l *Rehearsal) Begin(ctx context.Context, r host.Reader, o Options) {
	l.begin.Do(func() {
		l.host = r
		l.aside = func(do func(context.Context, host.Reader)) { do(ctx, r) }
		for _, do := range l.later {
			go do(ctx, r)
		}
		go func() {
			defer close(l.done)
			defer close(l.steps)
			defer func() {
				if p := recover(); p != nil {
					l.err = fmt.Errorf("the rehearsal itself failed, please report this: %v", p)
				}
			}()
			if l.plan, l.err = plan(ctx, r, o); l.err != nil {
				return
			}
			l.plan.trials = slices.DeleteFunc(l.plan.trials, func(t *trial.Trial) bool {
				return l.Only != nil && !l.Only(t.Session.Name)
			})
			l.play(ctx)
		}()
	})
}

// Meanwhile has something else done beside the sessions, once they begin. It is not
// called while Begin is.
func (l *Rehearsal) Meanwhile(do func(context.Context, host.Reader)) {
	if l.aside == nil {
		l.later = append(l.later, do)
		return
	}
	go l.aside(do)
}

// Root is the directory whose sessions are played. Session is the one of that name;
// one that is not played has no calls and no result. Both are to be read after Wait.
func (l *Rehearsal) Root() string { return l.plan.root }

// Session is described with Root.
func (l *Rehearsal) Session(name string) *trial.Trial { return l.plan.of(name) }

// Wait returns when all has been played, and tells emit meanwhile how far it
// is. The error says why there was no rehearsal.
func (l *Rehearsal) Wait(emit engine.Sink) error {
	for s := range l.steps {
		if emit != nil {
			emit(s)
		}
	}
	<-l.done
	return l.err
}

// play plays every session, some at the same time.
func (l *Rehearsal) play(ctx context.Context) {
	n := len(l.plan.trials)
	l.steps <- engine.Progress{Text: "rehearsing with the runtime", Of: n}
	for _, t := range l.plan.trials {
		t.Session.Timed = l.Timed
	}
	finished := 0
	trial.NewSlots(l.host).Play(ctx, l.plan.player, func(t *trial.Trial) {
		finished++
		l.steps <- engine.Progress{Text: t.Session.Name + l.soFar(), Done: finished, Of: n}
	}, l.plan.trials...)
	if l.Timed { // beside nothing else
		l.floor, _ = l.plan.player.Play(ctx, rehearsal.Floor(l.plan.root))
	}
	if ctx.Err() != nil {
		l.err = ctx.Err()
	}
}

// soFar is what the project's root came to, to be told while other sessions
// play; "" until it and its twin have played. Later sessions change nothing of
// it, so it is judged once. As root nothing is proved.
func (l *Rehearsal) soFar() (said string) {
	if l.judged != nil {
		return *l.judged
	}
	if !l.plan.of(PlainRoot).Played || !l.plan.of(Twin).Played || l.host.System().UID == 0 || l.plan.force == nil {
		return ""
	}
	l.judged = &said
	defer func() {
		if recover() != nil { // the check says it, with everything else
			said = ""
		}
	}()
	t := l.tally(places[0])
	switch held := t.heldCalls(); {
	case t.through > 0:
		return fmt.Sprintf(" · in the project %d of %d forbidden actions succeeded", t.through, t.denied)
	case held > 0:
		return fmt.Sprintf(" · in the project %d of %d forbidden actions were blocked", held, t.denied)
	}
	return ""
}

// Raws are the transcripts of all sessions, in the order in which they were
// planned.
func (l *Rehearsal) Raws() []rehearsal.Raw {
	<-l.done
	var list []rehearsal.Raw
	for _, t := range l.plan.trials {
		if t.Played {
			list = append(list, t.Raw)
		}
	}
	return list
}

// Floor is the session with the empty script; it has no times if it was not
// played.
func (l *Rehearsal) Floor() rehearsal.Raw {
	<-l.done
	return l.floor
}

// Outcomes judges a session's probes by the twin.
func (l *Rehearsal) Outcomes(name string) []trial.Outcome {
	return l.plan.of(name).Judge(l.plan.of(Twin))
}

// NotRehearsed is the answer of a check that only a rehearsal answers.
func NotRehearsed(err error) report.Finding {
	return report.Finding{Status: report.Unknown, Summary: "not tested: " + err.Error(),
		Evidence: []report.Evidence{report.ErrorEvidence("rehearsal", err)}}
}

// Arrivals starts the agent in one way with planted variables, named and
// shaped like credentials, and says which of them arrived in its commands.
// planted is how many there were; with ok false, why says what kept it from
// being tried.
type Arrivals func(ctx context.Context) (arrived []string, planted int, ok bool, why string)

// Arrivals says which planted variables a launch's commands see.
func (l *Rehearsal) Arrivals(session string, progress engine.Sink) Arrivals {
	return func(context.Context) (arrived []string, planted int, ok bool, why string) {
		if err := l.Wait(progress); err != nil {
			return nil, 0, false, err.Error()
		}
		t, asks := l.plan.of(session), l.plan.inputs.EnvProbe()
		if t.Err != nil {
			return nil, 0, false, t.Err.Error()
		}
		call := t.See(asks)
		if call.Decision != agent.Ran || !call.Ended {
			return nil, 0, false, "the call that looks for them did not run to its end: " + strings.TrimSpace(call.Text)
		}
		second := l.plan.of(Twin).See(asks).Text
		for _, kv := range l.plan.inputs.Planted() {
			if !strings.Contains(second, kv) {
				return nil, 0, false, "the twin does not see the planted variables either"
			}
			planted++
			if strings.Contains(call.Text, kv) {
				name, _, _ := strings.Cut(kv, "=")
				arrived = append(arrived, name)
			}
		}
		return arrived, planted, true, ""
	}
}

// WorksInRoots adds to a check of the project roots whether a sandboxed command can
// work there.
func WorksInRoots(c engine.Check, live *Rehearsal, progress engine.Sink) engine.Check {
	look := c.Run
	c.Run = func(ctx context.Context, r host.Reader) report.Finding {
		f := look(ctx, r)
		if f.Status == report.Skip || live.Wait(progress) != nil {
			return f
		}
		for _, name := range []string{PlainRoot, IsoRoot, PlainTree, IsoTree} {
			if live.plan.of(name).Err != nil {
				continue
			}
			outcomes := live.Outcomes(name)
			for _, o := range outcomes {
				if !strings.HasPrefix(o.ID, trial.InRootPrefix) {
					continue
				}
				f.Evidence = append(f.Evidence, report.CommandEvidence(name, o.Title+": "+o.Why))
				status := o.Status
				if status == report.Unknown && o.Layer == o.Below { // it ran, and the sandbox refused
					status = report.Fail
				}
				if f.Worsen(status, false, name+": a command does not work in the project: "+o.Reply) {
					if c, ok := blocked(o, outcomes); ok {
						f.Remedies = append(f.Remedies, c)
					}
				}
			}
		}
		return f
	}
	return c
}

// blocked is the next step for a command that does not work in a project: what
// decides about the path, or, where none works, what the sandbox says, if it does.
func blocked(o trial.Outcome, session []trial.Outcome) (next report.Command, ok bool) {
	works := slices.ContainsFunc(session, func(c trial.Outcome) bool {
		return c.ID == trial.ControlCommand && c.Status == report.Pass
	})
	if c, ok := Explained(o.Probe); ok && (works || o.Reply == trial.NoOutput) {
		return c, true
	}
	return ExplainedReply(o.Reply)
}
