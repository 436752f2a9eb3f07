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

	"github.com/steward-setup/steward-setup/internal/access"
	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/inforce"
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

	// Of prepare: the theatre, or why there is none, and the repository's
	// other worktrees.
	theatre *rehearsal.Theatre
	inputs  trial.Inputs
	layout  *stage.Stage
	noStage error
	lead    report.Command // what leads on without one
	trees   []string
	away    []report.Evidence
	// starts are what would be in force in the sessions.
	starts map[string]*access.Start

	// Of inside: the shared sessions and what they came to, by their start
	// directory ("" is the project's root).
	trials     map[string]pair
	core       []trial.Probe
	outcomes   map[string][]trial.Outcome
	treatments map[string]*treatment

	// Of judge: the first probe that a denial that does not hold made void.
	voided report.ID
}

// pair is a session under the policy, the baseline of every fix, and its twin.
type pair struct{ baseline, twin *trial.Trial }

// programs are those of the probes' calls.
var programs = []string{"ssh", "ssh-add", "ssh-agent", "ssh-keygen", "docker", "podman", "gpg", "gpg-agent",
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
	b.theatre, b.inputs, b.noStage = verify.Theatre(ctx, b.r, verify.Options{Project: b.o.Project,
		Framework: b.o.Framework, Nice: b.o.Nice})
	if b.noStage != nil {
		return
	}
	b.theatre.Programs = append(b.theatre.Programs, programs...)
	b.worktrees(ctx)
	b.starts = map[string]*access.Start{"": access.Plain(ctx, b.r, b.inputs.Root)}
	for _, dir := range b.trees {
		b.starts[dir] = access.Plain(ctx, b.r, dir)
	}
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
	if b.noStage != nil {
		return
	}
	cases = slices.DeleteFunc(slices.Clone(cases), func(c *inquiry) bool { return c.control.status != report.Pass })
	var dirs, environ []string
	for _, c := range cases {
		c.asked = c.asks(b, c.control)
		for _, a := range c.asked {
			dirs = union(dirs, []string{a.dir})
		}
		environ = append(environ, c.control.environ...)
	}
	// What the calls themselves need cannot be a canary too.
	b.core = slices.DeleteFunc(b.core, func(p trial.Probe) bool {
		name, variable := strings.CutPrefix(p.ID, "env:")
		return variable && slices.ContainsFunc(environ, func(kv string) bool { return strings.HasPrefix(kv, name+"=") })
	})
	b.emit(engine.Progress{Text: "trying every probe inside, and without the sandbox"})
	b.play(ctx, b.pairs(dirs, cases), b.theatre)
}

// pairs plans a session and its twin at each of some start directories.
func (b *bench) pairs(dirs []string, cases []*inquiry) (list []*trial.Trial) {
	b.trials = map[string]pair{}
	for _, dir := range dirs {
		p := pair{b.trial(rehearsal.Policy, dir, cases), b.trial(rehearsal.Twin, dir, cases)}
		b.trials[dir], list = p, append(list, p.baseline, p.twin)
	}
	return list
}

// play plays trials.
func (b *bench) play(ctx context.Context, trials []*trial.Trial, theatre *rehearsal.Theatre) {
	b.slots.Play(ctx, theatre, func(t *trial.Trial) {
		if b.o.Played != nil {
			b.o.Played(t.Raw)
		}
	}, trials...)
}

// judgeAll judges the shared sessions.
func (b *bench) judgeAll() {
	b.outcomes = map[string][]trial.Outcome{}
	for dir, p := range b.trials {
		if p.baseline.Err == nil && p.twin.Err == nil {
			b.outcomes[dir] = p.baseline.Judge(p.twin)
		}
	}
}

// denials are those among the outcomes of a session: the asks are alone.
func denials(outcomes []trial.Outcome) []trial.Outcome {
	return slices.DeleteFunc(slices.Clone(outcomes), func(o trial.Outcome) bool { return o.Alone })
}

// coreOf are the denials that a session is asked for: all of them at the root;
// in a worktree one that only a sandbox holds, and its control, tell whether
// there is one.
func (b *bench) coreOf(dir string) []trial.Probe {
	if dir == "" {
		return slices.Clone(b.core)
	}
	return slices.DeleteFunc(slices.Clone(b.core), func(p trial.Probe) bool {
		return !p.Control && !strings.HasPrefix(p.ID, "write:")
	})
}

// trial plans a session with the asks of some inquiries; the denials are asked
// first.
func (b *bench) trial(mode rehearsal.Mode, dir string, cases []*inquiry) *trial.Trial {
	s := rehearsal.Session{Name: "doctor, " + string(mode), Launch: report.Plain, Mode: mode, Dir: b.inputs.Root,
		Env: b.inputs.Planted(), Timed: b.o.Played != nil}
	if dir != "" {
		s.Dir, s.Name = dir, s.Name+", in "+dir
	}
	path, content := b.inputs.Sample()
	s.Files = []fs.Laid{{Path: path, Mode: 0o644, Data: []byte(content)}}
	probes := b.coreOf(dir)
	for _, c := range cases {
		s.Env, s.Offers = union(s.Env, c.control.environ), union(s.Offers, c.control.offers)
		for _, a := range c.asked {
			if a.dir != dir {
				continue
			}
			probes, s.Files = append(probes, a.probe()), append(s.Files, a.files...)
			if a.remotes.Hosts != nil {
				s.Remotes, s.Over = a.remotes, a.over
			}
		}
	}
	return trial.New(s, probes)
}

// union is a followed by what else there is in b.
func union[T comparable](a, b []T) []T {
	a = slices.Clone(a)
	for _, v := range b {
		if !slices.Contains(a, v) {
			a = append(a, v)
		}
	}
	return a
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
