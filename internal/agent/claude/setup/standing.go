// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the one standing approval is an item of its own, shown and
// approved like any file, and git's hook is written only where no hook of the
// user's would be shadowed or changed. claude-iso starts with a policy that
// the user has seen; install has just shown it, so its digest is an item of
// the same plan. A server counts as looked at when the user says so, and only
// as it is now. Nothing is allowed or forbidden by that.

package setup

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude/checks"
	"github.com/steward-setup/steward-setup/internal/agent/claude/iso"
	"github.com/steward-setup/steward-setup/internal/githooks"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/steps/install"
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
	f, set, err := p.draft.Approvals()
	if err != nil {
		return err
	}
	if !set.RootsIn(p.Repo.CommonDir) {
		set.ProjectRoots = append(set.ProjectRoots, p.Repo.CommonDir)
		p.draft.Write(s, "roots/standing-approval", "roots of new worktrees of this repository, and the deny "+
			"rules for their .env files, may be added without asking", f, set.Bytes(), 0o600)
	}
	return p.postCheckout(ctx, s)
}

func (p *proposer) postCheckout(ctx context.Context, s *report.Section) error {
	if p.program.Path == "" {
		return nil
	}
	hooks, err := p.Repo.HooksPath(ctx)
	if err != nil {
		return err
	}
	if hooks.Value != "" && githooks.Shared(p.r, hooks.Path) {
		return nil // whole-user scope registers the worktrees of every repository
	}
	script, err := scripts.GitHook(p.program.Path)
	if err != nil {
		return err
	}
	path := filepath.Join(hooks.Path, "post-checkout")
	f := install.File{Path: path}
	if hooks.Value == "" {
		if f, err = p.draft.Open(path, p.Repo.CommonDir); err != nil {
			return err
		}
		if f.Bytes == nil || scripts.Ours(f.Bytes) {
			p.draft.Write(s, "roots/post-checkout", "git adds the root of each new worktree", f, script, 0o755)
			return nil
		}
	}
	why := "a post-checkout hook of yours is there already"
	if hooks.Value != "" {
		why = fmt.Sprintf("core.hooksPath leads git to %s (%s)", hooks.Path, hooks.Origin)
	}
	line, err := scripts.GitHookLine(p.program.Path)
	if err != nil {
		return err
	}
	s.Items = append(s.Items, report.Command{ID: "roots/post-checkout", Optional: true, Where: path, Line: line,
		Why: "register new worktrees from the hook that is there: " + why})
	return nil
}

// launch proposes the approval of the policy as the plan leaves it.
func (p *proposer) launch(context.Context) (report.Section, error) {
	if p.Repo == nil || p.Repo.Root == "" {
		return report.Section{}, nil
	}
	seen := p.draft.Seen()
	l, err := iso.Survey(seen, p.Repo.Root)
	if err != nil {
		return report.Section{}, err
	}
	plan, err := l.Approval(seen, nil)
	if err != nil {
		return report.Section{}, err
	}
	s := plan.Sections[0]
	if l.Policy.Empty() {
		return report.Section{}, nil
	}
	if len(s.Items) == 0 {
		s.Note(report.Finding{Check: "launch", Layer: report.LayerCleanEnv, Status: report.Pass,
			Summary: "this policy is approved", Evidence: []report.Evidence{report.FileEvidence(l.Place.Project,
				string(l.Policy.Digest()))}})
	}
	return s, nil
}

var mcpReviewedQuestion = report.Question{
	ID: "mcp-reviewed", Section: "review", Kind: report.Confirm, Once: true,
	Title: "Have you reviewed your MCP servers?",
	Help: "They are in your own configuration and run outside the sandbox. Yes records a digest of each command, so " +
		"that verify can report new and changed servers.",
	Default: []string{"no"},
}

// review proposes to remember the user's MCP servers. The section has no ID
// where there is none, or all are known.
func (p *proposer) review(context.Context) (report.Section, error) {
	s := report.Section{ID: "review",
		Why: "They start with every session, outside the sandbox, with your permissions. That does not change, but verify " +
			"reports a new one."}
	servers, err := checks.Servers(p.r, p.start())
	if err != nil || len(servers) == 0 {
		return report.Section{}, nil //nolint:nilerr // verify says that the file is not understood; nothing here writes it
	}
	f, set, err := p.draft.Approvals()
	if err != nil {
		return s, err
	}
	var fresh []report.Evidence
	var digests []report.Digest
	var names []string
	for _, server := range servers {
		digests, names = append(digests, server.Digest), append(names, server.Name)
		if !set.Reviewed(server.Digest) {
			fresh = append(fresh, report.FileEvidence(server.Where, server.String()))
		}
	}
	if fresh == nil {
		return report.Section{}, nil
	}
	p.ask(mcpReviewedQuestion)
	status := report.Warn
	if p.answers.Yes(mcpReviewedQuestion) {
		status = report.Pass
		p.draft.Write(&s, "review/mcp-servers", "you have reviewed these MCP servers: "+strings.Join(names, ", "), f,
			set.WithReviewed(digests...).Bytes(), 0o600)
	}
	s.Note(report.Finding{Check: "mcp-servers", Status: status,
		Summary: "MCP servers that are new or changed since your last review", Evidence: fresh})
	return s, nil
}
