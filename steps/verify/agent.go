// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: verify knows no runtime. What only one can answer is asked of it
// here; who names the runtime is the command line.

package verify

import (
	"context"

	"github.com/steward-setup/steward-setup/internal/agent"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/regress"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/trial"
)

// Agent is what verify asks of a runtime, besides how its sessions are played.
type Agent interface {
	agent.Agent
	// Version is that of the installed one, "" if it is unknown.
	Version(context.Context, host.Reader) string
	// Find finds it for sessions in root, and in the linked worktree tree ("" if
	// there is none). The error says why it cannot be started.
	Find(ctx context.Context, r host.Reader, root, tree string) (Found, error)
	// At reads what would be in force in a start in dir.
	At(r host.Reader, dir string) InForce
	// Checks are those that it alone can answer; live is nil without a rehearsal.
	Checks(o Options, live *Rehearsal, progress engine.Sink) []engine.Check
	// Fired are its wired hooks, and whether the calls of Found.Hooks made them fire.
	Fired(ctx context.Context, r host.Reader, project string, calls *trial.Trial) []regress.Hook
	// Decides adds to the key of a stored result what decides about a start in dir.
	Decides(ctx context.Context, project, dir string, k *Keyer)
	// Forgeable says what lets a command of it forge a stored result of the project;
	// nil if nothing does.
	Forgeable(ctx context.Context, r host.Reader, project string) []report.Evidence
	// Unbridged is what is known of its commands where no proxy of the sandbox comes up;
	// the zero Evidence if nothing is.
	Unbridged() report.Evidence
}

// Found is a runtime that can be started.
type Found struct {
	// Path is its program, links resolved.
	Path string
	// Asked are arguments by which it tells itself what is in force
	// (rehearsal.Session.Status), nil if it does not.
	Asked []string
	// Hooks are calls that make its hooks fire, nil if it has none.
	Hooks model.Turn
	// Elsewhere is a directory of no project where a policy holds, "" if none does:
	// without one a session there only repeats what the settings say.
	Elsewhere string
	// Refused says why its clean-env launch would not start in the linked worktree, and
	// Admits is what ends that.
	Refused string
	Admits  report.Command
	// Everywhere puts a policy in force in every directory, nil if nothing does.
	Everywhere []report.Remedy
	// Skipped are values of settings that its runtime passes over: a plain start on a
	// terminal may ask a person about them before anything else.
	Skipped []report.Evidence
	// Idle is what is known of a session elsewhere in which no command starts.
	Idle report.Evidence
}

// InForce is what the settings say of a start.
type InForce interface {
	// Inputs are what the probes have to know of it, and Named the credentials that it
	// names, as a stage wants them (stage.Spec).
	Inputs() trial.Inputs
	Named() []string
	// Opens says what lets a call through in a launch; nil where the settings do not.
	Opens(trial.Probe, report.Launch) []Opener
	// ByMode is what let the calls of a session through that was in this permission
	// mode; ok is false where the mode approves nothing.
	ByMode(mode string) (by Opener, ok bool)
	// Proxied is the setting that puts a proxy of the machine in the place of the
	// runtime's in a launch. On a stage nothing listens at such a port, so that a host
	// which does not answer there says nothing of it.
	Proxied(report.Launch) (at report.Evidence, ok bool)
}

// Opener is a setting that lets a call through, and what ends that.
type Opener struct {
	Seen report.Evidence
	Ends report.Remedy
}
