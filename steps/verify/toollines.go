// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what waits for a tool is given the line that brings it. The
// plan, which only prints that line, is named where there is no such line.

package verify

import (
	"context"
	"slices"
	"sync"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
)

// ListVersions is why the plan is printed for the tools.
const ListVersions = "list the versions available here"

// ToolsPlan is the plan, which has the lines that install what is missing, where
// those lines are not known (Options.Tools).
func ToolsPlan() report.Command {
	return report.Command{ID: InstallTools, Line: "steward-setup install --plan", Optional: true,
		Why: ListVersions}
}

// NewerRuntime is the remedy that a newer version is.
func NewerRuntime() report.Command {
	return report.Command{ID: InstallRuntime, Line: "steward-setup install --plan", Optional: true,
		Why: "print the command that installs the pinned version"}
}

// Again is the remedy that install itself is.
func Again() report.Command {
	return report.Command{ID: "install", Line: "steward-setup install", Why: "add what is missing", Optional: true}
}

// The remedies in whose place the lines come: those that bring every missing
// tool, and the one that brings the pinned runtime.
const (
	InstallTools   report.ID = "install-tools"
	InstallRuntime report.ID = "install-runtime"
)

// ToolLines are the lines that bring the pinned tools on this machine.
type ToolLines struct {
	// Missing brings every tool that is missing, does not start or is below its
	// floor; nil where none is.
	Missing []report.Remedy
	// Runtime brings the pinned runtime; nil where it is installed, or no line is
	// known.
	Runtime []report.Remedy
}

// Bringing puts the lines in the place of the plan, where a check fails or does
// not know. Who offers what is asked at most once, and only then: it takes a
// package manager up to a second.
func (o Options) Bringing(list []engine.Check) []engine.Check {
	if o.Tools == nil {
		return list
	}
	var once sync.Once
	var lines ToolLines
	for i := range list {
		run := list[i].Run
		list[i].Run = func(ctx context.Context, r host.Reader) report.Finding {
			f := run(ctx, r)
			if f.Status != report.Fail && f.Status != report.Unknown {
				return f
			}
			in := map[report.ID]*[]report.Remedy{InstallTools: &lines.Missing, InstallRuntime: &lines.Runtime}
			var remedies []report.Remedy
			for _, old := range f.Remedies {
				places := []report.Remedy{old}
				if c, ok := old.(report.Command); ok && in[c.ID] != nil {
					once.Do(func() { lines = o.Tools(ctx, r) })
					if len(*in[c.ID]) > 0 {
						places = *in[c.ID]
					}
				}
				for _, now := range places {
					if !slices.ContainsFunc(remedies, func(o report.Remedy) bool { return sameLine(o, now) }) {
						remedies = append(remedies, now)
					}
				}
			}
			f.Remedies = remedies
			return f
		}
	}
	return list
}

// sameLine says whether two remedies are the same to do.
func sameLine(a, b report.Remedy) bool {
	c, isCommand := a.(report.Command)
	d, too := b.(report.Command)
	return isCommand && too && c.Step() == d.Step()
}
