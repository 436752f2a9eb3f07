// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what has drifted, and what an upgrade takes away, is found in the same
// way for every runtime. What only one can answer is asked of it here.

package update

import (
	"context"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/regress"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/steps/sync"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// Agent is what this step asks of a runtime, besides what verify and sync do.
type Agent interface {
	verify.Agent
	sync.Agent
	// OnPath is its program on PATH for sessions in tree, and the file that it is; the
	// error says why there is none.
	OnPath(r host.Reader, tree string) (path, real string, err error)
	// Decisive are digests of what decides about a report of the project, by the name
	// that a user reads: its program and the settings of a session.
	Decisive(ctx context.Context, r host.Reader, project string) map[string]string
	// NotStarting says why the pinned tool that answered so does not start, "" if it does.
	NotStarting(r host.Reader, res proc.Result) string
	// Mends brings it, if it is missing or does not start.
	Mends(ctx context.Context, r host.Reader, framework string) (report.Command, bool)
	// Copy judges the copy of a script of ours at path, which has to be executable if it
	// starts: what completes a sentence that begins with its name. Idle says that the
	// script is not there and that nothing calls it.
	Copy(r host.Reader, path, framework string, starts bool) (report.Status, string, []report.Evidence)
	Idle(r host.Reader, path string) bool
	// Copies are the changes that write every copy as install would.
	Copies(ctx context.Context, r host.Reader, project, framework string) ([]report.Change, error)
	// Shape says what of the template its settings lack.
	Shape(ctx context.Context, r host.Reader, project, framework string) report.Finding
	// Events are those that its wired hooks are called on.
	Events() []string
	// Known are the settings keys that the program at path knows, InForce those that the
	// project has.
	Known(path string) ([]string, error)
	InForce(ctx context.Context, r host.Reader, o verify.Options) ([]string, error)
	// Weaknesses are those of a version that touch the settings of the project.
	Weaknesses(ctx context.Context, r host.Reader, o verify.Options, version string) ([]regress.Weakness, error)
}
