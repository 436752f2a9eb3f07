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
	"slices"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/inforce"
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
	// Run is the nonce of the run, Trees the work trees on the stage, the
	// project's first.
	Run   string
	Trees []inforce.Tree
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
	home, keep, err := t.home(s)
	if err != nil {
		return nil, err
	}
	names := t.Names
	if s.Terminal {
		names = append(slices.Clip(names), model.Host)
	}
	st, err := stage.Build(t.Host, stage.Spec{Run: t.Run, Trees: t.Trees, Starts: []string{s.Dir}, Paths: t.Paths,
		Names: names, Runtime: t.Runtime,
		Binary: t.Host.System().Executable, Programs: slices.Concat(needed, t.Programs, s.Programs), Home: home, Keep: keep,
		Shared: t.Shared})
	if err != nil {
		return nil, err
	}
	for _, f := range s.Over {
		st.Mounts = append(st.Mounts, stage.Mount{Kind: stage.Data, Target: f.Path, Bytes: f.Data})
	}
	st.Files = append(st.Files, fs.Laid{Path: s.Dir, Mode: directory})
	st.Files = append(st.Files, s.Files...)
	return st, nil
}

const directory = 0o755 | iofs.ModeDir

const npm = "npm"

// silenced is what stands for npm where no call and no hook needs it: each start of
// the runtime asks it for the directory of its global packages, which takes 0.11 s
// of a processor, and looks there for parts that the native runtime brings along,
// and for an agent for Java. Without an answer it looks in the usual directories
// alone (read in 2.1.330).
func (t *Theatre) silenced(s Session) []fs.Laid {
	if s.Mode == Hooks || slices.Contains(t.Programs, npm) || slices.Contains(s.Programs, npm) {
		return nil
	}
	return []fs.Laid{{Path: stage.Bin + "/" + npm, Mode: 0o755, Data: []byte("#!/bin/sh\nexit 1\n")}}
}

// maxPlays bounds how often a session is played whose sandbox comes too late.
const maxPlays = 3

// Play implements Player. A session whose sandbox came too late is played
// again: that is what a loaded machine does to it.
func (t *Theatre) Play(ctx context.Context, s Session) (Raw, error) {
	begun := t.Host.System().Now()
	var raw Raw
	var err error
	plays := 0
	for late := true; late && plays < maxPlays; late = err == nil && raw.late() {
		raw, err = t.play(ctx, s)
		plays++
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
		if claude.SandboxCameLate(r.Text) {
			return true
		}
	}
	return false
}

func (t *Theatre) play(ctx context.Context, s Session) (Raw, error) {
	st, err := t.Layout(s)
	if err != nil {
		return Raw{}, err
	}
	st.LayOutside(t.Run)
	st.Files = append(st.Files, t.silenced(s)...)
	j, err := json.Marshal(job{Session: s, Files: st.Files, Environ: t.environ(st.Path, s), Runtime: stage.Bin + "/claude",
		Self:  stage.Self,
		Agent: st.Agent, Listen: fmt.Sprintf("%s:%d", proc.StageAddress, Port)})
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
	started := t.Host.System().Now()
	res := t.Host.Run(ctx, spec)
	if ctx.Err() != nil {
		return Raw{}, &report.Error{Code: report.ExitInterrupted, What: "interrupted"}
	}
	var raw Raw
	if err := json.Unmarshal(res.Stdout, &raw); err != nil || !res.OK() {
		return Raw{}, blocked(t.Host, res)
	}
	if raw.Times != nil {
		raw.Times.Started = started
	}
	return raw, nil
}
