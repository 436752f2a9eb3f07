// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package engine runs checks, applies approved plans, keeps receipts and
// takes them back. It emits events; renderers turn them into lines, JSON or
// screens. Approval is the only thing that flows inward.
//
// Contract: reporting never stops early, changing stops at the first failure
// (ARCHITECTURE, law 8); nothing is written that is not in the approved plan.
package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
)

// Check is a read-only question.
type Check struct {
	ID    report.ID
	Title string
	Layer report.Layer
	Run   func(context.Context, host.Reader) report.Finding
}

// CheckOf is a check of the contract, by its id.
func CheckOf(id report.ID, run func(context.Context, host.Reader) report.Finding) Check {
	c := report.Info(id)
	return Check{ID: c.ID, Title: c.Title, Layer: c.Layer, Run: run}
}

// RunChecks runs every check in order, whatever the others answer, and emits
// each answer. A check that panics is Unknown with the panic as evidence: a
// defect of ours must not hide the other answers. Checks write nothing: what
// one of them saw of a path is not looked at again by the others (host.Still).
func RunChecks(ctx context.Context, r host.Reader, checks []Check, emit Sink) []report.Finding {
	r = host.Still(r)
	var findings []report.Finding
	for _, c := range checks {
		emit(CheckStarted{ID: c.ID, Title: c.Title})
		start := r.System().Now()
		f := answer(ctx, r, c)
		f.Check, f.Layer = c.ID, c.Layer
		f = f.Complete()
		f.Duration = r.System().Now().Sub(start).Round(time.Millisecond)
		findings = append(findings, f)
		emit(CheckDone{Finding: f})
	}
	return findings
}

func answer(ctx context.Context, r host.Reader, c Check) (f report.Finding) {
	defer func() {
		if p := recover(); p != nil {
			f = report.Finding{Status: report.Unknown, Summary: "the check itself failed: please report this",
				Evidence: []report.Evidence{report.EnvEvidence(string(c.ID), fmt.Sprint(p))}}
		}
	}()
	return c.Run(ctx, r)
}
