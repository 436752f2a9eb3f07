// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is open is said with every verdict, and is never
// green.

package text_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

const tracker = "/home/ana/code/tracker"

var ana = report.Facts{Home: "/home/ana", Project: tracker}

// held are the covers of a launch: root, subdirectory, worktree, elsewhere.
func held(l report.Launch, statuses ...report.Status) []report.Cover {
	var list []report.Cover
	for i, s := range statuses {
		if s == "" {
			continue
		}
		c := report.Cover{Launch: l, Start: report.StartDirs[i], Status: s, Rehearsed: true, Denied: 57}
		if i == 0 {
			c.Dir = tracker
		}
		if s == report.Fail {
			c.Through, c.Why = 57, "57 of 57 forbidden actions succeeded"
		}
		list = append(list, c)
	}
	return list
}

// TestAVerdictSaysWhereItHolds goes through what is known of the starts.
func TestAVerdictSaysWhereItHolds(t *testing.T) {
	const (
		p = report.Pass
		f = report.Fail
		u = report.Unknown
		s = report.Skip
	)
	for _, tt := range []struct {
		name       string
		plain, iso []report.Status
		status     report.Status
		where      string
		says       string // of plain, part by part
	}{
		{"project scope", []report.Status{p, f, f, f}, []report.Status{p, p, p}, report.Warn,
			"in ~/code/tracker, and by claude-iso anywhere in it",
			"⚠ protected in ~/code/tracker itself | ✗ unprotected in subdirectories, linked worktrees and elsewhere: 57 of 57 " +
				"forbidden actions succeeded"},
		{"the worktree has the policy too", []report.Status{p, f, p, f}, []report.Status{p, p, p}, report.Warn,
			"in ~/code/tracker, and by claude-iso anywhere in it",
			"⚠ protected in ~/code/tracker itself | ✗ unprotected in subdirectories and elsewhere: 57 of 57 forbidden actions " +
				"succeeded"},
		{"local scope", []report.Status{p, p, p, f}, []report.Status{p, p, p}, report.Warn, "anywhere in ~/code/tracker",
			"⚠ protected anywhere in ~/code/tracker | ✗ unprotected elsewhere: 57 of 57 forbidden actions succeeded"},
		{"the floor", []report.Status{p, p, p, p}, []report.Status{p, p, p}, report.Pass,
			"anywhere in ~/code/tracker, and in directories without projects",
			"✓ protected anywhere in ~/code/tracker, and in directories without projects"},
		{"no worktree", []report.Status{p, p}, []report.Status{p, p}, report.Pass, "anywhere in ~/code/tracker",
			"✓ protected anywhere in ~/code/tracker"},
		{"claude-iso refuses the worktree", []report.Status{p, f, f, f}, []report.Status{p, p, s}, report.Warn,
			"in ~/code/tracker, and by claude-iso anywhere in it", ""},
		{"claude-iso was not tried below", []report.Status{p, f, f, f}, []report.Status{p, u, p}, report.Warn,
			"in ~/code/tracker", ""},
		{"not tried below", []report.Status{p, u, p, p}, []report.Status{p, p, p}, report.Pass,
			"in ~/code/tracker, and by claude-iso anywhere in it",
			"✓ protected in ~/code/tracker itself | ? not verified in subdirectories"},
		{"nothing is known", nil, nil, report.Pass, "", "✓ protected"},
	} {
		covers := append(held(report.Iso, tt.iso...), held(report.Plain, tt.plain...)...)
		if got := text.VerdictStatus(report.Protected, covers); got != tt.status {
			t.Errorf("%s: the verdict is shown as %s, want %s", tt.name, got, tt.status)
		}
		if got := text.Range(report.Protected, covers, ana); got != tt.where {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.where)
		}
		var said []string
		for _, part := range text.Covered(report.Plain, report.Protected, false, covers, ana) {
			said = append(said, fmt.Sprint(part.Status.Symbol(), " ", part))
			if part.Status == report.Pass && report.OpenSomewhere(covers, report.Plain) {
				t.Errorf("%s: %q is green", tt.name, part.Text)
			}
		}
		if got := strings.Join(said, " | "); tt.says != "" && got != tt.says {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.says)
		}
		if got := text.Range(report.Degraded, covers, ana) + text.Range(report.Unprotected, covers, ana); got != "" {
			t.Errorf("%s: another verdict has the range %q", tt.name, got)
		}
	}
}

// TestAnotherVerdictSaysItsOpenStarts: what is open is said with every verdict,
// and a directory that a project names is safe for a terminal.
func TestAnotherVerdictSaysItsOpenStarts(t *testing.T) {
	covers := append(held(report.Plain, report.Unknown), report.Cover{Launch: report.Plain, Start: report.AtSub,
		Dir: tracker + "/a\x1b[2J", Status: report.Fail})
	parts := text.Covered(report.Plain, report.Degraded, true, covers, ana)
	if len(parts) != 2 || parts[0].Text != "degraded" || parts[1].Status != report.Fail ||
		!strings.HasPrefix(parts[1].Text, "unprotected in a") ||
		strings.Contains(parts[1].Text, "\x1b") {
		t.Errorf("%q", parts)
	}
	covers = held(report.Plain, report.Fail, report.Fail, "", report.Fail)
	covers[0].Through, covers[0].Denied, covers[0].Why = 1, 147, "1 of 147"
	covers[2].Through, covers[2].Why = 56, "56 of 57"
	if got := text.Covered(report.Plain, report.Unprotected, true, covers, ana)[0].More; !strings.HasPrefix(got,
		"up to 57 of 57 ") {
		t.Errorf("of several starts it says %q", got)
	}
}

// A worktree whose branch has no policy: plain claude is open there, and claude-iso refuses.
func TestALaunchThatDoesNotStartIsNotCalledUnprotected(t *testing.T) {
	covers := append(held(report.Plain, report.Fail, report.Fail),
		held(report.Iso, report.Skip, report.Skip, report.Pass)...)
	for l, want := range map[report.Launch]string{report.Plain: "unprotected in the project's root and subdirectories",
		report.Iso: "does not start in the project's root and subdirectories"} {
		if parts := text.Covered(l, report.Unprotected, false, covers, ana); len(parts) != 1 || parts[0].Text != want {
			t.Errorf("%s: %q, want %q", l, parts, want)
		}
	}
}
