// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a candidate is judged before anything of the installed
// runtime is touched; what is downloaded for that was shown and approved.

package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/runtimes"
	"github.com/steward-setup/steward-setup/internal/scripts"
)

// tryOptions are the flags of update that look at a runtime which is not
// installed.
type tryOptions struct {
	try, bisect, from, to, forget string
}

func (o *tryOptions) flags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&o.try, "try", "", "compare another runtime with the installed one: `VERSION`, latest, or the path "+
		"of a claude executable")
	flags.StringVar(&o.bisect, "bisect", "",
		"find the version in which the result of `CALL` changed, named as --try prints it")
	flags.StringVar(&o.from, "from", "", "with --bisect: the older `VERSION` (default: the installed one)")
	flags.StringVar(&o.to, "to", "", "with --bisect: the newer `VERSION` (default: latest)")
	flags.StringVar(&o.forget, "forget", "", "remove `VERSION` from the cache (--forget=VERSION), or all of them")
	flags.Lookup("forget").NoOptDefVal = "all"
}

// noArgs refuses arguments; a version after --forget is meant as its value,
// which has to stand behind a "=".
func (o *tryOptions) noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 1 && cmd.Flags().Changed("forget") && runtimes.Version(args[0]) {
		return usage(cmd, "write --forget="+args[0]+": a version after a space is not read")
	}
	return cobra.NoArgs(cmd, args)
}

// asked says which of them a line asks for: try, bisect or forget, or "" for
// the report.
func (o *tryOptions) asked(cmd *cobra.Command) (string, error) {
	given := cmd.Flags().Changed
	asked := slices.DeleteFunc([]string{"try", "bisect", "forget"}, func(name string) bool { return !given(name) })
	switch {
	case len(asked) > 1:
		return "", usage(cmd, "--"+strings.Join(asked, " and --")+" cannot be combined")
	case (given("from") || given("to")) && !given("bisect"):
		return "", usage(cmd, "--from and --to belong to --bisect")
	case len(asked) == 0:
		return "", nil
	}
	return asked[0], nil
}

// upgrading is one run of update --try, --bisect or --forget.
type upgrading struct {
	a   *app
	o   updateOptions
	h   *host.Host
	out *output
	// facts are those of the machine with the installed runtime.
	facts report.Facts
}

func (t *upgrading) run(ctx context.Context, what string) (err error) {
	if t.h, err = t.a.host(); err != nil {
		return err
	}
	if what == "forget" {
		return t.forget()
	}
	_, t.facts = t.a.look(ctx, t.h)
	t.out = t.a.output("update", t.facts)
	if what == "bisect" {
		return t.end(ctx, t.bisect(ctx, t.facts.Runtime))
	}
	return t.end(ctx, t.try(ctx))
}

// end is the way out of a run; a code is no failure.
func (t *upgrading) end(ctx context.Context, err error) error {
	code, is := err.(exitCode) //nolint:errorlint // it is made here, and never wrapped
	switch {
	case is:
		return t.out.end(int(code), nil)
	case err != nil:
		return t.out.end(0, stopped(ctx, err, "update "+t.flags()))
	}
	return t.out.end(report.ExitOK, nil)
}

// flags ask for the same run again.
func (t *upgrading) flags() string {
	if t.o.bisect == "" {
		return "--try " + scripts.Quote(t.o.try)
	}
	flags := "--bisect " + scripts.Quote(t.o.bisect)
	if t.o.from != "" {
		flags += " --from " + scripts.Quote(t.o.from)
	}
	if t.o.to != "" {
		flags += " --to " + scripts.Quote(t.o.to)
	}
	return flags
}

// with is the machine with another runtime.
func (t *upgrading) with(path string) (*host.Host, error) {
	sys := t.h.System()
	sys.Runtime = path
	return host.New(sys)
}

// line is update with these flags, as it can be typed in any directory.
func (t *upgrading) line(flags string) string {
	return t.a.self(t.h) + " " + t.a.again("update "+flags)
}

// try fetches the candidate if need be, and compares.
func (t *upgrading) try(ctx context.Context) error {
	path, err := t.candidate(ctx)
	if err != nil || path == "" {
		return err
	}
	return t.compare(ctx, path)
}

// candidate is the executable to try; "" if only the plan was asked for.
func (t *upgrading) candidate(ctx context.Context) (string, error) {
	version := strings.TrimPrefix(t.o.try, "v")
	if runtimes.Version(version) || version == runtimes.Latest {
		return t.fetched(ctx, version, "--try "+version)
	}
	path, err := t.a.runtimeAt(ctx, t.o.try)
	if e, ok := errors.AsType[*report.Error](err); ok && e.Code == report.ExitUsage {
		e.What += didYouMean(t.o.try, []string{runtimes.Latest})
		e.Next = "give a VERSION of three numbers, latest, or the path of a claude executable"
	}
	if err == nil && (t.o.plan || t.o.apply != "") {
		err = &report.Error{Code: report.ExitUsage, Where: path, What: "is a file: nothing is downloaded",
			Next: t.line("--try " + scripts.Quote(path))}
	}
	return path, err
}
