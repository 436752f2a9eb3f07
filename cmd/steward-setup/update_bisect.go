// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: without an approved download, what is looked at is what the
// cache holds; the answer then says between which versions nothing is known.

package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/runtimes"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/steps/update"
)

// bisect finds the version that changed an answer.
func (t *upgrading) bisect(ctx context.Context, installed string) error {
	call := update.ParseCall(t.o.bisect)
	if t.o.from == "" && installed == "" {
		what := notOnPath
		if _, err := t.h.Look(t.h.Places().Agent.Program); err == nil {
			what = "claude does not report its version"
		}
		return &report.Error{Code: report.ExitUsage, What: what + ": name the version with --from",
			Why:  "the search begins with the version that you have",
			Next: t.line("--bisect " + scripts.Quote(call.String()) + " --from VERSION")}
	}
	from, to := cmp.Or(t.o.from, installed), t.o.to
	flags := "--bisect " + scripts.Quote(call.String()) + " --from " + scripts.Quote(from)
	if to != "" {
		flags += " --to " + scripts.Quote(to)
	}
	for _, v := range []string{from, cmp.Or(to, "0.0.0")} {
		if !runtimes.Version(v) {
			return noVersion(v, t.a.self(t.h)+" update --help")
		}
	}
	if err := call.Known(ctx, prepare(ctx, t.h), agent, t.a.verified()); err != nil {
		return err
	}
	download, versions, err := t.candidates(ctx, from, to, installed, flags)
	if err != nil || versions == nil {
		return err
	}
	emit, clear := t.a.waiting(0, unseen)
	change, found, err := update.Bisect(versions, func(v string) (update.Ending, error) {
		path, err := t.version(ctx, v, installed, download)
		if err != nil {
			return update.Ending{}, err
		}
		h, err := t.with(path)
		if err != nil {
			return update.Ending{}, err
		}
		if err := t.a.cacheDoubt(ctx, path); err != nil {
			return update.Ending{}, err
		}
		return call.Answer(ctx, prepare(ctx, h), t.a.verified(), emit)
	}, func(step string) { t.out.Emit(engine.Note{Text: "looking at " + step}) })
	clear()
	if err != nil {
		return err
	}
	change.Call = call.String()
	return t.found(change, found, versions, download != nil)
}

// candidates are the versions to look between, from the first to the last, and
// what may be downloaded of them; none if only the plan was asked for.
func (t *upgrading) candidates(ctx context.Context, from, to, installed, flags string) (*report.Download, []string,
	error) {
	have := []string{}
	for _, k := range runtimes.List(t.h) {
		have = append(have, k.Version)
	}
	if installed != "" && !slices.Contains(have, installed) {
		have = append(have, installed)
	}
	last := cmp.Or(to, slices.MaxFunc(append(slices.Clone(have), from), runtimes.Compare))
	if !t.o.plan && t.o.apply == "" && from != last && slices.Contains(have, from) && slices.Contains(have, last) {
		return nil, runtimes.Between(have, from, last), nil
	}
	if err := t.online(from + " or " + last); err != nil {
		return nil, nil, err
	}
	published, err := runtimes.Published(ctx, t.h)
	if err != nil {
		return nil, nil, err
	}
	last = cmp.Or(to, published[len(published)-1])
	all := runtimes.Between(published, from, last)
	if len(all) < 2 || all[0] != from || all[len(all)-1] != last {
		return nil, nil, &report.Error{Code: report.ExitUsage, What: "the registry does not have " + from + " and " + last +
			", two versions", Next: t.a.self(t.h) + " update --help"}
	}
	missing := slices.DeleteFunc(slices.Clone(all), func(v string) bool { return v == installed })
	pkg, err := runtimes.Package(t.h)
	if err != nil {
		return nil, nil, err
	}
	plan := runtimes.FetchSome(t.h, pkg, missing, min(len(missing), update.Steps(len(all))+2), 0)
	if ok, err := t.approved(plan, flags); err != nil || !ok {
		return nil, nil, err
	}
	return &plan.Downloads()[0], all, nil
}

// version is the executable of a version, downloaded if that was approved.
func (t *upgrading) version(ctx context.Context, v, installed string, d *report.Download) (string, error) {
	switch {
	case runtimes.Has(t.h, v):
		return runtimes.Path(t.h.Places(), v), nil
	case v == installed:
		return t.h.Look(t.h.Places().Agent.Program)
	}
	if err := t.a.applier(t.h).Fetch(ctx, t.h, *d, v, runtimes.MaxKept); err != nil {
		return "", err
	}
	return runtimes.Path(t.h.Places(), v), nil
}

// found shows what came of it: 0 nothing changed, 1 it changed, 2 a denial was
// lost on the way.
func (t *upgrading) found(c update.Change, found bool, versions []string, all bool) error {
	if t.out.doc != nil {
		t.out.doc.Data(c)
	}
	rehearsed := strings.Join(append([]string{
		report.Counted(len(c.Rehearsed), "1 version was rehearsed", "%d versions were rehearsed")}, c.Earlier...), ", ")
	if !found {
		t.out.Emit(engine.Note{Text: fmt.Sprintf("%s in %s and in %s: %s (%s)", c.Was.Text, versions[0],
			versions[len(versions)-1], c.Call, rehearsed)})
		return nil
	}
	t.out.Emit(engine.Note{Text: fmt.Sprintf("%s in %s, %s in %s: %s (%s)", c.Was.Text, c.Before, c.Is.Text, c.After,
		c.Call, rehearsed)})
	if len(c.Between) > 0 {
		t.out.Emit(engine.Note{Text: "not verified, so the change may be in any of them: " + strings.Join(c.Between, ", ")})
	}
	if !all {
		t.out.Emit(engine.Note{Text: "only cached versions were tested; to download those between " + c.Before +
			" and " + c.After + ":  " +
			t.line("--bisect "+scripts.Quote(c.Call)+" --from "+c.Before+" --to "+c.After+" --plan")})
	}
	if c.Lost() {
		return exitCode(report.ExitUnprotected)
	}
	return exitCode(report.ExitLeft)
}
