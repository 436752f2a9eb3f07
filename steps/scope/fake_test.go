// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: another agent's files are brought into whole-user scope and out of
// it again, in that agent's own words.

package scope_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/testenv/fakeagent"
	"github.com/steward-setup/steward-setup/steps/install"
	"github.com/steward-setup/steward-setup/steps/scope"
)

// fake has rules, a line each: "see DIR" and "save DIR" open, and "wall" closes.
type fake struct{ fakeagent.Agent }

func has(b []byte, line string) bool { return slices.Contains(strings.Split(string(b), "\n"), line) }

// with and without are rules with these lines, or without them; nil is no file.
func with(b []byte, lines ...string) []byte {
	for _, line := range lines {
		if !has(b, line) {
			b = append(slices.Clone(b), line+"\n"...)
		}
	}
	return b
}

func without(b []byte, gone func(line string) bool) (left []byte) {
	for line := range strings.Lines(string(b)) {
		if !gone(strings.TrimSuffix(line, "\n")) {
			left = append(left, line...)
		}
	}
	return left
}

func (fake) Starts(_ context.Context, _ host.Reader, dir string) []report.StartRow {
	return []report.StartRow{{By: "fake", Cover: report.Cover{Dir: dir}}}
}

func (fake) Writable(d install.Draft, dir string, trees []string) (open []string) {
	for _, at := range append([]string{d.Host.Places().Home, dir}, trees...) {
		b, _ := d.Seen().Read(filepath.Join(at, ".fake", "rules"))
		for line := range strings.Lines(string(b)) {
			if dir, saves := strings.CutPrefix(strings.TrimSpace(line), "save "); saves {
				open = append(open, dir)
			}
		}
	}
	return open
}

func (fake) Unusable(root string) string {
	if strings.Contains(root, " ") {
		return "a rule ends at a space"
	}
	return ""
}

func (fake) Root(d install.Draft, root string) (c report.Change, needed bool, err error) {
	f, err := d.Open(filepath.Join(root, ".fake", "rules"), root)
	if err == nil {
		c, needed = d.Change(report.ID("roots/"+root), "see the root", f, with(f.Bytes, "see "+root), 0o600)
	}
	return c, needed, err
}

func (fake) WithoutRoot(_ install.Draft, f install.File, root string, before [][]byte) ([]byte, error) {
	return without(f.Bytes, func(line string) bool {
		return line == "see "+root && slices.ContainsFunc(before, func(b []byte) bool { return !has(b, line) })
	}), nil
}

func (fake) Floor(_ context.Context, d install.Draft, _ string, _ report.Answers, projects, _ []string) (report.Section,
	[]report.Question, error) {
	s := report.Section{ID: "floor", Title: "Rules of your own"}
	f, err := d.Open(filepath.Join(d.Host.Places().Home, ".fake", "rules"), "")
	d.Write(&s, "floor/rules", "for "+strings.Join(projects, " "), f, with(f.Bytes, "wall"), 0o600)
	return s, nil, err
}

const walled = "a wall, everywhere"

func (fake) Floored(path string, b []byte) (report.Finding, bool) {
	return report.Finding{Check: "scope", Status: report.Warn,
		Evidence: []report.Evidence{report.FileEvidence(path, walled)}}, has(b, "wall")
}

func (fake) Retract(_ string, now, before, after []byte) ([]byte, error) {
	return without(now, func(line string) bool { return has(after, line) && !has(before, line) }), nil
}

func (fake) Reading(_ string, b []byte, dirs ...string) ([]byte, error) {
	for _, dir := range dirs {
		b = with(b, "see "+dir)
	}
	return b, nil
}

func (fake) Reads(string, []byte, string) []report.Evidence { return nil }

func (fake) WithoutReading(_ string, b []byte, dir string) ([]byte, error) {
	return without(b, func(line string) bool { return line == "see "+dir }), nil
}

// TestTheScopesOfAnotherAgent: of three repositories one gets a root; its rules go again
// whether or not somebody has added to them.
func TestTheScopesOfAnotherAgent(t *testing.T) {
	testenv.AsUser(t)
	h := newHome(t)
	for dir, rules := range map[string]string{"code/plain": "", "code/spaced out": "", "code/bare": ""} {
		h.put(dir+"/.gitignore", ".fake/rules\n")
		if dir != "code/bare" {
			h.put(dir+"/.fake/notes", rules)
		}
		h.git(dir, "init", "-q")
	}
	h.put(".fake/rules", "ask run rm\n")
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	a := engine.Applier{State: h.at(".local/state/steward-setup"), Version: "test",
		Now: func() time.Time { now = now.Add(time.Second); return now }}
	o := scope.Options{Agent: fake{}, Roots: []string{h.at("code")}, Depth: scope.DefaultDepth, RemoveRoots: true}
	p, err := scope.WholeUser(t.Context(), h.reader(), o)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"bare main: no .fake", "plain main: to be written", "spaced out main: refused"}
	if got := states(p, h.at("code")); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if why := p.Plan.Sections[0].Why; !strings.Contains(why, "to its rules, where there is a .fake directory") {
		t.Error(why)
	}
	h.apply(a, p.Plan, scope.WholeUserCommand)
	rules := func(rel string) string {
		b, err := os.ReadFile(h.at(rel))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		return string(b)
	}
	see := "see " + h.at("code/plain") + "\n"
	if got := rules("code/plain/.fake/rules"); got != see {
		t.Errorf("the root: %q", got)
	}
	// What the program writes for git's hooks lies where it does for every agent.
	if got, want := rules(".fake/rules"), "ask run rm\nwall\nsee "+h.at(".claude/git-hooks")+"\n"; got != want {
		t.Errorf("the user's rules: %q, want %q", got, want)
	}
	s, err := scope.Show(t.Context(), h.reader(), h.at("code/plain"), o)
	if err != nil || s.Scope != "whole-user" || len(s.Starts) != 1 ||
		!slices.ContainsFunc(s.Repositories, func(r scope.Runs) bool {
			return r.Worktrees[0].Path == h.at("code/plain") && r.Worktrees[0].State == scope.Covered
		}) {
		t.Errorf("%v: %+v", err, s)
	}

	o.Runs = testenv.Must(a.Runs())(t)
	back := func() report.Plan {
		t.Helper()
		return testenv.Must(scope.PerProject(t.Context(), h.reader(), o))(t).Plan
	}
	untouched := slices.IndexFunc(back().Changes(), func(c report.Change) bool {
		return c.Path == h.at(".fake/rules") && string(c.After) == "ask run rm\n"
	})
	if untouched < 0 {
		t.Errorf("the user's rules are not what they were: %+v", back().Changes())
	}
	h.put(".fake/rules", rules(".fake/rules")+"see /opt\n")
	h.put("code/plain/.fake/rules", see+"ask run make\n")
	plan := back()
	if !slices.ContainsFunc(plan.Findings(), func(f report.Finding) bool {
		return f.Decide && f.Evidence[0].Text == walled
	}) {
		t.Errorf("nothing is said of the wall that stays:\n%s", summaries(plan)) // what a run left is kept of JSON alone
	}
	h.apply(a, plan, scope.PerProjectCommand)
	if got := rules(".fake/rules"); got != "ask run rm\nwall\nsee /opt\n" {
		t.Errorf("the user's rules after it: %q", got)
	}
	if got := rules("code/plain/.fake/rules"); got != "ask run make\n" {
		t.Errorf("the root after it: %q", got)
	}

	// A place that the agent's rules open is none for what git runs.
	h.put(".fake/rules", "save "+h.at(".gitconfig")+"\n")
	var e *report.Error
	if _, err := scope.WholeUser(t.Context(), h.reader(), o); !errors.As(err, &e) || e.Where != h.at(".gitconfig") {
		t.Errorf("%v", err)
	}
}
