// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a session is looked at as it would start, by the same
// reading that starts it.

package access

import (
	"context"
	"errors"
	"slices"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/agent/claude/inforce"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/pins"
	"github.com/steward-setup/steward-setup/internal/report"
)

// Start is a way to start the agent, and what would be in force then.
type Start struct {
	Launch   report.Launch
	Settings *settings.Effective
	Dirs     settings.Dirs
	State    inforce.State
	// grants are what opens and closes paths to its commands.
	grants *grants.Set
	// directories are the additional ones of the settings.
	directories []grants.Entry
	// vars says what the launch makes of a variable.
	vars  func(name string) (kept bool, why string)
	Notes []report.Note
	// Missing: nothing can be said of this launch.
	Missing bool
	// plain is the other start, whose files a document of claude-iso is
	// made of; nil for itself.
	plain *Start
}

// Plain is a start of claude in root.
func Plain(ctx context.Context, r host.Reader, root string) *Start {
	s := &Start{Launch: report.Plain, vars: func(string) (bool, string) {
		return true, "claude passes on your whole environment"
	}}
	version, _ := Version(ctx, r)
	s.gather(r, inforce.Invocation{Start: root, Version: version})
	return s
}

// Version is that of the installed runtime, "" if it does not say.
func Version(ctx context.Context, r host.Reader) (version string, said proc.Result) {
	if said = r.Run(ctx, proc.Version(claude.Name)); said.OK() {
		version, _ = pins.Reported(claude.Name, string(said.Stdout))
	}
	return version, said
}

func (s *Start) gather(r host.Reader, invoked inforce.Invocation) {
	in := inforce.Gather(r, invoked)
	s.Dirs, s.Settings, s.State = in.Dirs, settings.Combine(in.Layers, in.Dirs), inforce.Judge(in)
	of := session.Settings{Layers: in.Layers, Dirs: in.Dirs}
	s.grants, s.directories = grants.SetOf(r, of, false), grants.Entries(r, of, grants.DirectoriesKey)
	for _, b := range s.State.Broken {
		s.Notes = append(s.Notes, report.Note{Text: b.What, Where: b.Where})
	}
}

// Name is the launch as it is typed.
func (s *Start) Name() string {
	if s.Launch == report.Iso {
		return "claude-iso"
	}
	return "claude"
}

// Iso is a start of claude-iso in root.
func Iso(ctx context.Context, r host.Reader, root string, plain *Start) *Start {
	s := &Start{Launch: report.Iso, plain: plain}
	sys := r.System()
	sys.Cwd = root
	here := elsewhere{r, sys}
	s.vars = func(name string) (bool, string) {
		for _, v := range iso.Choose(env.New([]string{name + "=x", iso.AllowVariable + "=" + sys.Get(iso.AllowVariable)})) {
			if v.Name == name {
				return v.Kept, v.Why
			}
		}
		return false, iso.Unlisted
	}
	l, _, err := iso.Prepare(ctx, here, iso.Options{})
	if err != nil || len(l.Argv) == 0 {
		s.Missing = true
		s.Notes = append(s.Notes, report.Note{Text: "claude-iso cannot start here: " + Sentence(err)})
		return s
	}
	if err := l.Refuse(iso.Options{}); err != nil {
		s.Notes = append(s.Notes, report.Note{Text: "claude-iso does not start here as it is: " + Sentence(err)})
	}
	s.gather(r, inforce.Invocation{Start: root, Args: l.Argv[1:]})
	s.Notes = slices.DeleteFunc(s.Notes, func(n report.Note) bool { return slices.Contains(plain.Notes, n) })
	return s
}

// Sentence is an error as the text of a note.
func Sentence(err error) string {
	if err == nil {
		return "nothing is known of it"
	}
	if e, ok := errors.AsType[*report.Error](err); ok {
		return e.Error()
	}
	return err.Error()
}

// elsewhere is the machine seen from another working directory.
type elsewhere struct {
	host.Reader
	sys env.System
}

func (e elsewhere) System() env.System { return e.sys }
