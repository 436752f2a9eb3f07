// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whole-user scope is a global core.hooksPath that leads to
// the setup's own directory, with its hook in it; anything else is
// per-project. What is half the one and half the other is said to be.

package verify

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
)

// scope asks which repositories the setup covers.
func scope(dir string) engine.Check {
	return engine.Check{ID: "scope", Title: "Which repositories are covered", Layer: report.LayerSandbox,
		Run: func(ctx context.Context, r host.Reader) report.Finding { return checkScope(ctx, r, dir) }}
}

// postCheckout is git's hook that adds roots.
const postCheckout = "post-checkout"

func checkScope(ctx context.Context, r host.Reader, dir string) report.Finding {
	repo, _, err := open(ctx, r, dir)
	if err != nil {
		return notOpened(dir, err)
	}
	hooks, err := repo.HooksPath(ctx)
	if err != nil {
		return report.Finding{Status: report.Unknown, Summary: "git did not say where it looks for hooks", Evidence: []report.Evidence{errorEvidence(repo.CommonDir, err)}}
	}
	own := filepath.Join(r.Places().AgentDir, "git-hooks")
	leads := func(h gitrepo.Hooks) bool { return h.Value != "" && startAt(r, h.Path) == startAt(r, own) }
	said := []report.Evidence{report.FileEvidence(repo.CommonDir, "core.hooksPath is not set")}
	if hooks.Value != "" {
		said = []report.Evidence{saysHooks(hooks)}
	}
	for _, h := range slices.Backward(hooks.Overruled) {
		e := saysHooks(h)
		e.Text += ", overruled in this repository"
		said = append(said, e)
	}
	f := report.Finding{Status: report.Pass, Evidence: said}
	switch {
	case leads(hooks) && (hooks.Scope == "local" || hooks.Scope == "worktree"):
		f.Status, f.Summary = report.Warn, "mixed: this repository alone is led to the hook for all of them"
	case leads(hooks):
		wholeUser(r, &f, repo, own)
	case slices.ContainsFunc(hooks.Overruled, leads):
		f.Status, f.Summary = report.Warn, "mixed: whole-user, but this repository looks for hooks in "+hooks.Path
	case (hooks.Scope == "global" || hooks.Scope == "system") && readHook(r, filepath.Join(hooks.Path, postCheckout)).roots:
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
	path := filepath.Join(own, postCheckout)
	what, runs := gitHook(r, path)
	f.Evidence = append(f.Evidence, report.FileEvidence(path, what))
	shadowed := slices.DeleteFunc(activeHooks(r, filepath.Join(repo.CommonDir, "hooks")), func(name string) bool {
		return readHook(r, filepath.Join(own, name)).hands
	})
	switch {
	case !runs:
		f.Status, f.Summary = report.Warn, "mixed: git is led to the setup's directory in every repository, but its hook does not run: "+what
	case len(shadowed) > 0:
		f.Status, f.Summary = report.Warn, f.Summary+"; this one's own do not run: "+strings.Join(shadowed, ", ")
		f.Evidence = append(f.Evidence, report.FileEvidence(filepath.Join(repo.CommonDir, "hooks"), "git does not look here: "+strings.Join(shadowed, ", ")))
	}
}

// perProject looks for what whole-user scope left behind, and for a hook of
// ours where git does not look.
func perProject(r host.Reader, f *report.Finding, repo *gitrepo.Repo, hooks gitrepo.Hooks, own string) {
	f.Summary = "per-project: other repositories need their own policy"
	usual := filepath.Join(repo.CommonDir, "hooks")
	for _, dir := range []string{usual, own} {
		path := filepath.Join(dir, postCheckout)
		what, runs := gitHook(r, path)
		switch {
		case !runs || dir == usual && !writtenByUs(r, path):
		case dir == hooks.Path:
			f.Evidence = append(f.Evidence, report.FileEvidence(path, what))
		default:
			f.Status = report.Warn
			f.Summary = "mixed: per-project, but there is a hook of the setup's where git does not look"
			f.Evidence = append(f.Evidence, report.FileEvidence(path, what+", but git looks in "+hooks.Path))
		}
	}
}

// hookRuns is what a hook of git's that somebody else wrote runs.
type hookRuns struct {
	// roots says that it adds project roots, hands that it runs the
	// repository's own hook of its name, as the framework's dispatcher does.
	roots, hands bool
}

// readHook reads it, links followed, without comments.
func readHook(r host.Reader, path string) (h hookRuns) {
	info, err := r.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0 {
		return h
	}
	b, err := r.Read(path)
	if err != nil {
		return h
	}
	var finds, starts bool
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#") {
			continue
		}
		h.roots = h.roots || strings.Contains(line, "sandbox-add-project-root") || strings.Contains(line, "steward-setup") && strings.Contains(line, "post-checkout")
		finds = finds || strings.Contains(line, "git-common-dir") || strings.Contains(line, "GIT_COMMON_DIR") || strings.Contains(line, "GIT_DIR")
		starts = starts || strings.Contains(line, "hooks/")
	}
	h.hands = finds && starts
	return h
}

// gitHook says what a hook of git's is, and whether git would run it.
func gitHook(r host.Reader, path string) (what string, runs bool) {
	info, err := r.Stat(path)
	switch {
	case err != nil:
		return "there is no hook", false
	case !info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0:
		return "the hook is not executable", false
	case writtenByUs(r, path):
		return "the hook of steward-setup", true
	}
	switch h := readHook(r, path); {
	case h.roots && h.hands:
		return "a dispatcher: it adds project roots and runs the repository's own hook", true
	case h.roots:
		return "a hook that adds project roots", true
	case h.hands:
		return "a dispatcher that runs the repository's own hook and adds no project root", true
	}
	return "a hook that steward-setup did not write", true
}

func writtenByUs(r host.Reader, path string) bool {
	b, err := r.Read(path)
	return err == nil && scripts.Ours(b)
}

// activeHooks lists the hooks of a directory that git would run.
func activeHooks(r host.Reader, dir string) []string {
	entries, err := r.ReadDir(dir)
	if err != nil {
		return nil
	}
	var active []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".sample") {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if _, runs := gitHook(r, path); runs && !writtenByUs(r, path) {
			active = append(active, e.Name())
		}
	}
	return active
}
