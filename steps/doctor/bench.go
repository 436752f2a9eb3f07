// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the probes share two sessions, one under the user's policy
// and its twin without any; a worktree, and what takes long, have a pair of their
// own. In each it is asked whether a sandbox holds at all.

package doctor

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/stage"
	"github.com/steward-setup/steward-setup/internal/trial"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// bench is what the probes of a run share.
type bench struct {
	r       host.Reader
	o       Options
	entries []catalog.Entry
	emit    engine.Sink
	slots   trial.Slots
	// begun is when the run began, alone that one probe is asked: it shares its
	// time with nobody.
	begun time.Time
	alone bool

	// Of prepare: the theatre, or why there is none, and the repository's
	// other worktrees.
	theatre *rehearsal.Theatre
	inputs  trial.Inputs
	layout  *stage.Stage
	noStage error
	lead    report.Command // what leads on without one
	trees   []string
	away    []report.Evidence
	// opens says what a change would (Agent.WouldOpen).
	opens func(report.Change) ([]string, error)

	// Of inside: the shared sessions.
	trials map[scene]*pair
	core   []trial.Probe

	// Of answer, for one batch at a time: the first probe that a denial that does
	// not hold made void, and the changes that are tried.
	judging    sync.Mutex
	voided     report.ID
	ends       report.Remedy // what ends that no settings have a sandbox (Agent.Off)
	treatments map[string]*treatment
	ruled      map[string]catalog.Rules // by start directory, of rules
}

// scene is where calls are made: the start directory, "" for the project's root,
// and whether the session there is the one of what takes long.
type scene struct {
	dir  string
	slow bool
}

// root is the session that every probe depends on: it is asked for all denials.
var root = scene{}

// pair is a session under the policy, the baseline of every fix, and its twin.
type pair struct {
	baseline, twin *trial.Trial
	// judged says that both were played; outcomes is what they came to, none if
	// one broke off.
	judged   bool
	outcomes []trial.Outcome
}

// judge judges a pair once both were played, and says whether they were.
func (p *pair) judge() bool {
	if p.judged = p.baseline.Played && p.twin.Played; p.judged && p.baseline.Err == nil && p.twin.Err == nil {
		p.outcomes = p.baseline.Judge(p.twin)
	}
	return p.judged
}

// Programs are those of the probes' calls.
var Programs = []string{"ssh", "ssh-add", "ssh-agent", "ssh-keygen", "docker", "podman", "gpg", "gpg-agent",
	"gpg-connect-agent", "unshare", "printf", "git-lfs",
	"npm", "node", "pnpm", "yarn", "pip", "python3", "uv", "cargo", "go", "mvn", "mktemp", "sed", "tr", "zsh"}

// maxTrees bounds the linked worktrees that are tried: each takes two sessions.
const maxTrees = 3

// prepare works out the stage.
func (b *bench) prepare(ctx context.Context) {
	if b.r.System().GOOS != "linux" {
		b.noStage = errors.New("no rehearsal on this platform: nothing was tested inside the sandbox")
		return
	}
	b.theatre, b.inputs, b.noStage = verify.Theatre(ctx, b.r, verify.Options{Agent: b.o.Agent, Project: b.o.Project,
		Framework: b.o.Framework, Nice: b.o.Nice})
	if b.noStage != nil {
		return
	}
	for _, name := range Programs {
		// What installs packages is there for the calls that need it (ask.programs):
		// each start of the runtime asks npm where it finds one.
		if !slices.ContainsFunc(managers, func(m manager) bool { return m.name == name }) {
			b.theatre.Programs = append(b.theatre.Programs, name)
		}
	}
	b.worktrees(ctx)
	b.opens = b.o.Agent.WouldOpen(ctx, b.r, b.inputs.Root)
	b.layout, b.noStage = b.theatre.Layout(rehearsal.Session{Dir: b.inputs.Root, Mode: rehearsal.Policy})
	b.core = append([]trial.Probe{b.inputs.Control()}, b.inputs.Core()...)
}

// worktrees puts every usable worktree of the repository on the stage.
func (b *bench) worktrees(ctx context.Context) {
	repo, err := gitrepo.Open(ctx, b.r, b.inputs.Root)
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
		if !slices.ContainsFunc(b.theatre.Trees, func(t host.Tree) bool { return t.Root == w.Path }) {
			b.theatre.Trees = append(b.theatre.Trees, host.FindTree(b.r, w.Path))
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

// inside plays the sessions that the asks need, and hands over the inquiries as
// soon as theirs were played: those that need none at once.
func (b *bench) inside(ctx context.Context, cases []*inquiry, ready func([]*inquiry)) {
	left := slices.Clone(cases)
	due := func() {
		var batch []*inquiry
		left = slices.DeleteFunc(left, func(c *inquiry) bool {
			due := !slices.ContainsFunc(c.places(), func(at scene) bool { return !b.trials[at].judged })
			if due {
				batch = append(batch, c)
			}
			return due
		})
		if batch != nil {
			ready(batch)
		}
	}
	list := b.pairs(b.asks(cases), cases)
	due()
	if list == nil {
		return
	}
	b.emit(engine.Progress{Text: "trying every probe inside, and without the sandbox"})
	b.play(ctx, list, b.theatre, func(t *trial.Trial) {
		for _, p := range b.trials {
			if (t == p.baseline || t == p.twin) && p.judge() {
				due()
			}
		}
	})
}

// asks works out what is asked inside, and lists the places where: the one that
// decides about all others first, then what takes longest.
func (b *bench) asks(cases []*inquiry) (places []scene) {
	var environ []string
	quick := false
	for _, c := range cases {
		if b.noStage != nil || c.control.status != report.Pass {
			continue
		}
		c.asked = c.probe.asks(b, c.control)
		environ = append(environ, c.control.environ...)
		quick = quick || slices.ContainsFunc(c.asked, func(a ask) bool { return a.dir == "" && !a.slow })
	}
	for _, c := range cases {
		for i := range c.asked {
			a := &c.asked[i]
			a.at = scene{a.dir, a.slow && quick}
		}
		places = report.Union(places, c.places()...)
	}
	slices.SortStableFunc(places, func(x, y scene) int { return cmp.Compare(x.order(), y.order()) })
	// What the calls themselves need cannot be a canary too.
	b.core = slices.DeleteFunc(b.core, func(p trial.Probe) bool {
		name, variable := strings.CutPrefix(p.ID, "env:")
		return variable && slices.ContainsFunc(environ, func(kv string) bool { return strings.HasPrefix(kv, name+"=") })
	})
	return places
}

func (at scene) order() int {
	switch {
	case at == root:
		return 0
	case at.slow:
		return 1
	}
	return 2
}

// places are where an inquiry's calls are made, and the root, whose denials void
// every answer; none where it makes no call.
func (c *inquiry) places() (list []scene) {
	for _, a := range c.asked {
		list = report.Union(list, root, a.at)
	}
	return list
}

// pairs plans a session and its twin at each of some places.
func (b *bench) pairs(places []scene, cases []*inquiry) (list []*trial.Trial) {
	b.trials = map[scene]*pair{}
	for _, at := range places {
		here := func(a ask) bool { return a.at == at }
		p := &pair{baseline: b.trial(rehearsal.Policy, at, cases, here), twin: b.trial(rehearsal.Twin, at, cases, here)}
		b.trials[at] = p
		if list = append(list, p.baseline, p.twin); at.slow { // whose calls are let, and so take longest
			slices.Reverse(list[len(list)-2:])
		}
	}
	return list
}

// play plays trials; done, if not nil, is handed each then, by one goroutine at a
// time.
func (b *bench) play(ctx context.Context, trials []*trial.Trial, player rehearsal.Player, done func(*trial.Trial)) {
	b.slots.Play(ctx, player, func(t *trial.Trial) {
		if b.o.Played != nil {
			b.o.Played(t.Raw)
		}
		if done != nil {
			done(t)
		}
	}, trials...)
}

// denials are those among the outcomes of a session, and the control beside them:
// every ask is a control.
func denials(outcomes []trial.Outcome) []trial.Outcome {
	return slices.DeleteFunc(slices.Clone(outcomes), func(o trial.Outcome) bool {
		return o.Control && o.ID != trial.ControlCommand
	})
}

// coreOf are the denials that a session is asked for: all of them at the root;
// elsewhere one that only a sandbox holds, and its control, tell whether there is
// one.
func (b *bench) coreOf(at scene) []trial.Probe {
	if at == root {
		return slices.Clone(b.core)
	}
	return slices.DeleteFunc(slices.Clone(b.core), func(p trial.Probe) bool {
		return !p.Control && !strings.HasPrefix(p.ID, "write:")
	})
}

// trial plans a session with the asks of some inquiries that are wanted, and with
// all that lies there for the others of the same inquiry; the denials are asked
// first.
func (b *bench) trial(mode rehearsal.Mode, at scene, cases []*inquiry, wanted func(ask) bool) *trial.Trial {
	s := rehearsal.Session{Name: "doctor, " + string(mode), Launch: report.Plain, Mode: mode, Dir: b.inputs.Root,
		Env: b.inputs.Planted(), Timed: b.o.Played != nil}
	if at.dir != "" {
		s.Dir, s.Name = at.dir, s.Name+", in "+at.dir
	}
	path, content := b.inputs.Sample()
	s.Files = []fs.Laid{{Path: path, Mode: 0o644, Data: []byte(content)}}
	probes := b.coreOf(at)
	for _, c := range cases {
		if !slices.ContainsFunc(c.asked, wanted) {
			continue
		}
		s.Env, s.Offers = report.Union(s.Env, c.control.environ...), report.Union(s.Offers, c.control.offers...)
		for _, a := range c.asked {
			if a.dir != at.dir {
				continue
			}
			s.Files = append(s.Files, a.files...)
			if a.remotes.Hosts != nil {
				s.Remotes, s.Over = a.remotes, a.over
			}
			if wanted(a) {
				probes, s.Programs = append(probes, a.probe()), report.Union(s.Programs, a.programs...)
			}
		}
	}
	return trial.New(s, probes)
}

// refused returns the system call that ToolReach says was refused for an ask,
// "" if none was.
func refused(t *trial.Trial, id string) (call, text string) {
	said := t.Of(id).Text
	_, rest, ok := strings.Cut(said, rehearsal.Refused)
	if !ok {
		return "", trial.Line(said)
	}
	call, _, _ = strings.Cut(rest, ":")
	rest, _, _ = strings.Cut(rest, "\n") // the shell tells it once more
	return call, rehearsal.Refused + trial.Line(rest)
}
