// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is said of a session is said of what would be in
// force in it: every file that counts is read, and what another one overrules
// is not held against anybody.

// Package session holds the settings that would be in force in a session that starts in
// a directory, and what of them weakens its policy.
//
// Contract: every file that counts is read, and what another one overrules is not held
// against anybody.
package session

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/inforce"
	"github.com/steward-setup/steward-setup/internal/agent/claude/policy"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
)

// Settings is what the settings say of a session that starts in a directory.
type Settings struct {
	// Layers are the documents that count, the strongest first.
	Layers []settings.ScopedDoc
	// Lost is the first file that the runtime would throw away whole, as a
	// *report.Error; nil if there is none. The layers are without it.
	Lost error
	// Doubt is the first file that can be read in more than one way; the
	// layers have what the runtime takes of it.
	Doubt error

	// Kept says that the runtime has a file in force that was not read: it may
	// hold anything.
	Kept     bool
	Dirs     settings.Dirs
	UserFile string // the file of the user's settings
	ByRoot   bool   // root starts it
}

// Found is host.Found for what follows from a session's documents and directories.
func Found[T any](r host.Reader, s Settings, key any, find func() T) T {
	of := foundKey{key: key, dirs: s.Dirs}
	if copy(of.layers[:], s.Layers) < len(s.Layers) {
		return find()
	}
	return host.Found(r, of, find)
}

type foundKey struct {
	key    any
	dirs   settings.Dirs
	layers [16]settings.ScopedDoc
}

// At reads the settings of a session that would start in start.
func At(r host.Reader, start string) Settings {
	start = StartAt(r, start)
	s := host.Found(r, atKey{start}, func() Settings { return at(r, start) })
	s.Layers = slices.Clone(s.Layers)
	return s
}

type atKey struct{ start string }

// at is At for a start that is resolved.
func at(r host.Reader, start string) Settings {
	in := inforce.Gather(r, inforce.Invocation{Start: start})
	s := Settings{Layers: in.Layers, Dirs: in.Dirs, UserFile: in.User, ByRoot: r.System().UID == 0}
	for _, lost := range in.Unread {
		s.lose(lost.Where, lost.What)
		s.Kept = s.Kept || lost.Kept
	}
	for _, doubt := range in.Doubts {
		if s.Doubt == nil {
			s.Doubt = &report.Error{Code: report.ExitMalformed, Where: doubt.Where, What: doubt.What}
		}
	}
	for _, d := range settings.Combine(in.Layers, in.Dirs).Dropped {
		at := settings.Source{Path: d.Doc.Path, Line: d.Problem.Line, Col: d.Problem.Col}
		s.lose(at.Where(), d.Problem.What())
		s.Layers = slices.DeleteFunc(s.Layers, func(l settings.ScopedDoc) bool { return l == d.ScopedDoc })
	}
	return s
}

func (s *Settings) lose(where, what string) {
	if s.Lost == nil {
		s.Lost = &report.Error{Code: report.ExitMalformed, Where: where, What: what}
	}
}

// In reads the settings of a session at the root of the worktree around
// dir ("" is the working directory), or in dir where there is none. The error
// is git's.
func In(ctx context.Context, r host.Reader, dir string) (Settings, error) {
	if dir == "" {
		dir = r.System().Cwd
	}
	repo, _, err := gitrepo.Around(ctx, r, dir)
	switch {
	case err == nil && repo.Root != "":
		dir = repo.Root
	case err != nil && !errors.Is(err, gitrepo.ErrNone):
		return Settings{}, err
	}
	return At(r, dir), nil
}

// Judged is what judge says of the session in dir. Where git gives no answer, the
// root is where its directory lies: what fails there fails, and anything better
// is not known.
func Judged(ctx context.Context, r host.Reader, dir string, judge func(Settings) report.Finding) report.Finding {
	s, err := In(ctx, r, dir)
	if err == nil {
		return judge(s)
	}
	unknown := NotOpened(dir, err)
	if ctx.Err() != nil {
		return unknown
	}
	at := StartAt(r, cmp.Or(dir, r.System().Cwd))
	f := judge(At(r, cmp.Or(host.FindTree(r, at).Root, at)))
	if f.Status != report.Fail {
		return unknown
	}
	f.Evidence = append(f.Evidence, unknown.Evidence...)
	return f
}

// With is the session with doc in the place of the document at its path, or
// beside the others of its scope.
func (s Settings) With(scope settings.Scope, doc *settings.Doc) Settings {
	s.Layers = slices.Clone(s.Layers)
	layer := settings.ScopedDoc{Scope: scope, Doc: doc}
	for i, l := range s.Layers {
		if l.Scope == scope && l.Doc.Path == doc.Path {
			s.Layers[i] = layer
			return s
		}
	}
	s.Layers = append(s.Layers, layer)
	return s
}

// InForce puts the documents together.
func (s Settings) InForce() *settings.Effective { return settings.Combine(s.Layers, s.Dirs) }

// Weakenings lists what in the session's documents takes protection away and
// is still in force once the settings are those of later; each once.
func (s Settings) Weakenings(later Settings) []policy.Weakening {
	e := later.InForce()
	sealed := e.Scalar(claude.KeyAllowUnsandboxedCommands...).Value.False()
	var hosts []string
	for _, c := range e.Taken(claude.KeyAllowedDomains...) {
		hosts = append(hosts, c.Value.Text)
	}
	own := sync.OnceValue(func() *settings.Effective {
		return settings.Combine(slices.DeleteFunc(slices.Clone(later.Layers), func(l settings.ScopedDoc) bool {
			return l.Scope.OfProject()
		}), later.Dirs)
	})
	var found []policy.Weakening
	seen := map[string]bool{}
	for _, l := range s.Layers {
		doc := l.Doc
		for _, w := range policy.Weakenings(policy.Document{Content: doc.Root, Scope: l.Scope,
			Home: s.Dirs.Home, Start: s.Dirs.Start, Root: s.ByRoot, Sealed: sealed, Hosts: hosts,
			ReadsHeld:  e.AnyTrue(claude.KeyBlockReads...),
			WritesHeld: e.AnyTrue(claude.KeyBlockWrites...), SkillsHeld: skillsHeld(e), Where: func(path []string) string {
				if v := doc.Get(path...); v != nil {
					return doc.Where(v)
				}
				return doc.Path
			}}) {
			if w.Kind == "bypass" && BypassClosed(e) || w.Kind == "auto" && autoClosed(e) {
				continue
			}
			in := e
			if w.OwnOnly() {
				in = own()
			}
			if at := w.Where + " " + settings.KeyPath(w.Path); !seen[at] && HoldsAt(in, l, w.Path) {
				seen[at], found = true, append(found, w)
			}
		}
	}
	return found
}

// HoldsAt says whether the value at path in a layer is in force: the strongest
// of its key, or an element of an array that the runtime does not ignore.
func HoldsAt(e *settings.Effective, l settings.ScopedDoc, path []string) bool {
	v := l.Doc.Get(path...)
	if v == nil {
		return true // spelled in a way that only encoding/json reads
	}
	above := path[:len(path)-1]
	if array := l.Doc.Get(above...); array != nil && array.Kind == settings.Array {
		return e.Holds(l.Scope, l.Doc.Path, v, above...)
	}
	c := e.Scalar(path...).Candidate
	return c.Ignored == "" && c.Scope == l.Scope && c.Path == l.Doc.Path && c.Value.Equal(v)
}

// NotOpened is the answer where there is no repository to look at.
func NotOpened(dir string, err error) report.Finding {
	f := report.Finding{Status: report.Unknown, Summary: gitrepo.NoAnswer,
		Evidence: []report.Evidence{report.ErrorEvidence(cmp.Or(dir, "the working directory"), err)}}
	if errors.Is(err, gitrepo.ErrNone) {
		f.Status, f.Summary = report.Skip, gitrepo.NoneHere
	} else if e, is := errors.AsType[*report.Error](err); is {
		if said, _, _ := strings.Cut(e.What, ": "); strings.HasPrefix(said, "git ") { // it is missing, or refuses
			f.Summary = said
		}
		if e.Advice() != "" {
			f.Remedies = []report.Remedy{report.DocLink{Title: e.Advice(), Target: cmp.Or(e.Where, dir)}}
		}
	}
	return f
}

// Attaches says for each launch whether the runtime attaches the files that a
// text names with @, which is a skill's or an agent's first prompt, and where
// that is decided. It asks nobody: Read rules and
// blockReadsOutsideWorkingDirectories alone hold it (measured with 2.1.324 and
// 2.1.329: TestFilesThatASkillAttaches).
func Attaches(r host.Reader, s Settings) (plain, iso bool, where string) {
	e := s.InForce()
	if e.AnyTrue(claude.KeyBlockReads...) {
		return false, false, ""
	}
	// Settings win over the environment.
	if set := e.Scalar(claude.KeyEnv.Below(claude.MentionsVariable)...); set.Value != nil {
		on := claude.SwitchedOn(settings.Shown(set.Value))
		return !on, !on, set.Where()
	}
	// claude-iso sets it.
	return !claude.SwitchedOn(r.System().Get(claude.MentionsVariable)), false, s.UserFile
}

// Checkpoints says for each launch whether the runtime copies what the agent has edited for
// /rewind, and what decides that, if anything does. Of plain launches a project's word wins
// over the user's (measured with 2.1.332 and 2.1.324), but does not end it where the user says
// nothing; claude-iso reads the user's alone.
func Checkpoints(r host.Reader, s Settings) (plain, iso bool, by settings.Setting) {
	e := s.InForce()
	set := e.Scalar(claude.KeyEnv.Below(claude.CheckpointsVariable)...)
	project := false
	for _, c := range append([]settings.Candidate{set.Candidate}, set.Others...) {
		if c.Value == nil || c.Ignored != "" || c.Scope.OfProject() && project {
			continue
		}
		on := claude.SwitchedOn(settings.Shown(c.Value))
		switch {
		case c.Scope.OfProject():
			if project = true; !on {
				plain, by.Candidate = true, c
			}
		default:
			if !on && !plain {
				by.Candidate = c
			}
			return plain || !on, !on, by
		}
	}
	if plain {
		return true, false, by
	}
	off := e.Scalar(claude.CheckpointsKey)
	held := off.Value.False() && !off.Scope.OfProject()
	return !held && !claude.SwitchedOn(r.System().Get(claude.CheckpointsVariable)), false, by
}

// OpenSkills are those of the runtime's own skills with these names that settings do not
// leave out: that the agent can use, or with typed also the user (measured with 2.1.332:
// TestSkillsThatApproveReading).
func OpenSkills(e *settings.Effective, names []string, typed bool) []string {
	bundled := !e.Scalar(claude.KeyDisableBundledSkills...).Value.True()
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		word := settings.TextOf(e.Scalar(claude.KeySkillOverrides.Below(name)...).Value)
		return !bundled && name != claude.SetsStatusLine || word == claude.SkillOff ||
			word == claude.SkillTyped && (!typed || name == claude.HelpsWithKeys)
	})
}

// skillsHeld says whether the agent cannot use a skill of claude.ReadingSkills by itself.
func skillsHeld(e *settings.Effective) bool {
	var denied []string
	for _, rule := range e.RulesIn(claude.Deny) {
		denied = append(denied, rule.Value.Text)
	}
	return !slices.ContainsFunc(OpenSkills(e, claude.ReadingSkills(), false), func(name string) bool {
		return !slices.Contains(denied, claude.ToolSkill) && !slices.Contains(denied, claude.ToolSkill+"("+name+")")
	})
}

// StartsIn lists where a session for the project around dir would start: at
// the root of its worktree, and in dir itself.
func StartsIn(r host.Reader, dir string) []string {
	start := StartAt(r, dir)
	if root := host.FindTree(r, start).Root; root != "" && root != start {
		return []string{root, start}
	}
	return []string{start}
}

// StartAt is dir, or the working directory, as a session would know it:
// absolute, links resolved.
func StartAt(r host.Reader, dir string) string {
	return host.Resolved(r, pathname.From(r.System().Cwd, dir))
}

// InForceWith puts together what a session's settings are once each of later
// is in the place of its own document.
func (s Settings) InForceWith(later ...settings.ScopedDoc) *settings.Effective {
	for _, l := range later {
		s = s.With(l.Scope, l.Doc)
	}
	return s.InForce()
}

// Dropped is the loudest failure: a file that the runtime drops whole, or of
// which nobody knows what it takes.
func Dropped(path string, err error) report.Finding {
	f := report.Finding{Status: report.Fail, Summary: "the runtime silently ignores this file",
		Evidence: []report.Evidence{report.FileEvidence(path, err.Error())},
		Remedies: []report.Remedy{report.DocLink{Title: "fix the file", Target: path}}}
	if settings.Kept(err) {
		f.Summary = "this file cannot be judged: the runtime has it in force, and it can be read in more than one way"
	}
	if e, ok := errors.AsType[*report.Error](err); ok {
		f.Evidence = []report.Evidence{report.FileEvidence(e.Where, e.What)}
		f.Remedies = []report.Remedy{report.DocLink{Title: "fix the file", Target: e.Where}}
	}
	return f
}
