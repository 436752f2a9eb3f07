// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the one standing approval is an item of its own, shown
// and approved like any file, and git's hook is written only where no hook of
// the user's would be shadowed or changed.

package install

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/steward-setup/steward-setup/internal/approval"
	"github.com/steward-setup/steward-setup/internal/githooks"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
)

var standingQuestion = report.Question{
	ID: "standing-approval", Section: "roots", Kind: report.Confirm,
	Title: "Register new worktrees automatically?",
	Help: "A standing approval for this repository. steward-setup project-root and git's post-checkout hook may then " +
		"add a worktree's own path, and deny rules for the .env files below it, to that worktree's ignored " +
		"settings.local.json. Each write has a receipt. Without the approval they only print what they would write.",
	Price: "these writes happen without a preview",
}

// standing proposes the approval and the hook that makes use of it.
func (p *proposer) standing(ctx context.Context, s *report.Section) error {
	q := standingQuestion.WithDefault("", report.YesNo(p.r.System().GOOS == "darwin"))
	p.ask(q)
	if !p.answers.Yes(q) {
		return nil
	}
	f, err := p.draft.open(approval.Path(p.r.Places().State), "")
	if err != nil {
		return err
	}
	set, err := approval.Parse(f.path, f.bytes)
	if err != nil {
		return err
	}
	if !set.RootsIn(p.repo.CommonDir) {
		set.ProjectRoots = append(set.ProjectRoots, p.repo.CommonDir)
		if c, needed := p.draft.change("roots/standing-approval", "roots of new worktrees of this repository, and the deny "+
			"rules for their .env files, may be added without asking", f, set.Bytes(), 0o600); needed {
			s.Items = append(s.Items, c)
		}
	}
	return p.postCheckout(ctx, s)
}

func (p *proposer) postCheckout(ctx context.Context, s *report.Section) error {
	if p.binaryPath == "" {
		return nil
	}
	hooks, err := p.repo.HooksPath(ctx)
	if err != nil {
		return err
	}
	if hooks.Value != "" && githooks.Shared(p.r, hooks.Path) {
		return nil // whole-user scope registers the worktrees of every repository
	}
	script, err := scripts.GitHook(p.binaryPath)
	if err != nil {
		return err
	}
	path := filepath.Join(hooks.Path, "post-checkout")
	f := file{path: path}
	if hooks.Value == "" {
		if f, err = p.draft.open(path, p.repo.CommonDir); err != nil {
			return err
		}
		if f.bytes == nil || scripts.Ours(f.bytes) {
			if c, needed := p.draft.change("roots/post-checkout", "git adds the root of each new worktree", f, script,
				0o755); needed {
				s.Items = append(s.Items, c)
			}
			return nil
		}
	}
	why := "a post-checkout hook of yours is there already"
	if hooks.Value != "" {
		why = fmt.Sprintf("core.hooksPath leads git to %s (%s)", hooks.Path, hooks.Origin)
	}
	line, err := scripts.GitHookLine(p.binaryPath)
	if err != nil {
		return err
	}
	s.Items = append(s.Items, report.Command{ID: "roots/post-checkout", Optional: true, Where: path, Line: line,
		Why: "register new worktrees from the hook that is there: " + why})
	return nil
}
