// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the sessions of a rehearsal follow from the settings that
// are in force and from what is on the machine; the same machine has the same
// sessions.

package verify

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"path/filepath"
	"slices"

	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/stage"
	"github.com/steward-setup/steward-setup/internal/trial"
)

// The sessions' names.
const (
	PlainRoot = "claude in the project"
	IsoRoot   = "claude-iso in the project"
	PlainSub  = "claude in a subdirectory"
	IsoSub    = "claude-iso in a subdirectory"
	PlainTree = "claude in a linked worktree"
	IsoTree   = "claude-iso in a linked worktree"
	// PlainOther is played where the settings alone say that a policy holds
	// there: without one it would only repeat what they say.
	PlainOther = "claude outside any project"
	// The default start of a person, in the permission mode that comes of
	// the settings: print mode denies what others approve.
	PlainTerminal = "claude in the project, on a terminal"
	IsoTerminal   = "claude-iso in the project, on a terminal"
	HookSession   = "the hooks"
	Twin          = "the same without the sandbox"
)

// sessionPlan is what a rehearsal plays.
type sessionPlan struct {
	player rehearsal.Player
	// trials are its sessions, those that decide the verdict first.
	trials []*trial.Trial
	inputs trial.Inputs
	// tree is the linked worktree that takes part, "" if there is none.
	root, tree, version string
	found               Found
	// script is the agent's program where it is a script: what it starts may lie in
	// a place that the stage hides.
	script string
	// force is what holds in the project, beside in found.Elsewhere; around are the
	// inputs of a start there.
	force, beside InForce
	around        trial.Inputs
	// note says what the player proves less, "" if nothing.
	note string
}

// of is the trial of that name; one that is not planned has no calls and no
// result.
func (p sessionPlan) of(name string) *trial.Trial {
	for _, t := range p.trials {
		if t.Session.Name == name {
			return t
		}
	}
	return &trial.Trial{}
}

// forceOf is what a session is judged by.
func (p sessionPlan) forceOf(session string) InForce {
	if session == PlainOther {
		return p.beside
	}
	return p.force
}

// player is a stage where one can be had. Where not, Always plays in a replica
// home, which proves less, and everything else has a reason.
func player(ctx context.Context, r host.Reader, t *rehearsal.Theatre, mode LiveMode) (p rehearsal.Player, note string,
	err error) {
	why := proc.NoBubblewrap
	if r.System().GOOS == "linux" {
		res := r.Run(ctx, proc.SandboxTrial())
		if res.OK() {
			return t, "", nil
		}
		why = res.Text()
	}
	if mode == Always {
		return &rehearsal.Replica{Theatre: *t}, "rehearsed in a replica home, without a namespace of its own, which proves " +
			"less (docs/rehearsal.md): " + why, nil
	}
	return nil, "", &report.Error{Code: report.ExitLeft, Where: "bwrap", What: rehearsal.NoStage + why,
		Why: rehearsal.NotTested, Next: "test it in a replica home, which proves less:  ",
		Lines: []report.Line{{Words: "verify --live=always"}}}
}

// plan works out the sessions for the project of o.
func plan(ctx context.Context, r host.Reader, o Options) (sessionPlan, error) {
	var p sessionPlan
	trees, err := p.places(ctx, r, o.Project)
	if err != nil {
		return p, err
	}
	if p.found, err = o.Agent.Find(ctx, r, p.root, p.tree); err != nil {
		return p, err
	}
	if b, err := r.Script(p.found.Path); err == nil && b != nil {
		p.script = p.found.Path
	}
	p.version = o.Agent.Version(ctx, r)
	p.force = o.Agent.At(r, p.root)
	nonce := make([]byte, 6)
	_, _ = rand.Read(nonce) // it never fails (crypto/rand, Go 1.24)
	theatre := &rehearsal.Theatre{Host: r, Agent: o.Agent, Run: hex.EncodeToString(nonce), Trees: trees,
		Paths: p.force.Named(), Programs: []string{"curl"}, Runtime: p.found.Path, Nice: o.Nice}
	p.inputs = p.inputsOf(r, o.Agent, p.force, theatre.Run)
	p.inputs.Root = p.root
	if trees[0].Git != "" {
		p.inputs.Git = trees[0].Git
	}
	theatre.Names = []string{trial.Denied}
	if p.inputs.Allowed != "" {
		theatre.Names = append(theatre.Names, p.inputs.Allowed)
	}
	if p.player, p.note, err = player(ctx, r, theatre, o.Live); err != nil {
		return p, err
	}
	layout, err := theatre.Layout(rehearsal.Session{Dir: p.root, Mode: rehearsal.Policy})
	if err != nil {
		return p, err
	}
	p.inputs.Canaries = layout.Canaries
	p.inputs.Outside, p.inputs.Elsewhere = layout.Outside(theatre.Run), "/var/tmp"
	if p.note != "" { // a replica has no such directories of its own
		p.inputs.Outside, p.inputs.Elsewhere = nil, p.inputs.Home
	}
	p.inputs.Python, p.inputs.Curl = visible(r, layout, "python3"), visible(r, layout, "curl")
	if p.found.Elsewhere != "" {
		p.around = p.inputsAround(r, o.Agent)
	}
	p.cast()
	return p, nil
}

// places finds the work tree of the project and one that is linked with it.
func (p *sessionPlan) places(ctx context.Context, r host.Reader, dir string) ([]host.Tree, error) {
	dir = cmp.Or(dir, r.System().Cwd)
	repo, worktrees, err := gitrepo.Around(ctx, r, dir)
	switch {
	case errors.Is(err, gitrepo.ErrNone) || err == nil && repo.Root == "":
		if p.root, err = r.Resolve(dir); err != nil {
			return nil, err
		}
		return []host.Tree{{Root: p.root}}, nil
	case err != nil:
		return nil, err
	}
	p.root = repo.Root
	trees := []host.Tree{host.FindTree(r, p.root)}
	for _, w := range worktrees {
		if w.State != gitrepo.Usable || w.Path == p.root {
			continue
		}
		if len(trees) == 1 || w.Path == repo.Main {
			trees = append(trees, host.FindTree(r, w.Path))
		}
		if w.Path != repo.Main && p.tree == "" {
			p.tree = w.Path
			if len(trees) > 1 && trees[len(trees)-1].Root != w.Path {
				trees = append(trees, host.FindTree(r, w.Path))
			}
		}
	}
	return trees, nil
}

// inputsOf are the inputs of a start of the agent, by what is in force there.
func (p *sessionPlan) inputsOf(r host.Reader, a Agent, in InForce, run string) trial.Inputs {
	f := in.Inputs()
	f.Runtime, f.Layout, f.Home, f.Run = a, a.Layout(r.Places()), r.Places().Home, run
	f.Other = "STEWARD_PLANTED_TOKEN"
	return f
}

// inputsAround are the inputs of a start outside of any project: what the project's
// settings withhold or open says nothing there.
func (p *sessionPlan) inputsAround(r host.Reader, a Agent) trial.Inputs {
	p.beside = a.At(r, p.found.Elsewhere)
	there, f := p.beside.Inputs(), p.inputs
	f.Exposed, f.Sockets, f.Ruled = there.Exposed, there.Sockets, there.Ruled
	f.Withheld = slices.DeleteFunc(slices.Clone(f.Withheld), func(name string) bool {
		return !slices.Contains(there.Withheld, name)
	})
	return f
}

// cast makes the sessions, those that decide the verdict first: the project's
// root under the policy, and its twin. Of the others those that take longest come
// first, so that none is left to the end alone.
func (p *sessionPlan) cast() {
	f := p.inputs
	full := slices.Concat(f.Controls(), f.InRoot(), f.Full(), []trial.Probe{f.PlantedHook(p.root)}, f.Renames())
	asked := slices.Concat(full, f.ByTools()) // rules decide: their twin is a neighbour
	p.session(rehearsal.Session{Name: PlainRoot, Launch: report.Plain, Mode: rehearsal.Policy, Dir: p.root,
		Status: p.found.Asked}, asked)
	twin := len(p.trials) // its place: what it is asked is known at the end
	p.session(rehearsal.Session{Name: IsoRoot, Launch: report.Iso, Mode: rehearsal.Policy, Dir: p.root}, asked)
	terminal := f.OnTerminal()
	if p.note == "" && f.Layout.Endpoint != "" { // a replica has no terminal (rehearsal.Replica)
		p.session(rehearsal.Session{Name: PlainTerminal, Launch: report.Plain, Mode: rehearsal.Policy, Dir: p.root,
			Terminal: true, StatusLine: statusLineFile}, terminal)
		p.session(rehearsal.Session{Name: IsoTerminal, Launch: report.Iso, Mode: rehearsal.Policy, Dir: p.root,
			Terminal: true}, terminal)
	}
	if p.found.Hooks != nil {
		p.trials = append(p.trials, trial.New(rehearsal.Session{Name: HookSession, Launch: report.Plain,
			Mode: rehearsal.Hooks, Dir: p.root, Turns: []model.Turn{p.found.Hooks}}, nil))
	}
	sub := Subdirectory(p.root)
	below := f
	below.Root = sub
	works := []trial.Probe{f.Control()}
	core := slices.Concat(works, f.Core(), below.BySomeTools(), []trial.Probe{f.PlantedHook(sub)}, f.Renames())
	p.session(rehearsal.Session{Name: IsoSub, Launch: report.Iso, Mode: rehearsal.Policy, Dir: sub}, core)
	p.session(rehearsal.Session{Name: PlainSub, Launch: report.Plain, Mode: rehearsal.Policy, Dir: sub}, core)
	if p.found.Elsewhere != "" {
		p.session(rehearsal.Session{Name: PlainOther, Launch: report.Plain, Mode: rehearsal.Policy, Dir: p.found.Elsewhere},
			slices.Concat(works, p.around.Core(), []trial.Probe{p.around.PlantedHook(p.found.Elsewhere)}))
	}
	all := slices.Concat(full, terminal[2:])
	if p.tree != "" {
		there := f
		there.Root, there.Git, there.Linked = p.tree, "", true
		inTree := slices.Concat(works, f.Core(), there.BySomeTools(), there.InRoot(),
			[]trial.Probe{there.PlantedHook(p.tree)}, there.Renames())
		if p.found.Refused == "" {
			p.session(rehearsal.Session{Name: IsoTree, Launch: report.Iso, Mode: rehearsal.Policy, Dir: p.tree}, inTree)
		}
		p.session(rehearsal.Session{Name: PlainTree, Launch: report.Plain, Mode: rehearsal.Policy, Dir: p.tree}, inTree)
		all = slices.Concat(all, there.InRoot(), there.Renames())
	}
	p.session(rehearsal.Session{Name: Twin, Launch: report.Plain, Mode: rehearsal.Twin, Dir: p.root}, all)
	last := len(p.trials) - 1
	p.trials = slices.Insert(p.trials[:last], twin, p.trials[last])
}

// statusLineFile is where the stage keeps what a status line was told: in memory
// of the stage alone.
const statusLineFile = "/var/tmp/steward-status-line.json"

// session adds a session that asks probes.
func (p *sessionPlan) session(s rehearsal.Session, probes []trial.Probe) {
	if s.Launch == report.Iso && p.inputs.Layout.Clean == "" {
		return // it is no agent that claude-iso starts
	}
	var more []trial.Probe
	if !s.Terminal { // there a planted variable could be another account's
		// The variables are looked for also where the policy withholds none.
		more, s.Env = []trial.Probe{p.inputs.EnvProbe()}, p.inputs.Planted()
	}
	if s.StatusLine != "" {
		s.Watch = []string{s.StatusLine}
	}
	there := p.inputs
	if s.Dir != p.found.Elsewhere {
		there.Root = s.Dir
	}
	sample, content := there.Sample()
	bare := filepath.Join(p.root, trial.Remote)
	s.Files = []fs.Laid{
		{Path: sample, Mode: 0o644, Data: []byte(content)},
		{Path: p.inputs.StartFile(), Mode: 0o644, Data: []byte("# nothing\n")},
		{Path: filepath.Join(bare, "HEAD"), Mode: 0o644, Data: []byte("ref: refs/heads/main\n")},
		fs.Directory(filepath.Join(bare, "objects")), fs.Directory(filepath.Join(bare, "refs", "heads")),
	}
	s.Files = slices.Concat(s.Files, p.inputs.Unnamed(), p.inputs.Attached())
	for _, root := range []string{p.root, p.tree} {
		if root != "" { // it can be renamed where it is
			s.Files = append(s.Files, fs.Directory(filepath.Join(root, p.inputs.Layout.Dir)))
		}
	}
	p.trials = append(p.trials, trial.New(s, p.inputs.Can(probes), more...))
}

// visible is the real file of the first program of that name on PATH that is
// to be seen on the stage; "" if there is none. What a version manager puts
// into the home needs more of it than itself.
func visible(r host.Reader, st *stage.Stage, name string) string {
	for _, dir := range filepath.SplitList(r.System().Get("PATH")) {
		path := filepath.Join(dir, name)
		if info, err := r.Stat(path); err != nil || !filepath.IsAbs(dir) || !info.Mode().IsRegular() {
			continue
		}
		if real, err := r.Resolve(path); err == nil && st.Sees(r, real) {
			return real
		}
	}
	return ""
}

// Theatre is the theatre that a rehearsal of the project of o would play in,
// and the inputs of which its probes are made. The error says why there is
// none.
func Theatre(ctx context.Context, r host.Reader, o Options) (*rehearsal.Theatre, trial.Inputs, error) {
	p, err := plan(ctx, r, o)
	if err != nil {
		return nil, p.inputs, err
	}
	t, ok := p.player.(*rehearsal.Theatre)
	if !ok {
		return nil, p.inputs, errors.New("no rehearsal on this platform")
	}
	return t, p.inputs, nil
}

// Subdirectory is one of a work tree in which the agent was never started.
func Subdirectory(root string) string { return filepath.Join(root, "steward-subdirectory") }
