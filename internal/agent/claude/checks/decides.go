// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what decides about a session of the runtime is part of the key of a
// stored result, byte for byte where that is cheap.

package checks

import (
	"context"
	"fmt"
	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/inforce"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/sensitive"
	"github.com/steward-setup/steward-setup/steps/verify"
	"path/filepath"
	"slices"
)

// Decides implements verify.Agent: the settings of a session in each worktree, hook
// scripts, wrapper and how the shell reaches it, and the runtime.
func (Claude) Decides(ctx context.Context, project, dir string, k *verify.Keyer) {
	r := k.Host
	sys, places := r.System(), r.Places()
	k.Add("agent", places.AgentDir)
	for _, found := range iso.FindRuntime(r, sys.Get("PATH"), host.FindTree(r, dir).Root) {
		k.Program(found.Path)
	}
	k.Version(ctx, proc.ClaudeCode)
	for _, name := range started {
		k.Add("started", host.LookUp(r, sys.Get("PATH"), dir, name))
	}
	addSessions(ctx, project, dir, k)
	k.Add("mentions", sys.Get(claude.MentionsVariable))
	k.Add("shell", fmt.Sprintf("%+v", ReadShell(r)))
	files, _, _ := rcFiles(r)
	for _, f := range files { // what the user's shells said follows from them
		k.File(f.Path)
	}
	k.Dir(places.Scripts())
	k.Dir(places.Isolation())
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
	}
	for _, lost := range slices.Concat(in.Unread(), in.Doubts()) {
		k.Add("lost", lost.Where, lost.What)
	}
	servers := filepath.Join(start, ".mcp.json")
	if e, secret := sensitive.Secret(k.Host, in.Root, servers); secret {
		k.Add("not opened", e.Path, e.To)
		return
	}
	k.File(servers)
}
