// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: doctor changes nothing of the user's: a fix that works is
// shown, not written; its exit code says whether something is blocked.

package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/profile"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/plain"
	"github.com/steward-setup/steward-setup/internal/ui/text"
	"github.com/steward-setup/steward-setup/steps/doctor"
	"github.com/steward-setup/steward-setup/steps/verify"
)

type doctorOptions struct {
	probes          []report.ID
	text            string
	question        explainQuestion
	tryFix, verbose bool
	live            verify.LiveMode
	profile         string
	nice            bool
}

// explainFlags are the questions of doctor, by flag.
var explainFlags = []struct {
	kind        explainKind
	name, usage string
}{
	{aboutPath, "explain-path", "show who can read and write `FILE`, and why"},
	{aboutHost, "explain-host", "show who can reach `HOST`, and why"},
	{aboutCommand, "explain-command", "show which rules match `COMMAND`, and which do not"},
	{aboutEnv, "explain-env", "show who sees the environment variable `NAME`, and why"},
}

// explainNames are the flags that explain something, as they are typed.
func explainNames() []string {
	names := []string{"--explain"}
	for _, f := range explainFlags {
		names = append(names, "--"+f.name)
	}
	return names
}

func newDoctor(a *app) *cobra.Command {
	o := doctorOptions{live: verify.Auto}
	subjects := make([]string, len(explainFlags))
	cmd := &cobra.Command{
		Use:   "doctor [PROBE...]",
		Short: "Show why something fails in the sandbox, and the smallest fix",
		Long: `doctor tries each workflow inside the sandbox and, if that leaves no traces,
outside too, and names the layer that blocks it. With --try-fix it tests every
known fix on a copy of your setup: the workflow must work, and everything else
must stay blocked. A working fix is shown with its price. Your files are not
changed.

` + strings.Join(text.Wrap("Probes: "+strings.Join(probeNames(), ", ")+".", 80), "\n") + `

--explain looks up an error message and tests whether this machine has the
problem. --explain-path, -host, -command and -env show who can access one thing,
and which line of which file decides it, separately for sandboxed commands and
for the agent's own tools; with --live they also test it.

Exit code: 0 everything works or does not apply, 1 something is blocked or
unknown, 2 something that must be blocked was not.`,
		Example: `  steward-setup doctor
  steward-setup doctor ssh-agent --try-fix
  steward-setup doctor --explain "Error connecting to agent: Operation not permitted"
  steward-setup doctor --explain -                       read stdin
  steward-setup doctor --explain-path ~/.ssh/id_ed25519 --live
  steward-setup doctor --explain-command 'git -C . push'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.understand(cmd, args, subjects); err != nil {
				return err
			}
			return a.doctor(cmd.Context(), o)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.text, "explain", "", "explain `TEXT`: an error, a tool result, a hint or an id; - reads stdin")
	for i, f := range explainFlags {
		flags.StringVar(&subjects[i], f.name, "", f.usage)
	}
	flags.Var(liveFlag{&o.live}, "live",
		"with --explain, `WHEN` to test it too: always, never, or auto, which runs the matching probe")
	flags.Lookup("live").NoOptDefVal = string(verify.Always)
	flags.BoolVar(&o.tryFix, "try-fix", false, "test the known fixes on a copy of your setup")
	flags.StringVar(&o.profile, "profile", "",
		"write the probes' timings to `FILE`, a trace for ui.perfetto.dev or chrome://tracing")
	flags.BoolVar(&o.nice, "nice", false, "run at low priority, so that other programs stay fast")
	flags.BoolVar(&o.verbose, "verbose", false, "show all evidence")
	a.addRuntime(cmd)
	return cmd
}

func probeNames() (names []string) {
	for _, id := range doctor.IDs() {
		names = append(names, string(id))
	}
	return names
}

// understand reads the arguments: probes, or one question.
func (o *doctorOptions) understand(cmd *cobra.Command, args, subjects []string) error {
	var asked []string
	if cmd.Flags().Changed("explain") {
		asked = append(asked, "--explain")
	}
	for i, f := range explainFlags {
		if cmd.Flags().Changed(f.name) {
			asked = append(asked, "--"+f.name)
			o.question = explainQuestion{Kind: f.kind, Subject: subjects[i], Live: o.live == verify.Always}
		}
	}
	switch {
	case len(asked) > 1:
		return usage(cmd, strings.Join(asked, " and ")+" cannot be combined")
	case len(asked) == 1 && len(args) > 0:
		return usage(cmd, asked[0]+" takes no PROBE")
	case len(asked) == 0 && cmd.Flags().Changed("live"):
		return usage(cmd, "--live needs "+inWords(explainNames(), "or"))
	case len(asked) == 1 && o.profile != "":
		return usage(cmd, "--profile works only with probes, and "+asked[0]+" runs none")
	case o.question.Kind != "" && o.tryFix:
		return usage(cmd, "--try-fix works only with probes and --explain")
	}
	for _, arg := range args {
		if doctor.Title(report.ID(arg)) == "" {
			return oneOf(cmd, []string{arg}, probeNames())
		}
		o.probes = append(o.probes, report.ID(arg))
	}
	return nil
}

func (a *app) doctor(ctx context.Context, o doctorOptions) error {
	h, err := a.host()
	if err != nil {
		return err
	}
	if err := a.mayKeep(a.self(h)+" doctor --profile", engine.Profile, &o.profile); err != nil {
		return err
	}
	d := &consultation{a: a, h: h, o: o}
	d.r, d.facts = a.look(ctx, h)
	d.out = a.output("doctor", d.facts)
	if d.out.doc == nil {
		d.lines = plain.NewDoctor(a.out, a.sys.List(), d.facts, plain.ReportOptions{Verbose: o.verbose, Width: a.columns()})
	}
	switch {
	case o.question.Kind != "":
		return d.explain(ctx)
	case o.text != "":
		return d.explainText(ctx)
	case a.screen():
		return d.onScreen(ctx)
	}
	findings, err := d.probe(ctx, o.probes, len(probeNames()))
	if err != nil {
		return d.out.end(0, err)
	}
	if d.lines != nil {
		d.lines.End()
		d.lines.Next(d.next(findings))
	}
	return d.out.end(report.Judge(findings, false).Exit(), nil)
}

// consultation is one run of doctor.
type consultation struct {
	a     *app
	h     *host.Host
	r     host.Reader
	o     doctorOptions
	facts report.Facts
	out   *output
	lines *plain.Doctor // nil with --json
}

// probe runs probes and shows meanwhile how far they are.
func (d *consultation) probe(ctx context.Context, ids []report.ID, of int) ([]report.Finding, error) {
	if ids != nil {
		of = len(ids)
	}
	emit, clear := d.a.waiting(of, func(e engine.Event) {
		if d.lines != nil {
			d.lines.Emit(d.a.calledEvent(d.a.self(d.h), e))
		} else {
			d.out.Emit(e)
		}
	})
	defer clear()
	return d.run(ctx, d.r, ids, d.o.tryFix, emit)
}

// consulting is what the doctor is asked about: the one runtime that there is.
func (a *app) consulting() doctor.Options {
	return doctor.Options{Agent: agent, Project: a.project, Framework: a.framework}
}

// run asks probes, and writes where the time went if that was asked for.
func (d *consultation) run(ctx context.Context, r host.Reader, ids []report.ID, fix bool,
	emit engine.Sink) ([]report.Finding, error) {
	trace := profile.New(d.a.sys.Now)
	o := d.a.consulting()
	o.Probes, o.TryFix, o.Nice = ids, fix, d.o.nice
	if d.o.profile != "" {
		o.Played = trace.Session
	}
	findings, err := doctor.Run(ctx, r, o, trace.Sink(emit))
	if d.o.profile != "" && err == nil {
		err = engine.Profile.Save(d.o.profile, trace.JSON("doctor"))
	}
	return findings, err
}
