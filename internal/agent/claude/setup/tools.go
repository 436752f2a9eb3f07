// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the first section of the plan. A tool is installed by the
// user and only by the user; a command is printed only if this machine can
// carry it out, and where it cannot, the ways out are named instead.

package setup

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/steward-setup/steward-setup/internal/agent/claude/startfailure"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/pins"
	"github.com/steward-setup/steward-setup/internal/platform"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/steps/install"
	"github.com/steward-setup/steward-setup/steps/verify"
)

const sectionTools report.ID = "tools"

// questionDistro is asked by --use-distro-versions.
const questionDistro report.ID = "use-distro-versions"

var distroQuestion = report.Question{
	ID: questionDistro, Section: sectionTools, Kind: report.Confirm, Default: []string{"no"},
	Title: "Use the distribution's versions where the pinned ones are not offered?",
	Help:  "Your own override file then states them, and drift is measured against them.",
	Price: "An older set of features. Security fixes come from the distribution and not from upstream.",
}

// toolQuestions lists what only the user can decide about the tools: whether
// the distribution's version will do where the pinned one is not offered.
func toolQuestions(s toolSurvey) []report.Question {
	var instead, lacking []string
	for i := range s.tools {
		if t := &s.tools[i]; t.replaceable() {
			instead = append(instead, fmt.Sprintf("%s %s in place of %s", t.Pin.Tool, t.Offered, t.Pin.Version))
			if status, _ := t.state(); status == report.Fail {
				lacking = append(lacking, t.Pin.Tool)
			}
		}
	}
	if instead == nil {
		return nil
	}
	q := distroQuestion
	q.Title = "Use the versions that " + s.platform.Short() + " offers?"
	q.Help = "The pinned versions are not offered here. Yes takes " + strings.Join(instead, " and ") +
		": your own override file states them, and drift is measured against them."
	if lacking != nil { // without it nothing is sandboxed, and there is one line that brings it
		q.Ask, q.Default, q.Reason = true, []string{"yes"}, "not working here: "+strings.Join(lacking, " and ")+
			"; no pinned version is offered"
	}
	return []report.Question{q}
}

// replaceable says whether the distribution's version could stand in for the
// pinned one, which is not offered. One that is older than what is installed
// would not bring the tool nearer to its pin.
func (t *toolSeen) replaceable() bool {
	if t.skip != "" || t.Standing == pins.AsPinned || t.hopeless() || t.Wanted != "" || t.Offered == "" {
		return false
	}
	for _, least := range []string{t.Pin.MinVersion, t.Version} {
		if least == "" {
			continue
		}
		if c, err := pins.Compare(t.Pin.Tool, t.Offered, least); err != nil || c < 0 {
			return false
		}
	}
	return true
}

// hopeless says whether no command could mend the tool: the pin itself is below
// the floor, the manifest has no line for this machine, or the package is
// installed already and PATH does not lead to it.
func (t *toolSeen) hopeless() bool {
	_, line := t.line(t.Wanted)
	return t.Pin.BelowFloor() || !line || t.Lacks != "" && t.Installed != ""
}

// toolsProposal is the section in the making.
type toolsProposal struct {
	report.Section
	platform  platform.Platform
	distro    bool // the user takes the distribution's versions
	answered  bool // the user said whether
	commands  toolCommands
	overrides []pins.Override
}

// proposeTools makes the section. The error is that of an override file that
// cannot be read or added to.
func proposeTools(r host.Reader, survey toolSurvey, answers report.Answers) (report.Section, error) {
	p := toolsProposal{platform: survey.platform, commands: toolCommands{root: r.System().UID == 0},
		Section: report.Section{ID: sectionTools, Title: "Pinned tools",
			Why: "The sandbox is only as good as its tools: bubblewrap isolates commands, socat connects them to a " +
				"filtering proxy. Each tool is pinned to a version that had been public for some days; " +
				"below a minimum version the policy is not enforced. You install them; this program only prints the commands."}}
	for _, q := range toolQuestions(survey) {
		p.distro = answers.Yes(q)
	}
	_, p.answered = answers[questionDistro]
	for i := range survey.tools {
		t := &survey.tools[i]
		p.Note(p.propose(t, t.way(r, p.distro)))
		if young := t.unsettled(r.System().Now()); young != "" {
			p.Note(report.Finding{Check: "tools-pinned", Status: report.Warn, Summary: young, Evidence: t.Evidence[:1]})
		}
	}
	if len(p.overrides) > 0 {
		c, _, err := install.Override(r, "tools/override", "takes the distribution's versions in place of the "+
			"pinned ones on this machine; delete a table to go back", p.overrides)
		if err != nil {
			return report.Section{}, err
		}
		p.Items = append(p.Items, c)
	}
	p.Items = append(p.Items, p.commands.items()...)
	return p.Section, nil
}

// propose goes the way with one tool, and says how the tool is.
func (p *toolsProposal) propose(t *toolSeen, w way) report.Finding {
	f := report.Finding{Check: "tools-pinned", Layer: report.LayerTools, Evidence: t.Evidence}
	f.Status, f.Summary = t.state()
	// What works after a fashion need not be mended at once.
	optional := f.Status != report.Fail
	if t.there.Line != "" && w != waySettled {
		p.Items = append(p.Items, t.there)
		f.Summary += t.place
		return f
	}
	switch w {
	case wayRefresh:
		p.commands.refresh(t.Manager, optional)
		f.Summary += fmt.Sprintf("; %s has no package lists, so what it offers is unknown", t.Manager)
	case wayInstall:
		p.commands.add(t, t.Wanted, optional)
		f.Summary += t.beside()
	case wayOverride:
		p.overrides = append(p.overrides, t.override())
		p.Exposes = append(p.Exposes, fmt.Sprintf("%s is the distribution's %s and not the pinned %s: its security fixes "+
			"are the distribution's", t.Pin.Tool, t.Offered, t.Pin.Version))
		if t.hasDistro() {
			f.Status, f.Summary = report.Pass, fmt.Sprintf("%s %s is installed, the version that your override takes",
				t.Pin.Tool, t.Version)
		} else {
			p.commands.add(t, t.Offered, optional)
		}
	case wayAsk:
		f.Decide = !optional || !p.answered
		f.Summary += fmt.Sprintf("; %s offers %s and not the pinned %s", t.Manager, t.Offered, t.Pin.Version)
		distro := verify.DistroTools()
		distro.ID = "tools/" + questionDistro
		f.Remedies = []report.Remedy{distro, t.upstream("or install ")}
	case wayBlocked:
		f.Decide = !optional
		f.Summary += "; " + t.obstacle(p.platform)
		f.Remedies = []report.Remedy{t.upstream("install ")}
	}
	return f
}

// way is what can be done here to bring a tool to its pin.
type way int

const (
	waySettled  way = iota // nothing needs to be done
	wayRefresh             // fetch the package lists, then look again
	wayInstall             // the pinned version can be had
	wayOverride            // the distribution's version is taken in its place
	wayAsk                 // the distribution's version could be
	wayBlocked             // nothing that this program knows
)

// way says which of them it is; distro is whether the user takes the
// distribution's versions.
func (t *toolSeen) way(r host.Reader, distro bool) way {
	switch {
	case t.skip != "" || t.Standing == pins.AsPinned:
		return waySettled
	case t.hopeless():
		return wayBlocked
	case t.Stale:
		return wayRefresh
	case t.replaceable() && distro:
		return wayOverride
	case t.replaceable():
		return wayAsk
	case separators[t.Manager] != "" && t.Wanted != "", separators[t.Manager] == "" && t.runnable(r):
		return wayInstall
	}
	return wayBlocked
}

// runnable says whether the program that the tool's line calls is there.
func (t *toolSeen) runnable(r host.Reader) bool {
	if t.Manager == npm {
		_, ok := startfailure.NpmFirst(r)
		return ok
	}
	prefix, _ := t.Installs()
	_, err := r.Look(strings.Fields(strings.TrimPrefix(prefix, "sudo "))[0])
	return err == nil
}

// obstacle says why nothing can be done.
func (t *toolSeen) obstacle(p platform.Platform) string {
	_, line := t.line(t.Wanted)
	switch {
	case t.Pin.BelowFloor():
		return fmt.Sprintf("the pin %s is not offered, it is itself below the floor %s", t.Pin.Version, t.Pin.Floor())
	case t.Lacks != "" && t.Installed != "":
		return fmt.Sprintf("its package %s is installed, so PATH does not lead to it", t.Installed)
	case line && separators[t.Manager] != "":
		return string(t.Manager) + " offers no version that would do"
	case line:
		return string(t.Manager) + ", which installs it, is not on PATH"
	case t.Manager == "":
		return "the package manager of " + p.Name + " is unknown to this program"
	}
	return fmt.Sprintf("the package manager of %s is %s, for which the manifest has no command", p.Name, t.Manager)
}

// beside says that the line would not replace the program that was found.
func (t *toolSeen) beside() string {
	if t.foreign == "" || t.aside.Line != "" {
		return ""
	}
	return fmt.Sprintf("; %s was not installed by %s, so there will be two, and the first on PATH is used", t.foreign,
		t.Manager)
}

func (t *toolSeen) upstream(title string) report.DocLink {
	return report.DocLink{Title: title + t.Pin.Tool + " from upstream", Target: cmp.Or(t.Pin.Releases, t.Pin.Docs)}
}

// state says how the tool is, before anything is done about it.
func (t *toolSeen) state() (report.Status, string) {
	name := t.Pin.Tool
	switch {
	case t.skip != "":
		return report.Skip, name + " is " + t.skip
	case t.Lacks != "":
		return report.Fail, t.Lacks
	case t.Broken != "":
		return report.Fail, name + " does not start: " + t.Broken
	case t.Unasked != "":
		return report.Unknown, t.Unasked
	case t.Standing == "":
		return report.Unknown, name + " is installed, and its answer for its version is not understood"
	case t.Standing == pins.AsPinned && t.Pin.Version == "":
		return report.Pass, fmt.Sprintf("%s %s is installed, at or above the floor %s", name, t.Version, t.Pin.MinVersion)
	case t.Standing == pins.AsPinned:
		return report.Pass, fmt.Sprintf("%s %s is installed, as pinned", name, t.Version)
	case t.Standing == pins.Insufficient:
		return report.Fail, pins.Below(name, t.Version, t.Pin.Floor())
	}
	return report.Warn, t.Pin.Drift(t.Answer)
}

// unsettled says that a pin is younger than its cooldown on the day of now, ""
// if it is not: no manifest of this program has such a pin, but a framework's
// or the user's own may.
func (t *toolSeen) unsettled(now time.Time) string {
	released, known := t.Pin.Released()
	settled := t.Pin.Settled()
	if t.skip != "" || !known || !now.Before(settled) {
		return ""
	}
	return fmt.Sprintf("%s %s was released on %s and has its cooldown behind it only on %s", t.Pin.Tool, t.Pin.Version,
		released.Format(time.DateOnly), settled.Format(time.DateOnly))
}
