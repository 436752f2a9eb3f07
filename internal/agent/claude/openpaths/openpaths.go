// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a path is judged by where it leads: links followed, in
// itself and in the places that it must not reach. An entry that leads out of
// the project to the directories around it is named, however it is written;
// one by which commands write another repository is a failure. A directory of
// the model's notes is open to the agent's tools, whatever else lies there;
// one that the user chose is named.

// Package openpaths lists the paths that the settings of a session open to commands or to the
// agent, and those outside of the home that nothing hides.
//
// Contract: links are followed, no secret is opened, and what is open on purpose is told with
// its price.
package openpaths

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/agent/claude/inforce"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/agent/claude/policy"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/sensitive"
)

// Openings judges the paths that commands may read and write.
func Openings(r host.Reader, s session.Settings) []opening.Opening {
	j := NewJudge(r, s)
	var found []opening.Opening
	for _, e := range slices.Concat(j.reads, j.writes) {
		if o, bad := j.judge(e); bad {
			found = append(found, o)
		}
	}
	return append(found, j.mounts(s)...)
}

// mounts judges what mounts below the project show of other places, and what
// mounts elsewhere show of the project: commands read and write that there,
// whatever the policy says of its other path (measured with 2.1.330 and 2.1.332 in
// both launches). claude-iso hides the first where they decide about a session.
func (j *Judge) mounts(s session.Settings) (found []opening.Opening) {
	g, open := grants.Of(j.r, s), *j
	open.kept = nil // by its other path
	add := func(m host.Shown, shows string, plain bool) {
		o, bad := open.judge(grants.Entry{Key: grants.AllowWriteKey, Text: m.Source,
			Where: fmt.Sprintf("%s:%d", host.Mountinfo, m.Line), Named: m.Source, Real: m.Source})
		if !bad {
			return
		}
		o.Plain, o.Path, o.What, o.Opens = plain, nil, m.Path, shows+" is mounted at "+m.Path+". "+o.Opens
		o.Remedy = report.DocLink{Title: "unmount it: umount " + scripts.Quote(m.Path), Target: m.Path}
		found = append(found, o)
	}
	start := s.Dirs.Start
	closed := iso.MountedInside(j.r, start)
	for _, m := range host.ShownIn(j.r, host.Written(j.r, start)) {
		if g.Reads(m.Path) {
			add(m, m.Source, slices.Contains(closed, host.Second{Path: m.Path, Line: m.Line}))
		}
	}
	for _, m := range iso.MountedOver(j.r, start) {
		add(m, "A part of the project", false)
	}
	return found
}

// Judge knows what a path is held against.
type Judge struct {
	r   host.Reader
	doc *settings.Value // what is in force
	// home is the home directory as it is called, realHome where it is;
	// own are the project's directories, both ways.
	home, realHome string
	own            []string
	// gits are the git directories of the project.
	gits []string
	// places are the usual places of credentials that are links, where they
	// lead, and the agent's own where it lies elsewhere.
	places map[string]string
	// denied and hidden are the real paths of credentials.files and of
	// denyRead.
	denied, hidden, kept []string
	reads, writes        []grants.Entry
	start                string
}

// NewJudge reads what paths of a session are held against.
func NewJudge(r host.Reader, s session.Settings) *Judge {
	return session.Found(r, s, judgeKey{}, func() *Judge { return newJudge(r, s) })
}

type judgeKey struct{}

func newJudge(r host.Reader, s session.Settings) *Judge {
	home := s.Dirs.Home
	j := &Judge{r: r, doc: session.Merged(s.InForce()), home: home, realHome: grants.RealPath(r, home),
		start: s.Dirs.Start, places: map[string]string{},
		reads: grants.Entries(r, s, grants.AllowReadKey), writes: grants.Writes(r, s), kept: grants.Of(r, s).Kept}
	tree := host.FindTree(r, s.Dirs.Start)
	for _, dir := range []string{s.Dirs.Start, tree.Root, tree.Main} {
		if dir != "" && dir != "/" {
			j.own = append(j.own, filepath.Clean(dir), grants.RealPath(r, dir))
		}
	}
	for _, git := range []string{tree.Git, tree.Common} {
		if git != "" {
			j.gits = append(j.gits, grants.RealPath(r, git))
		}
	}
	known := sensitive.CredentialPlaces()
	for spelled, what := range known {
		named, _ := pathname.Expand(spelled, home)
		below, _ := pathname.Expand(spelled, j.realHome)
		if real := grants.RealPath(r, named); real != below {
			j.places[real] = what
		}
	}
	if agent := s.Dirs.Agent; agent != filepath.Join(home, claude.Dir) {
		for _, name := range []string{claude.LoginFile, claude.Records} {
			j.places[grants.RealPath(r, filepath.Join(agent, name))] = known["~/"+claude.Dir+"/"+name]
		}
	}
	for _, path := range inforce.StateFiles(r) {
		j.places[grants.RealPath(r, path)] = known["~/"+claude.StateFile]
	}
	if state := grants.RealPath(r, r.Places().State); !grants.Under(state,
		j.own) { // there it is named as what may be written
		j.places[state] = known["~/.local/state/steward-setup"]
	}
	for _, c := range s.InForce().Credentials(claude.KeyCredentialFiles) {
		if c.Ignored == "" && c.Mode == claude.Deny {
			j.denied = append(j.denied, grants.RealPath(r, s.Dirs.Resolve(c.Name, c.Scope)))
		}
	}
	for _, e := range grants.Entries(r, s, claude.KeyDenyRead.String()) {
		j.hidden = append(j.hidden, e.Real)
	}
	return j
}

// judge says what an entry opens that it should not.
func (j *Judge) judge(e grants.Entry) (o opening.Opening, bad bool) {
	o = opening.Opening{Plain: e.Plain(), Where: e.Where, Path: e.Path, What: e.Text}
	writes := e.Key != grants.AllowReadKey
	verb := "read "
	if writes {
		verb = "read and write "
	}
	if x, ok := policy.Embedded().Exposure(e.Key, e.Named, j.home, j.doc); ok {
		o.Status, o.Group, o.Opens = report.Warn, opening.OnPurpose, x.Price+" ("+string(x.By)+")"
		return o, true
	}
	if which, ok := j.credentials(e); ok {
		can := "commands can " + verb + which + "."
		if grants.Under(e.Real, j.denied) {
			can = "it opens " + which + " to commands; only sandbox.credentials.files still protects them."
		}
		o.Status, o.Voids, o.Opens = report.Fail, true, strings.ToUpper(can[:1])+can[1:]
		switch {
		case e.InAgentDir():
			o.Opens = policy.InAgentDir + can
		case e.Real != e.Named:
			o.Opens = "It resolves to " + e.Real + ": " + can
		}
		return o, true
	}
	if writes && !grants.Under(e.Real, j.kept) {
		if which, ok := j.runsOutside(e); ok {
			o.Status, o.Voids, o.Opens = report.Fail, true, "Commands can change "+which+", outside the sandbox."
			return o, true
		}
	}
	if o, bad := j.reopens(e, o); bad {
		return o, true
	}
	if !e.InAgentDir() && j.opensNothing(e) {
		return o, false
	}
	if o, is := j.calledLikePattern(e, o); is {
		return o, o.Opens != ""
	}
	if o, bad := j.leavesProject(e, o); bad && !e.InAgentDir() {
		return o, true
	}
	switch {
	case e.InAgentDir():
		o.Status, o.Opens = report.Warn, policy.InAgentDir+e.Named+"."
		return o, true
	case writes && e.Key != grants.DirectoriesKey && grants.Under(e.Real, j.hidden) && !j.readable(e.Real):
		o.Status, o.Opens = report.Warn, "denyRead hides it, but writable paths are readable too."
		return o, true
	}
	return o, false
}

func (j *Judge) credentials(e grants.Entry) (which string, ok bool) {
	for _, c := range []struct{ path, home string }{{e.Named, j.home}, {e.Real, j.home}, {e.Real, j.realHome}} {
		if which, ok := sensitive.Reaches(c.path, c.home, j.own); ok {
			return which, true
		}
	}
	for place, what := range j.places {
		if grants.HoldsPath(e.Real, place) || pathname.Within(pathname.BeforeWildcard(e.Real), place) {
			return what, true
		}
	}
	return "", false
}

// runsOutside says what of an entry runs outside the sandbox, if anything does.
func (j *Judge) runsOutside(e grants.Entry) (which string, ok bool) {
	if which, ok = sensitive.RunsOutside(e.Named, j.home); ok {
		return which, true
	}
	return sensitive.RunsOutside(e.Real, j.home)
}

// readable says whether commands may read a path that is hidden otherwise. The
// directory in which the session starts is always readable on Linux (measured).
func (j *Judge) readable(real string) bool {
	if pathname.Within(real, j.start) {
		return true
	}
	return slices.ContainsFunc(j.reads, func(e grants.Entry) bool { return grants.HoldsPath(e.Real, real) })
}

// leavesProject judges an entry that opens a directory around the project, or
// another repository. Measured with 2.1.329: "../" in additionalDirectories lets
// a sandboxed command write the repository beside the project; only the
// project's own .git and .claude are kept from commands.
func (j *Judge) leavesProject(e grants.Entry, o opening.Opening) (opening.Opening, bool) {
	dir := pathname.BeforeWildcard(e.Real)
	if grants.Under(dir, j.own) || pathname.Within(dir, filepath.Join(j.realHome, claude.Dir)) {
		return o, false
	}
	around := slices.ContainsFunc(j.own, func(own string) bool { return pathname.Within(own, dir) })
	upwards := settings.IsRelative(e.Text) && strings.HasPrefix(filepath.Clean(e.Text), "..") ||
		strings.Contains(e.Text, "(../")
	if e.Key == grants.AllowReadKey {
		o.Status, o.Opens = report.Warn, "Commands can read "+e.Real+opening.NotOfProject
		return o, around || upwards
	}
	if other, bad := j.otherProject(e, dir, o); bad {
		return other, true
	}
	if around || upwards {
		o.Status, o.Opens = report.Warn, "Commands can write "+e.Real+opening.NotOfProject
	}
	return o, around || upwards
}
