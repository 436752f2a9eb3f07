// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a verdict is never said without where it holds, as far as
// that is known; a start that was not tried is named as not verified.

package text

import (
	"cmp"
	"strings"

	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
)

// VerdictStatus is the status that a verdict is shown with: one that does not
// hold in every start that is known is no pass.
func VerdictStatus(v report.Verdict, covers []report.Cover) report.Status {
	if v == report.Protected && report.OpenSomewhere(covers, "") {
		return report.Warn
	}
	return v.Status()
}

// Range says where a verdict of Protected holds: "in ~/code/tracker, and by
// claude-iso anywhere in it". It is "" for another verdict, and where nothing
// is known of the starts.
func Range(v report.Verdict, covers []report.Cover, f report.Facts) string {
	root, ok := report.CoverOf(covers, report.Plain, report.AtRoot)
	if v != report.Protected || !ok || root.Status == report.Fail {
		return ""
	}
	dir := cmp.Or(redact.Line(Home(root.Dir, f.Home), maxLine), "the project")
	switch within := anywhere(covers, report.Plain); {
	case within && holds(covers, report.Plain, report.AtOther):
		return "anywhere in " + dir + andOutside
	case within:
		return "anywhere in " + dir
	case anywhere(covers, report.Iso):
		return "in " + dir + ", and by claude-iso anywhere in it"
	}
	return "in " + dir
}

const andOutside = ", and in directories without projects"

// holds says whether a launch was seen to be protected in a kind of directory.
func holds(covers []report.Cover, l report.Launch, d report.StartDir) bool {
	c, ok := report.CoverOf(covers, l, d)
	return ok && c.Status == report.Pass
}

// anywhere says the same of every kind within the project. Where nothing
// starts, nothing gets through; a project may have no worktree.
func anywhere(covers []report.Cover, l report.Launch) bool {
	for _, d := range []report.StartDir{report.AtRoot, report.AtSub, report.AtWorktree} {
		c, ok := report.CoverOf(covers, l, d)
		if ok && c.Status != report.Pass && c.Status != report.Skip || !ok && d != report.AtWorktree {
			return false
		}
	}
	return true
}

// A Part of what is said of a launch: text with one status, and in More what
// there is no room for everywhere.
type Part struct {
	Status     report.Status
	Text, More string
}

// String is all of it.
func (p Part) String() string {
	switch {
	case p.More == "":
		return p.Text
	case p.Status == report.Fail:
		return p.Text + ": " + p.More
	}
	return p.Text + ", " + p.More
}

// startDirWords are the kinds of directories in a list.
var startDirWords = map[report.StartDir]string{
	report.AtRoot: "the project's root", report.AtSub: "subdirectories", report.AtWorktree: "linked worktrees",
	report.AtOther: "elsewhere",
}

// Covered says of one launch where it holds and where it does not. A launch
// that is open somewhere has no part that is a pass. v is its verdict, warned
// says that a finding warns of it.
func Covered(l report.Launch, v report.Verdict, warned bool, covers []report.Cover, f report.Facts) []Part {
	first := Part{Status: v.Status(), Text: string(v)}
	if v == report.Protected && (warned || report.OpenSomewhere(covers, l)) {
		first.Status = report.Warn
	}
	by := map[report.Status][]string{}
	var worst report.Cover // the open start of the largest share
	upTo := ""
	for _, c := range covers {
		if c.Launch != l || c.Status == report.Pass || c.Start == report.AtOther && c.Status != report.Fail {
			continue
		}
		words := startDirWords[c.Start]
		if c.Start == report.AtSub && c.Dir != "" {
			words = redact.Line(Path(c.Dir, f), maxLine)
		}
		by[c.Status] = append(by[c.Status], words)
		if c.Status != report.Fail || !c.Rehearsed {
			continue
		}
		if worst.Why != "" && worst.Why != c.Why {
			upTo = "up to "
		}
		if worst.Why == "" || c.Through*worst.Denied > worst.Through*c.Denied {
			worst = c
		}
	}
	if v == report.Protected {
		first.Text = strings.TrimSpace(first.Text + " " + reach(l, covers, f))
		if warned && !report.OpenSomewhere(covers, l) {
			first.More = "with a warning"
		}
	}
	parts := []Part{first}
	// What is unprotected is said with where, and a launch that does not start opens nothing.
	if root, ok := report.CoverOf(covers, l, report.AtRoot); v == report.Unprotected && ok &&
		(root.Status == report.Fail || root.Status == report.Skip && by[report.Fail] == nil) {
		parts = nil
	}
	if open := by[report.Fail]; open != nil {
		parts = append(parts, Part{report.Fail, "unprotected " + in(open), upTo + worst.Why})
	}
	if idle := by[report.Skip]; idle != nil {
		parts = append(parts, Part{Status: report.Skip, Text: "does not start " + in(idle)})
	}
	if unseen := by[report.Unknown]; unseen != nil && v == report.Protected {
		parts = append(parts, Part{Status: report.Unknown, Text: "not verified " + in(unseen)})
	}
	return parts
}

// reach is where a protected launch holds.
func reach(l report.Launch, covers []report.Cover, f report.Facts) string {
	root, ok := report.CoverOf(covers, l, report.AtRoot)
	if !ok {
		return ""
	}
	dir := cmp.Or(redact.Line(Home(root.Dir, f.Home), maxLine), "the project")
	switch {
	case !anywhere(covers, l):
		return "in " + dir + " itself"
	case holds(covers, l, report.AtOther):
		return "anywhere in " + dir + andOutside
	}
	return "anywhere in " + dir
}

// in is a list of kinds of directories in a sentence: "in subdirectories,
// linked worktrees and elsewhere".
func in(list []string) string {
	said := list[len(list)-1]
	if rest := list[:len(list)-1]; len(rest) > 0 {
		said = strings.Join(rest, ", ") + " and " + said
	}
	if list[0] == startDirWords[report.AtOther] {
		return said
	}
	return "in " + said
}
