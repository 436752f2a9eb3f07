// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the words of a report are the same in every renderer.

package text

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
)

// About says in a few words what a layer is about.
func About(l report.Layer) string { return about[l] }

var about = map[report.Layer]string{
	report.LayerCleanEnv:     "which environment variables the agent gets",
	report.LayerSandbox:      "which files and hosts its commands can reach",
	report.LayerPermissions:  "what its own tools must not read or change",
	report.LayerConfirmation: "what needs your confirmation",
	report.LayerVisibility:   "what you are shown",
	report.LayerTools:        "the tools that all of this needs",
}

// Launch is what the user types to start the agent in this way.
func Launch(l report.Launch) string {
	if l == report.Iso {
		return "claude-iso"
	}
	return "plain claude"
}

// Rehearsed says how old what was rehearsed is.
func Rehearsed(j engine.Judged) string {
	switch j.From {
	case engine.FromRehearsal:
		return "tested now, with this runtime"
	case engine.FromStored:
		return "tested " + report.Ago(j.Age) + " with this runtime"
	case engine.FromFile:
		return "tested " + report.Ago(j.Age) + ", says the file"
	}
	return "denials not tested"
}

// Warned says whether a finding warns of one launch.
func Warned(findings []report.Finding, l report.Launch) bool {
	return slices.ContainsFunc(findings, func(f report.Finding) bool {
		s, _ := f.In(l)
		return s.Status == report.Warn
	})
}

// Where is the place of evidence: a file as Path shows it.
func Where(e report.Evidence, f report.Facts) string {
	if e.Kind == "file" {
		return Path(e.Where, f)
	}
	return e.Where
}

// Differ says whether the launches that a finding tells apart have more than one
// status.
func Differ(f report.Finding) bool {
	return slices.ContainsFunc(f.Launches, func(l report.LaunchStatus) bool { return l.Status != f.Launches[0].Status })
}

// Repeats says whether evidence only repeats the summary of its finding, which
// may begin with where that was seen. A file that the summary does not name is
// no repetition.
func Repeats(f report.Finding, e report.Evidence) bool {
	return endsWith(f.Summary, e.Where+": "+e.Text) || f.Summary == e.Text && e.Kind != "file" || isTheOne(f.Summary, e)
}

// isTheOne says whether evidence is the one that a summary counts, names and tells: "1 file is
// exposed (.bashrc): commands can write it. Also: 2 rules have no effect".
func isTheOne(summary string, e report.Evidence) bool {
	count, said, told := strings.Cut(summary, "): ")
	_, name, named := strings.Cut(count, " (")
	said, _, _ = strings.Cut(said, ". Also: ")
	return told && named && strings.HasPrefix(count, "1 ") && (e.Where == name || strings.HasSuffix(e.Where, "/"+name)) &&
		strings.EqualFold(said, strings.TrimSuffix(e.Text, "."))
}

// RepeatsLaunch says the same of what a finding says of one launch; another
// status is no repetition.
func RepeatsLaunch(f report.Finding, l report.LaunchStatus) bool {
	return l.Status == f.Status && l.Summary != "" && endsWith(f.Summary, l.Summary)
}

// OfLaunch is what a finding says of one launch, behind its name.
func OfLaunch(l report.LaunchStatus) string {
	return strings.TrimPrefix(strings.TrimPrefix(l.Summary, "with "+Launch(l.Launch)+" "), Launch(l.Launch)+" ")
}

// endsWith says whether a summary is words, perhaps with what goes before a
// colon.
func endsWith(summary, words string) bool {
	return summary == words || strings.HasSuffix(summary, ": "+words)
}

// Seconds is how long something took: "0.06 s", "2.4 s", "75 s".
func Seconds(d time.Duration) string {
	switch s := d.Seconds(); {
	case s < 0.995:
		return fmt.Sprintf("%.2f s", s)
	case s < 9.95:
		return fmt.Sprintf("%.1f s", s)
	default:
		return fmt.Sprintf("%.0f s", s)
	}
}
