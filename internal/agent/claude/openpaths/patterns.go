// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a pattern in allowWrite opens at most what it matches when
// a session starts: the sandbox mounts paths that are there. On Linux one with
// a wildcard other than a last "/**" opens nothing (measured with 2.1.329);
// macOS goes by patterns, also for what is made later, and settings are
// shared. What denyRead hides outside of the home is hidden for a reason, and
// an entry that opens a part of it again is named with what it opens.

package openpaths

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/sensitive"
)

// opensNothing says whether nothing is there that an entry means, and no
// command can make it: what is hidden below the home is memory to them, where
// the sandbox mounts.
func (j *Judge) opensNothing(e grants.Entry) bool {
	if j.r.System().GOOS != "linux" {
		return false
	}
	found, known := grants.MatchesOf(j.r, e.Real)
	if !known || len(found) > 0 {
		return false
	}
	dir := host.Standing(j.r, filepath.Dir(pathname.BeforeWildcard(e.Real)))
	return grants.Under(dir, j.hidden) && !grants.Under(dir, j.own)
}

// calledLikePattern judges an entry that is no pattern, in a project that is called
// like one. Measured with 2.1.330: "." of ~/code/a*b, a?b or a[1] in allowRead opens
// each directory that the name matches, for reading; braces and "!" mean themselves,
// and what the policy denies holds. o opens nothing where no other directory is so called.
func (j *Judge) calledLikePattern(e grants.Entry, o opening.Opening) (_ opening.Opening, is bool) {
	if !strings.ContainsAny(e.Real, "*?[") || strings.ContainsAny(e.Text, "*?[") {
		return o, false
	}
	others, known := grants.MatchesOf(j.r, e.Real)
	others = slices.DeleteFunc(others, func(path string) bool { return path == e.Named || path == e.Real })
	switch {
	case !known:
		others = []string{"all that it matches"}
	case len(others) == 0:
		return o, true
	}
	o.Status, o.Opens = report.Warn, "The runtime reads the name of this directory as a pattern: commands can also read "+
		others[0]+"."
	o.Remedy = report.DocLink{Title: "rename the directory, so that its path has no *, ? or [", Target: e.Named}
	return o, true
}

// ClosesNothing lists the patterns in denyWrite. Measured with 2.1.330 on Linux, for
// files that were there and for new ones: commands write what *, ?, [] and ** match;
// only a last "/**" closes the directory before it. macOS goes by patterns.
func ClosesNothing(r host.Reader, s session.Settings) (found []opening.Opening) {
	if r.System().GOOS != "linux" {
		return nil
	}
	for _, e := range grants.Entries(r, s, claude.KeyDenyWrite.String()) {
		if e.Text == "**" || !strings.ContainsAny(strings.TrimSuffix(e.Text, "/**"), "*?[") {
			continue
		}
		found = append(found, opening.Opening{Status: report.Warn, Group: opening.Ineffective, Where: e.Where, Path: e.Path,
			What: e.Text, Plain: e.Plain(),
			Opens: "On Linux this pattern closes nothing: commands can write what it matches. Name the files, or a directory."})
	}
	return found
}

// reopens judges an entry that opens what a denyRead in force hides outside of
// the home; in the home all is hidden, and what is open there is judged by what
// it is. Measured with 2.1.324 and 2.1.329: allowRead, allowWrite and
// permissions open a hidden place and what is below it; an entry above it
// leaves it hidden.
func (j *Judge) reopens(e grants.Entry, o opening.Opening) (opening.Opening, bool) {
	if grants.Under(e.Real, j.own) {
		return o, false // the project may lie there
	}
	for _, hidden := range j.hidden {
		if pathname.Within(hidden, j.realHome) || pathname.Within(j.realHome, hidden) || !grants.HoldsPath(hidden, e.Real) {
			continue
		}
		o.Status, o.Opens = report.Warn, "denyRead hides "+hidden+", and this entry opens it to commands again."
		for _, p := range []string{e.Real, hidden} {
			if which, ok := sensitive.CredentialPath(p, j.realHome); ok {
				o.Status, o.Voids, o.Opens = report.Fail, true, "Commands can read "+which+", which denyRead hides."
			}
		}
		return o, true
	}
	return o, false
}
