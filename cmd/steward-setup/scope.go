// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whole-user scope is not approved by an id alone: that it
// changes where git looks for hooks has to be acknowledged in words, by flag or
// by typing.

package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/ui/tui"
	"github.com/steward-setup/steward-setup/steps/scope"
)

type scopeOptions struct {
	planFlags
	roots        []string
	depth        int
	other        bool
	walks        bool // it looks for repositories, so depth counts
	acknowledged bool
	removeRoots  bool
	answers      report.Answers // to floorQuestions
}

// otherFlags is what may make another plan where no file changed.
const otherFlags = "other flags were given"

// acknowledge is the flag, and acknowledgement the words that are typed in its
// place.
const (
	acknowledge     = "i-understand-hooks-path"
	acknowledgement = "core.hooksPath"
)

func newScope(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "scope",
		Short: "Set up one project at a time, or all your repositories",
		Long: `scope shows and changes which repositories are registered. In per-project scope
each repository has its own setup. whole-user registers the root of every
worktree that has a .claude directory, and sets git's global core.hooksPath, so
that new clones and worktrees are registered too. Existing git hooks still run,
started from the shared directory; the plan names those that may behave
differently. per-project undoes exactly that.`,
		Example: `  steward-setup scope                                    show and change it on a screen
  steward-setup scope show                               print the scope, and what sets it
  steward-setup scope whole-user                         the wizard: search, review, acknowledge, write
  steward-setup scope whole-user --plan --root ~/code    print the plan, write nothing
  steward-setup scope per-project --plan                 print how to undo it`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && a.screen() {
				return nil
			}
			return oneOf(cmd, args, nil)
		},
		RunE: a.onHost(func(cmd *cobra.Command, h *host.Host, _ []string) error {
			return a.scopeOverview(cmd.Context(), cmd, h)
		}),
	}
	cmd.AddCommand(newScopeShow(a), newScopeWhole(a), newScopePer(a))
	return cmd
}

// addWalkFlags gives a command the flags of the search for repositories.
func addWalkFlags(cmd *cobra.Command, o *scopeOptions) {
	o.walks = true
	cmd.Flags().StringArrayVar(&o.roots, "root", nil, "look for repositories below `DIR` (may be repeated)")
	cmd.Flags().IntVar(&o.depth, "depth", scope.DefaultDepth, "search at most `N` directories deep below a root")
	cmd.Flags().BoolVar(&o.other, "other-filesystems", false, "search other file systems below a root too")
}

// moreRoots takes the arguments behind --root for directories: --root A B.
func moreRoots(o *scopeOptions) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 && len(o.roots) == 0 {
			return usage(cmd, fmt.Sprintf("%q is not a flag; name directories with --root", args[0]))
		}
		return nil
	}
}

func newScopeWhole(a *app) *cobra.Command {
	o := scopeOptions{answers: report.Answers{}}
	cmd := &cobra.Command{
		Use: "whole-user", SuggestFor: []string{"user", "all", "global"},
		Short: "Register all repositories below the roots, now and later",
		Long: `whole-user looks for git repositories below each --root (default: those of
~/code, ~/projects, ~/dev, ~/work, ~/src and ~/git that exist) and proposes one
plan: the root of each worktree that has a .claude directory, a policy in your
user settings so that plain claude is sandboxed wherever it starts, a shared
directory with one file for each git hook, and a global core.hooksPath that
points to it. Read its section on hooks first: it affects all your
repositories. --` + acknowledge + ` says that you did.`,
		Example: `  steward-setup scope whole-user                             show, ask, write
  steward-setup scope whole-user --plan --root ~/code --root ~/work
  steward-setup scope whole-user --plan --floor=no           roots and hooks alone
  steward-setup scope whole-user --apply 7f3a-91c2-0b5d-e6a8 --root ~/code --` + acknowledge,
		Args: moreRoots(&o),
		RunE: a.onHost(func(cmd *cobra.Command, h *host.Host, args []string) error {
			o.roots = append(o.roots, args...)
			return a.scopeChange(cmd.Context(), cmd, h, scope.WholeUserCommand, o)
		}),
	}
	o.add(cmd, "print the plan", "write")
	cmd.Flags().BoolVar(&o.acknowledged, acknowledge, false,
		"you know that git will look for the hooks of all repositories in one directory")
	addWalkFlags(cmd, &o)
	addAnswerFlags(cmd.Flags(), floorQuestions(), o.answers)
	return cmd
}

func newScopePer(a *app) *cobra.Command {
	var o scopeOptions
	cmd := &cobra.Command{
		Use: "per-project", SuggestFor: []string{"project", "projects"},
		Short: "Undo whole-user scope",
		Long: `per-project removes the added lines from git's configuration, so that an earlier
core.hooksPath applies again, and removes the files of the shared directory.
Files that you added or edited there are kept and listed. Registered roots are
kept, unless --remove-roots is given.`,
		Example: `  steward-setup scope per-project --plan
  steward-setup scope per-project --remove-roots`,
		Args: cobra.NoArgs,
		RunE: a.onHost(func(cmd *cobra.Command, h *host.Host, _ []string) error {
			return a.scopeChange(cmd.Context(), cmd, h, scope.PerProjectCommand, o)
		}),
	}
	o.add(cmd, "print the plan", "write")
	cmd.Flags().BoolVar(&o.removeRoots, "remove-roots", false, "also remove the roots that whole-user scope wrote")
	return cmd
}

// step is the options as the step takes them, with the roots as they are on
// the disk.
func (o *scopeOptions) step(a *app, cmd *cobra.Command, h *host.Host) (scope.Options, error) {
	if o.depth < 0 {
		return scope.Options{}, usage(cmd, "--depth takes a number, 0 or more")
	}
	s := scope.Options{Agent: agent, Depth: o.depth, OtherFileSystems: o.other,
		RemoveRoots: o.removeRoots, Framework: a.framework, Answers: o.answers}
	for i, dir := range o.roots {
		given, real, err := a.walkRoot(h, dir)
		if err != nil {
			return s, usage(cmd, "--root "+err.Error()+": "+nextRoot)
		}
		o.roots[i] = given
		s.Roots = append(s.Roots, real)
	}
	runs, err := a.applier(h).Runs()
	s.Runs = runs
	return s, err
}

// flags are the flags that make the same plan again.
func (o *scopeOptions) flags(a *app) string { return a.globals() + o.own() }

// own are those of the command itself.
func (o *scopeOptions) own() string {
	var b strings.Builder
	for _, root := range o.roots {
		b.WriteString(" --root " + scripts.Quote(root))
	}
	if o.walks && o.depth != scope.DefaultDepth {
		fmt.Fprintf(&b, " --depth %d", o.depth)
	}
	if o.other {
		b.WriteString(" --other-filesystems")
	}
	if o.removeRoots {
		b.WriteString(" --remove-roots")
	}
	return b.String() + answerLine(floorQuestions(), o.answers)
}

// noRoots refuses a search without directories, and names the likeliest one.
func (a *app) noRoots(ctx context.Context, cmd *cobra.Command, h *host.Host) error {
	e := usage(cmd, "none of "+inWords(scope.Usual(), "and")+
		" exists: name the directory of your repositories with --root")
	root := "DIR"
	if likely := a.likelyRoot(ctx, h); likely != "" {
		root = scripts.Quote(likely)
	}
	e.Lines = []report.Line{{Words: words(cmd, "--plan --root "+root)}}
	return e
}

// likelyRoot is the directory around the repository at hand, or that repository where
// it lies in the home itself; "" where there is none below the home.
func (a *app) likelyRoot(ctx context.Context, h *host.Host) string {
	home, repo := h.Places().Home, a.worktree(ctx, h)
	switch around := filepath.Dir(repo); {
	case repo == "" || repo == home || !pathname.Within(repo, home):
		return ""
	case around == home:
		return repo
	default:
		return around
	}
}

// scopeChange proposes a scope, and applies the plan that was approved.
func (a *app) scopeChange(ctx context.Context, cmd *cobra.Command, h *host.Host, name string, o scopeOptions) error {
	whole := name == scope.WholeUserCommand
	c := a.change(h, o.planFlags, name, writeFiles)
	if o.acknowledged {
		c.knowing = " --" + acknowledge
	}
	c.flags = o.flags(a) + c.knowing
	if err := c.may(); err != nil {
		return err
	}
	opts, err := o.step(a, cmd, h)
	if err != nil {
		return err
	}
	if whole && !o.plan && o.apply == "" && a.screen() {
		return a.scopeWizard(ctx, h, opts, o)
	}
	if whole && len(opts.Roots) == 0 {
		if opts.Roots = scope.UsualRoots(h); len(opts.Roots) == 0 {
			return a.noRoots(ctx, cmd, h)
		}
		o.roots = opts.Roots
	}
	p, err := a.proposeScope(ctx, h, name, opts)
	out := a.output(name, p.Facts)
	if err != nil {
		return out.end(0, err)
	}
	c.flags = o.flags(a)
	c.write = func(ctx context.Context, p report.Plan, emit engine.Sink) error {
		return a.scopeApply(ctx, h, name, p, o.own(), emit)
	}
	switch {
	case whole:
		c.knowing, c.ask = " --"+acknowledge, func() bool { return a.scopeAsk(o.acknowledged) }
		if !o.acknowledged {
			c.missing = &report.Error{Code: report.ExitUsage, What: "this plan changes where git looks for the hooks of " +
				"all your repositories, and that is not acknowledged: nothing was written",
				Why: "read the section core.hooksPath of the plan", Next: "add --" + acknowledge}
		}
	default:
		c.page = tui.Confirmation{Title: "Back to per-project scope", Yes: "undo whole-user scope",
			Why: "Removes the added lines from git's configuration, then the policy that whole-user scope added to your user " +
				"settings, then the shared hooks."}
	}
	if out.doc != nil {
		out.doc.Data(p.Data())
	} else if whole {
		a.scopeTable(p)
	}
	return c.settle(ctx, out, p.Plan)
}
