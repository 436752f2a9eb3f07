// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the user's own settings gain our hooks beside the foreign
// ones and the switches that keep files from being attached and copied, and a status
// line of the user's own stays unless the user gives it up.

package setup

import (
	"context"
	"path/filepath"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/agent/claude/wiring"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
)

// keepIt labels the answer that changes nothing; noProgram is why nothing is
// written that calls this program.
const keepIt, noProgram = "keep what is there", "there is no safe program that it could call"

var statusLineQuestion = report.Question{
	ID: "status-line", Section: "wiring", Kind: report.Choice,
	Title: "Which status line should the footer show?",
	Help: "The footer is where a session that runs without the sandbox is noticed. Plain shows model and sandbox " +
		"state; rich adds folder, branch and pull request.",
	Options: []report.Option{
		{Value: "plain", Label: "plain", Note: "model and sandbox state"},
		{Value: "rich", Label: "rich", Note: "with folder, branch, and pull request"},
		{Value: "keep", Label: keepIt, Note: "a line of your own, or none"},
	},
	Default: []string{"plain"},
}

func (p *proposer) wiring(context.Context) (report.Section, error) {
	s := report.Section{ID: "wiring", Title: "User settings: hooks and status line",
		Why: "Calls the hook scripts in every session of yours, in any project: a run outside the sandbox is announced " +
			"before you approve it, a sandbox error is explained where it happens, and the footer says whether the sandbox is " +
			"in force. Files that a text names with @ are read by the Read tool, which your rules decide about, in place of " +
			"being attached. The runtime keeps no copies of edited files, which could be copies of your keys: /rewind " +
			"restores no code then; use git for that. " +
			"Messages from other sessions are shown to you before the agent gets them. Links (claude-cli://) " +
			"do not start it. Commands of the runtime's own by which the agent reads any file without a prompt are left out: " +
			"/debug, /statusline, /update-config and two more."}
	if p.scriptsMissing {
		s.Note(leftOut("the hook scripts would not be there: wiring them would only make the runtime fail silently"))
		return s, nil
	}
	if !p.places.Guard(&s, "user-wiring", "your settings file", p.r.Places().UserSettings()) {
		return s, nil
	}
	f, doc, err := document(p.draft, p.r.Places().UserSettings(), "")
	if err != nil {
		return s, err
	}
	after, err := settings.Splice(doc, p.wiringEdits(doc, &s))
	if err != nil {
		return s, err
	}
	if err := p.ignoredHosts(&s, f.Path, after); err != nil {
		return s, err
	}
	p.draft.Write(&s, "wiring/settings", "hooks, status line, no attached files, no copies for /rewind", f, after, 0o600)
	s.Note(p.weakenings()...)
	return s, nil
}

func (p *proposer) wiringEdits(doc *settings.Doc, s *report.Section) []settings.Edit {
	places := p.r.Places()
	var edits []settings.Edit
	for _, w := range wiring.Wires {
		if hook := wiring.Wired(doc, places, w); hook != nil {
			s.Note(report.Finding{Check: "user-wiring", Status: report.Pass, Summary: w.Event + " calls " + w.Script +
				" already", Evidence: []report.Evidence{report.FileEvidence(doc.Where(hook), w.Script)}})
			continue
		}
		edits = append(edits, settings.WireHook(doc, w.Event, claude.ToolBash, p.scriptCommand(w.Script))...)
	}
	if off := doc.Get(claude.KeyDisableAllHooks...); off.True() {
		s.Note(report.Finding{Check: "user-wiring", Status: report.Fail, Decide: true,
			Summary:  "disableAllHooks is on: no hook of yours will run",
			Evidence: []report.Evidence{report.FileEvidence(doc.Where(off), "disableAllHooks: true")},
			Remedies: []report.Remedy{opening.RemoveKey(doc.Where(off), claude.KeyDisableAllHooks...)}})
	}
	if v := doc.Get(claude.KeyEnv.Below(claude.MentionsVariable)...); v == nil || !claude.SwitchedOn(v.Text) {
		edits = append(edits, settings.Set(claude.KeyEnv.Below(claude.MentionsVariable), settings.String("1")))
	}
	if copies := claude.KeyEnv.Below(claude.CheckpointsVariable); doc.Get(copies...) == nil {
		edits = append(edits, settings.Set(copies, settings.String("1")))
	}
	if v := doc.Get(claude.InboundKey); v == nil || !claude.HoldsInbound(v.Text) {
		edits = append(edits, settings.Set([]string{claude.InboundKey}, settings.String("hold")))
	}
	if links := claude.KeyDisableDeepLinkRegistration; doc.Get(links...) == nil {
		edits = append(edits, settings.Set(links, settings.String(claude.Disable)))
	}
	for _, name := range claude.ReadingTexts() {
		if skill := claude.KeySkillOverrides.Below(name); doc.Get(skill...) == nil {
			edits = append(edits, settings.Set(skill, settings.String(claude.SkillOff)))
		}
	}
	edits = append(edits, p.statusLineEdits(doc, s)...)
	edits = append(edits, lacking(doc, claude.KeyDeny, p.editDenials()...)...)
	return append(edits, p.strictEdits(doc, s)...)
}

// statusLineEdits sets the status line where there is none, or where the user
// said so.
func (p *proposer) statusLineEdits(doc *settings.Doc, s *report.Section) []settings.Edit {
	q := statusLineQuestion
	have := doc.Get(claude.KeyStatusLine...)
	plain := wiring.CallsScript(have, p.r.Places(), wiring.StatusLine)
	rich := wiring.CallsScript(have, p.r.Places(), wiring.StatusLineRich)
	if have != nil {
		q.Default, q.DefaultFrom = []string{"keep"}, doc.Where(have)
		switch {
		case plain:
			q.Default = []string{"plain"}
		case rich:
			q.Default = []string{"rich"}
		}
	}
	p.ask(q)
	p.ask(p.strictQuestion(doc))
	script := map[string]string{"plain": wiring.StatusLine, "rich": wiring.StatusLineRich}[p.answers.Of(q)[0]]
	switch {
	case script == "" && have != nil && !plain && !rich:
		command, _ := have.Command()
		s.Note(report.Finding{Check: "user-wiring", Status: report.Warn,
			Summary:  "a status line of your own is kept; it does not show the sandbox's state",
			Evidence: []report.Evidence{report.FileEvidence(doc.Where(have), redact.Command(settings.TextOf(command)))},
			Remedies: []report.Remedy{report.DocLink{Title: "call ours as a part of yours",
				Target: filepath.Join(p.r.Places().Scripts(), wiring.StatusLine)}}})
		return nil
	case script == "", script == wiring.StatusLine && plain, script == wiring.StatusLineRich && rich:
		return nil
	}
	return []settings.Edit{settings.Set(claude.KeyStatusLine, settings.CommandEntry(p.scriptCommand(script)))}
}

// scriptCommand is how a settings file names a hook script: with ~ where the
// runtime's directory is the usual one (an unquoted leading ~/ is expanded,
// measured with 2.1.329), else by its quoted absolute path.
func (p *proposer) scriptCommand(script string) string {
	places := p.r.Places()
	path := filepath.Join(places.Scripts(), script)
	if rest, ok := pathname.Below(path, places.Home); ok && places.AgentDir == filepath.Join(places.Home, claude.Dir) {
		return "~/" + rest
	}
	return pathname.Quoted(path)
}

// leftOut is the finding of a section that another one's absence makes
// pointless.
func leftOut(why string) report.Finding {
	return report.Finding{Status: report.Skip, Summary: "left out: " + why,
		Evidence: []report.Evidence{report.EnvEvidence("left out", why)}}
}
