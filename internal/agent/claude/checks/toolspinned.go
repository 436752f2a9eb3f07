// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the pinned tools are asked for their own version and
// nothing else is asked, so that the check takes as long as the tools take to
// answer. What the distribution offers is install's question.

package checks

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/startfailure"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/pins"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// toolsPinned checks that every tool of the setup is installed at its pin: a
// drift in either direction is a warning, a version below the floor and a tool
// that is missing are failures. framework is a checkout whose manifest replaces
// the one that is built in, or "".
func toolsPinned(framework string) engine.Check {
	return engine.CheckOf("tools-pinned", func(ctx context.Context, r host.Reader) report.Finding {
		set, err := pins.Load(r, r.Places().Config, framework)
		if err != nil {
			return unreadableManifest(err)
		}
		var f report.Finding
		var summaries []string
		status := report.Pass
		answers, older := askTools(ctx, r, set.Pins), false
		for i, pin := range set.Pins {
			s, summary, evidence := judgeTool(r, pin, answers[i])
			if s == report.Skip {
				f.Evidence = append(f.Evidence, evidence...)
				continue
			}
			words, copies, first := startfailure.StartsWith(ctx, r, pin, answers[i])
			summary, f.Evidence = summary+words, append(append(f.Evidence, evidence...), copies...)
			if s.WorseThan(status) { // the worst is read first
				summaries = slices.Insert(summaries, 0, summary)
			} else {
				summaries = append(summaries, summary)
			}
			status = report.Worse(status, s)
			older = older || s == report.Warn && pin.Tool != claude.Name &&
				pin.Answered(answers[i], "").Standing == pins.Older
			if s != report.Pass && f.Remedies == nil {
				f.Remedies = []report.Remedy{verify.ToolsPlan(), toolsPage}
			}
			if first != nil {
				f.Remedies = slices.Insert(f.Remedies, 0, first)
			}
		}
		if summaries == nil {
			status, summaries = report.Skip, []string{"no pinned tool is needed here"}
		}
		if i := slices.Index(f.Remedies, report.Remedy(verify.ToolsPlan())); older && status == report.Warn && i >= 0 {
			f.Remedies[i] = verify.DistroTools()
		}
		f.Status, f.Summary = status, strings.Join(summaries, "; ")
		return f
	})
}

// toolsPage explains the pins.
var toolsPage = report.DocLink{Title: "Pinned tools", Target: "docs/tools.md"}

// askTools asks all tools at once, since each takes some milliseconds to
// start. The answers are in the order of the pins; that of a tool that is not
// needed here is empty.
func askTools(ctx context.Context, r host.Reader, list []pins.Pin) []proc.Result {
	answers := make([]proc.Result, len(list))
	var asked sync.WaitGroup
	for i, pin := range list {
		if pins.Needless(pin.Tool, r.System().GOOS) == "" {
			asked.Go(func() { answers[i] = r.Run(ctx, proc.Version(proc.Tool(pin.Tool))) })
		}
	}
	asked.Wait()
	return answers
}

// judgeTool judges one tool by its answer.
func judgeTool(r host.Reader, pin pins.Pin, res proc.Result) (report.Status, string, []report.Evidence) {
	evidence := []report.Evidence{report.FileEvidence(pin.Origin())}
	if why := pins.Needless(pin.Tool, r.System().GOOS); why != "" {
		return report.Skip, "", append(evidence, report.EnvEvidence(pin.Tool, why))
	}
	a := pin.Answered(res, startfailure.NotStarting(r, res))
	evidence = append(evidence, a.Seen)
	switch {
	case a.Lacks != "":
		return report.Fail, a.Lacks, evidence
	case a.Broken != "":
		return report.Fail, pin.Tool + " does not start: " + a.Broken, evidence
	case a.Unasked != "":
		return report.Unknown, a.Unasked, evidence
	case a.Standing == "":
		return report.Unknown, pin.Tool + " does not report its version", evidence
	case a.Standing == pins.Insufficient:
		return report.Fail, pins.Below(pin.Tool, a.Version, pin.MinVersion),
			append(evidence, report.FileEvidence(pin.Where("min_version"), "the floor is "+pin.Floor()))
	case a.Standing != pins.AsPinned:
		return report.Warn, pin.Drift(a), evidence
	}
	return report.Pass, pin.Tool + " " + a.Version, evidence
}

// unreadableManifest says where a manifest is not understood. Nothing is known
// of the tools then.
func unreadableManifest(err error) report.Finding {
	const unknown = "the pins are unknown: "
	f := report.Finding{Status: report.Unknown, Summary: unknown + err.Error(), Remedies: []report.Remedy{toolsPage}}
	if e, ok := errors.AsType[*report.Error](err); ok {
		f.Summary = unknown + e.Where + " " + e.What
		f.Evidence = []report.Evidence{report.FileEvidence(e.Where, e.Happened())}
		f.Remedies = []report.Remedy{report.DocLink{Title: "fix the file", Target: e.Where}, toolsPage}
	}
	return f
}
