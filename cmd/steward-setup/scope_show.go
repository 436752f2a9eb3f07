// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a person reads in lines, a program reads as data, and
// neither is told more.

package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/githooks"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/plain"
	"github.com/steward-setup/steward-setup/internal/ui/text"
	"github.com/steward-setup/steward-setup/steps/scope"
)

func newScopeShow(a *app) *cobra.Command {
	var o scopeOptions
	cmd := &cobra.Command{
		Use:   "show",
		Short: "Show the scope, what sets it, and which hooks git runs",
		Long: `show lists every core.hooksPath with its file and line, compares the shared hooks
directory with what was written, and lists the hooks that git runs in this
repository, or in each one below --root.`,
		Example: `  steward-setup scope show
  steward-setup scope show --json --root ~/code`,
		Args: moreRoots(&o),
		RunE: a.onHost(func(cmd *cobra.Command, h *host.Host, args []string) error {
			o.roots = append(o.roots, args...)
			return a.scopeShow(cmd.Context(), cmd, h, o)
		}),
	}
	addWalkFlags(cmd, &o)
	return cmd
}

// proposeScope makes the plan; who waits at a terminal sees how far it is.
func (a *app) proposeScope(ctx context.Context, h *host.Host, name string, o scope.Options) (p scope.Proposal,
	err error) {
	done := a.watchWalk(&o)
	defer done()
	if name == scope.WholeUserCommand {
		p, err = scope.WholeUser(ctx, h, o)
	} else {
		p, err = scope.PerProject(ctx, h, o)
	}
	if ctx.Err() != nil {
		return p, interrupted()
	}
	return p, err
}

// watchWalk shows the search for repositories on a terminal.
func (a *app) watchWalk(o *scope.Options) (done func()) {
	emit, clear := a.waiting(0, unseen)
	last := time.Time{}
	o.Progress = func(p engine.Progress) {
		if now := a.sys.Now(); now.Sub(last) > 100*time.Millisecond {
			last = now
			emit(p)
		}
	}
	return clear
}

// scopeAsk asks for the acknowledgement, which is typed, or for a yes.
func (a *app) scopeAsk(acknowledged bool) bool {
	if acknowledged {
		return a.ask(writeFiles)
	}
	if !a.sys.Terminal() || a.json {
		return false
	}
	return a.answer("\ngit will look for the hooks of all your repositories in one directory.\n"+
		"To write these files, type "+acknowledgement+": ") == acknowledgement
}

// scopeTable lists the repositories about which there is something to say.
func (a *app) scopeTable(p scope.Proposal) {
	t := p.Table()
	lines := plain.New(a.out, a.sys.List(), p.Facts, a.columns())
	fmt.Fprintln(a.out, t.Title+":")
	for _, row := range t.Rows {
		words := row.State
		for _, d := range row.Details {
			if d.Label == "why" {
				words += ": " + d.Text
			}
		}
		lines.Row(fmt.Sprintf("  %s %-40s ", row.Mark, text.Line(text.Home(row.Path, p.Facts.Home))), words)
		for _, d := range row.Details {
			if d.Label != "why" {
				a.say("      %s: %s", d.Label, text.Line(d.Text))
			}
		}
	}
	if t.Rest != "" {
		a.say("  %s", t.Rest)
	}
}

func (a *app) scopeShow(ctx context.Context, cmd *cobra.Command, h *host.Host, o scopeOptions) error {
	opts, err := o.step(a, cmd, h)
	if err != nil {
		return err
	}
	s, err := a.scopeState(ctx, h, opts)
	out := a.output("scope show", a.facts(h))
	if err != nil {
		return out.end(0, err)
	}
	if out.doc != nil {
		out.doc.Data(s)
		return out.end(report.ExitOK, nil)
	}
	for _, line := range scopeLines(s, h.Places().Home) {
		a.say("%s", line)
	}
	return out.end(report.ExitOK, nil)
}

// scopeState is the scope that is in force, seen from this directory.
func (a *app) scopeState(ctx context.Context, h *host.Host, opts scope.Options) (scope.State, error) {
	defer a.watchWalk(&opts)()
	s, err := scope.Show(ctx, h, host.Resolved(h, cmp.Or(a.project, a.sys.Cwd)), opts)
	if ctx.Err() != nil {
		err = interrupted()
	}
	return s, err
}

// scopeLines say which scope is in force and what runs.
func scopeLines(s scope.State, home string) (lines []string) {
	line := func(format string, args ...any) {
		lines = append(lines, indented(fmt.Sprintf(format, args...)))
	}
	short := func(path string) string { return text.Home(path, home) }
	line("Scope: %s", s.Scope)
	line("  %s", s.Why)
	line("")
	line("core.hooksPath of the user and the machine:")
	if len(s.HooksPath) == 0 {
		line("  not set: git looks in each repository's .git/hooks")
	}
	for _, set := range s.HooksPath {
		line("  %s", setting(set, home))
	}
	line("")
	line("Shared hooks directory: %s", short(s.Shared.Path))
	drift := s.Shared.Drift()
	switch {
	case !s.Shared.Exists:
		line("  does not exist")
	case len(drift) == 0:
		line("  %d hooks, unchanged", len(s.Shared.Hooks))
	case s.Shared.Installed:
		for _, f := range drift {
			line("  %s: %s", f.Name, f.State)
		}
	default:
		line("  no hook of whole-user scope in it")
	}
	if s.Before != "" {
		line("  replaces core.hooksPath = %s", s.Before)
	}
	for _, name := range s.Shared.Others {
		line("  %s: not written by steward-setup", name)
	}
	approved := "only in repositories that you approved"
	if s.Approved {
		approved = "in every repository"
	}
	line("")
	line("New worktrees are registered automatically: %s", approved)
	line("")
	line("What the settings say about each start (steward-setup verify tests it):")
	for _, start := range s.Starts {
		line("  %s", started(start, home))
	}
	for _, repo := range s.Repositories {
		repoLines(line, repo, home)
	}
	return lines
}

// indented makes what may hold foreign text one safe line, with its indent.
func indented(said string) string {
	indent := len(said) - len(strings.TrimLeft(said, " "))
	return said[:indent] + text.Line(said[indent:])
}

// started is what a start would be under, as a line.
func started(s report.StartRow, home string) string {
	under := "sandboxed, by " + s.Policy + " settings"
	switch {
	case s.Launch == report.Iso && s.Policy == approvedPolicy:
		under = "sandboxed, by the approved policy"
	case s.Status != report.Pass:
		under = s.Why
	}
	where := text.Home(s.Dir, home)
	switch {
	case s.Anywhere:
		where = "a subdirectory"
	case s.Start == report.AtOther:
		where = "outside any project"
	}
	return fmt.Sprintf("%s %-10s %-22s %s", s.Status.Symbol(), s.By, where, under)
}

func repoLines(line func(string, ...any), repo scope.Runs, home string) {
	line("")
	for _, wt := range repo.Worktrees {
		why := ""
		if wt.Why != "" {
			why = ": " + wt.Why
		}
		line("%s   root: %s%s", text.Home(wt.Path, home), wt.State, why)
		if wt.HooksPath != nil {
			line("  %s", setting(*wt.HooksPath, home))
		}
	}
	if repo.HooksPath != nil {
		line("  %s", setting(*repo.HooksPath, home))
	}
	for _, run := range repo.Runs {
		by := ""
		if run.Shared {
			by = ", started by the shared directory"
		}
		line("  %-20s %s%s", run.Hook, text.Home(run.Path, home), by)
	}
	if len(repo.Inert) > 0 {
		line("  do not run: %s (git looks in %s)", strings.Join(repo.Inert, ", "), text.Home(repo.Dir, home))
	}
	if len(repo.Runs)+len(repo.Inert) == 0 {
		line("  no hooks")
	}
}

// setting is one core.hooksPath as a line.
func setting(s githooks.Setting, home string) string {
	words := fmt.Sprintf("%s: core.hooksPath = %s (%s)", text.Home(s.Where(), home), s.Value, s.Scope)
	if !s.Counts {
		words += ", overridden"
	}
	return words
}
