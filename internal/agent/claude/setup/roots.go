// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a worktree's absolute path goes into that worktree's own,
// ignored settings.local.json and nowhere else, and comes only from git. Where
// the file is not ignored, nothing is written: it could be committed.

package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/steps/install"
)

var (
	allowWriteQuestion = report.Question{
		ID: "allow-write", Section: "roots", Kind: report.Confirm,
		Title: "Add each worktree's root to allowWrite too?",
		Help: "On macOS the working directory may need it. On Linux it is always writable inside the sandbox, and the " +
			"entry would do harm.",
		Price: "on Linux, an allowWrite of the main checkout is merged into the sessions of every linked worktree, which " +
			"can then write all files of the main checkout",
	}
	ignoreWithQuestion = report.Question{
		ID: "ignore-with", Section: "roots", Kind: report.Choice,
		Title: "Where git does not ignore settings.local.json: how should it?",
		Help:  "The file holds paths of this machine and must not be committed. Without an ignore rule it is not written.",
		Options: []report.Option{
			{Value: "gitignore", Label: ".gitignore", Note: "committed, for everyone"},
			{Value: "exclude", Label: ".git/info/exclude", Note: "this clone only, nothing to commit"},
			{Value: "no", Label: "not at all", Note: "the root is left out"},
		},
		Default: []string{"gitignore"},
	}
)

// roots proposes each usable worktree's root.
func (p *proposer) roots(ctx context.Context) (report.Section, error) {
	s := report.Section{ID: "roots", Title: "Project roots",
		Why: "Adds each worktree's absolute path to its settings.local.json, so that the project stays readable in the " +
			"sandbox however the runtime resolves a relative path. The file is ignored by git and never committed."}
	if p.Repo == nil {
		s.Note(leftOut(p.Outside()))
		return s, nil
	}
	p.ask(p.allowWrite())
	for _, wt := range p.Worktrees {
		if err := p.root(ctx, &s, wt); err != nil {
			return s, err
		}
	}
	return s, p.standing(ctx, &s)
}

const leftOutTree = "this worktree is left out"

func (p *proposer) root(ctx context.Context, s *report.Section, wt gitrepo.Worktree) error {
	finding := func(status report.Status, decide bool, summary, why string) {
		s.Note(report.Finding{Check: "project-root", Status: status, Decide: decide, Summary: summary,
			Evidence: []report.Evidence{report.FileEvidence(wt.Path, why)}})
	}
	switch {
	case wt.State == gitrepo.BareEntry:
		return nil
	case wt.State != gitrepo.Usable:
		finding(report.Skip, false, leftOutTree, wt.Why)
		return nil
	case settings.Unnamable(wt.Path) != "":
		finding(report.Warn, false, leftOutTree, settings.Unnamable(wt.Path))
		return nil
	}
	ignored, reason, err := p.ignored(ctx, s, wt)
	if err != nil {
		return err
	}
	if !ignored {
		finding(report.Warn, true, "the root is not written: git does not ignore "+claude.LocalFile, reason+
			". Or keep it out of this clone alone: echo "+claude.LocalFile+" >> "+
			scripts.Quote(filepath.Join(p.Repo.CommonDir, "info", "exclude")))
		return nil
	}
	c, needed, err := addRoot(p.draft, wt.Path, p.answers.Yes(p.allowWrite()))
	if err != nil {
		return err
	}
	if needed {
		s.Items = append(s.Items, c)
	} else {
		finding(report.Pass, false, "the root is already there", filepath.Join(wt.Path, claude.LocalFile))
	}
	return nil
}

// ignored says whether git ignores the worktree's local settings, or will
// after a rule that it adds to the plan.
func (p *proposer) ignored(ctx context.Context, s *report.Section, wt gitrepo.Worktree) (yes bool, reason string,
	err error) {
	ig, err := p.Repo.Ignored(ctx, wt.Path, claude.LocalFile)
	if err != nil {
		return false, err.Error(), nil //nolint:nilerr // said as a finding: other worktrees go on
	}
	tracked, err := p.Repo.Tracked(ctx, wt.Path, claude.LocalFile)
	switch {
	case err != nil:
		return false, err.Error(), nil //nolint:nilerr // as above
	case tracked:
		return false, "it is committed, where no ignore rule counts: git rm --cached " + claude.LocalFile, nil
	case ig.Ignored:
		return true, "", nil
	case strings.HasPrefix(ig.Pattern, "!"):
		return false, fmt.Sprintf("%s says %s", ig.Where(), ig.Pattern), nil
	}
	p.ask(ignoreWithQuestion)
	var rule install.File
	with, why := p.answers.Of(ignoreWithQuestion)[0], "so that paths of this machine are never committed"
	if with == "gitignore" && wt.Path != p.Repo.Root {
		with, why = "exclude", why+"; a .gitignore of this worktree's own would be in the way when the project's is merged"
	}
	switch with {
	case "gitignore":
		if rule, err = p.draft.Open(filepath.Join(wt.Path, ".gitignore"), wt.Path); err == nil && rule.Bytes == nil {
			if gone, tracked, err := p.notCheckedOut(ctx, wt.Path, ".gitignore"); err != nil || tracked {
				s.Note(gone)
				return false, "the rule would go into .gitignore; --ignore-with=exclude keeps it in this clone", err
			}
		}
	case "exclude":
		if p.excluded {
			return true, "", nil
		}
		p.excluded = true
		rule, err = p.draft.Open(filepath.Join(p.Repo.CommonDir, "info", "exclude"), p.Repo.CommonDir)
	default:
		return false, "the line to add to .gitignore: " + claude.LocalFile, nil
	}
	if err != nil {
		return false, "", err
	}
	p.draft.Write(s, report.ID("roots/ignore:"+wt.Path), why, rule, appendLine(rule.Bytes, claude.LocalFile), 0o644)
	return true, "", nil
}

// addRoot makes the change that allows reading (and, if asked, writing) root
// in its own local settings.
func addRoot(d install.Draft, root string, write bool) (c report.Change, needed bool, err error) {
	f, doc, err := document(d, filepath.Join(root, claude.LocalFile), root)
	if err != nil {
		return c, false, err
	}
	var edits []settings.Edit
	for _, e := range rootStrings(root, write) {
		edits = append(edits, lacking(doc, e.path, e.list...)...)
	}
	after, err := settings.Splice(doc, edits)
	if err != nil {
		return c, false, err
	}
	c, needed = d.Change(report.ID("roots/"+root), "this worktree stays readable in the sandbox", f, after, 0o600)
	return c, needed, nil
}

// appendLine adds a line to a text file in the file's own line ends.
func appendLine(b []byte, line string) []byte {
	end := "\n"
	if strings.Contains(string(b), "\r\n") {
		end = "\r\n"
	}
	text := string(b)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += end
	}
	return []byte(text + line + end)
}

// allowWrite is the question with this system's default.
func (p *proposer) allowWrite() report.Question {
	if p.r.System().GOOS != "darwin" {
		return allowWriteQuestion.DecidedBy("on Linux the working directory is writable in the sandbox without it", "no")
	}
	return allowWriteQuestion.WithDefault("", "yes")
}

// Roots is what project-root would do in one repository.
type Roots struct {
	Plan  report.Plan
	Facts report.Facts
	// Approved says that the user's standing approval covers this
	// repository.
	Approved bool
	// Malformed is the first file that is not understood, as a *report.Error:
	// its worktree is left out, and the others are not.
	Malformed error
}

// ProjectRoots plans the roots alone: of the worktree that dir lies in, or of
// all of them. The error is gitrepo.ErrNone outside a repository.
func ProjectRoots(ctx context.Context, r host.Reader, dir string, all bool) (Roots, error) {
	// A rule for git is never added here: the standing approval does not
	// cover it.
	project, err := install.FindProject(ctx, r, cmp.Or(dir, r.System().Cwd), !all)
	if err != nil {
		return Roots{}, err
	}
	p := &proposer{r: r, Project: project, draft: install.NewDraft(r),
		answers: report.Answers{ignoreWithQuestion.ID: {"no"}}}
	if p.Repo == nil {
		return Roots{}, fmt.Errorf("%s: %w", p.Place, gitrepo.ErrNone)
	}
	s := report.Section{ID: "roots", Title: "Project roots"}
	var malformed error
	for _, wt := range p.Worktrees {
		var e *report.Error
		switch err := p.root(ctx, &s, wt); {
		case err == nil:
		case !all || !errors.As(err, &e):
			return Roots{}, err
		default:
			malformed = cmp.Or(malformed, err)
			s.Note(report.Finding{Check: "project-root", Status: report.Fail, Decide: true, Summary: leftOutTree,
				Evidence: []report.Evidence{report.FileEvidence(cmp.Or(e.Where, wt.Path), e.What+". "+e.Advice())}})
		}
	}
	_, set, err := p.draft.Approvals()
	if err != nil {
		return Roots{}, err
	}
	return Roots{Plan: report.NewPlan([]report.Section{s}), Facts: project.Facts(r),
		Approved: set.RootsIn(p.Repo.CommonDir) || set.WholeUser && p.plainLocals(), Malformed: malformed}, nil
}

// plainLocals says whether nothing speaks against writing the worktrees' roots
// unasked.
func (p *proposer) plainLocals() bool {
	return !slices.ContainsFunc(p.Worktrees, func(wt gitrepo.Worktree) bool {
		return install.Plain(p.r, wt.Path, claude.LocalFile) != ""
	})
}
