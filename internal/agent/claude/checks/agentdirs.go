// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a directory that a setting gives to the agent, to be read or written
// without a prompt, is judged by what lies there and by what a session loads from it.

package checks

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/sensitive"
)

var memoryKey = claude.KeyAutoMemoryDirectory.String()

// memoryOpenings judges the directories for the model's notes that the user
// chose: the Read tool takes every file there without a prompt, and files with
// .md are written there (measured with 2.1.329, in both launches; 2.1.330). A
// project's own key is project-code's, too, which warns of any.
func memoryOpenings(r host.Reader, s SessionSettings) []opening {
	j := newPathJudge(r, s)
	var found []opening
	judge := func(name, value, where string, path []string, plain bool) {
		if o, bad := j.memory(r, name, value); bad && (name != memoryKey || !plain || o.status == report.Fail) {
			o.where, o.path, o.plain = where, path, plain
			found = append(found, o)
		}
	}
	for _, l := range s.Layers {
		if v := l.Doc.Get(memoryKey); v != nil && v.Kind == settings.Str {
			judge(memoryKey, v.Text, l.Doc.Where(v), []string{memoryKey}, ofProject(l.Scope))
		}
		if ofProject(l.Scope) { // a variable there is project-code's
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
			if o, bad := j.memoryOf(r, v.Name, value, value); bad {
				o.plain = !v.Kept
				found = append(found, o)
			}
		}
	}
	return found
}

// memoryOf judges one that a variable of a shell names.
func (j *pathJudge) memoryOf(r host.Reader, name, value, where string) (o opening, bad bool) {
	o, bad = j.memory(r, name, value)
	o.where, o.opens = where, name+" is set: "+lowerFirst(o.opens)
	return o, bad
}

// memory judges one directory.
func (j *pathJudge) memory(r host.Reader, name, value string) (o opening, bad bool) {
	at := settings.Dirs{Home: j.home, Start: j.start}.Resolve(value, settings.Project)
	e := entry{named: at, real: realPath(r, at)}
	if value == "" || j.ownMemory(r, e) {
		return o, false
	}
	o = opening{status: report.Warn, what: value, opens: "The agent reads every file there without a prompt, and writes " +
		"notes there."}
	which, ok := j.credentials(e)
	if !ok {
		for _, p := range []string{e.named, e.real} {
			if what, runs := sensitive.RunsOutside(p, j.home); runs {
				which, ok = what, true
			}
		}
	}
	switch {
	case ok:
		o.status, o.voids = report.Fail, true
		o.opens = "The agent reads every file there without a prompt: " + which + "."
	case loadedAt(r, j.start, e):
		o.status, o.opens = report.Fail, loadsWritten
	}
	if name != memoryKey {
		o.what = name
	}
	o.remedy = report.DocLink{Title: "remove " + name + ", or make it an empty directory of its own for notes",
		Target: e.named}
	return o, true
}

// ownMemory says whether a directory is one that the runtime uses by itself:
// projects/NAME/memory in the agent's directory.
func (j *pathJudge) ownMemory(r host.Reader, e entry) bool {
	for _, dir := range []string{r.Places().AgentDir, realPath(r, r.Places().AgentDir)} {
		rest, is := pathname.Below(e.real, filepath.Join(dir, claude.Records))
		if parts := strings.Split(rest, "/"); is && len(parts) >= 2 && parts[1] == "memory" {
			return true
		}
	}
	return false
}

// planOpenings judges the directories for the plans of a session, which the agent writes
// without a prompt, in plan mode too (measured with 2.1.324 and 2.1.330). Elsewhere in
// the project commands may write as well; out of it the runtime ignores the key.
func planOpenings(r host.Reader, s SessionSettings) []opening {
	var found []opening
	for _, l := range s.Layers {
		v := l.Doc.Get(claude.KeyPlansDirectory...)
		if v == nil || v.Kind != settings.Str {
			continue
		}
		at := s.dirs.Resolve(v.Text, settings.Project)
		if loadedAt(r, s.dirs.Start, entry{named: at, real: realPath(r, at)}) {
			found = append(found, opening{status: report.Fail, what: v.Text, where: l.Doc.Where(v),
				path: claude.KeyPlansDirectory, plain: ofProject(l.Scope), opens: loadsWritten})
		}
	}
	return found
}

// loadsWritten is said of a directory that the agent writes and a session loads.
const loadsWritten = "The agent writes there without a prompt, and the next session loads it: hooks of an agent or a " +
	"command run outside the sandbox."

// loadedAt says whether a session in start loads what lies in a directory: the runtime
// keeps it from commands.
func loadedAt(r host.Reader, start string, e entry) bool {
	_, named := claude.ProtectedAt(e.named, start, "")
	_, led := claude.ProtectedAt(e.real, realPath(r, start), "")
	return named || led
}

func ofProject(s settings.Scope) bool { return s == settings.Project || s == settings.Local }
