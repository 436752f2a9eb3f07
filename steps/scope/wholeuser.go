// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: git is led to the shared directory by the plan's last
// change, when every hook is in it, so that a plan that stops half way has
// changed nothing for git.

package scope

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/steward-setup/steward-setup/internal/gitconfig"
	"github.com/steward-setup/steward-setup/internal/githooks"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/steps/install"
)

// Proposal is a plan of this step, with what was found.
type Proposal struct {
	Plan report.Plan
	// Questions are those about the policy in the user's own settings.
	Questions    []report.Question
	Facts        report.Facts
	Repositories []Repository
	Walk         Walk
	Before       githooks.Setting
	local        string // Options.local
}

// Data is what --json adds to the plan.
type Data struct {
	Repositories []Repository `json:"repositories"`
	Unreadable   []string     `json:"unreadable"`
	Elsewhere    []string     `json:"other_filesystems"`
	Directories  int          `json:"directories"`
}

// Data is the proposal for a program.
func (p Proposal) Data() Data {
	return Data{append([]Repository{}, p.Repositories...), append([]string{}, p.Walk.Unreadable...),
		append([]string{}, p.Walk.Elsewhere...), p.Walk.Directories}
}

// WholeUser proposes whole-user scope. The error is a *report.Error, or ctx's.
func WholeUser(ctx context.Context, r host.Reader, o Options) (Proposal, error) {
	p := Proposal{Facts: install.Facts(r), local: o.local(r)}
	if name := "GIT_CONFIG_GLOBAL"; r.System().Get(name) != "" {
		return p, &report.Error{Code: report.ExitUsage, Where: name, What: "is set: git reads that file in place of " +
			"~/.gitconfig, in this shell",
			Why: "core.hooksPath must apply in all your shells", Next: "unset " + name + ", then run this again"}
	}
	before, varies, err := githooks.Before(ctx, r)
	if err != nil {
		return p, err
	}
	p.Before = before
	if p.Walk, err = Find(ctx, r, o); err != nil {
		return p, err
	}
	if err := homeInside(r, p.Walk.roots()); err != nil {
		return p, err
	}
	d := install.NewDraft(r)
	binary, copied, err := install.Called(ctx, d, o.Agent, p.Walk.roots(), githooks.SharedDir(r.Places()), o.user(r),
		globalConfig(r))
	if err != nil {
		return p, err
	}
	if p.Repositories, err = examine(ctx, r, p.Walk.Trees, o); err != nil {
		return p, err
	}
	roots := rootsSection(p)
	if err := standing(d, &roots, true); err != nil {
		return p, err
	}
	floor, questions, err := floorSection(ctx, d, p, o)
	if err != nil {
		return p, err
	}
	p.Questions = questions
	shared, err := sharedHooks(r, d, scripts.Dispatcher{Binary: binary, Before: before.Value, Asks: varies}, p, o)
	if err != nil {
		return p, err
	}
	sections := slices.DeleteFunc([]report.Section{copied, roots, floor, shared}, func(s report.Section) bool {
		return s.ID == ""
	})
	p.Plan = report.NewPlan(sections)
	return p, nil
}

// homeInside refuses roots that contain the home: the shared hooks would lie in
// the working directory of an agent that starts there, which is writable.
func homeInside(r host.Reader, roots []string) error {
	for _, root := range roots {
		if install.ContainsHome(r, root) {
			return &report.Error{Code: report.ExitUsage, Where: root, What: "is a git repository that contains your home " +
				"directory",
				Why: "the shared hooks would lie in it, and git runs them outside the sandbox: an agent that starts there could " +
					"change them", Next: "name the directories with your repositories instead: --root ~/code"}
		}
	}
	return nil
}

// floorSection is the policy for every start, with what it costs the projects
// that were found; it has no ID where it was declined.
func floorSection(ctx context.Context, d install.Draft, p Proposal, o Options) (report.Section, []report.Question,
	error) {
	if declined := o.Answers["floor"]; len(declined) == 1 && declined[0] == "no" {
		return report.Section{}, nil, nil
	}
	var projects []string
	for _, repo := range p.Repositories {
		for _, wt := range repo.Worktrees {
			if wt.state() != unused && wt.Path != "" {
				projects = append(projects, wt.Path)
			}
		}
	}
	return o.Agent.Floor(ctx, d, o.Framework, o.Answers, projects, o.Roots)
}

// standing makes the change of the standing approval for all repositories.
func standing(d install.Draft, s *report.Section, whole bool) error {
	f, set, err := d.Approvals()
	if err != nil || set.WholeUser == whole {
		return err
	}
	set.WholeUser = whole
	why, after := "git's post-checkout hook may add the roots of new worktrees, in every repository, without asking",
		set.Bytes()
	if !whole {
		why = "roots of new worktrees are written without asking only in repositories that you approved"
		if set.Empty() {
			after = nil
		}
	}
	d.Write(s, "scope/standing-approval", why, f, after, 0o600)
	return nil
}

// sharedHooks fills the shared directory and leads git to it.
func sharedHooks(r host.Reader, d install.Draft, want scripts.Dispatcher, p Proposal,
	o Options) (report.Section, error) {
	dir := githooks.SharedDir(r.Places())
	s := report.Section{ID: "hooks", Title: "core.hooksPath: read this first", Why: fmt.Sprintf(disclosure, dir),
		Exposes: prices}
	s.Findings = affected(r, p)
	after, err := want.Bytes()
	if err != nil {
		return s, err
	}
	reads := []string{dir}
	if before := earlier(r, p.Before); before != "" {
		reads = append(reads, before)
		s.Exposes = append(slices.Clone(prices), fmt.Sprintf(readsBefore, before))
	}
	if err := readable(d, &s, o, reads...); err != nil {
		return s, err
	}
	for _, name := range scripts.GitHooks {
		path := filepath.Join(dir, name)
		f, err := d.Open(path, "")
		if err != nil {
			return s, err
		}
		if f.Bytes != nil && !scripts.IsDispatcher(f.Bytes) {
			return s, &report.Error{Code: report.ExitLeft, Where: path, What: "is a hook that steward-setup did not write",
				Why:  "the shared directory needs a file of this name; yours is not replaced",
				Next: "move it to the hooks of the repositories that need it, then run this again"}
		}
		executable(d, &s, name, f, after)
	}
	return s, leadGit(r, d, &s, dir)
}

// executable makes the change of one hook, and makes it executable.
func executable(d install.Draft, s *report.Section, name string, f install.File, after []byte) {
	c, needed := d.Change(report.ID("scope/"+name), "starts the "+name+" hook that git would have started", f, after,
		scripts.Mode)
	if f.Bytes != nil && f.Mode&0o100 == 0 {
		if !needed {
			c = report.Change{ID: report.ID("scope/" + name), Why: "git runs executable hooks only", Path: f.Path,
				Target: f.Target, Before: f.Bytes, After: f.Bytes, ModeBefore: f.Mode}
		}
		c.Mode, c.SetMode, needed = fs.Executable(f.Mode), true, true
	}
	if needed {
		s.Items = append(s.Items, c)
	}
}

// readable lets sandboxed commands read the shared directory and the one that
// it replaces: git in the sandbox reads ~/.gitconfig, and would find no hook
// where that leads.
func readable(d install.Draft, s *report.Section, o Options, dirs ...string) error {
	f, err := d.Open(o.user(d.Host), "")
	if err != nil {
		return err
	}
	after, err := o.Agent.Reading(f.Path, f.Bytes, dirs...)
	if err != nil {
		return err
	}
	d.Write(s, "scope/readable", "git in the sandbox finds the hooks too; otherwise the agent's commits would skip "+
		"every repository's hooks", f, after, 0o600)
	return nil
}

// leadGit sets core.hooksPath.
func leadGit(r host.Reader, d install.Draft, s *report.Section, dir string) error {
	path := globalConfig(r)
	f, err := d.Open(path, "")
	if err != nil {
		return err
	}
	after, ok := gitconfig.Add(f.Bytes, dir)
	if !ok {
		return &report.Error{Code: report.ExitMalformed, Where: path, What: "ends in the middle of a value",
			Why: "what was added would become part of it", Next: "end its last line, then run this again"}
	}
	d.Write(s, "scope/hooks-path", "git looks for every repository's hooks in "+dir, f, after, 0o644)
	return nil
}

// globalConfig is the file that `git config --global` writes (git-config(1),
// "FILES").
func globalConfig(r host.Reader) string {
	files := host.GitConfigs(r)
	for _, path := range files {
		if host.There(r, path) {
			return path
		}
	}
	return files[0]
}
