// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what whole-user scope costs is said before it is approved,
// with the name of every hook that it touches.

package scope

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/githooks"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
)

// disclosure has the shared directory for its one verb.
const disclosure = "core.hooksPath in your global git configuration applies to all your repositories, now and later. " +
	"git then looks for hooks in %s, and no longer in .git/hooks or in the directory that was set before. The files put " +
	"there start the hook that git would have started otherwise, with the same arguments, stdin and exit code. Hooks " +
	"that ask git for the hooks directory get the shared one. A repository that sets core.hooksPath itself (husky) is " +
	"not touched."

// prices are what stays true after that.
var prices = []string{
	"if the shared directory is deleted or damaged, git runs no hooks in any of these repositories, and says nothing; " +
		"verify reports it",
	"each hook that git looks for starts one more shell, even where there is no hook",
	"tools that install hooks use the shared directory: lefthook writes into it, pre-commit refuses. Run them as: " +
		"GIT_CONFIG_GLOBAL=/dev/null pre-commit install",
	"git no longer mentions a hook that is not executable",
	"`git rev-parse --git-path hooks` names the shared directory: a hook that looks for other files with it does not " +
		"find them",
}

// readsBefore is the price of hooks in an earlier directory.
const readsBefore = "sandboxed commands can read %s, whose hooks git starts in the sandbox too"

// asksGit are what a hook says that looks for its directory with git's help:
// git names the shared directory then.
var asksGit = []string{"--git-path hooks", "--git-path=hooks", "core.hookspath"}

// asking are the hooks in dir that ask git where hooks are.
func asking(r host.Reader, dir string, names []string) []report.Evidence {
	var list []report.Evidence
	for _, name := range names {
		path := filepath.Join(dir, name)
		b, err := r.Read(path)
		if err != nil {
			continue
		}
		text := strings.NewReplacer(`"`, "", "'", "").Replace(strings.ToLower(string(b)))
		if i := slices.IndexFunc(asksGit, func(said string) bool { return strings.Contains(text, said) }); i >= 0 {
			list = append(list, report.FileEvidence(path, "contains "+asksGit[i]))
		}
	}
	return list
}

// earlier is the directory of hooks that counts without the shared one, where
// it holds hooks and lies below the home, which a sandbox may hide; "" for none.
func earlier(r host.Reader, before githooks.Setting) string {
	dir := host.Real(r, before.Value)
	started := func(name string) bool { return slices.Contains(scripts.GitHooks, name) }
	if !filepath.IsAbs(before.Value) || !pathname.Within(dir, r.Places().Home) ||
		!slices.ContainsFunc(githooks.Active(r, dir), started) {
		return ""
	}
	return dir
}

// affected lists the hooks that there are, and what becomes of them.
func affected(r host.Reader, p Proposal) []report.Finding {
	var list []report.Finding
	var ask []report.Evidence
	add := func(status report.Status, summary string, evidence ...report.Evidence) {
		list = append(list, report.Finding{Check: "scope", Layer: report.LayerSandbox, Status: status, Summary: summary,
			Evidence: evidence})
	}
	if p.Before.Value != "" {
		add(report.Warn, "core.hooksPath is set already; its hooks still run, started by the shared directory",
			report.FileEvidence(p.Before.Where(), "core.hooksPath = "+p.Before.Value))
		if dir := earlier(r, p.Before); dir != "" {
			ask = asking(r, dir, githooks.Active(r, dir))
		}
	}
	hooks := withHooks(p.Repositories)
	for _, repo := range hooks {
		if repo.HooksPath == nil && p.Before.Value == "" {
			dir := filepath.Join(repo.CommonDir, "hooks")
			ask = append(ask, asking(r, dir, repo.Hooks)...)
		}
	}
	if ask != nil {
		add(report.Warn, "these hooks ask git where hooks are, and get the shared directory: check that they still work",
			ask...)
	}
	if len(hooks) == 0 {
		add(report.Pass, "no repository that was found has hooks of its own",
			report.EnvEvidence("repositories", fmt.Sprint(len(p.Repositories))))
		return list
	}
	var evidence []report.Evidence
	for _, repo := range hooks {
		place := filepath.Join(repo.CommonDir, "hooks")
		if repo.HooksPath != nil {
			place = repo.HooksPath.Where()
		}
		evidence = append(evidence, report.FileEvidence(place, repo.Fate(p.Before)))
	}
	add(report.Warn, report.OfAll(len(hooks), len(p.Repositories), "repository has hooks of its own",
		"repositories have hooks of their own"), evidence...)
	return list
}
