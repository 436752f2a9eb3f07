// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a directory that a setting gives to the agent, to be read or written
// without a prompt, is judged by what lies there and by what a session loads from it.

package openpaths

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/agent/claude/inforce"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
)

var memoryKey = claude.KeyAutoMemoryDirectory.String()

// MemoryOpenings judges the directories for the model's notes that the user
// chose: the Read tool takes every file there without a prompt, and files with
// .md are written there (measured with 2.1.329, in both launches; 2.1.330). A
// project's own key is project-code's, too, which warns of any.
func MemoryOpenings(r host.Reader, s session.Settings) []opening.Opening {
	j := NewJudge(r, s)
	var found []opening.Opening
	judge := func(name, value, where string, path []string, plain bool) {
		if o, bad := j.memory(name, value); bad && (name != memoryKey || !plain || o.Status == report.Fail) {
			o.Where, o.Path, o.Plain = where, path, plain
			found = append(found, o)
		}
	}
	for _, l := range s.Layers {
		if v := l.Doc.Get(memoryKey); v != nil && v.Kind == settings.Str {
			judge(memoryKey, v.Text, l.Doc.Where(v), []string{memoryKey}, l.Scope.OfProject())
		}
		if l.Scope.OfProject() { // a variable there is project-code's
			continue
		}
		for _, m := range settings.MembersOf(l.Doc.Get(claude.KeyEnv...)) {
			if slices.Contains(claude.MemoryVariables, m.Key) {
				judge(m.Key, m.Value.Text, l.Doc.Where(m.Value), claude.KeyEnv.Below(m.Key), false)
			}
		}
	}
	for _, v := range iso.Choose(r.System().Env) {
		if slices.Contains(claude.MemoryVariables, v.Name) {
			value := r.System().Env.Get(v.Name)
			if o, bad := j.MemoryOf(v.Name, value, value); bad {
				o.Plain = !v.Kept
				found = append(found, o)
			}
		}
	}
	return found
}

// SharedNames names other projects of the user's that have one name with this one: the
// runtime makes it of a path, and writes to its state where it was started. By the name of
// the root it keeps notes, which the agent of each reads and writes, and sessions send to the
// model (measured with 2.1.330); by that of the directory of the start the outputs of commands,
// which the agent of each reads without a prompt (2.1.332).
func SharedNames(r host.Reader, s session.Settings, start string) (found []opening.Opening) {
	state := inforce.StateFile(r)
	b, err := r.Read(state)
	if err != nil {
		return nil
	}
	doc, err := settings.Parse(state, b)
	if err != nil {
		return nil // nothing of it counts
	}
	tree := host.FindTree(r, start)
	root := cmp.Or(tree.Main, tree.Root, start)
	notes := !s.InForce().Scalar(claude.KeyAutoMemoryEnabled...).Value.False()
	for _, m := range settings.MembersOf(doc.Get("projects")) {
		same := func(at string) bool {
			return pathname.Dashed(m.Key) == pathname.Dashed(at) && m.Key != at && host.Real(r, m.Key) != host.Real(r, at)
		}
		o := opening.Opening{Status: report.Warn, Where: doc.WhereKey(m), What: m.Key}
		link := report.DocLink{Title: "rename one of them", Target: m.Key}
		switch {
		case notes && same(root):
			o.Opens = "The agent keeps its notes of this project and of " + m.Key + " in one directory: sessions of each read " +
				"and write those of the other."
			link.Title += `, or set "` + claude.KeyAutoMemoryEnabled.String() + `": false in your settings`
		case same(start):
			o.Opens = "The runtime keeps outputs of commands of sessions started here and in " + m.Key + " in one directory: " +
				"the agent of each reads those of the other without a prompt."
		default:
			continue
		}
		if _, err := r.Lstat(m.Key); err == nil {
			o.Remedy = link
			found = append(found, o)
		}
	}
	return found
}

// MemoryOf judges one that a variable of a shell names.
func (j *Judge) MemoryOf(name, value, where string) (o opening.Opening, bad bool) {
	o, bad = j.memory(name, value)
	o.Where, o.Opens = where, name+" is set: "+opening.LowerFirst(o.Opens)
	return o, bad
}

func (j *Judge) memory(name, value string) (o opening.Opening, bad bool) {
	at := settings.Dirs{Home: j.home, Start: j.start}.Resolve(value, settings.Project)
	e := grants.Entry{Named: at, Real: grants.RealPath(j.r, at)}
	if value == "" || j.ownMemory(e) {
		return o, false
	}
	o = opening.Opening{Status: report.Warn, What: value,
		Opens: "The agent reads every file there without a prompt, and writes notes there."}
	which, ok := j.credentials(e)
	if !ok {
		which, ok = j.runsOutside(e)
	}
	switch {
	case ok:
		o.Status, o.Voids = report.Fail, true
		o.Opens = "The agent reads every file there without a prompt: " + which + "."
	case loadedAt(j.r, j.start, e):
		o.Status, o.Opens = report.Fail, loadsWritten
	}
	if name != memoryKey {
		o.What = name
	}
	o.Remedy = report.DocLink{Title: "remove " + name + ", or make it an empty directory of its own for notes",
		Target: e.Named}
	return o, true
}

// ownMemory says whether a directory is one that the runtime uses by itself:
// projects/NAME/memory in the agent's directory.
func (j *Judge) ownMemory(e grants.Entry) bool {
	agent := j.r.Places().AgentDir
	for _, dir := range []string{agent, grants.RealPath(j.r, agent)} {
		rest, is := pathname.Below(e.Real, filepath.Join(dir, claude.Records))
		if parts := strings.Split(rest, "/"); is && len(parts) >= 2 && parts[1] == "memory" {
			return true
		}
	}
	return false
}

// PlanOpenings judges the directories for the plans of a session. The agent writes them
// without a prompt, in plan mode too (measured with 2.1.324 and 2.1.330), and the runtime
// reads them by itself: of a plan that a command made a symlink it sends the target to the
// model when the plan is shown and after a compaction, whatever the Read rules say
// (measured with 2.1.332 and 2.1.324). Out of the project the runtime ignores the key.
func PlanOpenings(r host.Reader, s session.Settings) (found []opening.Opening) {
	var g grants.Ground
	for _, l := range s.Layers {
		v := l.Doc.Get(claude.KeyPlansDirectory...)
		if v == nil || v.Kind != settings.Str {
			continue
		}
		if g.Set == nil {
			g = grants.Of(r, s)
		}
		at := s.Dirs.Resolve(v.Text, settings.Project)
		o := opening.Opening{What: v.Text, Where: l.Doc.Where(v), Path: claude.KeyPlansDirectory, Plain: l.Scope.OfProject()}
		if loadedAt(r, s.Dirs.Start, grants.Entry{Named: at, Real: grants.RealPath(r, at)}) {
			o.Status, o.Opens = report.Fail, loadsWritten
			found = append(found, o)
			continue
		}
		if _, writable := g.Writable(at); writable && grants.Under(at, g.Project) {
			o.Status, o.Opens = report.Warn, "Commands can replace a plan there by a symlink to any file of yours: the "+
				"runtime sends it to the model, whatever the Read rules say."
			o.Remedy = report.DocLink{Title: "remove " + claude.KeyPlansDirectory.String() +
				", set it to " + claude.Dir + "/plans, or add it to sandbox.filesystem.denyWrite", Target: at}
			found = append(found, o)
		}
	}
	return found
}

// loadsWritten is said of a directory that the agent writes and a session loads.
const loadsWritten = "The agent writes there without a prompt, and the next session loads it: hooks of an agent or a " +
	"command run outside the sandbox."

// loadedAt says whether a session in start loads what lies in a directory: the runtime
// keeps it from commands.
func loadedAt(r host.Reader, start string, e grants.Entry) bool {
	_, named := claude.ProtectedAt(e.Named, start, "")
	_, led := claude.ProtectedAt(e.Real, grants.RealPath(r, start), "")
	return named || led
}
