// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what whole-user scope costs is said before it is approved,
// with the name of every hook that it touches.

package scope

import (
	"fmt"
	"path/filepath"

	"github.com/steward-setup/steward-setup/internal/githooks"
	"github.com/steward-setup/steward-setup/internal/report"
)

// disclosure has the shared directory for its one verb.
const disclosure = "core.hooksPath in your global git configuration counts in every repository of yours, now and later. git then looks for hooks in %s, and no longer in .git/hooks or in the directory that was set before. The files put there start the hook that git would have started otherwise, with the same arguments, stdin and exit code. A repository that sets core.hooksPath itself (husky) is not touched."

// prices are what stays true after that.
var prices = []string{
	"if the shared directory is deleted or damaged, git runs no hooks in any of these repositories, and says nothing; verify reports it",
	"each hook that git looks for starts one shell more, also where there is no hook",
	"tools that install hooks meet the shared directory: lefthook and git-lfs write into it, pre-commit refuses. Run them as: GIT_CONFIG_GLOBAL=/dev/null pre-commit install",
	"git no longer mentions a hook that is not executable",
}

// affected lists the hooks that there are, and what becomes of them.
func affected(p Proposal) []report.Finding {
	var list []report.Finding
	add := func(status report.Status, summary string, evidence ...report.Evidence) {
		list = append(list, report.Finding{Check: "scope", Layer: report.LayerSandbox, Status: status, Summary: summary, Evidence: evidence})
	}
	if p.Before.Value != "" {
		add(report.Warn, "core.hooksPath is set already; its hooks still run, started by the shared directory",
			report.FileEvidence(where(p.Before), "core.hooksPath = "+p.Before.Value))
	}
	hooks := withHooks(p.Repositories)
	if len(hooks) == 0 {
		add(report.Pass, "no repository that was found has hooks of its own", report.EnvEvidence("repositories", fmt.Sprint(len(p.Repositories))))
		return list
	}
	var evidence []report.Evidence
	for _, repo := range hooks {
		place := filepath.Join(repo.CommonDir, "hooks")
		if repo.HooksPath != nil {
			place = where(*repo.HooksPath)
		}
		evidence = append(evidence, report.FileEvidence(place, repo.Fate(p.Before)))
	}
	add(report.Warn, fmt.Sprintf("%d of %d repositories have hooks of their own", len(hooks), len(p.Repositories)), evidence...)
	return list
}

// where is the place of a setting, "file:line".
func where(s githooks.Setting) string {
	if s.Line == 0 {
		return s.File
	}
	return fmt.Sprintf("%s:%d", s.File, s.Line)
}
