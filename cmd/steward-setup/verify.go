// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: verify changes nothing of the user's, its exit code is the
// verdict, and a run that was stopped has no verdict.

package main

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/profile"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/syncrepo"
	"github.com/steward-setup/steward-setup/internal/ui/plain"
	"github.com/steward-setup/steward-setup/internal/ui/tui"
	"github.com/steward-setup/steward-setup/steps/verify"
)

type verifyOptions struct {
	live            verify.LiveMode
	strict, verbose bool
	transcript      string
	profile         string
	evidence        string
	nice, doors     bool
	baseline        string
}

func newVerify(a *app) *cobra.Command {
	o := verifyOptions{live: verify.Auto}
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Test whether the setup protects: verdict, checks, evidence",
		Long: `verify runs every check and gives a verdict: protected, degraded or
unprotected. Plain claude and claude-iso are judged separately; the weaker one is
the verdict.

What must be blocked is tested in a rehearsal: the installed Claude Code runs
with a scripted model in place of the real one, on a copy of your setup with fake
credentials. --live=never uses the last rehearsal, if nothing has changed since.
Your files are not changed.

Exit code: 0 protected, 1 degraded, 2 unprotected.`,
		Example: `  steward-setup verify
  steward-setup verify --live=never     start nothing; use the last rehearsal
  steward-setup verify --strict --json  for scripts: a warning degrades the verdict
  steward-setup verify --baseline policy.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.live == verify.Never && o.transcript != "" {
				return usage(cmd, "--transcript needs a rehearsal, and --live=never runs none")
			}
			if o.live == verify.Never && o.evidence != "" {
				return usage(cmd, "--evidence needs a rehearsal, and --live=never runs none")
			}
			for _, f := range [][4]string{{"transcript", o.transcript, "profile", o.profile},
				{"transcript", o.transcript, "evidence", o.evidence}, {"profile", o.profile, "evidence", o.evidence}} {
				if f[1] != "" && f[1] == f[3] {
					return usage(cmd, "--"+f[0]+" and --"+f[2]+" name the same file")
				}
			}
			if err := a.oneFormat(cmd); err != nil {
				return err
			}
			return a.verify(cmd.Context(), o)
		},
	}
	cmd.Flags().Var(liveFlag{&o.live}, "live", "`WHEN` to run a rehearsal: auto, always or never")
	cmd.Flags().Var(formatValue{a}, formatFlag, "print the report as `FORMAT`: "+inWords(formats(), "or"))
	cmd.Flags().BoolVar(&o.strict, "strict", false, "a warning degrades the verdict too")
	cmd.Flags().StringVar(&o.baseline, "baseline", "",
		"fail if the policy is weaker than `FILE`, a policy or a framework checkout")
	cmd.Flags().StringVar(&o.transcript, "transcript", "",
		"write the rehearsal's requests and answers to `FILE`, without secrets")
	cmd.Flags().StringVar(&o.profile, "profile", "",
		"write timings to `FILE`, a trace for ui.perfetto.dev or chrome://tracing")
	cmd.Flags().StringVar(&o.evidence, "evidence", "", "write what the verdict rests on to `FILE`, for evidence check")
	cmd.Flags().BoolVar(&o.doors, "doors", false,
		"list what your settings allow: hosts, paths, calls without a prompt, programs outside the sandbox")
	cmd.Flags().BoolVar(&o.nice, "nice", false, "run the rehearsal at low priority, so that other programs stay fast")
	cmd.Flags().BoolVar(&o.verbose, "verbose", false, "show the evidence of every check")
	a.addRuntime(cmd)
	return cmd
}

// verification is one run of verify, which a screen may start again.
type verification struct {
	a    *app
	h    *host.Host
	o    verifyOptions
	opts verify.Options
	// first is the reader of the first run, which has answers already, and
	// began when it was made.
	first host.Reader
	began time.Time
}

func (a *app) verify(ctx context.Context, o verifyOptions) error {
	v, facts, err := a.newVerification(ctx, o)
	if err != nil {
		return err
	}
	if a.screen() {
		return v.onScreen(ctx, facts)
	}
	return v.print(ctx, facts)
}

func (a *app) verifying(h *host.Host, o verifyOptions) *verification {
	opts := a.verified()
	opts.Live, opts.Nice, opts.Sync, opts.Tools = o.live, o.nice, syncrepo.There(h), toolLines(a.framework)
	opts.Doors = o.doors
	return &verification{a: a, h: h, o: o, opts: opts}
}

// verified is what is verified: the one runtime that there is.
func (a *app) verified() verify.Options {
	return verify.Options{Agent: agent, Project: a.project, Framework: a.framework}
}

// newVerification looks where the project is and refuses what must not go on.
func (a *app) newVerification(ctx context.Context, o verifyOptions) (*verification, report.Facts, error) {
	h, err := a.host()
	if err != nil {
		return nil, report.Facts{}, err
	}
	v := a.verifying(h, o)
	if o.baseline != "" {
		if v.opts.Baseline, err = readBaseline(h, o.baseline); err != nil {
			return nil, report.Facts{}, err
		}
	}
	for _, f := range []struct {
		flag string
		kind engine.Kept
		path *string
	}{{"transcript", engine.Transcript, &v.o.transcript}, {"profile", engine.Profile, &v.o.profile},
		{"evidence", engine.Evidence, &v.o.evidence}} {
		if err := a.mayKeep(v.line()+" --"+f.flag, f.kind, f.path); err != nil {
			return nil, report.Facts{}, err
		}
	}
	v.began = a.sys.Now()
	r, facts := a.look(ctx, h)
	v.first = r
	return v, facts, nil
}

// look begins to ask what every check asks of the machine; facts are those of a report,
// and a line that is printed works in any directory after that.
func (a *app) look(ctx context.Context, h *host.Host) (r host.Reader, facts report.Facts) {
	defer a.waitFor(looking)()
	r = prepare(ctx, h)
	facts = verify.Facts(ctx, r, a.verified())
	a.project = cmp.Or(facts.Project, a.project)
	return r, facts
}

// header are the facts of a screen, in every command: the project at hand and the runtime.
func (a *app) header(ctx context.Context, h *host.Host) report.Facts {
	defer a.waitFor(looking)()
	return verify.Facts(ctx, host.Once(h), a.verified())
}

// mayKeep refuses a file that a run is to write before anything has run for it,
// and makes its path absolute; line is the command up to that path. No path is
// no file.
func (a *app) mayKeep(line string, kind engine.Kept, path *string) error {
	if *path == "" {
		return nil
	}
	*path = pathname.From(a.sys.Cwd, *path)
	if err := a.refuseInAgent(line + " " + scripts.Quote(*path)); err != nil {
		return err
	}
	return kind.Check(*path)
}

// run is one run, which also writes where its time went and what it rests on, if that
// was asked for.
func (v *verification) run(ctx context.Context, emit engine.Sink) (verify.Report, error) {
	trace := profile.New(v.a.sys.Now)
	keep := v.keepEvidence(ctx)
	rep, live, err := v.judge(ctx, trace.Sink(emit))
	if err == nil && v.o.evidence != "" {
		err = keep(rep, live)
	}
	if err != nil || v.o.profile == "" {
		return rep, err
	}
	if live != nil {
		for _, raw := range append(live.Raws(), live.Floor()) {
			trace.Session(raw)
		}
	}
	return rep, engine.Profile.Save(v.o.profile, trace.JSON("verify"))
}

// judge is a run, with its rehearsal or with the stored result of the last, for
// which the rehearsal is nil. Every run but the first asks everything anew.
func (v *verification) judge(ctx context.Context, emit engine.Sink) (verify.Report, *verify.Rehearsal, error) {
	start, r := v.a.sys.Now(), v.first
	if v.first = nil; r == nil {
		r = prepare(ctx, v.h)
	} else {
		start = v.began
	}
	o := verify.RunOptions{Strict: v.o.strict, Live: v.o.live, Start: start}
	if v.o.live == verify.Never {
		var list []engine.Check
		list, o.From = verify.Recalled(ctx, r, v.opts, verify.Checks(v.opts))
		rep, err := verify.Run(ctx, r, list, o, emit)
		return rep, nil, err
	}
	key := verify.Key(ctx, r, v.opts)
	live := verify.NewRehearsal()
	live.Timed = v.o.profile != ""
	live.Begin(ctx, r, v.opts)
	o.From = live.From
	rep, err := verify.Run(ctx, r, verify.WithRehearsal(v.opts, live, emit), o, emit)
	if err != nil || rep.From != engine.FromRehearsal {
		return rep, live, err
	}
	if key == verify.Key(ctx, host.Anew(r), v.opts) { // else something changed meanwhile
		// Without a stored result the next run without a rehearsal says so.
		_ = verify.Store(v.h.Places(), key, rep.Findings, v.a.sys.Now())
		// Without its record update has one rehearsal less to compare with.
		if rec, err := live.Record(ctx, r, v.opts); err == nil {
			_ = verify.KeepPast(ctx, r, v.opts, key, rec)
		}
	}
	if v.o.transcript != "" {
		return rep, live, engine.Transcript.Save(v.o.transcript, rehearsal.Save(live.Raws()))
	}
	return rep, live, nil
}

// shown are the checks of a run in the order in which they are shown.
func (v *verification) shown() []engine.Check {
	return verify.InOrder(verify.WithRehearsal(v.opts, verify.NewRehearsal(), nil))
}

// print shows the run as text or as JSON.
func (v *verification) print(ctx context.Context, facts report.Facts) error {
	a := v.a
	if f, ok := a.document(); ok {
		return v.write(ctx, facts, f)
	}
	out := a.output("verify", facts)
	var rep verify.Report
	err := out.checked(len(v.shown()), facts, plain.ReportOptions{Verbose: v.o.verbose},
		func(emit engine.Sink) (_ func() []report.NextStep, err error) {
			rep, err = v.run(ctx, emit)
			return func() []report.NextStep { return v.next(rep.Findings) }, err
		})
	if err != nil {
		return out.end(0, stopped(ctx, err, "verify"))
	}
	return out.end(rep.Verdict.Exit(), nil)
}

// stopped is what a run ends with that has no verdict; the words start it again.
func stopped(ctx context.Context, err error, words string) error {
	if ctx.Err() == nil {
		return err
	}
	return &report.Error{Code: report.ExitInterrupted, What: "interrupted before all checks were done: no verdict",
		Why: "what was not observed is not a pass; nothing was changed", Lines: []report.Line{{Words: words}}}
}

// next are the steps that lead on, the last of them to verify again, unless
// the rehearsal that is missing has its place before, or another user has to
// do it; none where there is nothing to mend.
func (v *verification) next(findings []report.Finding) []report.NextStep {
	open, another, again := false, false, report.NextStep{Command: &report.Command{Line: v.line(),
		Why: "check again after a change"}}
	for _, f := range findings {
		open = open || f.Status == report.Fail || f.Status == report.Unknown
		another = another || slices.Contains(f.Remedies, report.Remedy(verify.AsUser))
	}
	// Who is told to install needs no plan of it besides.
	steps := possible(report.Steps(findings, nil), v.asCalled)
	steps = slices.DeleteFunc(steps, func(s report.NextStep) bool {
		return s.Command != nil && planned(s.Command.Line, steps)
	})
	there := slices.ContainsFunc(steps, func(s report.NextStep) bool { return s.String() == again.String() })
	if there || another || len(steps) == 0 && !open {
		return steps
	}
	return append(steps, again)
}

// planned says whether a line only shows what another one of steps does.
func planned(line string, steps []report.NextStep) bool {
	does := strings.Replace(line, " install --plan", " install", 1)
	return does != line && slices.ContainsFunc(steps, func(s report.NextStep) bool {
		return s.Command != nil && s.Command.Line == does
	})
}

// line is verify as it can be typed in any directory.
func (v *verification) line() string {
	line := "verify"
	if b := v.opts.Baseline; b != nil {
		line += " --baseline " + scripts.Quote(b.Path)
	}
	return v.a.self(v.h) + " " + v.a.again(line)
}

// asCalled puts into a step that calls this program the name that leads to it,
// and the project. To verify again is the last step anyway, so that it is left
// out, but not where nothing was rehearsed: there it is what to do first.
func (v *verification) asCalled(s report.NextStep) (report.NextStep, bool) {
	keep := s.Command == nil || s.Command.ID != report.Rehearse || v.o.live == verify.Never
	return v.a.calledStep(v.a.self(v.h), s), keep
}

// onScreen shows the run as it fills in.
func (v *verification) onScreen(ctx context.Context, facts report.Facts) error {
	return v.a.checksOnScreen(ctx, tui.VerifyRun{Facts: facts, Checks: v.shown(), AsCalled: v.asCalled,
		Run: func(ctx context.Context, emit engine.Sink) error {
			_, err := v.run(ctx, emit)
			return err
		}})
}

// checksOnScreen shows a run of checks on a full screen, and ends with its verdict.
func (a *app) checksOnScreen(ctx context.Context, run tui.VerifyRun) error {
	done, err := tui.Verify(ctx, a.terminal(), run)
	if err != nil {
		return err
	}
	return exitCode(done.Exit())
}
