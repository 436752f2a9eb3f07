// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a probe knows no runtime. What only one can answer is asked of it
// here.

package doctor

import (
	"context"

	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// Agent is what the doctor asks of a runtime, besides what verify does.
type Agent interface {
	verify.Agent
	// Catalog is the troubleshooting catalog whose fixes are in its own words.
	Catalog() (name string, text []byte)
	// Change is what a fix of an entry, in which nothing is left open, would write for
	// the project at root; After is nil if that is nothing.
	Change(ctx context.Context, r host.Reader, root, entry string, fix catalog.Fix) (report.Change, error)
	Effect(catalog.Fix) catalog.Effect
	// Spelled is an absolute path as people write it in its settings.
	Spelled(path, home string) string
	// Line is the line of install that brings about what a fix sets for hosts in the
	// project at root; nil if there is none. Allow is the one that allows hosts.
	Line(ctx context.Context, r host.Reader, root string, fix catalog.Fix, hosts ...string) *report.Command
	Allow(ctx context.Context, r host.Reader, root string, hosts ...string) report.Line
	// WouldOpen returns what lists, as sentences, what verify fails in a session in root
	// on the machine after a change and does not fail before it.
	WouldOpen(ctx context.Context, before host.Reader, root string) func(report.Change) ([]string, error)
	// Rules are those of its settings in a session that starts in dir.
	Rules(ctx context.Context, r host.Reader, dir string) catalog.Rules
	// Off says why no settings of a session that starts in dir speak of a sandbox, and what
	// ends that: none has been written, or a file that may is dropped. Else next is nil.
	Off(ctx context.Context, r host.Reader, dir string) (why report.Evidence, next report.Remedy)
	// Mend is what leads on where it cannot be started.
	Mend(context.Context, host.Reader) (report.Command, bool)
	// Unplayed are its hooks that a stage does not have.
	Unplayed(r host.Reader, root string) []report.Evidence
}
