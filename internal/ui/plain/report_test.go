// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the verdict is read first, nothing that is no pass is
// without what was seen, and no row is wider than the terminal.

package plain_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/ui/plain"
)

const framesDir = "../../../testdata/frames"

var facts = report.Facts{Home: "/home/ada", Project: "/home/ada/code/tracker", Branch: "main", OS: "linux",
	Distro: "debian 12", Program: "claude", Runtime: "2.1.329"}

// scene is a report of every status, with launches that differ.
var scene = []report.Finding{
	{Check: "denials", Layer: report.LayerSandbox, Status: report.Unknown,
		Summary:  "not judged: project-settings has to be settled first",
		Evidence: []report.Evidence{report.EnvEvidence("project-settings", "fail")}},
	{Check: "tools-pinned", Layer: report.LayerTools, Status: report.Pass,
		Summary:  "bubblewrap 0.11.2; socat 1.8.1.3; claude-code 2.1.329",
		Evidence: []report.Evidence{report.CommandEvidence("bwrap --version", "0.11.2")}},
	{Check: "project-settings", Layer: report.LayerSandbox, Status: report.Fail, Voids: true,
		Summary: ".claude/settings.json:14:3: a comment: the runtime silently ignores the whole file, and with it every rule",
		Evidence: []report.Evidence{report.FileEvidence("/home/ada/code/tracker/.claude/settings.json:14:3",
			"invalid character '/' looking for the beginning of a value"),
			report.FileEvidence("/home/ada/.claude/settings.json", "lacks sandbox.enabled"), report.FileEvidence("/a", "3"),
			report.FileEvidence("/b", "4"),
			report.FileEvidence("/c", "5"), report.FileEvidence("/d", "6"), report.FileEvidence("/e", "7"),
			report.FileEvidence("/f", "8")},
		Remedies: []report.Remedy{report.DocLink{Title: "remove the comment",
			Target: "/home/ada/code/tracker/.claude/settings.json:14:3"}}},
	{Check: "clean-env", Layer: report.LayerCleanEnv, Status: report.Warn,
		Summary:  "claude-iso is defined; claude itself keeps the whole environment",
		Evidence: []report.Evidence{report.FileEvidence("/home/ada/.zshrc:3", "sources the wrapper")},
		Launches: []report.LaunchStatus{{Launch: report.Plain, Status: report.Warn,
			Summary: "14 credential variables arrive"}, {Launch: report.Iso, Status: report.Pass, Summary: "none arrives"}},
		Remedies: []report.Remedy{report.Command{Line: "alias claude=claude-iso", Where: "~/.zshrc"}}},
	{Check: "scope", Layer: report.LayerSandbox, Status: report.Skip, Summary: "no whole-user scope is asked for",
		Evidence: []report.Evidence{report.EnvEvidence("scope", "per-project")}},
	{Check: "hook-scripts", Layer: report.LayerVisibility, Status: report.Pass,
		Summary:  "5 scripts, all as this version has them",
		Evidence: []report.Evidence{report.FileEvidence("/home/ada/.claude/scripts", "5 files")}},
}

var judged = engine.Judged{Verdict: report.Unprotected, Live: "never", From: engine.FromStored, Age: 49 * time.Hour,
	Elapsed:  2440 * time.Millisecond,
	Launches: map[report.Launch]report.Verdict{report.Plain: report.Unprotected, report.Iso: report.Degraded}}

// covered is the verdict over a project's policy with a linked worktree.
var covered = func() engine.Judged {
	j := judged
	j.Verdict, j.Launches = report.Protected, map[report.Launch]report.Verdict{report.Plain: report.Protected,
		report.Iso: report.Protected}
	for _, l := range []report.Launch{report.Iso, report.Plain} {
		for _, d := range report.StartDirs {
			c := report.Cover{Launch: l, Start: d, Status: report.Pass, Rehearsed: true}
			switch {
			case d == report.AtRoot:
				c.Dir = facts.Project
			case l == report.Plain:
				c.Status, c.Through, c.Denied, c.Why = report.Fail, 57, 57, "57 of 57 forbidden actions succeeded"
			}
			j.Covers = append(j.Covers, c)
		}
	}
	return j
}()

func reported(environ []string, o plain.ReportOptions, j engine.Judged, findings ...report.Finding) string {
	var out strings.Builder
	r := plain.NewReport(&out, environ, facts, o)
	for _, f := range findings {
		r.Emit(engine.CheckStarted{ID: f.Check})
		r.Emit(engine.CheckDone{Finding: f})
	}
	r.Emit(j)
	r.Next(append(report.Steps(findings, nil),
		report.NextStep{Command: &report.Command{Line: "steward-setup verify --project /home/ada/code/tracker"}}))
	return out.String()
}

// A finding that tells the launches not apart holds for each of them.
func TestAWarningWithoutALaunchCountsForBoth(t *testing.T) {
	own := []report.Evidence{report.FileEvidence("~/.claude/settings.json:3", "x")}
	got := reported(nil, plain.ReportOptions{}, engine.Judged{Verdict: report.Protected,
		Launches: map[report.Launch]report.Verdict{report.Plain: report.Protected, report.Iso: report.Protected}},
		report.Finding{Check: "policy-invariants", Layer: report.LayerSandbox, Status: report.Warn, Summary: "open",
			Evidence: own},
		report.Finding{Check: "clean-env", Layer: report.LayerCleanEnv, Status: report.Pass, Summary: "clean", Evidence: own,
			Launches: []report.LaunchStatus{{Launch: report.Plain, Status: report.Pass},
				{Launch: report.Iso, Status: report.Pass}}})
	for _, want := range []string{"claude-iso ⚠ protected, with a warning", "plain claude ⚠ protected, with a warning"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not said:\n%s", want, got)
		}
	}
}

// A line to run or to add says what for.
func TestANextStepHasItsReason(t *testing.T) {
	why := "define claude-iso in every new shell"
	got := reported(nil, plain.ReportOptions{Width: 40}, judged,
		report.Finding{Check: "clean-env", Layer: report.LayerCleanEnv, Status: report.Fail, Summary: "not defined",
			Evidence: []report.Evidence{report.FileEvidence("~/.bashrc", "no line")},
			Remedies: []report.Remedy{report.Command{Line: ". x", Where: "~/.bashrc", Why: why}}})
	if want := "  1  add to ~/.bashrc:  . x\n     define claude-iso in every new\n     shell\n"; !strings.Contains(got,
		want) {
		t.Errorf("the reason is not below its line:\n%s", got)
	}
}

// TestAListIsShownWhole: a check whose evidence is the answer is not folded.
func TestAListIsShownWhole(t *testing.T) {
	f := report.Finding{Check: "allowances", Layer: report.LayerSandbox, Status: report.Pass, Summary: "allowed: 20 hosts"}
	for i := range 20 {
		f.Evidence = append(f.Evidence, report.FileEvidence(fmt.Sprintf("s.json:%d", i), "commands can reach some host"))
	}
	if got := reported(nil, plain.ReportOptions{}, judged, f); strings.Count(got, "can reach some host") != 20 {
		t.Errorf("not all is listed:\n%s", got)
	}
}

func TestReportFrames(t *testing.T) {
	type frame struct {
		o        plain.ReportOptions
		j        engine.Judged
		findings []report.Finding
	}
	for name, frame := range map[string]frame{"report": {plain.ReportOptions{}, judged, scene},
		"report-verbose": {plain.ReportOptions{Verbose: true}, judged, scene},
		"report-covers":  {plain.ReportOptions{}, covered, scene[1:2]},
		"report-drift":   {driftOptions(0), regression, drifted}} {
		o := frame.o
		var b strings.Builder
		for _, width := range []int{40, 80, 120, 0} {
			o.Width = width
			got := reported(nil, o, frame.j, frame.findings...)
			fmt.Fprintf(&b, "%d columns\n%s\n", width, got)
			for line := range strings.Lines(got) {
				tooWide(t, name, strings.TrimSuffix(line, "\n"), width)
			}
		}
		compare(t, name, b.String())
	}
}

// compare holds what was printed against the frame of that name.
func compare(t *testing.T, name, got string) {
	t.Helper()
	testenv.Golden(t, filepath.Join(framesDir, "plain-"+name+".txt"), got, "go test ./internal/ui/plain -update")
}

func TestTheVerdictStandsFirstAndVerifyAgainLast(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(reported(nil, plain.ReportOptions{}, judged, scene...)), "\n")
	if !strings.HasPrefix(lines[0], "UNPROTECTED   1 ✗  1 ?  1 ⚠  1 ⊘  2 ✓") {
		t.Errorf("the first line is %q", lines[0])
	}
	if last := lines[len(lines)-1]; !strings.HasSuffix(last,
		"run:  steward-setup verify --project /home/ada/code/tracker") {
		t.Errorf("the last line is %q", last)
	}
}

func TestColourNeverStandsAlone(t *testing.T) {
	coloured := reported([]string{"TERM=xterm", "CLICOLOR_FORCE=1"}, plain.ReportOptions{Width: 80}, judged, scene...)
	if !strings.Contains(coloured, "\x1b[31m✗\x1b[m project-settings") {
		t.Errorf("no colour where it is asked for: %q", coloured)
	}
	for _, word := range []string{"UNPROTECTED", "✗ project-settings", "? denials", "⚠ clean-env", "⊘ scope",
		"✓ tools-pinned"} {
		if !strings.Contains(reported(nil, plain.ReportOptions{Width: 80}, judged, scene...), word) {
			t.Errorf("without colour, %q is not there", word)
		}
	}
}

func TestAReportNeverPassesControlCharactersOn(t *testing.T) {
	evil := "x\x1b[2J\ny\u202e"
	f := report.Finding{Check: report.ID(evil), Layer: report.LayerSandbox, Status: report.Fail, Summary: evil,
		Evidence: []report.Evidence{report.FileEvidence(evil, evil)},
		Launches: []report.LaunchStatus{{Launch: report.Plain, Status: report.Fail, Summary: evil},
			{Launch: report.Iso, Status: report.Pass, Summary: evil}},
		Remedies: []report.Remedy{report.DocLink{Title: evil, Target: evil}, report.Command{Line: evil}}}
	for _, width := range []int{0, 20, 40, 80} {
		for _, r := range reported([]string{"TERM=xterm"}, plain.ReportOptions{Width: width, Verbose: true}, judged, f) {
			if r < ' ' && r != '\n' || r == 0x7f || r == '\u202e' {
				t.Fatalf("%d columns: %q is in the output", width, r)
			}
		}
	}
}

func TestTheNameOfACredentialFileIsNoCredential(t *testing.T) {
	f := report.Finding{Check: "denials", Layer: report.LayerSandbox, Status: report.Fail, Evidence: []report.Evidence{
		report.CommandEvidence("read:~/.claude/.credentials.json", "reads it"),
		report.EnvEvidence("GH_TOKEN", "ghp_"+strings.Repeat("a1", 18))}}
	got := reported(nil, plain.ReportOptions{}, judged, f)
	if !strings.Contains(got, "· read:~/.claude/.credentials.json: reads it\n") || strings.Contains(got, "ghp_") {
		t.Errorf("got %q", got)
	}
}

func TestWhatWasProvedSaysWhen(t *testing.T) {
	for want, j := range map[string]engine.Judged{
		"tested 2 days ago with this runtime": {Verdict: report.Protected, From: engine.FromStored,
			Age: 50 * time.Hour},
		"tested just now with this runtime": {Verdict: report.Degraded, From: engine.FromStored},
		"tested now, with this runtime":     {Verdict: report.Protected, From: engine.FromRehearsal},
		"denials not tested":                {Verdict: report.Degraded},
	} {
		if got := reported(nil, plain.ReportOptions{}, j); !strings.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
}

func TestOneSentenceStandsOnce(t *testing.T) {
	const where, words = "claude in a subdirectory", "unprotected, 55 of 55 forbidden actions succeeded"
	f := report.Finding{Check: "denials", Layer: report.LayerSandbox, Status: report.Warn, Summary: where + ": " + words,
		Evidence: []report.Evidence{report.CommandEvidence(where, words),
			report.CommandEvidence("claude-iso in the project", "all held")},
		Launches: []report.LaunchStatus{{Launch: report.Plain, Status: report.Warn, Summary: where + ": " + words},
			{Launch: report.Iso, Status: report.Pass, Summary: "67 of 67 held"}}}
	got := reported(nil, plain.ReportOptions{}, judged, f)
	if n := strings.Count(got, words); n != 1 || !strings.Contains(got, "claude-iso   ✓ 67 of 67 held") ||
		!strings.Contains(got, "all held") {
		t.Errorf("it stands %d times in\n%s", n, got)
	}
	if all := reported(nil, plain.ReportOptions{Verbose: true}, judged, f); strings.Count(all, words) != 3 {
		t.Errorf("--verbose leaves something out:\n%s", all)
	}
	for _, width := range []int{40, 59} { // stacked: the words have the row to themselves
		if got := reported(nil, plain.ReportOptions{Width: width}, judged, f); !strings.Contains(got,
			"    ✓ claude-iso\n      67 of 67 held\n") {
			t.Errorf("%d columns:\n%s", width, got)
		}
	}
}

// TestAProtectedLaunchSaysItsWarning: a headline does not say less than the
// findings below it.
func TestAProtectedLaunchSaysItsWarning(t *testing.T) {
	var out strings.Builder
	r := plain.NewReport(&out, []string{"NO_COLOR=1"}, report.Facts{}, plain.ReportOptions{})
	r.Emit(engine.CheckDone{Finding: report.Finding{Check: "denials", Layer: report.LayerSandbox, Status: report.Warn,
		Summary:  "open below",
		Evidence: []report.Evidence{report.EnvEvidence("x", "y")},
		Launches: []report.LaunchStatus{{Launch: report.Plain, Status: report.Warn, Summary: "open below"},
			{Launch: report.Iso, Status: report.Pass, Summary: "holds"}}}})
	r.Emit(engine.Judged{Verdict: report.Protected,
		Launches: map[report.Launch]report.Verdict{report.Plain: report.Protected, report.Iso: report.Protected}})
	if got := out.String(); !strings.Contains(got, "plain claude ⚠ protected, with a warning") ||
		!strings.Contains(got, "claude-iso ✓ protected") {
		t.Errorf("%s", got)
	}
}

// TestAnOpenStartIsNeverGreen: neither the verdict nor the launch that has one.
func TestAnOpenStartIsNeverGreen(t *testing.T) {
	const green = "32m" // also behind bold
	colour := []string{"TERM=xterm", "CLICOLOR_FORCE=1"}
	for _, width := range []int{0, 40, 80, 120} {
		got := reported(colour, plain.ReportOptions{Width: width}, covered, scene[1:2]...)
		for i, line := range strings.Split(got, "\n") {
			if strings.Contains(line, green) && (i == 0 || strings.Contains(line, "itself") ||
				strings.Contains(line, "plain claude")) {
				t.Errorf("%d columns: green: %q", width, line)
			}
		}
	}
	whole := covered
	whole.Covers = covered.Covers[:4] // claude-iso alone
	if got := reported(colour, plain.ReportOptions{}, whole, scene[1:2]...); !strings.Contains(strings.Split(got, "\n")[0],
		"32mPROTECTED") {
		t.Errorf("%q", strings.Split(got, "\n")[0])
	}
}
