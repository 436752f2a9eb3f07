// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whole-user scope is a global core.hooksPath that leads to
// the setup's own directory, with its hook in it; anything else is
// per-project. What is half the one and half the other is said to be.

package checks

import (
	"context"
	"errors"
	"fmt"
	iofs "io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/githooks"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
)

// checkScope asks which repositories the setup covers.
func checkScope(ctx context.Context, r host.Reader, dir string) report.Finding {
	repo, _, err := gitrepo.Around(ctx, r, dir)
	if err != nil {
		return session.NotOpened(dir, err)
	}
	hooks, err := repo.HooksPath(ctx)
	if err != nil {
		return report.Finding{Status: report.Unknown, Summary: "git does not report where it looks for hooks",
			Evidence: []report.Evidence{report.ErrorEvidence(repo.CommonDir, err)}}
	}
	own := githooks.SharedDir(r.Places())
	leads := func(h gitrepo.Hooks) bool {
		return h.Value != "" && session.StartAt(r, h.Path) == session.StartAt(r, own)
	}
	said := []report.Evidence{report.FileEvidence(repo.CommonDir, "core.hooksPath is not set")}
	if hooks.Value != "" {
		said = []report.Evidence{saysHooks(hooks)}
	}
	for _, h := range slices.Backward(hooks.Overruled) {
		e := saysHooks(h)
		e.Text += ", overridden in this repository"
		said = append(said, e)
	}
	f := report.Finding{Status: report.Pass, Evidence: said}
	switch {
	case leads(hooks) && (hooks.Scope == "local" || hooks.Scope == "worktree"):
		f.Status, f.Summary = report.Warn, "mixed: only this repository uses the shared hook"
		f.Remedies = []report.Remedy{report.Command{ID: "scope/unset", Why: "let git run this repository's own hooks again",
			Line: "git -C " + scripts.Quote(repo.Root) + " config --" + hooks.Scope + " --unset-all core.hooksPath"}}
	case leads(hooks):
		wholeUser(r, &f, repo, own)
		outdated(ctx, r, &f)
		clonedBefore(ctx, r, &f, repo.Root)
	case slices.ContainsFunc(hooks.Overruled, leads):
		f.Status, f.Summary = report.Warn, "mixed: whole-user, but this repository looks for hooks in "+hooks.Path
		f.Remedies = []report.Remedy{report.Own("project-root --all-worktrees", report.Command{ID: "scope/roots",
			Why: "register its worktrees; repeat it after git worktree add, or call it from post-checkout there"})}
	case (hooks.Scope == "global" || hooks.Scope == "system") &&
		githooks.Read(r, filepath.Join(hooks.Path, githooks.PostCheckout)).Roots:
		wholeUser(r, &f, repo, hooks.Path)
	default:
		perProject(r, &f, repo, hooks, own)
	}
	return f
}

func saysHooks(h gitrepo.Hooks) report.Evidence {
	return report.FileEvidence(h.Origin, fmt.Sprintf("core.hooksPath = %s (%s)", h.Value, h.Scope))
}

// wholeUser looks whether git finds the hook, and what of the repository's own
// it no longer finds.
func wholeUser(r host.Reader, f *report.Finding, repo *gitrepo.Repo, own string) {
	f.Summary = "whole-user: git runs the setup's hook in every repository"
	path := filepath.Join(own, githooks.PostCheckout)
	what, runs := githooks.Describe(r, path)
	f.Evidence = append(f.Evidence, report.FileEvidence(path, what))
	shadowed := slices.DeleteFunc(githooks.Active(r, filepath.Join(repo.CommonDir, "hooks")), func(name string) bool {
		return githooks.Read(r, filepath.Join(own, name)).Hands
	})
	dir := githooks.Look(r)
	switch {
	case dir.Installed && own == dir.Path && len(dir.Drift()) > 0:
		drifted(r, f, dir)
	case !dir.Exists && own == dir.Path:
		f.Status, f.Summary = report.Warn, "mixed: core.hooksPath points to a missing directory: no repository's hooks run"
	case !runs:
		f.Status, f.Summary = report.Warn, "mixed: core.hooksPath points to "+own+", but its hook does not run: "+what
	case len(shadowed) > 0:
		f.Status, f.Summary = report.Warn, f.Summary+"; this one's own do not run: "+strings.Join(shadowed, ", ")
		f.Evidence = append(f.Evidence, report.FileEvidence(filepath.Join(repo.CommonDir, "hooks"),
			"git does not look here: "+strings.Join(shadowed, ", ")))
	}
	if f.Status == report.Warn && f.Remedies == nil {
		f.Remedies = []report.Remedy{rewrite(r)}
	}
}

// drifted names the hooks of the shared directory that no longer are what
// whole-user scope wrote: git runs none of theirs in any repository.
func drifted(r host.Reader, f *report.Finding, dir githooks.Directory) {
	drift := dir.Drift()
	f.Status, f.Summary = report.Warn, fmt.Sprintf("whole-user, but %d of %d shared hooks are missing or changed: %s",
		len(drift), len(dir.Hooks), drift[0].Name)
	if len(drift) > 1 {
		f.Summary += " and more"
	}
	running := !slices.ContainsFunc(drift, func(file githooks.File) bool { return !dir.Runs(file.Name) })
	if running {
		f.Summary = "whole-user, but another version of steward-setup wrote the shared hooks"
		drift = drift[:1]
	}
	for _, file := range drift {
		state := string(file.State)
		if running {
			state = "not what this version writes, like every shared hook"
		}
		f.Evidence = append(f.Evidence, report.FileEvidence(filepath.Join(dir.Path, file.Name), state))
	}
	f.Remedies = append(f.Remedies, rewrite(r))
}

// rewrite has the shared hooks written again, with the flags of the run that
// wrote them.
func rewrite(r host.Reader) report.Command {
	c := report.Own("scope whole-user --plan", report.Command{ID: "scope/repair", Optional: true,
		Why: "print the plan that writes the shared hooks again; add the previous flags, such as --root and --floor"})
	receipts, err := engine.Applier{State: r.Places().State}.History()
	if err != nil {
		return c
	}
	for _, receipt := range engine.Unaltered(receipts) {
		if receipt.Command == "scope whole-user" && receipt.Flags != "" {
			c = report.Own(c.Words+receipt.Flags, c)
			c.Why = "print the plan that writes the shared hooks again, with the previous flags"
			break
		}
	}
	return c
}

// outdated says that an earlier core.hooksPath has changed since the shared
// hooks were written.
func outdated(ctx context.Context, r host.Reader, f *report.Finding) {
	dir := githooks.Look(r)
	what, err := dir.Outdated(ctx, r)
	if f.Status != report.Pass || err == nil && what == "" {
		return
	}
	if err != nil {
		f.Status, f.Summary = report.Unknown, "whole-user; git did not say which hooks it would run without it"
		f.Evidence = append(f.Evidence, report.ErrorEvidence(dir.Path, err))
		return
	}
	f.Status, f.Summary = report.Warn, "whole-user, but the previous core.hooksPath has changed since"
	f.Evidence = append(f.Evidence, report.FileEvidence(dir.Path, what))
	f.Remedies = append(f.Remedies, rewrite(r))
}

// clonedBefore says that the project has a .claude directory, and no root in
// the settings of its own: none may be written there, it was cloned before
// whole-user scope, or it has moved.
func clonedBefore(ctx context.Context, r host.Reader, f *report.Finding, root string) {
	if info, err := r.Lstat(filepath.Join(root, claude.Dir)); root == "" || err != nil || !info.IsDir() ||
		f.Status != report.Pass {
		return
	}
	path := filepath.Join(root, claude.LocalFile)
	b, err := r.Read(path)
	doc, parseErr := settings.Accept(path, b)
	if err != nil && !errors.Is(err, iofs.ErrNotExist) || parseErr != nil {
		return // project-root says it
	}
	if _, ok := covers(r, doc, root); ok {
		return
	}
	f.Status = report.Warn
	f.Summary = "whole-user, but this worktree is not registered: it was cloned before"
	text := "allowRead lacks " + root
	for _, v := range settings.ItemsOf(doc.Get(claude.KeyAllowRead...)) {
		if _, err := r.Stat(v.Text); filepath.IsAbs(v.Text) && errors.Is(err, iofs.ErrNotExist) {
			f.Summary = "whole-user, but this worktree has moved: its settings name its old path"
			path, text = doc.Where(v), "allowRead names "+pathname.Gone(v.Text)
		}
	}
	f.Evidence = append(f.Evidence, report.FileEvidence(path, text))
	const local = claude.LocalFile
	switch kept, why, err := gitrepo.KeptOut(ctx, r, root, local); {
	case err != nil:
		f.Summary = "whole-user, but this worktree's root cannot be written"
		f.Evidence = append(f.Evidence, report.ErrorEvidence(path, err))
		f.Remedies = append(f.Remedies, report.Command{ID: "scope/ignored", Why: "see why git does not answer",
			Line: "git -C " + scripts.Quote(root) + " check-ignore -v " + local})
		return
	case !kept:
		f.Summary = "whole-user, but this worktree's root cannot be written: git could commit the file"
		f.Evidence = append(f.Evidence, report.FileEvidence(filepath.Join(root, local), why))
		f.Remedies = append(f.Remedies, report.DocLink{Title: "add " + local + " to .gitignore",
			Target: filepath.Join(root, ".gitignore")})
	}
	f.Remedies = append(f.Remedies, report.Own("project-root --all-worktrees", report.Command{ID: "scope/root",
		Why: "write the root, under the standing approval", Optional: true}))
}

// perProject looks for what whole-user scope left behind, and for a hook of
// ours where git does not look.
func perProject(r host.Reader, f *report.Finding, repo *gitrepo.Repo, hooks gitrepo.Hooks, own string) {
	f.Summary = "per-project: other repositories need their own policy"
	usual := filepath.Join(repo.CommonDir, "hooks")
	for _, dir := range []string{usual, own} {
		path := filepath.Join(dir, githooks.PostCheckout)
		what, runs := githooks.Describe(r, path)
		switch {
		case !runs || !githooks.Ours(r, path):
		case dir == hooks.Path:
			f.Evidence = append(f.Evidence, report.FileEvidence(path, what))
		default:
			f.Status = report.Warn
			f.Summary = "mixed: per-project, but a hook of the setup is where git does not look"
			f.Evidence = append(f.Evidence, report.FileEvidence(path, what+", but git looks in "+hooks.Path))
			f.Remedies = append(f.Remedies, report.Command{ID: "scope/remove", Line: "rm " + scripts.Quote(path),
				Why: "remove the hook that git does not run"})
		}
	}
}
