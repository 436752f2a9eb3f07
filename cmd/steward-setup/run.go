// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: argv becomes options, one step runs, one renderer shows
// it, one exit code comes out.

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/ui/plain"
	"github.com/steward-setup/steward-setup/internal/ui/tui"
	"github.com/steward-setup/steward-setup/steps/update"
)

// version is set by the linker for a release.
var version = update.NoVersion

// built is the version of this program: the one that was set, else the one of the module
// that go install was asked for.
func built(set, module string) string {
	if set != update.NoVersion || module == "" || module == "(devel)" {
		return set
	}
	return module
}

// observeWrite is told before each stage of each write. It is nil but in this
// package's tests, which end the process there.
var observeWrite func(stage string)

// app is what every command shares: the surroundings and the global flags.
type app struct {
	sys  env.System
	in   io.Reader
	out  io.Writer
	errw io.Writer

	project, framework string
	json, plain        bool
	format             string // of verify; "" is a screen, or lines

	named    bool // the first word but for those before it is a command that hands on what follows (ahead)
	before   []string
	helpless error // of a --help for what is no command

	wait     *plain.Progress
	stopWait func()
}

func run(ctx context.Context, sys env.System, in io.Reader, out, errw io.Writer, args []string) (code int) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	out, printed := watchOutput(out, cancel)
	a := &app{sys: sys, in: in, out: out, errw: errw}
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(errw, "steward-setup: internal error: %v\n  why   this is a bug in steward-setup, not in your setup\n"+
				"  next  please report it with these lines\n%s", p, debug.Stack())
			code = report.ExitInternal
		}
	}()
	if args = a.ahead(args); len(args) > 1 && args[0] == "hook" {
		if code, ok := a.hook(ctx, args[1], args[2:]); ok {
			return code
		}
	}
	if len(args) > 0 && args[0] == "stage" {
		return a.stage(ctx, args[1:])
	}
	a.startWait()
	defer a.endWait()
	root := newRoot(a)
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	a.endWait()
	a.json = a.json || asksForJSON(cmd, args)
	code = a.exit(ctx, strings.TrimPrefix(cmd.CommandPath(), "steward-setup "), errors.Join(err, a.helpless))
	switch {
	case code >= report.ExitUsage:
	case printed.unread(): // as wished: the command completed, and its answer counts
	case printed.err != nil:
		next := "run it again with its output where that can be written"
		if cmd.Flags().Changed(applyFlag) {
			next = a.selfHere() + " history lists what was applied"
		}
		a.complain(&report.Error{Where: "standard output", What: fs.NotWritten, Err: printed.err,
			Why: "the output was lost; the command completed", Next: next})
		code = report.ExitInternal
	}
	return code
}

func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "steward-setup",
		Short: "Install, test, diagnose and undo a secure setup for a coding agent",
		Long: `steward-setup sets up a workstation so that a coding agent no longer reads
everything on it: a clean environment, a sandbox, tool permissions and
confirmation prompts. It shows every change before writing it, never runs
anything as root, and can undo everything it wrote.

Without a command it shows how this project is protected now, according to the
last test: the home screen on a terminal, otherwise verify --live=never.

Exit codes: those that the command's own help names, and for every command 64 a
line that is not understood, 65 a malformed file, 70 an internal error, 75 a stale
plan or a lock that is held, 130 interrupted.`,
		Example: `  steward-setup                        show the protection and the next step
  steward-setup try                    try everything in a throwaway home
  steward-setup install                the wizard
  steward-setup install --plan         print its plan; write nothing
  steward-setup verify                 test whether the setup protects`,
		Version:       version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          unknown,
		RunE:          func(cmd *cobra.Command, _ []string) error { return a.home(cmd.Context()) },
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			a.watch(cmd)
			if err := empty(cmd); err != nil {
				return err
			}
			return errors.Join(a.absolute(cmd, "project", &a.project), a.absolute(cmd, "framework", &a.framework))
		},
	}
	root.SetOut(a.out)
	root.SetErr(a.errw)
	root.SetIn(a.in)
	root.SetFlagErrorFunc(badFlag)
	flags := root.PersistentFlags()
	flags.BoolVar(&a.json, "json", false, "print one JSON document")
	flags.BoolVar(&a.plain, "plain", false, "print plain lines, never a full screen")
	flags.StringVar(&a.project, "project", "", "work on the project in `DIR` (default: the current worktree)")
	flags.StringVar(&a.framework, "framework", "", "take policy, scripts and pins from the framework checkout in `DIR`")
	root.AddCommand(newTry(a), newInstall(a), newVerify(a), newDoctor(a), newUpdate(a), newUndo(a), newUninstall(a),
		ownFlags(newCompletion()), newEvidence(a), newHistory(a), newScope(a), newSync(a), newProjectRoot(a),
		a.handed(newIso(a)), a.handed(newHook(a)))
	root.SetVersionTemplate("steward-setup {{.Version}}\n")
	wrapArgs(root)
	a.addHelp(root)
	a.addCompletions(root)
	return root
}

// absolute makes a directory that was given on the command line absolute, and
// refuses one that is not there.
func (a *app) absolute(cmd *cobra.Command, flag string, dir *string) error {
	if !cmd.Flags().Changed(flag) {
		return nil
	}
	*dir = pathname.From(a.sys.Cwd, *dir)
	if info, err := fs.Stat(*dir); err != nil || !info.IsDir() {
		return usage(cmd, "--"+flag+" "+*dir+pathname.NotDirectory)
	}
	return nil
}

// wrapArgs says in our words what cobra refuses about the arguments of cmd and of
// the commands below it, whose flags stand in the order in which they were added.
func wrapArgs(cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		wrapArgs(c)
	}
	cmd.Flags().SortFlags = !cmd.HasParent()
	check := cmd.Args
	if check == nil {
		return
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		err := check(cmd, args)
		if own := (*report.Error)(nil); err == nil || errors.As(err, &own) {
			return err
		}
		_, name, _ := strings.Cut(cmd.CommandPath(), " ")
		for i := range args { // the first that is too many
			if check(cmd, args[:i+1]) != nil {
				return usage(cmd, fmt.Sprintf("%s does not take the argument %q", name, args[i]))
			}
		}
		if cmd.ValidArgs != nil {
			return oneOf(cmd, nil, cmd.ValidArgs)
		}
		return usage(cmd, name+" needs an argument: "+cmd.Use)
	}
}

// host opens the machine for a command.
func (a *app) host() (*host.Host, error) {
	sys := a.sys
	if a.project != "" {
		sys.Cwd = a.project
	}
	return host.New(sys)
}

// onHost is a command that begins by opening the machine.
func (a *app) onHost(do func(*cobra.Command, *host.Host, []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		h, err := a.host()
		if err != nil {
			return err
		}
		return do(cmd, h, args)
	}
}

func (a *app) applier(h *host.Host) engine.Applier {
	return engine.Applier{State: h.Places().State, Version: version, Now: a.sys.Now, Self: a.self(h), Step: observeWrite}
}

// terminal is where full-screen pages are drawn, and nothing else.
func (a *app) terminal() tui.Terminal {
	a.wait.Pause()
	return tui.Terminal{In: a.in, Out: a.out, Environ: a.sys.List(), Called: a.calledError, Home: a.sys.Get("HOME")}
}

// screen says whether a full-screen page may be drawn.
func (a *app) screen() bool {
	return a.sys.Terminal() && !a.plain && !a.json && a.format == "" && a.sys.Get("TERM") != "dumb" &&
		a.sys.Columns <= tui.MaxWidth && a.sys.Rows <= tui.MaxHeight
}

// self is how the user would start this program again: by name if PATH leads
// to it, else by its path, quoted.
func (a *app) self(h *host.Host) string {
	exe := a.sys.Executable
	if found, err := h.Look("steward-setup"); err == nil {
		if real, err := h.Resolve(found); err == nil && real == exe {
			return "steward-setup"
		}
	}
	if exe == "" {
		return "steward-setup"
	}
	if strings.Contains(exe, "/go-build") { // `go run`: the file is gone when this process ends
		return "go run ./cmd/steward-setup"
	}
	return scripts.Quote(exe)
}

// selfHere is self where the machine may not be open: HOME may be missing.
func (a *app) selfHere() string {
	h, err := a.host()
	if err != nil {
		return "steward-setup"
	}
	return a.self(h)
}

// globals are the global flags that matter for doing the same again.
func (a *app) globals() string {
	line := ""
	for _, f := range []struct{ name, value string }{{"project", a.project}, {"framework", a.framework}} {
		if f.value != "" {
			line += " --" + f.name + " " + scripts.Quote(f.value)
		}
	}
	return line
}

// facts are those of a command that looks at no project.
func (a *app) facts(h *host.Host) report.Facts {
	return report.Facts{OS: a.sys.GOOS, Home: h.Places().Home}
}

// worktree is the root of the worktree that a command is about, so that a
// line which names it works from anywhere; outside of one it is --project as
// it was given.
func (a *app) worktree(ctx context.Context, h *host.Host) string {
	repo, err := gitrepo.Open(ctx, h, cmp.Or(a.project, a.sys.Cwd))
	if err != nil {
		return a.project // proposing says it
	}
	return cmp.Or(repo.Root, a.project)
}

const onlyYou = "only you may approve the agent's limits"

// refuseInAgent stops a state-changing command inside the agent's session and
// names the line for the user's own terminal (ARCHITECTURE, law 2).
func (a *app) refuseInAgent(line string) error {
	name, in := a.sys.AgentSession()
	if !in {
		return nil
	}
	return &report.Error{Code: report.ExitLeft, Where: name,
		What: "this is the agent's session: nothing may be changed from here", Why: onlyYou,
		Next: "in a terminal of your own, run:  " + line}
}
