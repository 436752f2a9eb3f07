// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: verify asks here what only Claude Code can answer.

// Package checks is Claude Code behind what verify asks of a runtime: the checks of its
// settings, of its hooks and of how it is started, and which setting lets a call
// through.
//
// Contract: a check only looks, answers with evidence, and never takes what it
// could not see for a pass. Nothing of the runtime is started by the checks of Static.
package checks

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/access"
	"github.com/steward-setup/steward-setup/internal/agent/claude/inforce"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/agent/claude/launchword"
	"github.com/steward-setup/steward-setup/internal/agent/claude/outsiders"
	"github.com/steward-setup/steward-setup/internal/agent/claude/ownfiles"
	"github.com/steward-setup/steward-setup/internal/agent/claude/play"
	"github.com/steward-setup/steward-setup/internal/agent/claude/projectcode"
	"github.com/steward-setup/steward-setup/internal/agent/claude/rcfiles"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/agent/claude/startfailure"
	"github.com/steward-setup/steward-setup/internal/agent/claude/starts"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/pins"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/sensitive"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// Claude is Claude Code for verify.
type Claude struct{ play.Claude }

// about is a check of what of names: a directory in a project, or a checkout of
// the framework.
func about(id report.ID, of string, check func(context.Context, host.Reader, string) report.Finding) engine.Check {
	return engine.CheckOf(id, func(ctx context.Context, r host.Reader) report.Finding { return check(ctx, r, of) })
}

// judged is a check of the settings of a session in the project around dir.
func judged(of func(context.Context, host.Reader, session.Settings, string) report.Finding) func(context.Context,
	host.Reader, string) report.Finding {
	return func(ctx context.Context, r host.Reader, dir string) report.Finding {
		return session.Judged(ctx, r, dir, func(s session.Settings) report.Finding { return of(ctx, r, s, dir) })
	}
}

// Static lists the checks of everything that install writes, in the order of
// the layers. They read files and ask tools for their versions.
func Static(o verify.Options) []engine.Check {
	return o.Bringing(slices.Insert(written(o, projectRoot(o)), 3, cleanEnv(o.Project, nil, nil)))
}

// written are those of them that see no shell; roots is projectRoot.
func written(o verify.Options, roots engine.Check) []engine.Check {
	return []engine.Check{
		toolsPinned(o.Framework),
		about("project-settings", o.Project, checkPolicy),
		about("policy-invariants", o.Project, checkWeakenings),
		about("hook-scripts", o.Framework, checkScripts),
		about("user-wiring", o.Project, checkWiring),
		roots,
		about("scope", o.Project, checkScope),
	}
}

func projectRoot(o verify.Options) engine.Check { return about("project-root", o.Project, checkRoots) }

// Checks implements verify.Agent.
func (Claude) Checks(o verify.Options, live *verify.Rehearsal, progress engine.Sink) []engine.Check {
	roots := projectRoot(o)
	if live != nil {
		roots = verify.WorksInRoots(roots, live, progress)
	}
	list := append(written(o, roots), about("runtime-advisories", o.Project, checkAdvisories),
		about("project-code", o.Project, projectcode.Check), about("mcp-servers", o.Project, checkServers),
	)
	if live == nil {
		list = append(list, effectiveSandbox(o.Project, nil), inOwnShells(cleanEnv(o.Project, nil, nil), o.Project, nil))
	} else {
		shells := &ownShells{done: make(chan struct{})}
		live.Meanwhile(func(ctx context.Context, r host.Reader) { shells.ask(ctx, r, o.Project) })
		list = append(list, effectiveSandbox(o.Project, says(live, progress)), hooksFire(live, progress, o.Project),
			inOwnShells(cleanEnv(o.Project, live.Arrivals(verify.PlainRoot, progress),
				live.Arrivals(verify.IsoRoot, progress)), o.Project, shells))
	}
	if o.Sync {
		list = append(list, about("sync", o.Project, checkSync))
	}
	if o.Baseline != nil {
		list = append(list, about("baseline", o.Project, judged(func(_ context.Context, r host.Reader, s session.Settings,
			_ string) report.Finding {
			return baselineOf(r, s, o.Baseline)
		})))
	}
	if o.Doors {
		list = append(list, about("allowances", o.Project, checkAllowances))
	}
	return list
}

// Version implements verify.Agent.
func (Claude) Version(ctx context.Context, r host.Reader) string {
	version, _ := access.Version(ctx, r)
	return version
}

// statusSince is the version from which the runtime can be asked what is in force;
// an older one would send the words to its model, and each leaves a backup in the home
// (both measured).
const statusSince = "2.1.329"

// Find implements verify.Agent.
func (c Claude) Find(ctx context.Context, r host.Reader, root, tree string) (verify.Found, error) {
	f := verify.Found{Hooks: hookCalls(), Idle: report.EnvEvidence("Claude Code 2.1.224",
		"mounts the start directory before its parent, so that its own bwrap fails; no command runs (measured)"),
		Everywhere: []report.Remedy{starts.Everywhere()}}
	if why, _ := startfailure.Agent(ctx, r); why != "" {
		return f, errors.New(why)
	}
	runtimes := iso.FindRuntime(r, r.System().Get("PATH"), root)
	if len(runtimes) == 0 || runtimes[0].From != "PATH" {
		if _, err := r.Look("claude"); errors.As(err, new(*proc.PassedOver)) {
			return f, err
		}
		return f, errors.New(iso.NotOnPath)
	}
	f.Path = runtimes[0].Real
	if order, err := pins.Compare(claude.Name, c.Version(ctx, r), statusSince); err == nil && order >= 0 {
		f.Asked = claude.AsksStatus
	}
	for _, l := range inforce.Gather(r, inforce.Invocation{Start: root}).Layers {
		for _, p := range settings.Problems(l.Doc) {
			at := settings.Source{Path: l.Doc.Path, Line: p.Line, Col: p.Col}
			f.Skipped = append(f.Skipped, report.FileEvidence(at.Where(), p.What()))
		}
	}
	f.Refused, f.Admits = refusal(ctx, r, root, tree)
	if dir := starts.NoProject(r); !starts.Of(inforce.Gather(r, inforce.Invocation{Start: dir})).Voids &&
		!pathname.Within(dir, root) {
		f.Elsewhere = dir
	}
	return f, nil
}

// Unbridged implements verify.Agent.
func (Claude) Unbridged() report.Evidence {
	return report.EnvEvidence("Claude Code 2.1.329", "refuses the first command and then, unless failIfUnavailable is "+
		"true, runs every other one unsandboxed (measured)")
}

// refusal says why claude-iso would not start in a linked worktree, once the
// policy of the project is approved: it has another one, or none. next ends that.
func refusal(ctx context.Context, r host.Reader, root, tree string) (why string, next report.Command) {
	if tree == "" {
		return "", next
	}
	next = report.Own("iso --approve", report.Command{ID: "approve-worktree", Optional: true, Dir: scripts.Quote(tree),
		Why: "see the policy of this worktree, and approve it"})
	there, err := iso.Consider(r, tree)
	if err != nil {
		return err.Error(), next
	}
	here, err := iso.Consider(r, root)
	if err == nil && there.Policy.Digest() == here.Policy.Digest() || there.Approved {
		return "", next
	}
	if there.Policy.Empty() {
		u, known := starts.WithoutPolicy(ctx, r, tree)
		if !known {
			u = starts.Bereft(tree)
		}
		return u.What, u.Remedy
	}
	return "the policy of " + tree + " differs from the project's and is not approved", next
}

// At implements verify.Agent.
func (Claude) At(r host.Reader, dir string) verify.InForce { return openersAt(r, session.At(r, dir)) }

// Decides implements verify.Agent: the settings of a session in each worktree, hook
// scripts, wrapper and how the shell reaches it, and the runtime.
func (Claude) Decides(ctx context.Context, project, dir string, k *verify.Keyer) {
	r := k.Host
	sys, places := r.System(), r.Places()
	k.Add("agent", places.AgentDir)
	for _, found := range iso.FindRuntime(r, sys.Get("PATH"), host.FindTree(r, dir).Root) {
		k.Program(found.Path)
	}
	k.Version(ctx, claude.Name)
	for _, name := range outsiders.Started {
		k.Add("started", host.LookUp(r, sys.Get("PATH"), dir, name))
	}
	addSessions(ctx, project, dir, k)
	for _, name := range []string{claude.MentionsVariable, claude.CheckpointsVariable, claude.CoworkVariable,
		claude.RulesVariable, claude.SessionKindVariable} {
		k.Add(name, sys.Get(name))
	}
	k.Add("shell", fmt.Sprintf("%+v", launchword.ReadShell(r)))
	files, _, _ := rcfiles.Files(r)
	for _, f := range files { // what the user's shells said follows from them
		k.File(f.Path)
	}
	k.Dir(places.Scripts())
	k.Dir(places.Isolation())
	ownfiles.EachHookFile(r, session.At(r, dir), func(where, text string) {
		k.Add("hook", text)
		k.Program(where)
	})
}

// addSessions adds the settings of a session in each worktree, and the project's
// other files that the runtime reads there; outside a repository, those of dir.
func addSessions(ctx context.Context, project, dir string, k *verify.Keyer) {
	repo, worktrees, err := gitrepo.Around(ctx, k.Host, project)
	if err != nil {
		k.Add("no repository")
		addSession(k, dir)
		return
	}
	k.Add("project", repo.Root, repo.CommonDir)
	if k.TooMany(len(worktrees)) {
		return
	}
	if repo.Root != "" {
		addSession(k, repo.Root) // the list of a submodule does not name its work tree
	}
	for _, wt := range worktrees {
		k.Add("worktree", wt.Path, string(wt.State))
		if wt.State == gitrepo.Usable && wt.Path != repo.Root {
			addSession(k, wt.Path)
		}
	}
}

func addSession(k *verify.Keyer, start string) {
	in := inforce.Gather(k.Host, inforce.Invocation{Start: start})
	for _, l := range in.Layers {
		k.Add("settings", l.Scope.String(), l.Doc.Path, string(l.Doc.Bytes()))
		k.Read(l.Doc.Path, l.Doc.Bytes())
	}
	for _, lost := range slices.Concat(in.Unread, in.Doubts) {
		k.Add("lost", lost.Where, lost.What)
	}
	servers := filepath.Join(start, claude.ServersFile)
	if e, secret := sensitive.Secret(k.Host, in.Root, servers); secret {
		k.Add("not opened", e.Path, e.To)
		return
	}
	k.File(servers)
}
