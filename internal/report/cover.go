// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a verdict covers the starts that were looked at and no
// others; a start of which nothing was seen is Unknown, and never counts as
// covered.

package report

import "slices"

// A StartDir is a kind of directory that the agent is started in.
type StartDir string

// The kinds, in the order in which they are shown.
const (
	AtRoot     StartDir = "root"         // of the work tree
	AtSub      StartDir = "subdirectory" // of the work tree
	AtWorktree StartDir = "worktree"     // another one that is linked with it
	AtOther    StartDir = "elsewhere"    // a directory of no project
)

// StartDirs lists every kind.
var StartDirs = []StartDir{AtRoot, AtSub, AtWorktree, AtOther}

// Cover is what holds for one launch that starts in one kind of directory. Pass: what is
// denied is blocked there. Fail: denied calls get through. Skip: no session or
// no command starts there, so that nothing gets through.
type Cover struct {
	Launch Launch   `json:"launch"`
	Start  StartDir `json:"start"`
	Dir    string   `json:"dir,omitempty"`
	Status Status   `json:"status"`
	// Denied counts the denied calls that were tried, Through those that got
	// through; both are 0 where there was no rehearsal.
	Denied  int `json:"denied"`
	Through int `json:"through"`
	// Rehearsed says that it was tried, not read from settings.
	Rehearsed bool `json:"rehearsed"`
	// Why is one clause, where it is no pass.
	Why string `json:"why,omitempty"`
}

// CoversWith is what Finding.With does to covers.
func CoversWith(list []Cover, place, words func(string) string) []Cover {
	list = slices.Clone(list)
	for i, c := range list {
		list[i].Dir, list[i].Why = place(c.Dir), words(c.Why)
	}
	return list
}

// StartRow is what a start of an agent would be under, by the settings alone.
type StartRow struct {
	Cover
	// By is how it is started: by the name of its program, of its clean-env launch, or
	// "editor" for an extension that starts its own copy of the runtime.
	By string `json:"by"`
	// Policy is the scope that switches the sandbox on, "" if none does.
	Policy string `json:"policy,omitempty"`
	// Evidence are the places that decide.
	Evidence []Evidence `json:"evidence"`
	// Anywhere says that the row is about any subdirectory and not about the one
	// in Dir.
	Anywhere bool `json:"-"`
}

// CoversOf joins what the findings say of the starts. A start that is open
// counts before all, by a rehearsal or by the settings; then what was rehearsed
// before what the settings say, and the worse of two. What settings alone
// promise was not seen: Unknown.
func CoversOf(findings []Finding) []Cover {
	var covers []Cover
	for _, f := range findings {
		for _, c := range f.Covers {
			if !c.Rehearsed && c.Status == Pass {
				c.Status, c.Why = Unknown, "not tested"
			}
			i := slices.IndexFunc(covers, func(have Cover) bool { return have.Launch == c.Launch && have.Start == c.Start })
			switch {
			case i < 0:
				covers = append(covers, c)
			case (c.Status == Fail) != (covers[i].Status == Fail):
				if c.Status == Fail {
					covers[i] = c
				}
			case c.Rehearsed && !covers[i].Rehearsed,
				c.Rehearsed == covers[i].Rehearsed && coverRank(c.Status) < coverRank(covers[i].Status):
				covers[i] = c
			}
		}
	}
	slices.SortStableFunc(covers, func(a, b Cover) int {
		if a.Launch != b.Launch {
			return slices.Index([]Launch{Iso, Plain}, a.Launch) - slices.Index([]Launch{Iso, Plain}, b.Launch)
		}
		return slices.Index(StartDirs, a.Start) - slices.Index(StartDirs, b.Start)
	})
	return covers
}

// coverRank orders statuses, the worst first.
func coverRank(s Status) int { return slices.Index(Statuses, s) }

// CoverOf returns what is known of a launch in a kind of directory.
func CoverOf(covers []Cover, l Launch, d StartDir) (c Cover, ok bool) {
	i := slices.IndexFunc(covers, func(c Cover) bool { return c.Launch == l && c.Start == d })
	if i < 0 {
		return Cover{Launch: l, Start: d, Status: Unknown}, false
	}
	return covers[i], true
}

// OpenSomewhere says whether denied calls get through somewhere: for one
// launch, or, with "", for any.
func OpenSomewhere(covers []Cover, l Launch) bool {
	return slices.ContainsFunc(covers, func(c Cover) bool { return (l == "" || c.Launch == l) && c.Status == Fail })
}
