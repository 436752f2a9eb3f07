// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: whether the runtime attaches or reads files that nobody was
// asked about, delivers what other sessions say, or is started by links, is told
// for each launch, and what closes it.

package checks

import (
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// What is said of files that are attached.
const (
	sendsNamed = "files that a skill names with @ are sent without a prompt"
	asksSkills = "files that a skill names with @ are sent once you approve the skill"
	whichFiles = ": the text, the arguments or the output of a skill can name any file of yours (@~/x). Only a Read " +
		"rule keeps it from the model"
)

// attaching adds to the finding whether files are attached.
func attaching(r host.Reader, s session.Settings, f report.Finding) report.Finding {
	plain, iso, where := session.Attaches(r, s)
	switch {
	case !plain && where == "":
		return f
	case !plain:
		f.Evidence = append(f.Evidence, report.FileEvidence(where, "files named with @ are not attached: "+
			claude.MentionsVariable+" is on"))
		return f
	}
	status, why := report.Fail, sendsNamed
	if slices.ContainsFunc(s.InForce().RulesIn(claude.Deny, claude.Ask), func(rule settings.Rule) bool {
		return slices.Contains([]string{claude.ToolSkill, "Skill(*)"}, rule.Value.Text)
	}) { // the agent starts no skills by itself
		status, why = report.Warn, asksSkills
	}
	in := plainAlone
	if iso {
		in = bothLaunches
	}
	return worseIn(in, f, status, why, report.FileEvidence(where, "env."+claude.MentionsVariable+" is not 1"+whichFiles))
}

// copying adds to the finding whether the runtime copies files for /rewind.
func copying(r host.Reader, s session.Settings, f report.Finding) report.Finding {
	plain, iso, by := session.Checkpoints(r, s)
	where, in, remedies := s.UserFile, plainAlone, slices.Clone(f.Remedies)
	if by.Value != nil {
		where = by.Where()
	}
	switch {
	case !plain:
		return f
	case iso:
		in = bothLaunches
	}
	f = worseIn(in, f, report.Warn, "/rewind can copy any file of yours into the project",
		report.FileEvidence(where, "env."+claude.CheckpointsVariable+" is not 1: of a file that the agent edited and a "+
			"command made a symlink, /rewind (Restore code) writes what it leads to, whatever the rules say"))
	if by.Value != nil { // what is said there install leaves alone
		f.Remedies = append(remedies, opening.RemoveKey(where, claude.KeyEnv.Below(claude.CheckpointsVariable)...))
	}
	return f
}

var (
	bothLaunches = []report.Launch{report.Plain, report.Iso}
	plainAlone   = bothLaunches[:1]
)

// worseIn is a finding once something is added, of some launches, that install sets
// right.
func worseIn(launches []report.Launch, f report.Finding, status report.Status, why string,
	seen report.Evidence) report.Finding {
	base, iso := f, slices.Contains(launches, report.Iso)
	f.Status, f.Summary = worsened(f.Status, f.Summary, status, why)
	f.Evidence = append([]report.Evidence{seen}, f.Evidence...)
	if !slices.Contains(f.Remedies, report.Remedy(verify.Again())) {
		f.Remedies = append(slices.Clone(f.Remedies), verify.Again())
	}
	if base.Launches == nil && iso {
		return f
	}
	f.Launches = nil
	for _, launch := range bothLaunches {
		l, _ := base.In(launch)
		if slices.Contains(launches, launch) {
			l.Status, l.Summary = worsened(l.Status, l.Summary, status, why)
		}
		f.Launches = append(f.Launches, l)
	}
	if base.Launches == nil && f.Launches[0].Status == f.Launches[1].Status {
		f.Launches = nil
	}
	return f
}

// worsened is a status and its summary once another is added.
func worsened(have report.Status, said string, more report.Status, why string) (report.Status, string) {
	switch {
	case have == report.Pass:
		return more, why
	case more.WorseThan(have):
		return more, why + "; " + said
	}
	return have, said + "; " + why
}

// instructed adds to the finding whether messages of other sessions reach the
// model: the agent of another project sends them without a prompt, from outside
// its sandbox, and unless claude.InboundKey says otherwise they are delivered
// (measured with 2.1.329). claude-iso holds them. A project's file does not count.
func instructed(s session.Settings, f report.Finding) report.Finding {
	where, said := s.UserFile, " is not set"
	for _, l := range s.Layers {
		v := l.Doc.Get(claude.InboundKey)
		if v == nil || l.Scope.OfProject() {
			continue
		}
		if claude.HoldsInbound(v.Text) {
			f.Evidence = append(f.Evidence, report.FileEvidence(l.Doc.Where(v),
				"messages from other sessions are shown to you first: "+claude.InboundKey+" is "+v.Text))
			return f
		}
		where, said = l.Doc.Where(v), " delivers them"
		break
	}
	return worseIn(plainAlone, f, report.Warn, "other sessions can message the agent without a prompt",
		report.FileEvidence(where, claude.InboundKey+said+": what an agent of another project sends is a prompt here "+
			"(SendMessage); hold shows it to you first"))
}

// reading adds to the finding whether the runtime's own texts of claude.ReadingTexts can be
// used: then every file that no rule names is read without a prompt until the turn ends
// (2.1.332 and 2.1.324: TestSkillsThatApproveReading). claude-iso leaves them out.
func reading(s session.Settings, f report.Finding) report.Finding {
	e := s.InForce()
	open := session.OpenSkills(e, claude.ReadingTexts(), true)
	if len(open) == 0 || e.AnyTrue(claude.KeyBlockReads...) || slices.ContainsFunc(e.RulesIn(claude.Deny, claude.Ask),
		func(rule settings.Rule) bool { return slices.Contains(readsAll, rule.Value.Text) }) {
		return f
	}
	where, install, remedies := s.UserFile, false, slices.Clone(f.Remedies)
	for _, name := range open {
		path := claude.KeySkillOverrides.Below(name)
		set := e.Scalar(path...)
		install = install || set.Value == nil || set.Scope == settings.User
		if set.Value != nil { // what is said there install leaves alone
			where = set.Where()
			remedies = append(remedies, opening.RemoveKey(where, path...))
		}
	}
	f = worseIn(plainAlone, f, report.Warn, "skills of the runtime's own let the agent read any file until a turn ends",
		report.FileEvidence(where, claude.KeySkillOverrides.String()+" does not switch off "+
			strings.Join(open, ", ")+": once you type or approve one, each file of yours that no rule denies is read "+
			"without a prompt"))
	if f.Remedies = remedies; install && !slices.Contains(remedies, report.Remedy(verify.Again())) {
		f.Remedies = append(remedies, verify.Again())
	}
	return f
}

// readsAll are rules by which every Read is a prompt, or refused.
var readsAll = []string{claude.ToolRead, "Read(~/**)"}

// linked adds to the finding whether the runtime has registered itself for links:
// such a link starts plain claude in the directory that it names (2.1.324 and
// 2.1.332). What settings say from then on takes nothing back.
func linked(r host.Reader, s session.Settings, f report.Finding) report.Finding {
	key := claude.KeyDisableDeepLinkRegistration
	if v := s.InForce().Scalar(key...); v.Value != nil && v.Value.Text == claude.Disable {
		f.Evidence = append(f.Evidence, report.FileEvidence(v.Where(), "the runtime does not register itself for links: "+
			key.String()+" is "+claude.Disable))
	}
	path := claude.LinkHandler(r.Places().Home, r.System())
	if _, err := r.Lstat(path); err != nil {
		return f
	}
	remedies := f.Remedies
	f = worseIn(plainAlone, f, report.Warn, "links start plain claude in the directory that they name",
		report.FileEvidence(path, "the runtime registered itself for claude-cli://: a link on a page can name a directory "+
			"below a project that you trust, whose hooks run at once"))
	f.Remedies = append(slices.Clone(remedies), report.Command{ID: "links/remove", Line: "rm -r " + scripts.Quote(path),
		Why: "take the registration back; install keeps the next session from it"})
	return f
}
