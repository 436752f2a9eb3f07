// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a session is worked out on the host by looking, played in
// a process that ends with this one, and leaves nothing behind.

package rehearsal

import (
	"context"
	"encoding/json"
	"fmt"
	iofs "io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/stage"
)

// A Player plays sessions.
type Player interface {
	// Play does one session. The error says why there is no result; a
	// *report.Error.
	Play(ctx context.Context, s Session) (Raw, error)
}

// Theatre plays sessions on stages: the Player of Linux.
type Theatre struct {
	Host host.Reader
	// Agent is whose sessions they are.
	Agent agent.Agent
	// Run is the nonce of the run, Trees the work trees on the stage, the
	// project's first.
	Run   string
	Trees []host.Tree
	// Paths are the credentials that the policy names, Names the hosts
	// that lead to the listener (stage.Spec).
	Paths, Names []string
	// Programs are those that the calls need, Runtime the agent's.
	Programs []string
	Runtime  string
	// Shared are directories of programs in the home (stage.Spec).
	Shared []string
	// Nice lets sessions step back behind whatever else runs.
	Nice bool
}

// niceness is by how much: what nice(1) takes where it is not told.
const niceness = 10

// needed are the programs of every session.
var needed = []string{"bwrap", "socat", "rg", "git", "sh", "bash", "cat", "true"}

// Layout is the stage of a session, with everything that is laid on it.
func (t *Theatre) Layout(s Session) (*stage.Stage, error) {
	st, _, err := t.layout(s)
	return st, err
}

// layout is Layout, and what the agent needs for the session.
func (t *Theatre) layout(s Session) (*stage.Stage, agent.Started, error) {
	started, err := t.Agent.Start(t.Host, agent.Start{Run: t.Run, Dir: s.Dir, Dirs: t.starts(s),
		Settings: s.Mode != Twin, Hooks: s.Mode == Hooks, Terminal: s.Terminal, StatusLine: s.StatusLine})
	if err != nil {
		return nil, started, err
	}
	home, keep := t.home(s, started)
	names, of := t.Names, t.Agent.Layout(t.Host.Places())
	if s.Terminal {
		names = append(slices.Clip(names), of.Endpoint)
	}
	st, err := stage.Build(t.Host, stage.Spec{Run: t.Run, Trees: t.Trees, Starts: []string{s.Dir}, Paths: t.Paths,
		Names: names, Layout: of, Runtime: t.Runtime,
		Binary: t.Host.System().Executable, Programs: slices.Concat(needed, t.Programs, s.Programs), Home: home, Keep: keep,
		Shared: t.Shared})
	if err != nil {
		return nil, started, err
	}
	for _, f := range s.Over {
		st.Mounts = append(st.Mounts, stage.Mount{Kind: stage.Data, Target: f.Path, Bytes: f.Data})
	}
	st.Files = append(st.Files, fs.Laid{Path: s.Dir, Mode: directory})
	st.Files = append(st.Files, s.Files...)
	return st, started, nil
}

// job is what the stage's own process is told.
func (t *Theatre) job(st *stage.Stage, s Session, started agent.Started) job {
	of := t.Agent.Layout(t.Host.Places())
	return job{Session: s, Files: st.Files, Environ: t.environ(st.Path, s, started.Environ), Agent: t.Agent.Name(),
		Runtime: stage.Bin + "/" + of.Program, Args: started.Args, Endpoint: of.Endpoint,
		Records: filepath.Join(of.Own, of.Records),
		Clean:   of.Clean, Self: stage.Self, Listen: fmt.Sprintf("%s:%d", proc.StageAddress, Port)}
}

const directory = 0o755 | iofs.ModeDir

// silenced are what stands for programs that the agent starts for itself, where no
// call and no hook needs them.
func (t *Theatre) silenced(of agent.Layout, s Session) (files []fs.Laid) {
	for _, name := range of.Silent {
		if s.Mode != Hooks && !slices.Contains(t.Programs, name) && !slices.Contains(s.Programs, name) {
			files = append(files, fs.Laid{Path: stage.Bin + "/" + name, Mode: 0o755, Data: []byte("#!/bin/sh\nexit 1\n")})
		}
	}
	return files
}

// maxPlays bounds how often a session is played whose sandbox comes too late.
const maxPlays = 3

// Play implements Player. A session whose sandbox came too late is played
// again: that is what a loaded machine does to it. One whose runtime ended before it
// asked anything has another play without what makes a session light.
func (t *Theatre) Play(ctx context.Context, s Session) (Raw, error) {
	begun := t.Host.System().Now()
	var raw Raw
	var err error
	plays := 0
	heavy := false
	for again := true; again && plays < maxPlays; plays++ {
		raw, err = t.play(ctx, s, heavy)
		refused := err == nil && !heavy && raw.refused(s)
		again, heavy = refused || err == nil && raw.late(), heavy || refused
	}
	if raw.Times != nil {
		raw.Times.Begun, raw.Times.Done, raw.Times.Plays = begun, t.Host.System().Now(), plays
	}
	return raw, err
}

// late says whether the runtime answered a call that its sandbox did not come
// up.
func (raw Raw) late() bool {
	for _, r := range raw.Results {
		if raw.agent().Says(model.Call{}, r.Text) == agent.NoSandbox {
			return true
		}
	}
	return false
}

// refused says whether the agent ended by itself and asked its model for nothing. What
// it prints on a terminal nobody reads; elsewhere it names a variable that it refuses.
func (raw Raw) refused(s Session) bool {
	if raw.Asked || raw.Failed != "" || raw.Exit == 0 || len(s.Turns) == 0 {
		return false
	}
	return s.Terminal || slices.ContainsFunc(raw.agent().Light(), func(variable string) bool {
		return strings.Contains(raw.Stderr+raw.Stream, variable)
	})
}

func (t *Theatre) play(ctx context.Context, s Session, heavy bool) (Raw, error) {
	st, started, err := t.layout(s)
	if err != nil {
		return Raw{}, err
	}
	st.LayOutside(t.Run)
	st.Files = append(st.Files, t.silenced(t.Agent.Layout(t.Host.Places()), s)...)
	told := t.job(st, s, started)
	told.Heavy = heavy
	j, err := json.Marshal(told)
	if err != nil {
		return Raw{}, err
	}
	uid, gid := st.Player()
	args, data := st.Args()
	enter := proc.Entry{UID: uid, GID: gid, Proc: st.AsRoot, Own: st.Memory()}
	if t.Nice {
		enter.Nice = niceness
	}
	if s.Terminal {
		enter.Terminal, enter.Port = proc.StageData(len(data)), firstPartyPort
	}
	entry, err := json.Marshal(enter)
	if err != nil {
		return Raw{}, err
	}
	spec := proc.Stage(args, data, stage.Self, string(entry), j)
	if s.Terminal {
		spec = spec.WithTerminal()
	}
	begun := t.Host.System().Now()
	res := t.Host.Run(ctx, spec)
	if ctx.Err() != nil {
		return Raw{}, &report.Error{Code: report.ExitInterrupted, What: "interrupted"}
	}
	var raw Raw
	if err := json.Unmarshal(res.Stdout, &raw); err != nil || !res.OK() {
		return Raw{}, blocked(t.Host, res)
	}
	if raw.Times != nil {
		raw.Times.Started = begun
	}
	return raw, nil
}
