// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a directory of the model's notes is open to the agent's
// tools, whatever else lies there; one that the user chose is named.

package verify

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/iso"
	"github.com/steward-setup/steward-setup/internal/policy"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/settings"
)

var memoryKey = claude.KeyAutoMemoryDirectory.String()

// memoryOpenings judges the directories for the model's notes that the user
// chose: the Read tool takes every file there without a prompt, and files with
// .md are written there (measured with 2.1.329, in both launches). A project's
// own key is another check's.
func memoryOpenings(r host.Reader, s SessionSettings, pol *policy.Policy) []opening {
	j := newPathJudge(r, s, pol)
	var found []opening
	judge := func(name, value, where string, path []string, plain bool) {
		if o, bad := j.memory(r, name, value); bad {
			o.where, o.path, o.plain = where, path, plain
			found = append(found, o)
		}
	}
	for _, l := range s.Layers {
		if l.Scope == settings.Project || l.Scope == settings.Local {
			continue
		}
		if v := l.Doc.Get(memoryKey); v != nil && v.Kind == settings.Str {
			judge(memoryKey, v.Text, l.Doc.Where(v), []string{memoryKey}, false)
		}
		for _, m := range members(l.Doc.Get(claude.KeyEnv...)) {
			if slices.Contains(claude.MemoryVariables, m.Key) {
				judge(m.Key, m.Value.Text, l.Doc.Where(m.Value), claude.KeyEnv.Below(m.Key), false)
			}
		}
	}
	for _, v := range iso.Choose(r.System().Env) {
		if slices.Contains(claude.MemoryVariables, v.Name) {
			value := r.System().Env.Get(v.Name)
			judge(v.Name, value, value, nil, !v.Kept)
		}
	}
	return found
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
			if what, runs := policy.RunsOutside(p, j.home); runs {
				which, ok = what, true
			}
		}
	}
	if ok {
		o.status, o.voids = report.Fail, true
		o.opens = "The agent reads every file there without a prompt: " + which + "."
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
		rest, is := pathname.Below(e.real, filepath.Join(dir, "projects"))
		if parts := strings.Split(rest, "/"); is && len(parts) >= 2 && parts[1] == "memory" {
			return true
		}
	}
	return false
}
