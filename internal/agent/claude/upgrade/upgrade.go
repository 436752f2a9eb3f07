// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package upgrade is Claude Code for update: what decides about a report, what of the
// template its settings lack, and what a version of it knows and is weak in.
//
// Contract: it only reads.
package upgrade

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/fixes"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/agent/claude/setup"
	"github.com/steward-setup/steward-setup/internal/agent/claude/startfailure"
	"github.com/steward-setup/steward-setup/internal/agent/claude/wiring"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/steps/install"
)

// Claude is Claude Code for update, and with that for all that lies below: verify,
// doctor, scope and sync.
type Claude struct {
	fixes.Claude
	setup.Settings
}

// OnPath implements update.Agent.
func (Claude) OnPath(r host.Reader, tree string) (path, real string, err error) {
	found := iso.FindRuntime(r, r.System().Get("PATH"), tree)
	if len(found) == 0 || found[0].From != "PATH" {
		return "", "", errors.New(iso.NotOnPath)
	}
	return found[0].Path, found[0].Real, nil
}

// NotStarting implements update.Agent.
func (Claude) NotStarting(r host.Reader, res proc.Result) string {
	return startfailure.NotStarting(r, res)
}

// Mends implements update.Agent.
func (Claude) Mends(ctx context.Context, r host.Reader, framework string) (report.Command, bool) {
	return startfailure.Mends(ctx, r, framework)
}

// Decisive implements update.Agent.
func (Claude) Decisive(ctx context.Context, r host.Reader, project string) map[string]string {
	list := map[string]string{}
	s, err := session.In(ctx, r, project)
	if err != nil {
		list["settings"] = err.Error()
	}
	for _, l := range s.Layers {
		list[l.Doc.Path] = string(report.DigestOf(l.Doc.Bytes()))
	}
	if s.Lost != nil {
		list["a malformed settings file"] = s.Lost.Error()
	}
	list[claude.Program] = string(report.Absent)
	for _, found := range iso.FindRuntime(r, r.System().Get("PATH"), project) {
		real, err := r.Resolve(found.Path)
		if err != nil {
			continue
		}
		if info, err := r.Stat(real); err == nil { // 240 MB: its place, size and time
			list[claude.Program] = fmt.Sprintf("%s %d %s", real, info.Size(), strconv.FormatInt(info.ModTime().UnixNano(), 36))
			break
		}
	}
	return list
}

// Copies implements update.Agent.
func (Claude) Copies(ctx context.Context, r host.Reader, project, framework string) ([]report.Change, error) {
	p, err := proposed(ctx, r, project, framework, report.Answers{"replace-scripts": {"yes"}, "wrapper": {"copy"}},
		"hooks", "wrapper")
	return p.Changes(), err
}

// proposed is the plan of install for some of its sections, with the documented
// answers for the rest.
func proposed(ctx context.Context, r host.Reader, project, framework string, answers report.Answers,
	sections ...report.ID) (report.Plan, error) {
	skip := []string{}
	for _, id := range setup.SectionIDs {
		if !slices.Contains(sections, id) {
			skip = append(skip, string(id))
		}
	}
	options := setup.Options{Project: project, Framework: framework}
	p, err := install.NewDialogue(r, &setup.Claude{Options: options}).Propose(ctx, answers.With("skip", skip...))
	return p.Plan, err
}

// Events implements update.Agent.
func (Claude) Events() (events []string) {
	for _, w := range wiring.Wires {
		events = append(events, w.Event)
	}
	return events
}

// Known implements update.Agent.
func (Claude) Known(path string) (keys []string, err error) {
	err = fs.Map(path, func(b []byte) (err error) {
		keys, err = claude.SettingsKeys(b)
		return err
	})
	return keys, err
}
