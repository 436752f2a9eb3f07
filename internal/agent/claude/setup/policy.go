// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the policy is merged into what the project has; a value
// that the user set differently stays unless the user gives it up, and what
// weakens the policy is never kept in silence. Where strictAllowlist is in
// force, the hosts that the answers allow stand where the runtime counts them.

package setup

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/checks"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/agent/claude/outsiders"
	"github.com/steward-setup/steward-setup/internal/agent/claude/policy"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/agent/claude/starts"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/steps/install"
)

var (
	policyToQuestion = report.Question{
		ID: "policy-to", Section: "policy", Kind: report.Choice, Ask: true,
		Title: "Scope: where should the policy apply?",
		Help: "In the project it protects everyone who works there, once it is committed. If you may not commit to this " +
			"repository, it can go into your local settings for it, which its linked worktrees share, or into your user " +
			"settings for every project.",
		Price: "in the project, plain claude started in a subdirectory ignores the policy and has no sandbox; " +
			"claude-iso has",
		Options: []report.Option{
			{Value: "project", Label: "the project", Note: ".claude/settings.json, to be committed"},
			{Value: "local", Label: "this checkout", Note: ".claude/settings.local.json, never committed"},
			{Value: "user", Label: "your user settings", Note: "~/.claude/settings.json, every project of yours"},
		},
		Default: []string{"project"},
	}
	takeQuestion = report.Question{
		ID: "take", Section: "policy", Kind: report.Multi, Once: true,
		Title: "Your settings differ from the policy here: which of the policy's values should replace yours?",
		Help:  "Values that you do not choose stay as they are, and are reported.",
	}
)

// policy proposes the sandbox and permission rules.
func (p *proposer) policy(ctx context.Context) (report.Section, error) {
	s := report.Section{ID: "policy", Title: "Project policy",
		Why: "Hides the home directory from every command the agent runs, allows only listed hosts, denies reading " +
			"credentials, and asks before anything that others can see. "}
	p.ask(policyToQuestion)
	to := p.answers.Of(policyToQuestion)[0]
	s.Why += policyPlaces[to].reach
	f, refused, err := p.policyFile(to)
	if err != nil {
		return s, err
	}
	if refused != "" {
		s.Note(leftOut(refused))
		s.Note(p.weaknesses(p.session())...)
		return s, nil
	}
	if f.Bytes == nil && to == "project" {
		if gone, tracked, err := p.notCheckedOut(ctx, p.Repo.Root, session.PolicyFile); err != nil || tracked {
			s.Note(gone)
			return s, err
		}
	}
	doc, err := settings.Check(f.Path, f.Bytes)
	if err != nil {
		return s, err
	}
	wanted, err := p.wantedPolicy(ctx, &s, doc, to)
	if err != nil {
		return s, err
	}
	want, merged, err := mergeInto(f, doc, wanted, p.takes)
	if err != nil {
		return s, err
	}
	if err := refuseTakes(p.answers.Of(takeQuestion), merged); err != nil {
		return s, err
	}
	s.Entries, s.Exposes = wanted.Entries, wanted.Exposes
	if to == "user" {
		s.Exposes = append(s.Exposes, ".env files of a project: in user scope the sandbox's patterns begin at the "+
			"runtime's own directory, so only the Read(**/.env) rules cover them",
			"plain starts in a subdirectory: a command can write .claude/settings.json there, which overrides your user "+
				"settings; claude-iso does not read it")
	}
	s.Note(wanted.Findings...)
	s.Opens = opened(doc, merged)
	if len(merged.Conflicts) > 0 {
		p.ask(choices(doc, merged.Conflicts))
	}
	for _, c := range merged.Conflicts {
		s.Note(conflict(doc, c))
	}
	p.draft.Write(&s, "policy/settings", "the policy, for "+policyPlaces[to].audience, f, merged.After, 0o644)
	after, err := settings.Check(f.Path, merged.After)
	if err != nil {
		return s, err
	}
	later := p.session().With(policyPlaces[to].scope, after)
	s.Note(p.weaknesses(later)...)
	s.Note(p.omitted(later)...)
	p.policyTo, p.policyAfter = to, after
	p.policyHosts = append(p.policyHosts, settings.TextsOf(want.Get(claude.KeyAllowedDomains...))...)
	return s, nil
}

// policyPlaces are the answers to policyToQuestion: the scope, for whom the policy
// is, and a sentence about that.
var policyPlaces = map[string]struct {
	scope           settings.Scope
	audience, reach string
}{
	"project": {settings.Project, "everyone who works here",
		"It is committed with the project, so it applies to everyone."},
	"local": {settings.Local, "this checkout",
		"It is in your local settings for this checkout and never committed: it applies to you, here."},
	"user": {settings.User, "every project of yours", "It is in your user settings: it applies to you, in every project."},
}

// policyFile opens the file that the policy goes to; refused says why there is
// none.
func (p *proposer) policyFile(to string) (f install.File, refused string, err error) {
	if to == "user" {
		f, err = p.draft.Open(p.r.Places().UserSettings(), "")
		return f, "", err
	}
	if p.Repo == nil || p.Repo.Root == "" {
		return f, p.Outside(), nil
	}
	name := session.PolicyFile
	if to == "local" {
		name = claude.LocalFile
	}
	f, err = p.draft.Open(filepath.Join(p.Repo.Root, name), p.Repo.Root)
	return f, "", err
}

// start is where a session of the project starts.
func (p *proposer) start() string {
	if p.Repo != nil && p.Repo.Root != "" {
		return p.Repo.Root
	}
	return p.Place
}

// session is what the settings say now of a session that starts here.
func (p *proposer) session() session.Settings { return session.At(p.r, p.start()) }

func weakness(w policy.Weakening) report.Evidence {
	return report.FileEvidence(w.Where, settings.KeyPath(w.Path)+": "+w.Text)
}

// weaknesses lists what in any settings file of a session here takes
// protection away and still does once the settings are those of later. Equal
// warnings are one.
func (p *proposer) weaknesses(later session.Settings) []report.Finding {
	now := p.session()
	var findings []report.Finding
	if now.Lost != nil {
		f := session.Dropped(p.Place, now.Lost)
		f.Check, f.Layer = "project-settings", report.LayerSandbox
		findings = append(findings, f)
	}
	grouped := map[string]int{} // what a group opens: its finding
	for _, w := range now.Weakenings(later) {
		if i, again := grouped[w.Opens]; again && !w.Voids() {
			findings[i].Evidence = append(findings[i].Evidence, weakness(w))
			continue
		}
		f := report.Finding{Check: "policy-invariants", Layer: report.LayerSandbox, Status: report.Warn,
			Summary: "already in your settings: " + w.Opens, Evidence: []report.Evidence{weakness(w)}}
		if w.Voids() {
			f.Status, f.Decide, f.Remedies = report.Fail, true, []report.Remedy{opening.RemoveKey(w.Where, w.Path...)}
		} else {
			grouped[w.Opens] = len(findings)
		}
		findings = append(findings, f)
	}
	return append(findings, outsiders.Links(p.r, now)...)
}

// omitted says what verify will say of settings from which the answers leave out what a policy
// needs.
func (p *proposer) omitted(later session.Settings) []report.Finding {
	omits := p.answers["omit"]
	lacks := checks.Lacking(later, p.r.Places().Home, omits)
	f, _ := checks.PolicyIn(p.r, later)
	if len(lacks) == 0 || f.Status != report.Fail {
		return nil
	}
	var flags []string
	for _, id := range lacks {
		flags = append(flags, "--omit="+scripts.Quote(id))
	}
	return []report.Finding{{Check: "project-settings", Layer: report.LayerSandbox, Status: report.Warn,
		Summary: fmt.Sprintf("verify will say %s without %s", report.Judge([]report.Finding{f}, false),
			strings.Join(lacks, ", ")),
		Evidence: f.Evidence, Remedies: []report.Remedy{report.DocLink{Title: "to keep it, make this plan without",
			Target: strings.Join(flags, " ")}}}}
}

// weakenings lists those of the user's own settings, where no policy section
// has named them among all others.
func (p *proposer) weakenings() []report.Finding {
	if !p.skips("policy") {
		return nil
	}
	return p.weaknesses(p.session())
}

// shown is a path as a sentence names it.
func (p *proposer) shown(path string) string {
	if p.Repo != nil {
		if rel, ok := pathname.Below(path, p.Repo.Root); ok {
			return rel
		}
	}
	return p.tilde(path)
}

var strictAllowlistQuestion = report.Question{
	ID: "strict-allowlist", Section: "wiring", Kind: report.Confirm,
	Title: "Block every host that is not on the list, without a prompt?",
	Help: "The mode bypassPermissions allows hosts that are not on the list; strictAllowlist prevents that. The " +
		"runtime honours it in user scope only, so it applies to every project, and plain claude then uses only the hosts " +
		"of your user settings (measured). The hosts of the policy are added there.",
	Price: "a new host cannot be allowed at a prompt any more, and the hosts of this policy are reachable in all your " +
		"projects",
	Default: []string{"no"},
}

// strictQuestion is the question where the user's settings leave it open.
func (p *proposer) strictQuestion(doc *settings.Doc) report.Question {
	switch {
	case p.floored:
		return strictAllowlistQuestion.DecidedBy("the policy in your user settings sets it", "yes")
	case doc.Get(claude.KeyStrictAllowlist...).True():
		return strictAllowlistQuestion.DecidedBy("it is set in "+p.shown(doc.Path), "yes")
	}
	return strictAllowlistQuestion
}

// strictEdits sets strictAllowlist if that is the answer, and where it is set
// adds the hosts of the policy to the user's own.
func (p *proposer) strictEdits(doc *settings.Doc, s *report.Section) (edits []settings.Edit) {
	strict := doc.Get(claude.KeyStrictAllowlist...).True()
	if p.answers.Yes(strictAllowlistQuestion) && !strict {
		strict = true
		edits = append(edits, settings.Set(claude.KeyStrictAllowlist, settings.Boolean(true)))
	}
	if !strict || p.floored {
		return edits
	}
	path := claude.KeyAllowedDomains
	own := settings.TextsOf(doc.Get(path...))
	for _, host := range p.policyHosts {
		if policy.HostCovered(own, host) {
			continue
		}
		own = append(own, host)
		edits = append(edits, settings.Append(path, settings.String(host)))
		s.Opens = append(s.Opens, "commands may reach "+host+", in every project of yours")
	}
	return edits
}

// ignoredHosts says which hosts of the project no plain claude would reach once
// the user's settings are after.
func (p *proposer) ignoredHosts(s *report.Section, path string, after []byte) error {
	user, err := settings.Check(path, after)
	if err != nil {
		return err
	}
	later := []settings.ScopedDoc{{Scope: settings.User, Doc: user}}
	if p.policyAfter != nil && p.policyTo != "user" {
		later = append(later, settings.ScopedDoc{Scope: policyPlaces[p.policyTo].scope, Doc: p.policyAfter})
	}
	inForce := p.session().InForceWith(later...)
	voided := starts.IgnoredHosts(inForce)
	if len(voided) == 0 {
		return nil
	}
	var mend report.Remedy = report.DocLink{Title: "add those that you want to sandbox.network.allowedDomains",
		Target: p.shown(path)}
	if line, ok := starts.AllowVoided(inForce, voided); ok {
		mend = line
	}
	s.Note(report.Finding{Check: "user-wiring", Layer: report.LayerSandbox, Status: report.Warn,
		Evidence: starts.VoidedEvidence(voided),
		Summary:  starts.CountVoided(len(voided)) + " blocked in plain claude: strictAllowlist uses your user settings only",
		Remedies: []report.Remedy{mend}})
	return nil
}
