// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: all probes share two sessions, one under the user's policy
// and its twin without any; a worktree has a pair of its own. In each it is
// asked whether a sandbox holds at all.

package doctor

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/steward-setup/steward-setup/internal/access"
	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/inforce"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/probe"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/stage"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// bench is what the probes of a run share.
type bench struct {
	r       host.Reader
	o       Options
	entries []catalog.Entry
	emit    engine.Sink
	slots   chan struct{}

	// Of prepare: the theatre, or why there is none, and the repository's
	// other worktrees.
	theatre *rehearsal.Theatre
	facts   probe.Inputs
	layout  *stage.Stage
	noStage error
	lead    report.Command // what leads on without one
	trees   []string
	away    []report.Evidence
	// starts are what would be in force in the sessions.
	starts map[string]*access.Start

	// Of inside: the shared sessions and the denials in them, by their start
	// directory ("" is the project's root).
	scenes map[string]pair
	core   []probe.Probe
	held   map[string][]probe.Outcome
	trials map[string]*trial

	// Of judge: the first probe that a denial that does not hold made void.
	voided report.ID
}

// pair is a session under the policy and the same without it.
type pair struct{ policy, twin *scene }

// programs are those of the probes' calls.
var programs = []string{"ssh", "ssh-add", "ssh-agent", "ssh-keygen", "docker", "podman", "gpg", "gpg-agent",
	"gpg-connect-agent", "unshare", "printf", "git-lfs",
	"npm", "node", "pnpm", "yarn", "pip", "python3", "uv", "cargo", "go", "mvn", "mktemp", "sed", "tr", "zsh"}

// maxTrees bounds the linked worktrees that are tried: each takes two sessions.
const maxTrees = 3

// slot runs f when there is room beside the others that run.
func (b *bench) slot(f func()) {
	b.slots <- struct{}{}
	defer func() { <-b.slots }()
	f()
}

// prepare works out the stage.
func (b *bench) prepare(ctx context.Context) {
	if b.r.System().GOOS != "linux" {
		b.noStage = errors.New("no rehearsal on this platform: nothing was tested inside the sandbox")
		return
	}
	b.theatre, b.facts, b.noStage = verify.Theatre(ctx, b.r, verify.Options{Project: b.o.Project, Framework: b.o.Framework,
		Nice: b.o.Nice})
	if b.noStage != nil {
		return
	}
	b.theatre.Programs = append(b.theatre.Programs, programs...)
	b.worktrees(ctx)
	b.starts = map[string]*access.Start{"": access.Plain(ctx, b.r, b.facts.Root)}
	for _, dir := range b.trees {
		b.starts[dir] = access.Plain(ctx, b.r, dir)
	}
	b.layout, b.noStage = b.theatre.Layout(rehearsal.Session{Dir: b.facts.Root, Mode: rehearsal.Policy})
	b.core = append(b.facts.Controls()[:1], b.facts.Core()...)
}

// worktrees puts every usable worktree of the repository on the stage.
func (b *bench) worktrees(ctx context.Context) {
	repo, err := gitrepo.Open(ctx, b.r, b.facts.Root)
	if err != nil || repo.Root == "" {
		return
	}
	list, err := repo.Worktrees(ctx)
	if err != nil {
		return
	}
	for _, w := range list {
		switch {
		case w.Path == repo.Root || w.State == gitrepo.BareEntry:
			continue
		case w.State != gitrepo.Usable:
			b.away = append(b.away, report.FileEvidence(w.Path, "not tested: "+w.Why))
			continue
		case len(b.trees) == maxTrees:
			b.away = append(b.away, report.FileEvidence(w.Path, "not tested: it is one of many"))
			continue
		}
		b.trees = append(b.trees, w.Path)
		if !slices.ContainsFunc(b.theatre.Trees, func(t inforce.Tree) bool { return t.Root == w.Path }) {
			b.theatre.Trees = append(b.theatre.Trees, inforce.FindTree(b.r, w.Path))
		}
	}
}

// onStage is where a path of the host can be made on the stage: the same, with
// links followed, if that is memory there; else a place that is.
func (b *bench) onStage(path string) string {
	if dir, err := b.r.Resolve(filepath.Dir(path)); err == nil {
		path = filepath.Join(dir, filepath.Base(path))
	}
	for _, dir := range []string{"/run", "/tmp", "/var/tmp", b.r.Places().Home} {
		if pathname.Within(path, dir) {
			return path
		}
	}
	return filepath.Join("/run/steward", filepath.Base(path))
}

// inside plays the sessions that the asks need.
func (b *bench) inside(ctx context.Context, cases []*inquiry) {
	b.scenes, b.held = map[string]pair{}, map[string][]probe.Outcome{}
	if b.noStage != nil {
		return
	}
	byDir := map[string][]ask{}
	var offers []rehearsal.Offer
	var environ []string
	for _, c := range cases {
		if c.control.status != report.Pass {
			continue
		}
		c.asked = c.asks(b, c.control)
		for _, a := range c.asked {
			byDir[a.dir] = append(byDir[a.dir], a)
		}
		environ = append(environ, c.control.environ...)
		for _, o := range c.control.offers {
			if !slices.Contains(offers, o) {
				offers = append(offers, o)
			}
		}
	}
	// What the calls themselves need cannot be a canary too.
	b.core = slices.DeleteFunc(b.core, func(p probe.Probe) bool {
		name, variable := strings.CutPrefix(p.ID, "env:")
		return variable && slices.ContainsFunc(environ, func(kv string) bool { return strings.HasPrefix(kv, name+"=") })
	})
	var playing sync.WaitGroup
	b.emit(engine.Progress{Text: "trying every probe inside, and without the sandbox"})
	for dir, asks := range byDir {
		p := pair{b.scene(rehearsal.Policy, dir, asks, offers, environ), b.scene(rehearsal.Twin, dir, asks, offers, environ)}
		b.scenes[dir] = p
		for _, s := range []*scene{p.policy, p.twin} {
			playing.Go(func() { b.slot(func() { s.play(ctx, b.theatre, b.o.Played) }) })
		}
	}
	playing.Wait()
	for dir, p := range b.scenes {
		if p.policy.err == nil && p.twin.err == nil {
			b.held[dir] = b.denials(dir, p.policy)
		}
	}
}

// denials judges those of a session that starts at dir.
func (b *bench) denials(dir string, s *scene) []probe.Outcome {
	twin := b.scenes[dir].twin
	return probe.Judge(s.probes, s.core, s.raw, twin.core, twin.raw)
}

// coreOf are the denials that a session is asked for: all of them at the root;
// in a worktree one that only a sandbox holds, and its control, tell whether
// there is one.
func (b *bench) coreOf(dir string) []probe.Probe {
	if dir == "" {
		return b.core
	}
	return slices.DeleteFunc(slices.Clone(b.core), func(p probe.Probe) bool {
		return !p.Control && !strings.HasPrefix(p.ID, "write:")
	})
}

// scene is one session with the asks in it.
type scene struct {
	session rehearsal.Session
	asks    []ask
	extra   []string // environment of the controls
	probes  []probe.Probe
	core    probe.Script
	at      map[string][2]int // id of an ask: turn, number
	raw     rehearsal.Raw
	err     error
}

// scene plans a session; the denials are asked first.
func (b *bench) scene(mode rehearsal.Mode, dir string, asks []ask, offers []rehearsal.Offer, environ []string) *scene {
	s := &scene{asks: asks, extra: environ, at: map[string][2]int{},
		session: rehearsal.Session{Name: "doctor, " + string(mode), Launch: report.Plain, Mode: mode, Dir: b.facts.Root,
			Offers: offers, Env: append(b.facts.Planted(), environ...)}}
	path, content := b.facts.Sample()
	s.session.Files = []fs.Laid{{Path: path, Mode: 0o644, Data: []byte(content)}}
	s.probes = b.coreOf(dir)
	s.core = probe.NewScript(s.probes)
	s.session.Watch = probe.Watch(s.probes)
	s.session.Turns = slices.Clone(s.core.Turns)
	if dir != "" {
		s.session.Dir, s.session.Name = dir, s.session.Name+", in "+dir
	}
	last := 0
	for _, a := range asks {
		last = max(last, a.turn)
		s.session.Files = append(s.session.Files, a.files...)
		if a.remotes.Hosts != nil {
			s.session.Remotes, s.session.Over = a.remotes, a.over
		}
		if a.through.File != "" {
			s.session.Watch = append(s.session.Watch, a.through.File)
		}
	}
	for turn := 0; turn <= last; turn++ {
		var calls model.Turn
		for _, a := range asks {
			if a.turn != turn {
				continue
			}
			if len(calls) == probe.PerTurn {
				s.session.Turns, calls = append(s.session.Turns, calls), nil
			}
			s.at[a.id] = [2]int{len(s.session.Turns), len(calls)}
			calls = append(calls, a.call)
		}
		if calls != nil {
			s.session.Turns = append(s.session.Turns, calls)
		}
	}
	return s
}

// of returns what came of an ask, and whether it got through.
func (s *scene) of(id string) (call rehearsal.Call, through bool) {
	at, planned := s.at[id]
	i := slices.IndexFunc(s.asks, func(a ask) bool { return a.id == id })
	if !planned || i < 0 {
		return rehearsal.Call{Decision: rehearsal.NotMade}, false
	}
	call = s.raw.Call(at[0], at[1])
	return call, call.Decision != rehearsal.NotMade && s.asks[i].through.Seen(s.raw, call.Text)
}

// refused returns the system call that ToolReach says was refused for an ask,
// "" if none was.
func (s *scene) refused(id string) (call, text string) {
	c, _ := s.of(id)
	_, rest, ok := strings.Cut(c.Text, rehearsal.Refused)
	if !ok {
		return "", literal(c.Text)
	}
	call, _, _ = strings.Cut(rest, ":")
	rest, _, _ = strings.Cut(rest, "\n") // the shell tells it once more
	return call, rehearsal.Refused + literal(rest)
}
