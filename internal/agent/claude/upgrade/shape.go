// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the template has and the settings lack is what install
// would add, and nothing else; what the user added is named as kept.

package upgrade

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/checks"
	"github.com/steward-setup/steward-setup/internal/agent/claude/policy"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/agent/claude/setup"
	"github.com/steward-setup/steward-setup/internal/agent/claude/wiring"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/steps/install"
)

// scopeAnswer is install's answer for a policy in a scope.
var scopeAnswer = map[settings.Scope]string{settings.Project: "project", settings.Local: "local", settings.User: "user"}

// Shape implements update.Agent.
func (Claude) Shape(ctx context.Context, r host.Reader, project, framework string) report.Finding {
	s, err := session.In(ctx, r, project)
	if err != nil {
		return report.NotKnown("the settings could not be read", project, err)
	}
	if s.Lost != nil {
		f := session.Dropped(project, s.Lost)
		f.Status, f.Summary = report.Unknown, "a settings file is malformed, and the runtime drops it whole"
		return f
	}
	scope, doc, ok := checks.Standing(s, r.Places().Home)
	if !ok {
		return report.Finding{Status: report.Warn, Summary: "no settings file here holds the policy",
			Evidence: []report.Evidence{report.EnvEvidence("settings",
				"none of the files of a session here sets sandbox.enabled")},
			Remedies: []report.Remedy{install.Planned("show the policy that install would add; nothing is written", "")}}
	}
	to, id := scopeAnswer[scope], report.ID("policy")
	// In the home they are those of the project, too.
	users := scope == settings.User || host.Real(r, doc.Path) == host.Real(r, r.Places().UserSettings())
	alone := users && setup.Floored(doc)
	if alone { // what makes sense in every directory, and no more
		to, id = "project", "floor"
	}
	p, err := proposed(ctx, r, project, framework, report.Answers{"policy-to": {to}}, "policy", "floor", "wiring")
	if err != nil {
		return report.NotKnown(notCompared, doc.Path, err)
	}
	section := func(id report.ID) int {
		return slices.IndexFunc(p.Sections, func(s report.Section) bool { return s.ID == id })
	}
	i := section(id)
	if i < 0 {
		return report.NotKnown(notCompared, doc.Path, fmt.Errorf("it proposes none"))
	}
	values, err := policy.Embedded().Values(doc.Bytes(), doc.Path, r.Places().Home)
	if err != nil {
		return report.NotKnown("the settings are not understood", doc.Path, err)
	}
	if alone {
		values = slices.DeleteFunc(values, ofFloor)
	}
	f := compared(doc, p.Sections[i], values, to)
	if i := section("floor"); i >= 0 && !alone {
		ofUser(&f, p.Sections[i], to)
	}
	// Who left the wiring out is asked for nothing here.
	if i := section("wiring"); i >= 0 && wired(r) {
		ofUser(&f, p.Sections[i], to)
	}
	return f
}

// wired says whether a hook of the setup is wired in the user's own settings.
func wired(r host.Reader) bool {
	path := r.Places().UserSettings()
	b, err := r.Read(path)
	if err != nil {
		return false
	}
	doc, err := settings.Accept(path, b)
	return err == nil && slices.ContainsFunc(wiring.Wires, func(w wiring.Wire) bool {
		return wiring.Wired(doc, r.Places(), w) != nil
	})
}

// ofFloor says whether install writes a value to a policy in the user's own settings,
// with the places of this machine, so that the template does not name it.
func ofFloor(v policy.Stated) bool {
	return v.ID == claude.KeyStrictAllowlist.String() || slices.ContainsFunc(policy.DotenvNames(), func(name string) bool {
		return strings.HasSuffix(strings.TrimSuffix(v.ID, ")"), "/**/"+name)
	})
}

// ofUser adds what install would write into the user's own settings: to the policy that
// they have beside the one of the project, or to the wiring.
func ofUser(f *report.Finding, section report.Section, to string) {
	for _, it := range section.Items {
		c, ok := it.(report.Change)
		if !ok {
			continue
		}
		lacks := 0
		for _, e := range section.Entries {
			if e.State == "new" {
				lacks++
				f.Evidence = append(f.Evidence, report.FileEvidence(c.Path, "lacks "+e.Key+": "+e.Why))
			}
		}
		said := "your user settings lack " + report.Counted(lacks, "1 entry", "%d entries") + " of the template"
		if lacks == 0 { // what is closed below each project, the switch that makes its hosts the only ones, or the wiring
			said = "your user settings lack what install writes there"
			f.Evidence = append(f.Evidence, report.FileEvidence(c.Path, c.Why))
		}
		if f.Status == report.Pass {
			f.Summary, f.Remedies = said, []report.Remedy{c, planned(to)}
		} else {
			if !strings.HasSuffix(f.Summary, said) {
				f.Summary += "; " + said
			}
			f.Remedies = slices.Insert(f.Remedies, len(f.Remedies)-1, report.Remedy(c))
		}
		f.Status = report.Warn
	}
}

// planned shows the plan of a policy in a scope.
func planned(to string) report.Command {
	flags := ""
	if to != "project" {
		flags = " --policy-to " + to
	}
	return install.Planned("show what install would add; nothing is written", flags)
}

const notCompared = "install could not compare the policy"

// compared says how the values of a document stand to the entries that install
// wants there.
func compared(doc *settings.Doc, section report.Section, values []policy.Stated, to string) report.Finding {
	var lacks, corrected, differs, own []report.Evidence
	for _, e := range section.Entries {
		switch e.State {
		case "new":
			lacks = append(lacks, report.FileEvidence(doc.Path, "lacks "+e.Key+": "+e.Why))
		case "conflict":
			differs = append(differs, report.FileEvidence(doc.Path, "differs from the template in "+e.Key+": "+e.Why))
		}
	}
	template := func(id string) bool {
		return slices.ContainsFunc(section.Entries, func(e report.Entry) bool { return e.Key == id })
	}
	var additions []string
	for _, v := range values {
		where := fmt.Sprintf("%s:%d", doc.Path, v.Line)
		switch {
		case v.Corrected != "" && !v.Held:
			corrected = append(corrected, report.FileEvidence(where, v.ID+": "+v.Corrected))
		case !template(v.ID):
			additions = append(additions, v.ID)
			own = append(own, report.FileEvidence(where, "your own, kept: "+v.ID))
		}
	}
	f := report.Finding{Status: report.Pass, Summary: "the settings have everything of the template",
		Evidence: slices.Concat(lacks, corrected, differs, own)}
	if len(f.Evidence) == 0 {
		f.Evidence = []report.Evidence{report.FileEvidence(doc.Path,
			fmt.Sprintf("entries of the template: %d", len(section.Entries)))}
	}
	if parts := (report.Counts{{len(lacks), "lacks 1 entry of the template", "lacks %d entries of the template"},
		{len(corrected), "1 rule was corrected since", "%d rules were corrected since"},
		{len(differs), "1 value differs", "%d values differ"}}).String(); parts != "" {
		f.Status, f.Summary = report.Warn, shortName(doc.Path)+": "+parts
		for _, it := range section.Items {
			if c, ok := it.(report.Change); ok {
				f.Remedies = append(f.Remedies, c)
			}
		}
		f.Remedies = append(f.Remedies, planned(to))
	}
	if n := len(additions); n > 0 {
		f.Summary += fmt.Sprintf("; %d of your own kept", n)
	}
	return f
}

// shortName is a file with its directory.
func shortName(path string) string {
	parts := strings.Split(path, "/")
	return strings.Join(parts[max(0, len(parts)-2):], "/")
}
