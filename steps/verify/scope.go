// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whole-user scope is a global core.hooksPath that leads to
// the setup's own directory; anything else is per-project.

package verify

import (
	"context"
	"path/filepath"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
)

// scope asks which repositories the setup covers.
func scope(dir string) engine.Check {
	return engine.Check{ID: "scope", Title: "Which repositories are covered", Layer: report.LayerSandbox,
		Run: func(ctx context.Context, r host.Reader) report.Finding { return checkScope(ctx, r, dir) }}
}

func checkScope(ctx context.Context, r host.Reader, dir string) report.Finding {
	repo, _, err := open(ctx, r, dir)
	if err != nil {
		return notOpened(dir, err)
	}
	hooks, err := repo.HooksPath(ctx)
	if err != nil {
		return report.Finding{Status: report.Unknown, Summary: "git did not say where it looks for hooks", Evidence: []report.Evidence{report.FileEvidence(repo.CommonDir, err.Error())}}
	}
	if hooks.Scope == "global" && hooks.Path == filepath.Join(r.Places().AgentDir, "git-hooks") {
		return report.Finding{Status: report.Pass, Summary: "whole-user: git runs the setup's hook in every repository",
			Evidence: []report.Evidence{report.FileEvidence(hooks.Origin, "core.hooksPath = "+hooks.Value)}}
	}
	where, text := repo.CommonDir, "core.hooksPath is not set"
	if hooks.Value != "" {
		where, text = hooks.Origin, "core.hooksPath = "+hooks.Value
	}
	return report.Finding{Status: report.Pass, Summary: "per-project: other repositories need their own policy",
		Evidence: []report.Evidence{report.FileEvidence(where, text)}}
}
