// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a layout is worked out by looking, and only by looking; a
// place that cannot be played in is an error with its reason, not a smaller
// stage.

package stage

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/report"
)

// Spec says what a stage is for. All paths are absolute.
type Spec struct {
	// Run is the nonce of the run.
	Run string
	// Trees are the work trees that are on it, that of the project first;
	// a directory outside of any repository is one too.
	Trees []host.Tree
	// Starts are directories in which a session starts: the settings in
	// them are not the host's.
	Starts []string
	// Paths are credential files and directories (with a slash at the
	// end) that the policy names.
	Paths []string
	// Names are host names that lead to proc.StageAddress.
	Names []string
	// Layout is that of the agent, Runtime its program, Binary this one, Programs the names
	// of those that the runtime and the calls need.
	Layout          agent.Layout
	Runtime, Binary string
	Programs        []string
	// Home holds files of the user's home that the session needs, Keep
	// files of the host that stay where they are.
	Home []fs.Laid
	Keep []string
	// Shared are directories of the host that are seen read-only where they
	// are, although the stage hides what is around them. One that holds a
	// credential, or that the player may not read, is not on it.
	Shared []string
}

// Build works out the stage for spec. The error is a *report.Error.
func Build(r host.Reader, spec Spec) (*Stage, error) {
	places := r.Places()
	s := &Stage{UID: r.System().UID, GID: r.System().GID, AsRoot: r.System().UID == 0, Home: places.Home,
		Agent: spec.Layout.Own, copy: copier{maxFiles, maxBytes}}
	if err := s.playable(r); err != nil {
		return nil, err
	}
	for _, t := range spec.Trees {
		if pathname.Within(s.Home, t.Root) {
			return nil, &report.Error{Code: report.ExitLeft, Where: t.Root, What: "is the home directory, or contains it",
				Why: "this is not inside a project", Next: "name a project:  ",
				Lines: []report.Line{{Words: "verify --project DIR"}}}
		}
	}
	for _, dir := range []string{"/run", "/tmp", "/var/tmp"} {
		if info, err := r.Lstat(dir); err == nil && info.IsDir() {
			s.add(Memory, "", dir)
		}
	}
	s.add(Memory, "", s.Home)
	s.spelled(r, r.System().Get("HOME"))
	if !pathname.Within(s.Agent, s.Home) {
		if err := s.memoryAt(r, s.Agent); err != nil {
			return nil, err
		}
	}
	if dir := filepath.Dir(places.Managed); places.Managed != "" {
		if info, err := r.Stat(dir); err == nil && info.IsDir() {
			s.add(Memory, "", dir)
		}
	}
	s.Canaries = Secrets(spec.Run, s.Home, spec.Layout, spec.Paths)
	if err := s.trees(r, spec); err != nil {
		return nil, err
	}
	s.names(r, spec.Names)
	if err := s.programs(r, spec); err != nil {
		return nil, err
	}
	for _, path := range spec.Keep {
		if err := s.keepFile(r, path); err != nil {
			return nil, err
		}
	}
	for _, dir := range spec.Shared {
		s.share(r, dir)
	}
	for _, c := range s.Canaries {
		if !slices.ContainsFunc(spec.Home, func(f fs.Laid) bool { return f.Path == c.Path }) {
			s.Files = append(s.Files, c.file())
		}
	}
	s.Files = append(s.Files, spec.Home...)
	return s, nil
}

// trees mounts the work trees and copies what belongs to git.
func (s *Stage) trees(r host.Reader, spec Spec) error {
	var special []string
	var commons []string
	for _, c := range s.Canaries {
		special = append(special, c.hides) // where a project holds what a policy hides
	}
	for _, dir := range spec.Starts {
		special = append(special, settingsIn(r, spec.Layout, dir)...)
	}
	for _, t := range spec.Trees {
		special = append(special, t.Root, filepath.Join(t.Root, ".git"))
		special = append(special, settingsIn(r, spec.Layout, t.Root)...)
		if t.Common != "" {
			if err := believe(r, t); err != nil {
				return err
			}
		}
		found, all := dotenvs(r, t.Root)
		if !all {
			s.Notes = append(s.Notes, fmt.Sprintf("%s has more than %d entries: .env files beyond them were not looked for",
				t.Root, maxEntries))
		}
		own := filepath.Join(t.Root, ".env")
		if info, err := r.Lstat(own); (err != nil || !info.IsDir()) && !slices.Contains(found, own) {
			found = append(found, own)
		}
		found, names := linkedDotenvs(r, found)
		for _, path := range found {
			special = append(special, path)
			if !slices.ContainsFunc(s.Canaries, func(c Canary) bool { return pathname.Within(path, c.hides) }) {
				s.Canaries = append(s.Canaries, dotenv(spec.Run, path, names[path]...))
			}
		}
		if t.Common != "" && !slices.Contains(commons, t.Common) {
			commons = append(commons, t.Common)
		}
	}
	for _, c := range commons {
		if filepath.Base(c) != ".git" || !slices.ContainsFunc(spec.Trees, func(t host.Tree) bool {
			return t.Root == filepath.Dir(c)
		}) {
			s.add(Memory, "", c)
		}
		special = append(special, c)
	}
	// The outer first: an inner one is a mount in it.
	roots := slices.Clone(spec.Trees)
	slices.SortStableFunc(roots, func(a, b host.Tree) int { return len(a.Root) - len(b.Root) })
	for _, t := range roots {
		others := slices.DeleteFunc(slices.Clone(special), func(p string) bool { return p == t.Root })
		if err := s.expand(r, t.Root, others); err != nil {
			return unreadable(t.Root, err)
		}
	}
	for _, t := range roots {
		if err := s.link(r, t); err != nil {
			return err
		}
	}
	for i, c := range commons {
		at := fmt.Sprintf("%s%d", objects, i)
		if err := s.git(r, c, at, spec.Trees); err != nil {
			return unreadable(c, err)
		}
		if err := s.modules(r, c, at); err != nil {
			return unreadable(c, err)
		}
	}
	return nil
}

// settingsIn are the settings of a start directory; an agent's directory that is a
// link is one of them, since what lies behind it is not the project's.
func settingsIn(r host.Reader, of agent.Layout, dir string) (list []string) {
	own := filepath.Join(dir, of.Dir)
	if info, err := r.Lstat(own); err == nil && !info.IsDir() {
		return []string{own}
	}
	for _, name := range of.Settings {
		list = append(list, filepath.Join(own, name))
	}
	return list
}

// names makes host names lead to the stage's own address.
func (s *Stage) names(r host.Reader, names []string) {
	const hosts = "/etc/hosts"
	if info, err := r.Lstat(hosts); err != nil || !info.Mode().IsRegular() {
		s.Notes = append(s.Notes, hosts+" is no file here: no host can be reached on the stage")
		return
	}
	lines := "127.0.0.1\tlocalhost\n::1\tlocalhost\n"
	for _, n := range names {
		lines += proc.StageAddress + "\t" + n + "\n"
	}
	s.Mounts = append(s.Mounts, Mount{Kind: Data, Target: hosts, Bytes: []byte(lines)})
}

// programs puts the programs in reach: those that the stage hides, and those
// in directories that its player may not enter, in Bin.
func (s *Stage) programs(r host.Reader, spec Spec) error {
	for _, path := range []string{spec.Runtime, spec.Binary} {
		if info, err := r.Stat(path); s.AsRoot && err == nil && info.Mode().Perm()&0o005 != 0o005 {
			return &report.Error{Code: report.ExitLeft, Where: path, What: "can be started by root alone",
				Why: "root's rehearsals run as nobody: root can remount read-only mounts", Next: "chmod o+rx " + path}
		}
	}
	s.add(ReadOnly, spec.Binary, Self)
	s.add(ReadOnly, spec.Binary, spec.Binary)
	s.add(ReadOnly, spec.Runtime, Runtime+"/"+spec.Layout.Program)
	s.add(Link, Runtime+"/"+spec.Layout.Program, Bin+"/"+spec.Layout.Program)
	for _, name := range spec.Programs {
		path, err := r.Look(name)
		if err != nil {
			continue // the runtime will miss it here as it does outside
		}
		real, err := r.Resolve(path)
		if err != nil {
			continue
		}
		if s.Hidden(path) || !s.Sees(r, real) {
			s.add(ReadOnly, real, filepath.Join(Bin, name))
		}
	}
	path := []string{Bin}
	for _, dir := range filepath.SplitList(r.System().Get("PATH")) {
		if filepath.IsAbs(dir) && !s.Hidden(dir) && !slices.Contains(path, dir) {
			path = append(path, dir)
		}
	}
	s.Path = strings.Join(path, ":")
	return nil
}

// Sees says whether the player finds on the stage what is at path on the host.
func (s *Stage) Sees(r host.Reader, path string) bool {
	return !s.Hidden(path) && s.reachable(r, filepath.Dir(path))
}

// reachable says whether the player may pass through every directory up to
// dir.
func (s *Stage) reachable(r host.Reader, dir string) bool {
	for dir := range pathname.Upward(dir) {
		info, err := r.Stat(dir)
		if err != nil || s.AsRoot && info.Mode()&0o001 == 0 {
			return false
		}
	}
	return true
}

func tooLarge(dir string) error {
	return &report.Error{Code: report.ExitLeft, Where: dir, What: fmt.Sprintf("would need more than %d mounts", maxMounts),
		Why: "a rehearsal mounts what lies beside every .env file by itself", Next: "verify in a smaller work tree"}
}

func unreadable(dir string, err error) error {
	if e, ok := err.(*report.Error); ok { //nolint:errorlint // ours, not wrapped
		return e
	}
	return &report.Error{Code: report.ExitLeft, Where: dir, What: "cannot be put on the stage", Err: err,
		Next: "make it readable for yourself"}
}
