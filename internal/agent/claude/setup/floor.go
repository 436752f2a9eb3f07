// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the floor is what makes sense in every directory and
// nothing that one project needs: no dot, no place to write, no host that
// nobody asked for everywhere.

package setup

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/inforce"
	"github.com/steward-setup/steward-setup/internal/agent/claude/policy"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/steps/install"
)

// The questions about the floor.
var (
	floorQuestion = report.Question{
		ID: "floor", Section: "policy", Kind: report.Confirm,
		Title: "Protect plain claude in every directory, too?",
		Help: "Claude Code reads a project's settings only in the directory where it starts. Yes also puts a policy " +
			"into your user settings, so that plain claude is sandboxed in subdirectories, in other worktrees and projects, " +
			"outside any project, and when an editor starts it.",
		Price: "all your projects are sandboxed: home directory hidden, unlisted hosts blocked without a prompt, auto " +
			"mode and bypassPermissions off",
		Default: []string{"no"},
	}
	floorDomains = report.Question{ID: "floor-domains", Section: "policy", Kind: report.Multi,
		Title: "Which hosts may commands reach in every project?",
		Help: "For the policy in your user settings. It sets strictAllowlist: plain claude uses these hosts and ignores " +
			"those of a project.", Price: "all your projects can reach them, even one that you have just cloned"}
	floorHosts = report.Question{ID: "floor-host", Section: "policy", Kind: report.List,
		Title: "Further hosts for every project",
		Help:  "One host a line, such as docs.example.org. Only for the policy in your own settings."}
	floorCaches = report.Question{ID: "floor-caches", Section: "policy", Kind: report.Multi,
		Title: "Which tools in your home directory may commands read in every project?",
		Help:  "Only read-only groups are offered: what every project can write, one project can change for another."}
)

// floorChange is the change that the floor is.
const floorChange report.ID = "floor/settings"

// maxSurveyed bounds of how many projects the files and sessions are looked at.
const maxSurveyed = 50

// Floor implements scope.Agent: a policy in the user's own settings, which holds
// wherever a plain claude starts, as one section with at most one change. Without roots
// the .env files below the projects are denied.
func (Settings) Floor(ctx context.Context, d install.Draft, framework string, a report.Answers,
	projects, roots []string) (report.Section, []report.Question, error) {
	p := &proposer{r: d.Host, opts: Options{Framework: framework}, answers: a, draft: d,
		Project: install.Project{Place: d.Host.Places().Home}}
	s, err := p.floorFor(ctx, projects, roots)
	for i := range p.questions {
		p.questions[i].Section = s.ID
	}
	return s, p.questions, err
}

// FloorQuestions are the questions about the floor, for a plan that has one
// unless it is declined.
func FloorQuestions() (list []report.Question) {
	for _, q := range Questions() {
		switch q.ID {
		case floorQuestion.ID:
			q.Default = []string{"yes"}
			list = append(list, q)
		case floorDomains.ID, floorHosts.ID, floorCaches.ID:
			list = append(list, q)
		}
	}
	return list
}

func (p *proposer) floor(ctx context.Context) (report.Section, error) {
	if p.policyTo == "user" { // it stands there already
		return p.unfloored("with --policy-to=user", "use --domains, --allow-host and --caches"), nil
	}
	q := floorQuestion
	if _, doc, err := document(p.draft, p.r.Places().UserSettings(), ""); err == nil && Floored(doc) {
		q.Default, q.DefaultFrom = []string{"yes"}, p.shown(p.r.Places().UserSettings())
	}
	p.ask(q)
	if !p.answers.Yes(q) {
		return p.unfloored("without --floor", "add --floor"), nil
	}
	var projects []string
	if p.Repo != nil && p.Repo.Root != "" {
		projects = []string{p.Repo.Root}
	}
	s, err := p.floorFor(ctx, projects, nil)
	p.floored = err == nil
	return s, err
}

// unfloored names the answers that are for a floor where there is none; no section
// where none was given.
func (p *proposer) unfloored(where, instead string) (s report.Section) {
	var flags []string
	for _, q := range []report.Question{floorDomains, floorHosts, floorCaches} {
		if len(p.answers[q.ID]) > 0 {
			flags = append(flags, "--"+string(q.ID))
		}
	}
	if flags == nil {
		return s
	}
	s = report.Section{ID: "floor", Title: FloorTitle}
	have := " has"
	if len(flags) > 1 {
		have = " have"
	}
	s.Note(report.Finding{Check: "scope", Status: report.Warn,
		Summary:  strings.Join(flags, " and ") + have + " no effect " + where + ": " + instead,
		Evidence: []report.Evidence{report.EnvEvidence(strings.Join(flags, " "), "given, and not used")}})
	return s
}

// Floored says whether the user's settings hold a floor already, which also
// keeps hosts from being added: what is there is then the answer.
func Floored(doc *settings.Doc) bool {
	return inforce.Floor(doc) && doc.Get(claude.KeyStrictAllowlist...).True()
}

// FloorTitle is the title of the section about user settings.
const FloorTitle = "Policy in your user settings"

func (p *proposer) floorFor(ctx context.Context, projects, roots []string) (report.Section, error) {
	s := report.Section{ID: "floor", Title: FloorTitle,
		Why: "Applies wherever plain claude starts: in subdirectories, in worktrees, in other projects, outside any " +
			"project, and when an editor starts it. A project's settings are merged into it, and override its switches."}
	f, doc, err := document(p.draft, p.r.Places().UserSettings(), "")
	if err != nil {
		return s, err
	}
	wanted, err := p.wantedFloor(ctx, &s, doc, projects)
	if err != nil {
		return s, err
	}
	_, merged, err := mergeInto(f, doc, wanted, func(settings.Conflict) bool { return false })
	if err != nil {
		return s, err
	}
	for _, c := range merged.Conflicts {
		s.Note(kept(doc, c))
	}
	after, err := settings.Check(f.Path, merged.After)
	if err != nil {
		return s, err
	}
	if len(roots) == 0 {
		roots = projects
	}
	if edits := p.floorEdits(after, roots); edits != nil {
		if merged.After, err = settings.Splice(after, edits); err != nil {
			return s, err
		}
		if after, err = settings.Check(f.Path, merged.After); err != nil {
			return s, err
		}
	}
	s.Entries, s.Exposes, s.Opens = wanted.Entries, wanted.Exposes, opened(doc, merged)
	s.Exposes = append(s.Exposes,
		".env files are denied below "+p.list(roots)+", and elsewhere by the Read(**/.env) rules for the start directory; "+
			"every command walks these directories first (0.3 s for 400,000 files, measured)",
		"settings of a project or of a subdirectory override these; a command can write SUBDIRECTORY/.claude/settings.json "+
			"for the next plain start there, which claude-iso does not read")
	s.Note(wanted.Findings...)
	s.Note(p.floorCosts(projects, after)...)
	p.draft.Write(&s, floorChange, "the policy for every start of plain claude", f, merged.After, 0o600)
	return s, nil
}

func byID(questions []report.Question) map[report.ID]report.Question {
	m := map[report.ID]report.Question{}
	for _, q := range questions {
		m[q.ID] = q
	}
	return m
}

// suggestion names what projects that were found use, and the flag that allows
// it in every project.
func suggestion(q report.Question, given, suggested []string, from string) report.Finding {
	flag := "--" + string(q.ID) + "=" + strings.Join(append(slices.Clone(given), suggested...), ",")
	return report.Finding{Check: q.ID, Layer: report.LayerSandbox, Status: report.Pass,
		Summary: "used in some projects, not allowed in every one: " + strings.Join(suggested, ", ") +
			" (to allow: " + flag + ")",
		Evidence: []report.Evidence{report.EnvEvidence(flag, "allows it in every project; found: "+
			cmp.Or(from, "in the projects"))}}
}

// wantedFloor is the document. What projects that a walk found need is a
// suggestion and no default: every project would get it, also one that was
// cloned just now. What the user's own settings have already is the default.
func (p *proposer) wantedFloor(ctx context.Context, s *report.Section, doc *settings.Doc,
	projects []string) (policy.Wanted, error) {
	base, err := p.policyBase(s)
	if err != nil {
		return policy.Wanted{}, err
	}
	facts := p.settledFacts(doc, nil)
	settled := byID(policy.Embedded().Questions(facts))
	for i, root := range projects {
		if i == maxSurveyed {
			break
		}
		files, remotes := gitrepo.Hints(ctx, p.r, root)
		facts.Files, facts.Remotes = append(facts.Files, files...), append(facts.Remotes, remotes...)
	}
	asked := map[report.ID]report.Question{"domains": floorDomains, "caches": floorCaches, "allow-host": floorHosts}
	answers := report.Answers{"project-name": {}, "project-config": {"no"}, "ask": {}, "gh-config": {"no"},
		"gnupg": {"no"}, "project-reads": {"no"}, "omit": {"sandbox.filesystem.allowRead:."}}
	// In user scope it would be a directory below the runtime's own.
	answers["omit"] = append(answers["omit"], claude.KeyDenyWrite.String()+":"+claude.KeepsDir)
	// In user scope it closes nothing: it begins at the runtime's own directory (measured).
	for _, name := range policy.DotenvNames() {
		answers["omit"] = append(answers["omit"], "sandbox.credentials.files:**/"+name)
	}
	for _, q := range policy.Embedded().Questions(facts) {
		own, ok := asked[q.ID]
		if !ok {
			continue
		}
		writes := func(group string) bool { return policy.Embedded().Writes(q.ID, group) }
		own.Options = readOnly(q.Options)
		from := settled[q.ID]
		if p.Repo != nil { // install: the one project is the one that the user set up
			from = q
		}
		own.Default, own.DefaultFrom = slices.DeleteFunc(slices.Clone(from.Default), writes), from.DefaultFrom
		p.ask(own)
		given := p.answers.Of(own)
		if err := policy.Embedded().Validate(q.ID, given); err != nil {
			return policy.Wanted{}, err
		}
		if i := slices.IndexFunc(given, writes); i >= 0 {
			return policy.Wanted{}, &report.Error{Code: report.ExitUsage, Where: "--" + string(own.ID),
				What: fmt.Sprintf("%q lets every project write there", given[i]),
				Why:  "what one project writes, another would run", Next: "allow it in the project's own policy: --caches=" +
					given[i]}
		}
		answers[q.ID] = given
		suggested := slices.DeleteFunc(slices.Clone(q.Default), func(v string) bool {
			return writes(v) || slices.Contains(given, v)
		})
		if len(suggested) > 0 && p.answers[own.ID] == nil {
			s.Note(suggestion(own, given, suggested, q.DefaultFrom))
		}
	}
	return base.Build(facts, answers)
}

// readOnly are the options that let commands write nothing.
func readOnly(options []report.Option) []report.Option {
	return slices.DeleteFunc(slices.Clone(options), func(o report.Option) bool {
		return policy.Embedded().Writes("caches", o.Value)
	})
}

// floorEdits are what the template has for a project alone, with absolute
// paths: the .env files below each root that lies in none which has them already, for
// commands and for the Read tool.
// Measured with 2.1.329: started in a subdirectory whose root the project opens
// (allowRead), a command reads the root's .env without them.
func (p *proposer) floorEdits(doc *settings.Doc, roots []string) (edits []settings.Edit) {
	if path := claude.KeyStrictAllowlist; !doc.Get(path...).True() {
		edits = append(edits, settings.Set(path, settings.Boolean(true)))
	}
	files := claude.KeyCredentialFiles
	var denied []string
	for _, v := range settings.ItemsOf(doc.Get(files...)) {
		denied = append(denied, settings.TextOf(v.Get("path")))
	}
	for _, root := range roots {
		for _, name := range policy.DotenvNames() {
			path := func(dir string) string { return p.tilde(literal(dir)) + "/**/" + name }
			rule := func(dir string) []settings.Edit {
				return lacking(doc, claude.KeyDeny, "Read(/"+literal(dir)+"/**/"+name+")")
			}
			if !above(root, func(dir string) bool { return slices.Contains(denied, path(dir)) }) {
				edits = append(edits, settings.Append(files, settings.CredentialFile(path(root))))
			}
			if !above(root, func(dir string) bool { return rule(dir) == nil }) {
				edits = append(edits, rule(root)...)
			}
		}
	}
	return edits
}

// above says whether is holds for a directory or one that it lies in.
func above(dir string, is func(dir string) bool) bool {
	for ; !is(dir); dir = filepath.Dir(dir) {
		if dir == filepath.Dir(dir) {
			return false
		}
	}
	return true
}

func (p *proposer) list(paths []string) string {
	if len(paths) == 0 {
		return "no directory yet"
	}
	var said []string
	for i, path := range paths {
		if i == 3 && len(paths) > 4 {
			return strings.Join(said, ", ") + fmt.Sprintf(" and %d more", len(paths)-i)
		}
		said = append(said, p.tilde(path))
	}
	return strings.Join(said, ", ")
}

// kept says what of the user's differs and stays. The floor takes no value of
// the user's away: the check of the settings says what follows.
func kept(doc *settings.Doc, c settings.Conflict) report.Finding {
	f := conflict(doc, c)
	f.Remedies = []report.Remedy{report.DocLink{Title: "set " + settings.KeyPath(c.Path) + " to " + brief(c.Want),
		Target: doc.Path}}
	return f
}
