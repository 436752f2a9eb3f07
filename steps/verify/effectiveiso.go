// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a launch that refuses to start is told with what would mend
// it: nobody is asked to approve a policy that is not there.

package verify

import (
	"cmp"
	"errors"
	"path/filepath"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/inforce"
	"github.com/steward-setup/steward-setup/internal/iso"
	"github.com/steward-setup/steward-setup/internal/report"
)

// unsandboxed is what is wanting where nothing more is known.
func unsandboxed() unmerged { return unmerged{what: iso.Unsandboxed, remedy: Again()} }

// isoOutlook judges claude-iso in the same place. One that refuses to start
// opens nothing; that it does is worth a word. wanting is what is said where
// there is no policy to approve.
func isoOutlook(r host.Reader, start string, wanting unmerged) outlook {
	refused := func(e report.Evidence, next report.Remedy) outlook {
		e.Text = "claude-iso would not start here: " + e.Text
		return outlook{status: report.Warn, refused: true, summary: e.Text, evidence: []report.Evidence{e},
			remedies: []report.Remedy{next}}
	}
	l, in, err := iso.Outlook(r, start)
	if err != nil {
		e := report.ErrorEvidence(start, err)
		return refused(e, report.DocLink{Title: "fix the file", Target: e.Where})
	}
	if e := (*report.Error)(nil); errors.As(cmp.Or(l.Forgeable, l.Linked, l.Open), &e) {
		return refused(report.ErrorEvidence(e.Where, e), report.DocLink{Title: e.Next, Target: e.Where})
	}
	state := inforce.Judge(in)
	if state.Mode == inforce.Off && len(state.Broken) == 0 && (l.Approved || l.Policy.Empty()) {
		return refused(report.FileEvidence(l.Place.Project, wanting.what), wanting.remedy)
	}
	if !l.Approved && l.Policy.Empty() { // to approve that would revoke the project's approval
		if wanting.what == iso.Unsandboxed {
			wanting = bereft(l.Place.Project)
		}
		return refused(report.FileEvidence(l.Place.Project, wanting.what), wanting.remedy)
	}
	if !l.Approved {
		what := "its policy is not approved yet"
		if l.Known {
			what = "its policy has changed since you approved it"
		}
		return refused(report.FileEvidence(filepath.Join(l.Place.Project, claude.Dir, claude.SettingsFile), what),
			report.Command{ID: "approve", Line: "steward-setup iso --approve", Why: "see the policy and approve it"})
	}
	o := outlookOf(in)
	if o.status == report.Pass && !l.Policy.Empty() {
		o.summary = "the sandbox is on, by claude-iso's own settings"
		o.evidence = []report.Evidence{report.FileEvidence(l.Place.Project,
			"its policy is approved, and passed with --settings")}
		return o
	}
	o.summary = "with claude-iso " + o.summary
	for i, remedy := range o.remedies { // the document of a launch lies nowhere
		if link, ok := remedy.(report.DocLink); ok && strings.HasPrefix(link.Target, "--settings") {
			o.remedies[i] = report.DocLink{Title: "fix the project's policy: " + link.Title,
				Target: filepath.Join(l.Place.Project, claude.Dir)}
		}
	}
	return o
}
