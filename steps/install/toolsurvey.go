// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is known of a tool was asked on this machine: of the
// tool itself, of the package manager that installed it, of what that one
// offers. Asking changes nothing and needs no network.

package install

import (
	"context"
	"slices"
	"sync"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/pins"
	"github.com/steward-setup/steward-setup/internal/platform"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// npm installs the agent runtime on every platform.
const npm platform.Manager = "npm"

// toolSeen is one pinned tool as the machine has it.
type toolSeen struct {
	pin pins.Pin
	// skip says why the tool is not needed here, "" if it is.
	skip string
	// absent: no program on PATH. version is what the program says of
	// itself, "" if it says nothing that is understood; standing is then
	// "" too.
	absent bool
	// broken says why the program that is there does not start, "" if it does.
	broken   string
	version  string
	standing pins.Standing
	// manager installs the tool here; packaged is the version string under
	// which it has installed it, "" if it has not.
	manager  platform.Manager
	packaged string
	// wanted is the newest package that provides the pin, distro the one
	// that the distribution would install by itself; "" where there is
	// none. stale: the package lists are missing, so neither is known.
	wanted, distro string
	stale          bool
	// foreign is the program, if npm would install a second one beside it;
	// aside begins a line that moves it aside, where it does not start.
	foreign string
	aside   string
	// first, option and then are what npm's line needs here (verify.NpmFirst,
	// verify.NpmPlace).
	first, option, then string
	evidence            []report.Evidence
}

// toolSurvey is every pinned tool as the machine has it.
type toolSurvey struct {
	platform platform.Platform
	tools    []toolSeen
}

// surveyTools asks the machine about every pin. What cannot be asked is left
// empty, with evidence of the attempt.
func surveyTools(ctx context.Context, r host.Reader, set pins.Set) toolSurvey {
	release, _ := r.Read(r.Places().OSRelease) // a machine without one has no known distribution
	s := toolSurvey{platform: platform.Detect(r.System().GOOS, release)}
	s.tools = make([]toolSeen, len(set.Pins))
	var all sync.WaitGroup // package managers are slow to answer: ask them at once
	for i, pin := range set.Pins {
		all.Go(func() { s.tools[i] = surveyTool(ctx, r, s.platform, pin) })
	}
	all.Wait()
	var off []*toolSeen
	for i := range s.tools {
		if t := &s.tools[i]; t.skip == "" && t.standing != pins.AsPinned {
			off = append(off, t)
		}
	}
	askOffered(ctx, r, off)
	return s
}

func surveyTool(ctx context.Context, r host.Reader, p platform.Platform, pin pins.Pin) toolSeen {
	t := toolSeen{pin: pin, manager: p.Manager}
	if _, ok := pin.Install(string(npm)); ok {
		t.manager = npm
	}
	t.seen(report.FileEvidence(pin.Origin()))
	if t.skip = pins.Needless(pin.Tool, p.OS); t.skip != "" {
		if pins.Known(pin.Tool) {
			t.askPackaged(ctx, r)
		}
		return t
	}
	res := r.Run(ctx, proc.Version(proc.Tool(pin.Tool)))
	t.broken = verify.NotStarting(r, res)
	t.absent = t.broken == "" && res.Missing()
	if version, ok := pins.Reported(pin.Tool, string(res.Stdout)); ok && res.OK() {
		t.version = version
		t.standing, _ = pin.Judge(version) // Reported has understood it
		t.seen(report.CommandEvidence(res.Line, version))
	} else {
		t.seen(report.CommandEvidence(res.Line, res.Text()))
	}
	if t.manager == npm {
		t.foreign = verify.ForeignTo(r, pin.Tool)
	}
	if t.broken != "" && t.foreign != "" {
		t.aside = verify.Aside(r, pin.Tool)
	}
	if t.manager == npm && t.standing != pins.AsPinned {
		t.first, _ = verify.NpmFirst(r)
		t.option, t.then = verify.NpmPlace(ctx, r)
	}
	t.askPackaged(ctx, r)
	if t.standing == pins.AsPinned && t.pin.JudgePackage(string(t.manager), t.packaged) == pins.Older {
		t.version, t.standing = t.packaged, pins.Older // a program does not know its package's revision
	}
	return t
}

func (t *toolSeen) seen(e report.Evidence) { t.evidence = append(t.evidence, e) }

// complete says whether every pin of the set was asked about.
func (s toolSurvey) complete(set pins.Set) bool {
	return len(s.tools) == len(set.Pins) && !slices.ContainsFunc(s.tools, func(t toolSeen) bool {
		pin, ok := set.Pin(t.pin.Tool)
		return !ok || pin.Version != t.pin.Version
	})
}

// runtime is the agent runtime's version, "" if it was not found.
func (s toolSurvey) runtime() string {
	for _, t := range s.tools {
		if t.pin.Tool == string(proc.ClaudeCode) {
			return t.version
		}
	}
	return ""
}
