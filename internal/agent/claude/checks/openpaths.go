// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a path is judged by where it leads: links followed, in
// itself and in the places that it must not reach. An entry that leads out of
// the project to the directories around it is named, however it is written;
// one by which commands write another repository is a failure. A directory of
// the model's notes is open to the agent's tools, whatever else lies there;
// one that the user chose is named.

package checks

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/inforce"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/agent/claude/policy"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/sensitive"
)

var (
	allowReadKey  = claude.KeyAllowRead.String()
	allowWriteKey = claude.KeyAllowWrite.String()
	// These open paths to commands too, and claude-iso does not load a
	// project's.
	allowKey       = claude.KeyAllow.String()
	directoriesKey = claude.KeyAdditionalDirectories.String()
)

// openPaths judges the paths that commands may read and write.
func openPaths(r host.Reader, s SessionSettings) []opening {
	j := newPathJudge(r, s)
	var found []opening
	for _, e := range slices.Concat(j.reads, j.writes) {
		if o, bad := j.judge(e); bad {
			found = append(found, o)
		}
	}
	return append(found, j.mounts(s)...)
}

// mounts judges what mounts below the project show of other places: commands read
// and write that there, whatever the policy says of its other path (measured with
// 2.1.330 in both launches). claude-iso hides what decides about a session.
func (j *pathJudge) mounts(s SessionSettings) (found []opening) {
	hidden, open := hiddenIn(j.r, s, s.dirs.Start), *j
	open.kept = nil // by its other path
	closed := iso.MountedInside(j.r, s.dirs.Start)
	for _, m := range host.ShownIn(j.r, host.Written(j.r, s.dirs.Start)) {
		where := fmt.Sprintf("%s:%d", host.Mountinfo, m.Line)
		o, bad := open.judge(entry{key: allowWriteKey, text: m.Source, where: where, named: m.Source, real: m.Source})
		if !bad || hidden.hides(m.Path) {
			continue
		}
		o.plain = slices.Contains(closed, host.Second{Path: m.Path, Line: m.Line})
		o.path, o.what, o.opens = nil, m.Path, m.Source+" is mounted at "+m.Path+". "+o.opens
		o.remedy = report.DocLink{Title: "unmount it: umount " + scripts.Quote(m.Path), Target: m.Path}
		found = append(found, o)
	}
	return found
}

// pathJudge knows what a path is held against.
type pathJudge struct {
	r   host.Reader
	doc map[string]any // what is in force
	// home is the home directory as it is called, realHome where it is;
	// own are the project's directories, both ways.
	home, realHome string
	own            []string
	// places are the usual places of credentials that are links, where they
	// lead, and the agent's own where it lies elsewhere.
	places map[string]string
	// denied and hidden are the real paths of credentials.files and of
	// denyRead.
	denied, hidden, kept []string
	reads, writes        []entry
	start                string
}

func newPathJudge(r host.Reader, s SessionSettings) *pathJudge {
	home := s.dirs.Home
	j := &pathJudge{r: r, doc: merged(s.inForce()), home: home, realHome: realPath(r, home), start: s.dirs.Start,
		places: map[string]string{},
		reads:  entriesIn(r, s, allowReadKey), writes: writesIn(r, s), kept: keptIn(r, s)}
	tree := host.FindTree(r, s.dirs.Start)
	for _, dir := range []string{s.dirs.Start, tree.Root, tree.Main} {
		if dir != "" && dir != "/" {
			j.own = append(j.own, filepath.Clean(dir), realPath(r, dir))
		}
	}
	known := sensitive.CredentialPlaces()
	for spelled, what := range known {
		named := filepath.Join(home, strings.TrimPrefix(spelled, "~/"))
		if real := realPath(r, named); real != filepath.Join(j.realHome, strings.TrimPrefix(spelled, "~/")) {
			j.places[real] = what
		}
	}
	if agent := s.dirs.Agent; agent != filepath.Join(home, claude.Dir) {
		for _, name := range []string{".credentials.json", claude.Records} {
			j.places[realPath(r, filepath.Join(agent, name))] = known["~/"+claude.Dir+"/"+name]
		}
	}
	for _, path := range inforce.StateFiles(r) {
		j.places[realPath(r, path)] = known["~/"+claude.StateFile]
	}
	if state := realPath(r, r.Places().State); !under(state, j.own) { // there it is named as what may be written
		j.places[state] = known["~/.local/state/steward-setup"]
	}
	for _, c := range s.inForce().CredentialFiles() {
		if c.Ignored == "" && c.Mode == claude.Deny {
			j.denied = append(j.denied, realPath(r, s.dirs.Resolve(c.Name, c.Scope)))
		}
	}
	for _, e := range entriesIn(r, s, claude.KeyDenyRead.String()) {
		j.hidden = append(j.hidden, e.real)
	}
	return j
}

// judge says what an entry opens that it should not.
func (j *pathJudge) judge(e entry) (o opening, bad bool) {
	o = opening{plain: e.plain(), where: e.where, path: e.path, what: e.text}
	writes := e.key != allowReadKey
	verb := "read "
	if writes {
		verb = "read and write "
	}
	if x, ok := policy.Embedded().Exposure(e.key, e.named, j.home, j.doc); ok {
		o.status, o.group, o.opens = report.Warn, openChosen, x.Price+" ("+string(x.By)+")"
		return o, true
	}
	if which, ok := j.credentials(e); ok {
		can := "commands can " + verb + which + "."
		if under(e.real, j.denied) {
			can = "it opens " + which + " to commands; only sandbox.credentials.files still protects them."
		}
		o.status, o.voids, o.opens = report.Fail, true, strings.ToUpper(can[:1])+can[1:]
		switch {
		case e.inAgentDir():
			o.opens = policy.InAgentDir + can
		case e.real != e.named:
			o.opens = "It resolves to " + e.real + ": " + can
		}
		return o, true
	}
	if writes && !under(e.real, j.kept) {
		for _, p := range []string{e.named, e.real} {
			if which, ok := sensitive.RunsOutside(p, j.home); ok {
				o.status, o.voids, o.opens = report.Fail, true, "Commands can change "+which+", outside the sandbox."
				return o, true
			}
		}
	}
	if o, bad := j.reopens(e, o); bad {
		return o, true
	}
	if !e.inAgentDir() && j.opensNothing(e) {
		return o, false
	}
	if o, is := j.calledLikePattern(e, o); is {
		return o, o.opens != ""
	}
	if o, bad := j.leavesProject(e, o); bad && !e.inAgentDir() {
		return o, true
	}
	switch {
	case e.inAgentDir():
		o.status, o.opens = report.Warn, policy.InAgentDir+e.named+"."
		return o, true
	case writes && e.key != directoriesKey && under(e.real, j.hidden) && !j.readable(e.real):
		o.status, o.opens = report.Warn, "denyRead hides it, but writable paths are readable too."
		return o, true
	}
	return o, false
}

// credentials says which credentials an entry reaches.
func (j *pathJudge) credentials(e entry) (which string, ok bool) {
	for _, c := range []struct{ path, home string }{{e.named, j.home}, {e.real, j.home}, {e.real, j.realHome}} {
		if which, ok := sensitive.Reaches(c.path, c.home, j.own); ok {
			return which, true
		}
	}
	for place, what := range j.places {
		if holdsPath(e.real, place) || pathname.Within(pathname.BeforeWildcard(e.real), place) {
			return what, true
		}
	}
	return "", false
}

// readable says whether commands may read a path that is hidden otherwise. The
// directory in which the session starts is always readable on Linux (measured).
func (j *pathJudge) readable(real string) bool {
	if pathname.Within(real, j.start) {
		return true
	}
	return slices.ContainsFunc(j.reads, func(e entry) bool { return holdsPath(e.real, real) })
}

// holdsPath says whether path may be what a pattern means, or lie below that: a
// wildcard stands for a part of one name, and two for anything.
func holdsPath(pattern, path string) bool {
	if strings.Contains(pattern, "**") || !strings.ContainsAny(pattern, "*?[") {
		return pathname.Within(path, pathname.BeforeWildcard(pattern))
	}
	names, parts := strings.Split(path, "/"), strings.Split(strings.TrimSuffix(pattern, "/"), "/")
	if len(names) < len(parts) {
		return false
	}
	for i, part := range parts {
		if ok, err := filepath.Match(part, names[i]); err == nil && !ok {
			return false
		}
	}
	return true
}

// under says whether a path is one of some or below one; a pattern among them
// covers nothing for sure.
func under(p string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool {
		return !strings.ContainsAny(dir, "*?[") &&
			pathname.Within(p, dir)
	})
}

func isRelative(p string) bool {
	p = strings.TrimSpace(p)
	return !strings.HasPrefix(p, "/") && p != "~" && !strings.HasPrefix(p, "~/")
}

// realPath is an absolute path with its symlinks resolved, as far as it exists
// and up to its first wildcard.
func realPath(r host.Reader, p string) string {
	p = filepath.Clean(p)
	dir := pathname.BeforeWildcard(p)
	return filepath.Join(host.Real(r, dir), strings.TrimPrefix(p, strings.TrimSuffix(dir, "/")))
}

// leavesProject judges an entry that opens a directory around the project, or
// another repository. Measured with 2.1.329: "../" in additionalDirectories lets
// a sandboxed command write the repository beside the project; only the
// project's own .git and .claude are kept from commands.
func (j *pathJudge) leavesProject(e entry, o opening) (opening, bool) {
	dir := pathname.BeforeWildcard(e.real)
	if under(dir, j.own) || pathname.Within(dir, filepath.Join(j.realHome, claude.Dir)) {
		return o, false
	}
	around := slices.ContainsFunc(j.own, func(own string) bool { return pathname.Within(own, dir) })
	upwards := isRelative(e.text) && strings.HasPrefix(filepath.Clean(e.text), "..") || strings.Contains(e.text, "(../")
	repository := j.repositoryIn(e, dir)
	switch {
	case e.key == allowReadKey && (around || upwards):
		o.status, o.opens = report.Warn, "Commands can read "+e.real+notOfProject
	case e.key == allowReadKey:
		return o, false
	case repository != "" && !under(repository, j.kept):
		o.status, o.voids = report.Fail, true
		o.opens = "Commands can write " + repository + ", another repository: its git hooks and configuration run outside " +
			"the sandbox."
	case around, upwards:
		o.status, o.opens = report.Warn, "Commands can write "+e.real+notOfProject
	default:
		return o, false
	}
	return o, true
}

// repositoryIn is a repository that a directory is, or holds as one of its
// entries, that is not the project's, and whose git directory the entry opens;
// "" if there is none.
func (j *pathJudge) repositoryIn(e entry, dir string) string {
	candidates := []string{dir}
	if entries, err := j.r.ReadDir(dir); err == nil {
		for _, entry := range entries {
			candidates = append(candidates, filepath.Join(dir, entry.Name()))
		}
	}
	i := slices.IndexFunc(candidates, func(path string) bool {
		_, err := j.r.Lstat(filepath.Join(path, ".git"))
		return err == nil && !slices.Contains(j.own, path) && holdsPath(e.real, filepath.Join(path, ".git"))
	})
	if i < 0 {
		return ""
	}
	return candidates[i]
}
