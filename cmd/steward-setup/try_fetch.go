// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: try downloads a runtime into the cache only where one is
// missing that would be proved here, and only by a typed yes or the flag. Where
// it cannot, it says why, and the recording follows.

package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/pins"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/runtimes"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

// runtimeToTry is the pinned runtime in the user's own cache, if none is
// installed; "" leaves PATH to decide. wanted is --fetch-runtime, which is the
// approval. The error is an interruption.
func (a *app) runtimeToTry(ctx context.Context, wanted bool) (string, error) {
	if !wanted && (a.json || !a.sys.Terminal()) { // nobody can be asked
		return "", nil
	}
	h, err := a.host()
	if err != nil || h.Run(ctx, proc.Version(proc.Tool(h.Places().Agent.Tool()))).OK() {
		return "", nil //nolint:nilerr // what is wrong with the machine, try itself says
	}
	path, err := a.fetchToTry(ctx, h, wanted)
	if ctx.Err() != nil {
		return "", interrupted()
	}
	if err != nil {
		a.tell("No Claude Code to test with: " + err.Error())
	}
	return path, nil
}

// tell says something beside the result.
func (a *app) tell(s string) { fmt.Fprintln(a.errw, text.Line(s)) }

// fetchToTry is the pinned runtime in the cache, downloaded if need be; "" if
// the user does not want it.
func (a *app) fetchToTry(ctx context.Context, h *host.Host, wanted bool) (string, error) {
	if why := a.cannotProve(h); why != "" {
		if !wanted {
			return "", nil
		}
		return "", errors.New(why)
	}
	set, err := pins.Load(h, h.Places().Config, a.framework)
	if err != nil {
		return "", err
	}
	pin, _ := set.Pin(h.Places().Agent.Tool())
	if !runtimes.Version(pin.Version) {
		return "", errors.New("no version of it is pinned")
	}
	path := runtimes.Path(h.Places(), pin.Version)
	if runtimes.Has(h, pin.Version) { // since when, nobody knows
		if err := a.cacheDoubt(ctx, path); err != nil {
			return "", err
		}
		return path, nil
	}
	if ok, err := a.fetchPinned(ctx, h, pin.Version, wanted); err != nil || !ok {
		return "", err
	}
	return path, nil
}

// cannotProve says why a runtime would prove nothing here.
func (a *app) cannotProve(h *host.Host) string {
	if a.sys.UID == 0 {
		return "as root no denial can be tested"
	}
	if a.sys.GOOS != "linux" {
		return ""
	}
	for _, tool := range []struct{ program, name string }{{"bwrap", "bubblewrap"}, {"socat", "socat"}} {
		if _, err := h.Look(tool.program); err != nil {
			return "without " + tool.name + " nothing can be tested"
		}
	}
	return ""
}

// fetchPinned downloads a version, which the plan shows first.
func (a *app) fetchPinned(ctx context.Context, h *host.Host, version string, wanted bool) (bool, error) {
	if err := a.refuse(h, a.self(h)+" try --fetch-runtime"); err != nil {
		return false, err
	}
	if !wanted {
		fmt.Fprintln(a.out, "\nClaude Code is not installed, or does not start. The test can use a copy in this program's "+
			"cache:\nnpm finds the download, you approve it, nothing is installed.")
		if !a.ask("Look for Claude Code " + version + " with npm?") {
			return false, nil
		}
	}
	offer, err := a.askNPM(ctx, h, version)
	if err != nil {
		return false, err
	}
	plan := runtimes.Fetch(h, offer)
	if !a.json {
		fmt.Fprintln(a.out, "\nWith Claude Code it is tested on this machine:")
		a.output("try", a.facts(h)).Emit(engine.PlanReady{Plan: plan})
	}
	if !wanted && !a.ask("Download this?") {
		return false, nil
	}
	if a.json { // which shows no plan
		a.tell(fmt.Sprintf("downloading %s@%s from %s into %s", offer.Package, version, offer.Tarball,
			plan.Downloads()[0].Into))
	}
	return true, a.download(ctx, h, plan, offer)
}

// download fetches an offer that was approved into the cache.
func (a *app) download(ctx context.Context, h *host.Host, plan report.Plan, offer runtimes.Offer) error {
	defer a.waitFor("downloading " + offer.Package + "@" + offer.Version)()
	return a.applier(h).Fetch(ctx, h, plan.Downloads()[0], offer.Version, runtimes.MaxKept)
}
