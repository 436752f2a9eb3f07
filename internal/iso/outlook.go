// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a launch would be judged by is gathered in one way,
// whether it is about to happen or only asked about.

package iso

import (
	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/inforce"
)

// Outlook works out what a launch in the directory start (absolute) would be
// judged by, without looking for an agent and without starting anything. The
// error is a *report.Error: claude-iso would not start here.
func Outlook(h host.Reader, start string) (Launch, inforce.Input, error) {
	l, err := Consider(h, start)
	if err != nil {
		return l, inforce.Input{}, err
	}
	l.Vars = Choose(h.System().Env)
	l.environment(h)
	if err := l.argv(Options{}); err != nil {
		return l, inforce.Input{}, err
	}
	_, in, err := l.gather(h)
	return l, in, err
}

// environment is what the agent gets of the user's, once Vars are chosen and
// the project is read.
func (l *Launch) environment(h host.Reader) {
	more := []string{Marker + "=1", claude.StayVariable + "=1", claude.MentionsVariable + "=1"}
	if l.Instructions {
		more = append(more, readInstructions)
	}
	e := h.System().Env
	dirs := host.Written(h, l.Place.Start)
	l.Vars = withoutProject(h, e, l.Vars, dirs)
	l.Environ = environ(e, l.Vars, ownPath(h, e.Get("PATH"), dirs), more...)
}

// gather reads what decides about the launch, as the agent will see it: clean
// is the machine with the launch's environment.
func (l *Launch) gather(h host.Reader) (clean *host.Host, in inforce.Input, err error) {
	if clean, err = host.New(system(h, l.Environ)); err != nil {
		return nil, in, err
	}
	l.Open = l.openDotenv(h)
	return clean, inforce.Gather(clean, inforce.Invocation{Start: l.Place.Start, Args: l.Argv[1:]}), nil
}
