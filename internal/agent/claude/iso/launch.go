// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a launch is worked out as a whole before anything is
// started, so that what is explained is what happens.

package iso

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/inforce"
	"github.com/steward-setup/steward-setup/internal/approval"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/report"
)

// Marker is set in the environment of the agent, so that a claude on PATH that
// leads back to claude-iso is found out instead of followed for ever.
const Marker = "STEWARD_SETUP_ISO"

// readInstructions lets the runtime read CLAUDE.md and .claude/rules of a
// directory given with --add-dir; no setting of such a directory is read
// (measured with 2.1.329).
const readInstructions = claude.InstructionsVariable + "=1"

// Prepare works out a launch in the working directory. Other holds what else
// starts the agent on this machine. The error is a *report.Error: there is no
// agent (exit code 127), or a file that must be understood is not (65). A
// policy that is not approved, or cannot be in force, is no error: see Refuse.
func Prepare(ctx context.Context, h host.Reader, o Options) (l Launch, other []Found, err error) {
	sys := h.System()
	if !filepath.IsAbs(sys.Cwd) {
		return l, nil, &report.Error{Code: report.ExitUsage, What: "the working directory is gone",
			Next: "cd to an existing directory"}
	}
	approvals, err := Approvals(h)
	if err != nil {
		return l, nil, err
	}
	l.Place = locate(h, approvals, sys.Cwd)
	l.Vars = Choose(sys.Env)
	l.Added, l.Started = added(h, l.Place, o.Args), starting(h, l.Place, o.Args)
	l.Exchanged = exchanged(h, l.Place, o.Args)
	found := FindRuntime(h, sys.Get("PATH"), l.Place.Start)
	if len(found) == 0 || found[0].From != "PATH" {
		return l, found, notFound(h, found, passedOver(h, sys.Get("PATH"), l.Place.Start))
	}
	if _, in := sys.AgentSession(); sys.Get(Marker) != "" && !in {
		return l, nil, &report.Error{Code: report.ExitUsage, Where: found[0].Path, What: "starts claude-iso again",
			Why: "each would start the other forever", Next: "let it start the agent's executable, or remove it from PATH"}
	}
	l.Runtime, other = found[0], found[1:]
	if err := l.read(h, approvals, o.Anyway); err != nil {
		return l, other, err
	}
	l.environment(h)
	l.Seconds = append(host.Mounted(h, l.Place.Home, l.Place.Start, l.Place.Root), MountedInside(h, l.Place.Start)...)
	if err := l.argv(o); err != nil {
		return l, other, err
	}
	l.State, err = l.judge(ctx, h)
	return l, other, err
}

// read reads the project: its policy, its items and what is approved. A file
// that is not understood is an error, or, with anyway, what is Lost.
func (l *Launch) read(h host.Reader, approvals approval.Set, anyway bool) (err error) {
	if l.Forgeable = cmp.Or(OwnPlaces(h, l.Place.Start), homeOfAnother(h, l.Place)); l.Forgeable != nil {
		approvals = approval.Set{}
	}
	if l.Forgeable == nil {
		l.Unseen, l.Linked = secondName(h, l.Place.Start, OwnFiles(h))
		l.Linked = cmp.Or(l.Linked, ignoresCase(h, l.Place))
	}
	l.users = readUsersRules(h, l.Place)
	l.Stray = host.FindTree(h, l.Place.Start).StrayCommonDir(h)
	if l.Policy, err = policyOf(h, l.Place); err != nil {
		if anyway {
			l.Lost = err
			return nil
		}
		return err
	}
	approved := approvals.Of(l.Place.ID)
	l.Known = approved.PolicyDigest != ""
	l.Approved = l.Policy.Empty() && !l.Known || approved.Policy(l.Policy.Digest())
	l.state = h.Places().State
	if l.Items, err = itemsOf(h, l.Place, l.Policy); err != nil {
		return err
	}
	for n, i := range l.Items {
		l.Items[n].Allowed = i.Digest != "" && i.Refused == "" && approved.Item(i.Digest) && i.kept(h)
	}
	if l.Place.Start == l.Place.Root && !l.Place.holdsHome(l.Place.Root) {
		// The main checkout is no place of the launch's own: -w opens it.
		l.keepInstructions(h)
	}
	return nil
}

// OwnPlaces says that what only the user may write lies where an agent at work
// on the project around start could write it, or is reached through there: the
// approvals, or a CLAUDE_CONFIG_DIR; nil if not. Another name of an approval
// there counts too. The error is a *report.Error.
func OwnPlaces(h host.Reader, start string) error {
	const config = claude.ConfigDirVariable
	dir, written := h.System().Get(config), host.Written(h, start)
	if dir != "" && !filepath.IsAbs(dir) {
		return &report.Error{Code: report.ExitLeft, Where: config, What: fmt.Sprintf("is relative (%q)", dir),
			Why:  "the runtime reads your settings and hooks from that directory of whatever project it starts in",
			Next: "set it to an absolute path, or unset it"}
	}
	if dir != "" && h.Through(h.Places().AgentDir, written) {
		return &report.Error{Code: report.ExitLeft, Where: h.Places().AgentDir, What: config +
			" is inside the project, or reached through it",
			Why: "the agent could write your settings and hooks there", Next: "set it to a directory outside the project"}
	}
	if state := h.Places().State; h.Through(state, written) {
		return &report.Error{Code: report.ExitLeft, Where: state, What: "your approvals are inside the project, or reached " +
			"through it",
			Why: "the agent could write an approval there", Next: "set XDG_STATE_HOME to a directory outside the project"}
	}
	var approvals []OwnFile
	for _, path := range ownState(h) {
		approvals = append(approvals, OwnFile{Path: path, What: "your approvals"})
	}
	_, linked := secondName(h, start, approvals) // a launch looks at them again, and says what is unknown
	return linked
}

// aboveApprovals says that the approvals lie below the start directory, all of which is open
// to commands: it is the home itself, or above it. The error is a *report.Error, nil if not.
func aboveApprovals(h host.Reader, start string) error {
	if !pathname.Within(host.Real(h, h.Places().State), host.Real(h, start)) {
		return nil
	}
	return &report.Error{Code: report.ExitLeft, Where: start, What: "commands would write all of it: your approvals, " +
		"your start files and other projects",
		Why: "what a session starts in is open to its commands", Next: "start in a directory below it"}
}

// Approvals reads the user's standing approvals. The error is a *report.Error.
func Approvals(h host.Reader) (approval.Set, error) {
	path := approval.Path(h.Places().State)
	b, err := h.Read(path)
	if err != nil && !missing(err) {
		return approval.Set{}, &report.Error{Code: report.ExitMalformed, Where: path, What: "cannot be read", Err: err,
			Why: approval.NotUnderstood, Next: "make it readable"}
	}
	return approval.Parse(path, b)
}

// judge asks whether the launch's policy would be in force, and tries the
// sandbox.
func (l *Launch) judge(ctx context.Context, h host.Reader) (inforce.State, error) {
	clean, in, err := l.gather(h)
	if err != nil {
		return inforce.State{}, err
	}
	state := inforce.Judge(in)
	if state.Mode == inforce.Off || in.OS != "linux" {
		return state, nil
	}
	if res := clean.Run(ctx, proc.SandboxTrial()); !res.OK() {
		in.Trial = inforce.Trial{Line: res.Line, Failed: res.Text()}
	}
	return inforce.Judge(in), nil
}

// What others say, too: of a claude that is not found, of a variable that no list
// names, of files that lead elsewhere or that commands can change, and the title
// of what Approval proposes.
const (
	NotOnPath, Unlisted, ShellRuns = "claude is not on PATH", "not in the list", "what your shell runs"
	RenameUTF8, CanChange          = "rename it, or the directory, to a name in UTF-8", ", which commands can change"
	LookThenRemove, ApprovalTitle  = "check what it names, then remove it", "What claude-iso starts with"

	hardLink = "has another name (a hard link): "
)

func notFound(h host.Reader, elsewhere []Found, passed string) error {
	if passed != "" {
		return &report.Error{Code: report.ExitNotFound, Where: passed,
			What: "is the claude on PATH, and is skipped: it is in the project, or is reached through it",
			Why:  "a command of the agent could have written it", Next: "put a claude that lies outside the project on PATH"}
	}
	e := &report.Error{Code: report.ExitNotFound, What: NotOnPath, Why: "there is no agent to start",
		Next: "see the line that installs the pinned version:  ", Lines: []report.Line{{Words: "install --plan"}}}
	var not *proc.NotStarted
	if _, err := h.Look("claude"); errors.As(err, &not) {
		e.Where, e.What, e.Why = not.Path, "cannot be started: "+not.Why, "there is no other claude on PATH"
		return e
	}
	if len(elsewhere) > 0 {
		e.Where = elsewhere[0].Path
		e.What = "claude is here, but not on PATH"
		e.Next = "add its directory to PATH, or: "
	}
	return e
}

// Refuse says why a launch must not start: nil if it may. The error is a
// *report.Error.
func (l *Launch) Refuse(o Options) error {
	if wrong := l.refusedArgument(o.Args); wrong != nil && !o.Anyway {
		return wrong
	}
	if l.Lost != nil && o.Anyway {
		return nil
	}
	if l.Forgeable != nil {
		return l.Forgeable
	}
	if !l.Approved {
		e := &report.Error{Code: report.ExitLeft, Where: settingsIn(l.Place.Project),
			What: "the policy has changed since you approved it",
			Why:  "the change may have removed protections", Next: "review and approve it:  ",
			Lines: []report.Line{{Words: "iso --approve"}}}
		switch {
		case !l.Known:
			e.What, e.Why = "the policy of this project is not approved yet", "review the agent's limits first"
		case l.Policy.Empty():
			e.What, e.Why = "there is no policy here, though you approved one for the project",
				"your branch may not have it yet; iso --approve here would revoke the approval"
			e.Next = "commit the policy where it is and merge it here, or:  "
			e.Lines = []report.Line{{Words: "install"}}
		}
		return e
	}
	if open := cmp.Or(l.Linked, l.Open); open != nil && !o.Anyway {
		return open
	}
	if l.Stray != "" && !o.Anyway {
		return &report.Error{Code: report.ExitLeft, Where: l.Stray, What: "leads git to the configuration of another " +
			"directory, which a command may have written",
			Why:  "git itself writes this file for linked worktrees only; the runtime runs git unsandboxed",
			Next: LookThenRemove}
	}
	if len(l.State.Broken) > 0 && !o.Anyway {
		r := l.State.Broken[0]
		return &report.Error{Code: report.ExitLeft, Where: r.Where, What: r.What, Why: "the policy would not be in force",
			Next: r.Next, Lines: []report.Line{{Words: r.Run, After: ";  or start without it:  "}, anyway}}
	}
	if l.State.Mode == inforce.Off && !o.Anyway {
		return &report.Error{Code: report.ExitLeft, Where: l.Place.Project, What: Unsandboxed,
			Why: "the agent's commands would run unsandboxed", Next: "set up the project:  ",
			Lines: []report.Line{{Words: "install", After: ";  or start without a sandbox:  "}, anyway}}
	}
	return nil
}

// Unsandboxed says that neither the project nor the user's settings have a
// policy that switches the sandbox on.
const Unsandboxed = "no policy switches the sandbox on here"

// Outlook works out what a launch in the directory start (absolute) would be
// judged by, without looking for an agent and without starting anything. The
// error is a *report.Error: claude-iso would not start here.
func Outlook(h host.Reader, start string) (Launch, inforce.Input, error) {
	l, err := Consider(h, start)
	if err != nil {
		return l, inforce.Input{}, err
	}
	l.Vars = Choose(h.System().Env)
	l.environment(h)
	if err := l.argv(Options{}); err != nil {
		return l, inforce.Input{}, err
	}
	_, in, err := l.gather(h)
	return l, in, err
}

// environment is what the agent gets of the user's, once Vars are chosen and
// the project is read.
func (l *Launch) environment(h host.Reader) {
	more := []string{Marker + "=1", claude.StayVariable + "=1", claude.MentionsVariable + "=1",
		claude.CheckpointsVariable + "=1"}
	if l.Instructions {
		more = append(more, readInstructions)
	}
	e := h.System().Env
	dirs := host.Written(h, l.Place.Start)
	l.Vars = withoutProject(h, e, l.Vars, dirs)
	l.Environ = environ(e, l.Vars, ownPath(h, e.Get("PATH"), dirs), more...)
}

// gather reads what decides about the launch, as the agent will see it: clean
// is the machine with the launch's environment.
func (l *Launch) gather(h host.Reader) (clean *host.Host, in inforce.Input, err error) {
	if clean, err = host.New(system(h, l.Environ)); err != nil {
		return nil, in, err
	}
	l.Open = l.openDotenv(h)
	in = inforce.Gather(host.As(clean, h), inforce.Invocation{Start: l.Place.Start, Args: l.Argv[1:]})
	if inforce.Judge(in).Mode != inforce.Off { // else that is said
		l.Open = cmp.Or(aboveApprovals(h, l.Place.Start), l.Open)
	}
	return clean, in, nil
}
