// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a version is downloaded by a typed yes, or by --apply with
// the id of exactly the plan that was printed; what is in the cache is used as
// it is.

package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/runtimes"
)

func (a *app) askNPM(ctx context.Context, h *host.Host, version string) (runtimes.Offer, error) {
	defer a.waitFor("asking npm for Claude Code " + version)()
	return runtimes.Ask(ctx, h, version)
}

// fetched is the executable of a version in the cache, downloaded if it is not
// there; "" if only the plan was asked for. flags are those that lead here.
func (t *upgrading) fetched(ctx context.Context, version, flags string) (string, error) {
	if version != runtimes.Latest && runtimes.Has(t.h, version) {
		if t.o.plan {
			t.out.Emit(engine.PlanReady{Plan: report.NewPlan(nil)})
			return "", nil
		}
		return runtimes.Path(t.h.Places(), version), nil
	}
	if err := t.online(version); err != nil {
		return "", err
	}
	offer, err := t.a.askNPM(ctx, t.h, version)
	if err != nil {
		return "", err
	}
	if runtimes.Has(t.h, offer.Version) && !t.o.plan {
		return runtimes.Path(t.h.Places(), offer.Version), nil
	}
	plan := runtimes.Fetch(t.h, offer)
	if runtimes.Has(t.h, offer.Version) {
		plan = report.NewPlan(nil)
	}
	if ok, err := t.approved(plan, flags); err != nil || !ok {
		return "", err
	}
	t.out.Emit(engine.Note{Text: "downloading " + offer.Package + "@" + offer.Version + " …"})
	if err := t.a.download(ctx, t.h, plan, offer); err != nil {
		return "", err
	}
	t.cacheNote()
	return runtimes.Path(t.h.Places(), offer.Version), nil
}

// online refuses to ask the registry where that was forbidden.
func (t *upgrading) online(version string) error {
	if !t.o.offline {
		return nil
	}
	return &report.Error{Code: report.ExitLeft, Where: version, What: "is not in the cache, and --offline fetches nothing",
		Why: "there is nothing to compare with", Next: "leave --offline out, or give the path of a claude executable"}
}

// approved shows a plan, or asks for it; it is false if only the plan was asked
// for.
func (t *upgrading) approved(plan report.Plan, flags string) (bool, error) {
	c := t.a.change(t.h, t.o.planFlags, "update", "Download this?")
	c.words, c.flags = "update "+flags, strings.TrimPrefix(t.a.again("update"), "update")
	c.otherwise = "the registry offers something else, or other flags were given"
	if err := c.may(); err != nil {
		return false, err
	}
	return c.decide(t.out, plan)
}

// cacheNote says how large the cache is.
func (t *upgrading) cacheNote() {
	list := runtimes.List(t.h)
	t.out.Emit(engine.Note{Text: fmt.Sprintf("the cache holds %d of at most %d versions, %d MB; to remove them:  %s",
		len(list), runtimes.MaxKept, runtimes.Size(list)/1e6, t.line("--forget"))})
}

// noVersion is the error for a word that is no version.
func noVersion(word, next string) error {
	return &report.Error{Code: report.ExitUsage, Where: word, What: "is not a version", Next: next}
}

// forget removes a version from the cache, or all.
func (t *upgrading) forget() error {
	t.out = t.a.output("update", t.a.facts(t.h))
	flags := "--forget"
	all := t.o.forget == "all"
	if !all {
		if !runtimes.Version(t.o.forget) {
			return t.out.end(0, noVersion(t.o.forget, "name a version, or remove all:  "+t.line("--forget")))
		}
		flags += "=" + t.o.forget
	}
	if err := t.a.refuseInAgent(t.line(flags)); err != nil {
		return t.out.end(0, err)
	}
	before := runtimes.List(t.h)
	if err := t.a.applier(t.h).ForgetFetched(runtimes.Dir(t.h.Places()), []string{t.o.forget}, all); err != nil {
		return t.out.end(0, err)
	}
	after := runtimes.List(t.h)
	t.out.Emit(engine.Note{Text: fmt.Sprintf("removed %d of %d versions, %d MB", len(before)-len(after), len(before),
		(runtimes.Size(before)-runtimes.Size(after))/1e6)})
	return t.out.end(report.ExitOK, nil)
}
