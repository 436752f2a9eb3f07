// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: evidence is judged where it is read, by its calls; what a file
// cannot show is said with every answer.

package main

import (
	"context"
	"errors"
	"fmt"
	iofs "io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/plain"
	"github.com/steward-setup/steward-setup/internal/ui/text"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// keepEvidence looks at what decides before a run; what it returns writes the evidence
// after it.
func (v *verification) keepEvidence(ctx context.Context) func(verify.Report, *verify.Rehearsal) error {
	if v.o.evidence == "" {
		return nil
	}
	before := verify.Deciding(ctx, prepare(ctx, v.h), v.opts)
	ctx = context.WithoutCancel(ctx) // who has read the report may leave
	return func(rep verify.Report, live *verify.Rehearsal) error {
		r := prepare(ctx, v.h)
		if changed := differing(before, verify.Deciding(ctx, r, v.opts)); changed != nil {
			return &report.Error{Code: report.ExitLeft, Where: changed[0], What: "changed during the test",
				Why: "the evidence would be of another setup; none is written", Lines: []report.Line{{Words: "verify"}}}
		}
		e := verify.EvidenceOf(ctx, r, v.opts, rep, live)
		e.Version, e.Strict, e.Files = version, v.o.strict, before
		file, err := e.File()
		if err != nil {
			return err
		}
		return engine.Evidence.Save(v.o.evidence, file)
	}
}

// differing are the files whose digests are not the same.
func differing(was, is map[string]string) (paths []string) {
	both := maps.Clone(is)
	maps.Copy(both, was)
	for _, path := range slices.Sorted(maps.Keys(both)) {
		if was[path] != is[path] {
			paths = append(paths, path)
		}
	}
	return paths
}

func newEvidence(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "evidence",
		Short:   "Judge again what somebody's verify --evidence wrote",
		Example: "  steward-setup evidence check proof.json",
		Args:    func(cmd *cobra.Command, args []string) error { return oneOf(cmd, args, nil) },
		RunE:    func(*cobra.Command, []string) error { return nil }, // Args refuses every line
	}
	cmd.AddCommand(&cobra.Command{
		Use:   "check FILE",
		Short: "Judge the recorded calls again: offline, without an agent",
		Long: `check reads what verify --evidence wrote. It judges every recorded call again,
as verify did, and the verdict from that; the other findings are those of the
file, since they rest on files and programs of that machine. Run in the same
project, it also says whether the setup is still the one that was tested.

A file can be made up by whoever made it. That it agrees with itself does not
show that the test took place; its digest shows damage only.

Exit code: 0 protected, 1 degraded, 2 unprotected; 65 if FILE is malformed.`,
		Example: `  steward-setup verify --evidence proof.json    where the agent is
  steward-setup evidence check proof.json       anywhere`,
		Args: cobra.ExactArgs(1),
		RunE: a.onHost(func(cmd *cobra.Command, h *host.Host, args []string) error {
			return a.evidence(cmd.Context(), h, args[0])
		}),
	})
	return cmd
}

func (a *app) evidence(ctx context.Context, h *host.Host, file string) error {
	path := pathname.From(a.sys.Cwd, file)
	b, err := h.Read(path)
	if at, ok := errors.AsType[*iofs.PathError](err); ok {
		err = at.Err // its path is said
	}
	if err != nil {
		return &report.Error{Code: report.ExitUsage, Where: path, What: "cannot be read", Err: err,
			Next: "name a file that verify --evidence wrote"}
	}
	e, err := verify.ReadEvidence(path, b)
	if err != nil {
		return err
	}
	facts := report.Facts{Project: e.Project, OS: e.Machine.OS, Distro: e.Machine.Distro, Runtime: e.Machine.Runtime,
		Program: agent.Layout(h.Places()).Program}
	out := a.output("evidence check", facts)
	rep, differs := e.Judge()
	if f := agrees(e, differs); f.Status != report.Pass {
		rep.Findings, rep.Verdict = append(rep.Findings, f), report.Weaker(rep.Verdict, report.Degraded)
	}
	rep.Age = max(0, a.sys.Now().Sub(e.At))
	err = out.checked(0, facts, plain.ReportOptions{}, func(emit engine.Sink) (func() []report.NextStep, error) {
		for _, f := range rep.Findings {
			emit(engine.CheckDone{Finding: f})
		}
		emit(rep.Judged)
		for _, line := range append(about(e), a.sameHere(ctx, h, e)) {
			emit(engine.Note{Text: line})
		}
		return func() []report.NextStep { return nil }, nil
	})
	if err != nil {
		return out.end(0, err)
	}
	return out.end(rep.Verdict.Exit(), nil)
}

// agrees says whether a file says what its calls show.
func agrees(e verify.Evidence, differs []report.Evidence) report.Finding {
	f := report.Finding{Check: "evidence", Layer: report.LayerTools, Status: report.Pass, Evidence: differs}
	if differs != nil {
		f.Status, f.Summary = report.Fail, "the file says otherwise than its own calls show"
		f.Evidence = append(f.Evidence, report.VersionEvidence("steward-setup",
			"the file is of "+e.Version+", this program is "+version))
	}
	return f
}

// about is what the answer rests on, and what it cannot show.
func about(e verify.Evidence) []string {
	calls := 0
	for _, s := range e.Played.Sessions {
		calls += len(s.Judged)
	}
	with := []string{strings.TrimSpace(e.Machine.OS + " " + e.Machine.Kernel)}
	for _, tool := range slices.Sorted(maps.Keys(e.Machine.Tools)) {
		with = append(with, tool+" "+e.Machine.Tools[tool])
	}
	return []string{"",
		fmt.Sprintf("Judged again: %s of %s. The other findings are taken from the file.", report.Things(calls, "call"),
			report.Things(len(e.Played.Sessions), "session")),
		text.Line(fmt.Sprintf("Tested %s by steward-setup %s with %s", e.At.UTC().Format("2006-01-02 15:04 UTC"), e.Version,
			strings.Join(with, ", "))),
		"This does not prove that the test took place: whoever wrote the file can have made it up.",
	}
}

// sameHere says whether what decided there is the same here.
func (a *app) sameHere(ctx context.Context, h *host.Host, e verify.Evidence) string {
	r, opts := host.Once(h), a.verified()
	if here := gitrepo.RootOf(ctx, r, opts.Project); here == "" || redact.Text(here) != e.Project {
		return text.Line("This machine: not compared; to compare, run this in " + e.Project)
	}
	changed := differing(e.Files, verify.Deciding(ctx, r, opts))
	if changed == nil {
		return "This machine: the setup is the one that was tested (" + report.Things(len(e.Files), "file") + " compared)"
	}
	return text.Line(fmt.Sprintf("This machine: %s changed since: %s", report.Things(len(changed), "file"),
		report.Few(changed)))
}
