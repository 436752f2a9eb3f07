// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the sessions of a rehearsal follow from the settings that
// are in force and from what is on the machine; the same machine has the same
// sessions.

package verify

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"path/filepath"
	"slices"

	"github.com/steward-setup/steward-setup/internal/agent/claude/inforce"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/agent/claude/play"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/pins"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
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
	// tree is the linked worktree that takes part, "" if there is none;
	// refused says why claude-iso would not start in it, and admit what ends that.
	root, tree, refused string
	admit               report.Command
	version             string
	// openers are the settings of the project.
	openers *openers
	// other is a directory of no project, "" if no policy holds there; around
	// are the inputs of a start there, and beside its settings.
	other  string
	around trial.Inputs
	beside *openers
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

// openersOf are the settings that a session is judged by.
func (p sessionPlan) openersOf(session string) *openers {
	if session == PlainOther {
		return p.beside
	}
	return p.openers
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
	return nil, "", &report.Error{Code: report.ExitLeft, Where: "bwrap",
		What: rehearsal.NoStage + why,
		Why:  rehearsal.NotTested, Next: "steward-setup verify --live=always   # in a replica home, " +
			"which proves less"}
}

// status is the version from which the runtime can be asked what is in force;
// an older one would send the words to its model (measured).
const statusSince = "2.1.329"

// plan works out the sessions for the project of o.
func plan(ctx context.Context, r host.Reader, o Options) (sessionPlan, error) {
	var p sessionPlan
	trees, err := p.places(ctx, r, o.Project)
	if err != nil {
		return p, err
	}
	if why, _ := agentNotStarting(ctx, r); why != "" {
		return p, errors.New(why)
	}
	runtimes := iso.FindRuntime(r, r.System().Get("PATH"), trees[0].Root)
	if len(runtimes) == 0 || runtimes[0].From != "PATH" {
		if _, err := r.Look("claude"); errors.As(err, new(*proc.PassedOver)) {
			return p, err
		}
		return p, errors.New(iso.NotOnPath)
	}
	if res := r.Run(ctx, proc.Version(proc.ClaudeCode)); res.OK() {
		p.version, _ = pins.Reported(string(proc.ClaudeCode), string(res.Stdout))
	}
	s := SessionAt(r, p.root)
	p.openers = openersAt(r, s)
	e := p.openers.e
	nonce := make([]byte, 6)
	_, _ = rand.Read(nonce) // it never fails (crypto/rand, Go 1.24)
	theatre := &rehearsal.Theatre{Host: r, Agent: play.Claude{}, Run: hex.EncodeToString(nonce), Trees: trees,
		Paths: named(e, s.dirs), Programs: []string{"curl"}, Runtime: runtimes[0].Real, Nice: o.Nice}
	p.inputs = inputsOf(r, e, s.dirs, theatre.Run)
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
	p.refused, p.admit = refusal(ctx, r, p.root, p.tree)
	if dir := noProject(r); !outlookOf(inforce.Gather(r, inforce.Invocation{Start: dir})).voids &&
		!pathname.Within(dir, p.root) {
		p.other = dir
		p.around = p.inputsAround(r, dir)
	}
	p.cast()
	return p, nil
}

// places finds the work tree of the project and one that is linked with it.
func (p *sessionPlan) places(ctx context.Context, r host.Reader, dir string) ([]host.Tree, error) {
	if dir == "" {
		dir = r.System().Cwd
	}
	repo, worktrees, err := open(ctx, r, dir)
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

// refusal says why claude-iso would not start in a linked worktree, once the
// policy of the project is approved: it has another one, or none. next ends that.
func refusal(ctx context.Context, r host.Reader, root, tree string) (why string, next report.Command) {
	if tree == "" {
		return "", next
	}
	next = report.Command{ID: "approve-worktree", Optional: true,
		Line: "cd " + scripts.Quote(tree) + " && steward-setup iso --approve",
		Why:  "see the policy of this worktree, and approve it"}
	there, err := iso.Consider(r, tree)
	if err != nil {
		return err.Error(), next
	}
	here, err := iso.Consider(r, root)
	if err == nil && there.Policy.Digest() == here.Policy.Digest() || there.Approved {
		return "", next
	}
	if there.Policy.Empty() {
		u, known := withoutPolicy(ctx, r, tree)
		if !known {
			u = bereft(tree)
		}
		return u.what, u.remedy
	}
	return "the policy of " + tree + " differs from the project's and is not approved", next
}

// inputsAround are the inputs of a start in dir, outside of any project: what the
// project's settings withhold or open says nothing there.
func (p *sessionPlan) inputsAround(r host.Reader, dir string) trial.Inputs {
	p.beside = openersAt(r, SessionAt(r, dir))
	there, f := inputsOf(r, p.beside.e, p.beside.s.dirs, p.inputs.Run), p.inputs
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
		Status: p.asked()}, asked)
	twin := len(p.trials) // its place: what it is asked is known at the end
	p.session(rehearsal.Session{Name: IsoRoot, Launch: report.Iso, Mode: rehearsal.Policy, Dir: p.root}, asked)
	terminal := f.OnTerminal()
	if p.note == "" && f.Layout.Endpoint != "" { // a replica has no terminal (rehearsal.Replica)
		p.session(rehearsal.Session{Name: PlainTerminal, Launch: report.Plain, Mode: rehearsal.Policy, Dir: p.root,
			Terminal: true, StatusLine: statusLineFile}, terminal)
		p.session(rehearsal.Session{Name: IsoTerminal, Launch: report.Iso, Mode: rehearsal.Policy, Dir: p.root,
			Terminal: true}, terminal)
	}
	p.trials = append(p.trials, trial.New(rehearsal.Session{Name: HookSession, Launch: report.Plain,
		Mode: rehearsal.Hooks, Dir: p.root, Turns: []model.Turn{hookCalls()}}, nil))
	sub := subdirectory(p.root)
	below := f
	below.Root = sub
	works := []trial.Probe{f.Control()}
	core := slices.Concat(works, f.Core(), below.BySomeTools(), []trial.Probe{f.PlantedHook(sub)}, f.Renames())
	p.session(rehearsal.Session{Name: IsoSub, Launch: report.Iso, Mode: rehearsal.Policy, Dir: sub}, core)
	p.session(rehearsal.Session{Name: PlainSub, Launch: report.Plain, Mode: rehearsal.Policy, Dir: sub}, core)
	if p.other != "" {
		p.session(rehearsal.Session{Name: PlainOther, Launch: report.Plain, Mode: rehearsal.Policy, Dir: p.other},
			slices.Concat(works, p.around.Core(), []trial.Probe{p.around.PlantedHook(p.other)}))
	}
	all := slices.Concat(full, terminal[2:])
	if p.tree != "" {
		there := f
		there.Root, there.Git, there.Linked = p.tree, "", true
		inTree := slices.Concat(works, f.Core(), there.BySomeTools(), there.InRoot(),
			[]trial.Probe{there.PlantedHook(p.tree)}, there.Renames())
		if p.refused == "" {
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
	if s.Dir != p.other {
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

// asked says whether this runtime can be asked about its sandbox.
func (p *sessionPlan) asked() bool {
	order, err := pins.Compare(string(proc.ClaudeCode), p.version, statusSince)
	return err == nil && order >= 0
}
