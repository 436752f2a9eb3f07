// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: update changes nothing of the user's but, with
// --write-local-pins, what was shown and approved; its exit code says whether
// something has drifted.

package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/syncrepo"
	"github.com/steward-setup/steward-setup/internal/ui/plain"
	"github.com/steward-setup/steward-setup/internal/ui/text"
	"github.com/steward-setup/steward-setup/internal/ui/tui"
	"github.com/steward-setup/steward-setup/steps/update"
	"github.com/steward-setup/steward-setup/steps/verify"
)

type updateOptions struct {
	tryOptions
	offline, since, verbose bool
	pins                    bool
	planFlags
}

func newUpdate(a *app) *cobra.Command {
	var o updateOptions
	cmd := &cobra.Command{
		Use:   "update",
		Short: "Show what has drifted since install, and how to fix it",
		Long: `update compares the installation with its sources: the framework checkout (or
the version of this program that wrote the files), the pinned tools with upstream
releases, the copied scripts and the program that they call, the policy in the
project and in your user settings with the template, and each forbidden action
with the last rehearsal (a scripted session of the installed Claude Code). A new
rehearsal runs only if something that affects it has changed.
It changes no file of yours, except that --write-local-pins writes the newer pins
after you approve them.

--try compares another version of the runtime with the installed one before you
upgrade: which forbidden actions would succeed.

Exit code: 0 no drift, 1 drift or something unknown, 2 a forbidden action succeeds
now, or would with the other version.`,
		Example: `  steward-setup update
  steward-setup update --offline             fetch nothing; use the cache
  steward-setup update --since-upgrade       quick; prints nothing if nothing changed
  steward-setup update --write-local-pins    show the newer pins, ask, write
  steward-setup update --try latest --plan   show what would be downloaded
  steward-setup update --try ~/claude        compare with a local executable`,
		Args: o.noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			what, err := o.understand(cmd)
			switch {
			case err != nil:
				return err
			case what != "":
				t := upgrading{a: a, o: o}
				return t.run(cmd.Context(), what)
			}
			return a.update(cmd.Context(), o)
		},
	}
	cmd.Flags().BoolVar(&o.offline, "offline", false, "fetch nothing; use the cache and show its age")
	cmd.Flags().BoolVar(&o.since, "since-upgrade", false,
		"only report what changed since the last report; print nothing if nothing did")
	cmd.Flags().BoolVar(&o.pins, "write-local-pins", false,
		"propose the newer pins as a change to pinned-versions.local.toml")
	cmd.Flags().BoolVar(&o.plan, "plan", false,
		"with --write-local-pins, --try or --bisect: print the plan; write and download nothing")
	cmd.Flags().StringVar(&o.apply, applyFlag, "",
		"with one of these: write or download exactly the plan with this `PLAN-ID`")
	cmd.Flags().BoolVar(&o.verbose, "verbose", false, "show all evidence")
	o.flags(cmd)
	a.addRuntime(cmd)
	return cmd
}

// understand refuses flags that contradict each other, and says what was asked
// for, as asked does.
func (o updateOptions) understand(cmd *cobra.Command) (string, error) {
	what, err := o.asked(cmd)
	switch {
	case err != nil:
		return "", err
	case what != "" && (o.since || o.pins):
		return "", usage(cmd, "--"+what+" cannot be combined with --since-upgrade or --write-local-pins")
	case what == "forget" && (o.plan || o.apply != ""):
		return "", usage(cmd, "--forget has no plan: it removes only from this program's cache")
	case o.since && (o.pins || o.plan || o.apply != ""):
		return "", usage(cmd, "--since-upgrade cannot be combined with --write-local-pins")
	case what == "" && !o.pins && (o.plan || o.apply != ""):
		return "", usage(cmd, "--plan and --apply are for --write-local-pins, --try and --bisect; "+
			"update itself writes nothing")
	}
	return what, o.either(cmd)
}

// updating is one run of update, which a screen may start again.
type updating struct {
	a     *app
	h     *host.Host
	o     updateOptions
	opts  update.Options
	facts report.Facts
}

func (a *app) update(ctx context.Context, o updateOptions) error {
	h, err := a.host()
	if err != nil {
		return err
	}
	u := &updating{a: a, h: h, o: o, opts: update.Options{Agent: agent, Project: a.project,
		Framework: a.framework, Offline: o.offline, Version: version, Sync: syncrepo.There(h)}}
	if o.since {
		return u.since(ctx)
	}
	_, u.facts = a.look(ctx, h)
	switch {
	case o.pins:
		return u.localPins(ctx)
	case a.screen():
		return u.onScreen(ctx)
	}
	return u.print(ctx)
}

// since prints what changed since the last report, nothing if nothing did.
func (u *updating) since(ctx context.Context) error {
	s := update.LookSince(ctx, host.Once(u.h), u.opts)
	out := u.a.output("update", report.Facts{OS: u.a.sys.GOOS})
	if line := u.sinceWords(s); line != "" {
		out.Emit(engine.Note{Text: line})
	}
	return out.end(s.Exit(), nil)
}

// sinceWords say in one line what changed; "" if nothing did.
func (u *updating) sinceWords(s update.Since) string {
	line := u.a.self(u.h) + " update" + u.a.globals()
	var changed []string
	for _, name := range s.Changed {
		changed = append(changed, text.Home(name, u.h.Places().Home))
	}
	switch {
	case s.Last.IsZero():
		return "steward-setup: no complete drift report kept for this project; run: " + line
	case s.Code == report.ExitUnprotected:
		return "steward-setup: a forbidden action succeeds (last report); run: " + line
	case s.Forgeable:
		return "steward-setup: a command of the agent could have written the last report; run: " + line
	case changed == nil:
		return ""
	}
	return fmt.Sprintf("steward-setup: %s changed since the last report; run: %s",
		report.Some(changed, 3, ", ", " and "), line)
}

func (u *updating) run(ctx context.Context, emit engine.Sink) ([]report.Finding, error) {
	o := u.opts
	o.Progress = emit
	r := prepare(ctx, u.h)
	stamp := update.Begin(ctx, r, u.opts)
	findings, err := update.Run(ctx, r, update.Checks(o), emit)
	if err == nil {
		stamp.Keep(ctx, r, u.opts, findings)
	}
	return findings, err
}

func (u *updating) print(ctx context.Context) error {
	a := u.a
	out := a.output("update", u.facts)
	var findings []report.Finding
	o := plain.ReportOptions{Verbose: u.o.verbose, Diffs: true}
	err := out.checked(len(update.Checks(u.opts)), u.facts, o,
		func(emit engine.Sink) (_ func() []report.NextStep, err error) {
			findings, err = u.run(ctx, emit)
			return func() []report.NextStep { return possible(report.Steps(findings, nil), u.asCalled) }, err
		})
	if err != nil {
		again := "update"
		if u.o.offline {
			again += " --offline"
		}
		return out.end(0, stopped(ctx, err, again))
	}
	return out.end(report.Judge(findings, true).Exit(), nil)
}

// asCalled puts the name that leads to this program into a step that calls it.
// A change is no step: it is shown as a diff, and a command writes it.
func (u *updating) asCalled(s report.NextStep) (report.NextStep, bool) {
	return u.a.calledStep(u.a.self(u.h), s), s.Change == nil
}

func (u *updating) onScreen(ctx context.Context) error {
	return u.a.checksOnScreen(ctx, tui.VerifyRun{Name: "update", Facts: u.facts,
		Checks: verify.InOrder(update.Checks(u.opts)), AsCalled: u.asCalled,
		Run: func(ctx context.Context, emit engine.Sink) error {
			_, err := u.run(ctx, emit)
			return err
		}})
}

// localPins shows the newer pins as a change of the user's override, and writes
// it if that was approved.
func (u *updating) localPins(ctx context.Context) error {
	c := u.a.change(u.h, u.o.planFlags, "update --write-local-pins", "Write this file?")
	if u.o.offline {
		c.words += " --offline"
	}
	c.about, c.flags = u.facts.Project, u.a.globals()
	c.write = func(ctx context.Context, p report.Plan, emit engine.Sink) error {
		_, err := u.a.applier(u.h).Apply(ctx, p, p.ID, c.name, emit)
		return err
	}
	if err := c.may(); err != nil {
		return err
	}
	out := u.a.output("update", u.facts)
	done := u.a.waitFor("asking which versions are released")
	p, err := update.LocalPins(ctx, host.Once(u.h), u.opts)
	done()
	if err != nil {
		return out.end(0, err)
	}
	return c.settle(ctx, out, p)
}
