// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a scope is of the user's git and of no runtime. What only one can
// answer is asked of it here.

package scope

import (
	"context"
	"path"
	"path/filepath"

	"github.com/steward-setup/steward-setup/internal/agent"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/steps/install"
)

// Agent is what this step asks of a runtime. Path is the file of b, its text.
type Agent interface {
	install.Writer
	Layout(env.Places) agent.Layout
	// Starts are what starts in and around the project of dir would be under, by the
	// settings alone.
	Starts(ctx context.Context, r host.Reader, dir string) []report.StartRow

	// Unusable says why the settings cannot name a work tree at root, "" if they can.
	Unusable(root string) string
	// Root makes the change that names root in the settings of that work tree alone, so
	// that its own sessions can read it.
	Root(d install.Draft, root string) (c report.Change, needed bool, err error)
	// WithoutRoot is the text of f without what Root adds there, if one of before, what
	// runs found in its place, has it not.
	WithoutRoot(d install.Draft, f install.File, root string, before [][]byte) ([]byte, error)

	// Floor proposes a policy for every start in the user's own settings, for the needs
	// of projects, below roots, as a section and the questions that shape it. The ids of
	// its changes begin with the section's.
	Floor(ctx context.Context, d install.Draft, framework string, a report.Answers,
		projects, roots []string) (report.Section, []report.Question, error)
	// Floored says whether the user's settings are such a policy. Stays is what is found,
	// without a summary, where one stays.
	Floored(path string, b []byte) (stays report.Finding, yes bool)
	// Retract is now without what a run added that found before and left after; nil if
	// nothing is left of a file that it made.
	Retract(path string, now, before, after []byte) ([]byte, error)

	// Reading is b, with which sandboxed commands may read dirs; Reads says where b has
	// that of dir, nil if it does not, and WithoutReading takes it out.
	Reading(path string, b []byte, dirs ...string) ([]byte, error)
	Reads(path string, b []byte, dir string) []report.Evidence
	WithoutReading(path string, b []byte, dir string) ([]byte, error)
}

// local are the agent's settings of one work tree alone, relative to it, and dir its
// directory there.
func (o Options) local(r host.Reader) string {
	l := o.Agent.Layout(r.Places())
	return path.Join(l.Dir, l.Settings[len(l.Settings)-1])
}

func (o Options) dir(r host.Reader) string { return path.Dir(o.local(r)) }

// user are the agent's settings of the user's own.
func (o Options) user(r host.Reader) string {
	l := o.Agent.Layout(r.Places())
	return filepath.Join(l.Own, l.Settings[0])
}
