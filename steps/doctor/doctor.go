// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package doctor says why a legitimate workflow fails under the setup, and
// what the smallest change is that lets it work without opening more than
// needed.
//
// Contract: each probe has controls. Outside the sandbox it must work, or it
// does not apply here; inside, it works or is refused, and which layer refused
// is found by calls that differ in one thing; on the same stage without the
// sandbox it must work again, or nothing is concluded. A fix
// is tried in a copy of the policy on a stage before it is offered: what was
// refused must work with it, and every denial must still hold. Nothing of the
// user's is changed, and no real key, socket or host takes part: what a
// sandboxed command is to reach stands on the stage.
package doctor

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/trial"
)

// Options say what is asked.
type Options struct {
	// Agent is the runtime whose sandbox it is about.
	Agent Agent
	// Project is a directory in the project ("" is the working directory),
	// Framework a checkout of the framework ("" is what is embedded).
	Project, Framework string
	// Probes are asked, in the order of the contract; nil means all.
	Probes []report.ID
	// TryFix tries the catalog's fixes for what is refused.
	TryFix bool
	// Nice lets the sessions step back behind whatever else runs.
	Nice bool
	// Played, if set, is handed every session with its times, and at the end
	// one whose script is empty. It may be called by several goroutines.
	Played func(rehearsal.Raw)
}

// IDs lists the probes in the order of the contract.
func IDs() []report.ID {
	var list []report.ID
	for _, e := range probes() {
		list = append(list, e.id)
	}
	return list
}

// Title completes "the doctor asks whether …" for a probe; "" if there is no
// such probe.
func Title(id report.ID) string {
	for _, e := range probes() {
		if e.id == id {
			return e.title
		}
	}
	return ""
}

// Run asks the probes and returns a finding for each, in the order of the
// contract. emit is called by one goroutine at a time; the events of several
// probes may alternate. The error is a *report.Error: of exit code 64 for a
// probe that does not exist, 70 for a catalog that is not understood, or that
// of a context that was cancelled.
func Run(ctx context.Context, r host.Reader, o Options, emit engine.Sink) ([]report.Finding, error) {
	chosen, err := choose(o.Probes)
	if err != nil {
		return nil, err
	}
	entries, err := catalog.Load(o.Agent.Catalog())
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	b := &bench{r: host.Once(r), o: o, entries: entries, slots: trial.NewSlots(r), emit: func(e engine.Event) {
		mu.Lock()
		defer mu.Unlock()
		emit(e)
	}}
	findings := b.run(ctx, chosen)
	if ctx.Err() != nil {
		return nil, &report.Error{Code: report.ExitInterrupted, What: "interrupted"}
	}
	return findings, nil
}

// choose returns the probes of ids, all for nil.
func choose(ids []report.ID) ([]probe, error) {
	all := probes()
	if ids == nil {
		return all, nil
	}
	for _, id := range ids {
		if !slices.ContainsFunc(all, func(e probe) bool { return e.id == id }) {
			return nil, &report.Error{Code: report.ExitUsage, Where: string(id), What: "is not a probe"}
		}
	}
	return slices.DeleteFunc(all, func(e probe) bool { return !slices.Contains(ids, e.id) }), nil
}

// run asks the controls first, then plays the sessions that all probes share,
// then tries fixes. What works is told as soon as that is known.
func (b *bench) run(ctx context.Context, chosen []probe) []report.Finding {
	now := b.r.System().Now
	b.begun, b.alone = now(), len(chosen) == 1
	cases := make([]*inquiry, len(chosen))
	var all sync.WaitGroup
	all.Go(func() { b.prepare(ctx) })
	for i, e := range chosen {
		cases[i] = &inquiry{probe: e}
		b.emit(engine.CheckStarted{ID: e.id, Title: e.title})
		all.Go(func() {
			b.slots.Do(func() {
				from := now()
				cases[i].control = e.outside(ctx, b)
				cases[i].spent = now().Sub(from)
			})
			c := cases[i].control
			goesOn := c.status == report.Pass
			if c.unstarted && goesOn {
				c.status = report.Skip
			}
			b.emit(engine.ProbeStep{ID: e.id, Column: engine.Outside, Status: c.status, Summary: c.summary, GoesOn: goesOn})
		})
	}
	all.Wait()
	if b.lead = sayWhy; b.noStage != nil {
		if c, ok := b.o.Agent.Mend(ctx, b.r); ok {
			b.lead = c
		}
	}
	b.leftOut()
	b.inside(ctx, cases, func(batch []*inquiry) { all.Go(func() { b.answer(ctx, batch) }) })
	all.Wait()
	b.queue(ctx, cases, &all)
	for _, c := range cases {
		if c.tried != nil {
			all.Go(func() { b.finish(ctx, c) })
		}
	}
	all.Wait()
	b.floor(ctx)
	var findings []report.Finding
	for _, c := range cases {
		findings = append(findings, c.finding)
	}
	return findings
}

// answer judges inquiries whose sessions were played, and tells what came of
// those that no fix is to be tried for: first of what works.
func (b *bench) answer(ctx context.Context, batch []*inquiry) {
	b.judging.Lock()
	defer b.judging.Unlock()
	var refused, works []*inquiry
	named := false
	for _, c := range batch {
		c.guard(func() { b.judge(ctx, c) })
		entries := b.refused(c)
		if entries == nil {
			works = append(works, c)
		} else {
			refused = append(refused, c)
		}
		if hosts, _ := b.hosts(c, entries); hosts != nil {
			named = true
		}
	}
	for _, c := range works {
		c.leadsGenerally(named)
		b.finish(ctx, c)
	}
	for _, c := range refused {
		c.guard(func() { b.candidates(ctx, c) })
		if c.tried == nil {
			b.finish(ctx, c)
		}
	}
}

// leadsGenerally adds what leads on where no host is named that was refused, and the sandbox is on.
func (c *inquiry) leadsGenerally(named bool) {
	if !named && !c.finding.Voids {
		c.finding.Remedies = append(c.finding.Remedies, c.control.general...)
	}
}

// finish tries the fixes of an inquiry, and tells what it came to.
func (b *bench) finish(ctx context.Context, c *inquiry) {
	now := b.r.System().Now
	from := now()
	c.guard(func() { b.fixes(ctx, c) })
	if c.spent += now().Sub(from); b.alone {
		c.spent = now().Sub(b.begun)
	}
	b.close(c)
}

// floor plays the session with the empty script, if the times are wanted.
func (b *bench) floor(ctx context.Context) {
	if b.o.Played == nil || b.noStage != nil {
		return
	}
	if raw, err := b.theatre.Play(ctx, rehearsal.Floor(b.inputs.Root)); err == nil {
		b.o.Played(raw)
	}
}

// leftOut says which hooks the stage does not have: one that blocks a call in a
// session lets it through there.
func (b *bench) leftOut() {
	if b.noStage != nil {
		return
	}
	for _, e := range b.o.Agent.Unplayed(b.r, b.inputs.Root) {
		b.emit(engine.Note{Text: "not tested, although it may block Bash calls in a session: the hook in " + e.Where})
	}
}

// ownTerminal is what can be done about whatever the sandbox blocks.
const ownTerminal = "run it in a terminal of your own, and tell the agent the result"

// leadOn makes a next step of the first other way: its page says no more. Where
// there is none it adds one.
func (c *inquiry) leadOn(remedies []report.Remedy) []report.Remedy {
	remedies = slices.Clone(remedies)
	for i, r := range remedies {
		if way, ok := r.(report.DocLink); ok {
			way.Target = ""
			remedies[i] = way
			return remedies
		}
	}
	return append(remedies, cmp.Or(c.instead, report.DocLink{Title: ownTerminal}))
}

// close completes the finding of an inquiry and tells it.
func (b *bench) close(c *inquiry) {
	f := c.finding
	f.Check, f.Layer = c.id, report.LayerSandbox
	f = f.Complete()
	if f.Status != report.Pass && f.Status != report.Skip && len(report.Steps([]report.Finding{f}, nil)) == 0 {
		f.Remedies = c.leadOn(f.Remedies)
	}
	f.Duration = c.spent.Round(time.Millisecond)
	c.finding = f
	b.emit(engine.CheckDone{Finding: f})
}
