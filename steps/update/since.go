// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whether something changed since the last report is told
// from files alone: nothing is started but git, and that nothing changed is
// believed only where no command of the agent could have written what is kept.

package update

import (
	"context"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// Stamp is what a report was made of, and what it came to.
type Stamp struct {
	// Parts are digests, each by the name that a user reads.
	Parts map[string]string `json:"parts"`
	Code  int               `json:"code"`
	// Unknown says that nothing had drifted and something was unknown.
	Unknown bool      `json:"unknown,omitempty"`
	At      time.Time `json:"at"`
}

// parts are what decides about a report: the runtime's file, the settings of a
// session, the scripts.
func parts(ctx context.Context, r host.Reader, o Options) map[string]string {
	list := o.Agent.Decisive(ctx, r, o.Project)
	file := func(path string) {
		b, err := r.Read(path)
		switch {
		case err == nil:
			list[path] = string(report.DigestOf(b))
		default:
			list[path] = string(report.Absent)
		}
	}
	for _, name := range scripts.Hooks {
		file(filepath.Join(r.Places().Scripts(), name))
	}
	for _, name := range scripts.Wrappers {
		file(filepath.Join(r.Places().Isolation(), name))
	}
	list["steward-setup"] = o.Version
	return list
}

// stampKey is under what the stamp of a project is kept.
const stampKey = "stamp"

// Begin takes the stamp of a report that is about to be made: what changes
// meanwhile has changed since.
func Begin(ctx context.Context, r host.Reader, o Options) Stamp {
	return Stamp{Parts: parts(ctx, r, o)}
}

// Keep keeps the stamp with what the report came to. It keeps nothing of a
// report on another runtime than the installed one, or where the forbidden actions
// are unknown: they have to be asked for again. Failing to is no error: the next
// --since-upgrade says that nothing is kept.
func (s Stamp) Keep(ctx context.Context, r host.Reader, o Options, findings []report.Finding) {
	if r.System().Runtime != "" || slices.ContainsFunc(findings, func(f report.Finding) bool {
		return f.Check == Denials && f.Status == report.Unknown
	}) {
		return
	}
	s.Code, s.At = report.Judge(findings, true).Exit(), r.System().Now().UTC()
	s.Unknown = words(report.Judge(findings, true), findings) == driftUnknown
	if b, err := json.Marshal(s); err == nil {
		_ = stamps(ctx, r, o).Keep(r.Places().State, r.Places().Cache, stampKey, s.At, b)
	}
}

// stamps are those that are kept of the project.
func stamps(ctx context.Context, r host.Reader, o Options) engine.Kind {
	return engine.PastOf("update " + gitrepo.RootOf(ctx, r, o.Project))
}

// Since is what changed since the last report.
type Since struct {
	// Last is when that was; zero where none is kept.
	Last time.Time
	// Code is the exit code of that report.
	Code int
	// Unknown says that nothing had drifted then, and something was unknown.
	Unknown bool
	// Forgeable says that a command of the agent could have written that report:
	// nothing good is believed of it.
	Forgeable bool
	// Changed names what is not as it was.
	Changed []string
}

// Exit is the exit code of --since-upgrade.
func (s Since) Exit() int {
	switch {
	case s.Code == report.ExitUnprotected:
		return report.ExitUnprotected
	case s.Last.IsZero(), s.Forgeable, len(s.Changed) > 0:
		return report.ExitDegraded
	}
	return report.ExitOK
}

// LookSince compares what is there with the last report of the project.
func LookSince(ctx context.Context, r host.Reader, o Options) Since {
	var was Stamp
	for _, kept := range stamps(ctx, r, o).All(r.Places().State, r.Places().Cache, r.System().Now()) {
		if kept.Key == stampKey && json.Unmarshal(kept.Record, &was) == nil {
			break
		}
	}
	if was.At.IsZero() {
		return Since{}
	}
	s := Since{Last: was.At, Code: was.Code, Unknown: was.Unknown, Forgeable: verify.CacheDoubt(ctx, r, o.verify()) != nil}
	is := parts(ctx, r, o)
	names := maps.Clone(is)
	maps.Copy(names, was.Parts)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if is[name] != was.Parts[name] {
			s.Changed = append(s.Changed, name)
		}
	}
	return s
}
