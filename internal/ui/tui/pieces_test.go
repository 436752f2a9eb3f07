// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the small parts, and the parsers against anything.

package tui

import (
	"io/fs"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/ui/text"
)

func TestDiffIsShownAsItIs(t *testing.T) {
	c := report.Change{Path: "/p/f", Before: []byte("TOKEN=a\n--- two\n\tthree\n"),
		After: []byte("TOKEN=a\n+++ two\n\tthree\nTOKEN=four\x1b[31m")}
	var got []string
	for _, line := range parseDiff(text.Diff(c)) {
		got = append(got, strings.TrimLeft(string(line.sign), "\x00")+"|"+line.text)
	}
	want := []string{" |TOKEN=[redacted]", "-|--- two", "+|+++ two", " |    three", "+|TOKEN=four␛[31m",
		"|No newline at end of file"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestHunksSayWhereTheyBegin(t *testing.T) {
	body := strings.Repeat("line\n", 40)
	c := report.Change{Path: "/p/f", Before: []byte(body), After: []byte("new\n" + body + "end\n")}
	var remarks []string
	for _, line := range parseDiff(text.Diff(c)) {
		if line.sign == 0 {
			remarks = append(remarks, line.text)
		}
	}
	if !slices.Equal(remarks, []string{"from line 39"}) {
		t.Errorf("remarks %q", remarks)
	}
}

func TestLongLinesAreCutAndSlide(t *testing.T) {
	d := drive(t, &fake{}, Options{}, 80, 24).press("s end up up up up up up up up")
	d.sees("…")
	d.seesNot("credentials.json")
	before := d.frame()
	d.press("> > > > > > >").sees(`credentials.json)"`)
	d.press("< < < < < < <")
	if d.frame() != before {
		t.Errorf("sliding back shows\n%s", d.frame())
	}
}

func TestWhyPicksTheListThatEnclosesTheLine(t *testing.T) {
	entries := []report.Entry{{Key: "permissions.deny:Bash(git push *)"}, {Key: "permissions.ask:Bash(git push *)"},
		{Key: "sandbox.enabled"}, {Key: "permissions.ask:Bash(git *)"}}
	lines := []diffLine{{'+', `"sandbox": {`}, {'+', `  "enabled": true,`}, {' ', "}"}, {' ', `"permissions": {`},
		{' ', `  "ask": [`},
		{'+', `    "Bash(git push *)"`}, {' ', "  ]"}}
	for at, want := range map[int]string{1: "sandbox.enabled", 5: "permissions.ask:Bash(git push *)", 6: "", 99: ""} {
		e, ok := entryAt(lines, at, entries)
		if e.Key != want || ok != (want != "") {
			t.Errorf("line %d belongs to %q, want %q", at, e.Key, want)
		}
	}
}

// shellWords are the words that a shell makes of a line.
func shellWords(t *testing.T, line string) string {
	t.Helper()
	out, err := exec.Command("sh", "-c", "printf '<%s>' "+line).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

func TestFoldedCommandsAreTheSameToAShell(t *testing.T) {
	for _, line := range []string{
		"apt-get install --no-install-recommends bubblewrap=0.11.2 socat=1.8.1.3",
		`echo "a quoted part with blanks" 'and another one' and words`,
		`a\ path\ with\ blanks "it's" 'a "b" \' end of it`,
		"short",
	} {
		for _, width := range []int{12, 20, 38, 78} {
			rows, whole := foldCommand(line, width)
			for _, row := range rows {
				if text.Width(row) > width {
					t.Errorf("row %q is wider than %d", row, width)
				}
			}
			if whole && shellWords(t, strings.Join(rows, "\n")) != shellWords(t, line) {
				t.Errorf("%q in %d cells is another command: %q", line, width, rows)
			}
		}
	}
}

func TestAHostileCommandIsCopiedExactlyAndShownSafely(t *testing.T) {
	c := report.Command{Line: "touch 'a\x1b]52;c;AAAA\x07'"}
	rows := strings.Join(drive(t, &fake{}, Options{}, 80, 24).m.commandPane(c, 60, 10), "\n")
	if strings.Contains(rows, "\x07") || strings.Contains(rows, "\x1b]") {
		t.Errorf("reaches the terminal: %q", rows)
	}
	if !strings.Contains(rows, "copy it with y") {
		t.Errorf("nothing says that the row is not the line: %q", rows)
	}
}

func TestStepsAreNumberedOnce(t *testing.T) {
	cmd := report.Command{Why: "why", Line: "do it"}
	plan := report.NewPlan([]report.Section{{ID: "s", Items: []report.Item{cmd,
		report.Command{Line: "optional", Optional: true}}}})
	steps := nextSteps([]report.Finding{
		{Status: report.Warn, Remedies: []report.Remedy{report.DocLink{Title: "page", Target: "https://example.invalid/x"}}},
		{Status: report.Pass, Remedies: []report.Remedy{report.Command{Line: "not needed"}}},
		{Status: report.Fail, Remedies: []report.Remedy{cmd, report.Change{Path: home + "/f", Why: "mode"}}},
	}, plan.Commands(), nil, facts)
	var got []string
	for _, s := range steps {
		got = append(got, s.say+"|"+s.copy)
	}
	if want := []string{"why|do it", "mode|", "page:  https://example.invalid/x|",
		"optional: run|optional"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestReviewPutsSmallFilesTogether(t *testing.T) {
	b := &fake{}
	var labels []string
	for _, it := range reviewItems(prepare(first(t, b).Plan, ""), facts) {
		labels = append(labels, it.sign()+" "+it.label+" | "+it.stat)
	}
	want := []string{"✎ ~/.claude/scripts/ (5 files) | new, 15 lines",
		"✎ settings.local.json (in 2 places) | new, 18 lines",
		"✎ ~/.claude/settings.json → ~/dotfiles/claude/settings.json | +4 −1"}
	for _, w := range want {
		if !slices.Contains(labels, w) {
			t.Errorf("no row %q in %q", w, labels)
		}
	}
}

// TestReviewSaysWhatBecomesASymlink: several of one directory are no change of 0 lines.
func TestReviewSaysWhatBecomesASymlink(t *testing.T) {
	link := func(name string) report.Item {
		return report.Change{Path: "/h/.claude/scripts/" + name, Before: []byte("x\n"), Mode: fs.ModeSymlink | 0o777,
			After: []byte("/h/.claude-config/scripts/" + name), Turns: true}
	}
	plan := report.NewPlan([]report.Section{{ID: "sync", Items: []report.Item{link("a"), link("b")}}})
	rows := reviewItems(prepare(plan, "/h"), report.Facts{Home: "/h"})
	if len(rows) != 1 || rows[0].stat != "symlinks" {
		t.Errorf("%+v", rows)
	}
}

func FuzzParseDiff(f *testing.F) {
	f.Add("--- a\n+++ b\n@@ -1,2 +3 @@\n x\n-\ty\n\\ No newline\n")
	f.Add("mode 0644 -> 0755\n- symlink to x\n\x1b[2J\r\x9b31m")
	f.Fuzz(func(t *testing.T, s string) {
		lines := parseDiff(redact.Block(redact.Text(s)))
		if len(lines) > strings.Count(s, "\n")+1 {
			t.Fatalf("%d lines of %q", len(lines), s)
		}
		for _, line := range lines {
			if strings.ContainsFunc(line.text, unicode.IsControl) {
				t.Fatalf("a control character is left in %q", line.text)
			}
		}
	})
}

func FuzzFoldCommand(f *testing.F) {
	f.Add(`a "b c" 'd e' f\ g`, 5)
	f.Fuzz(func(t *testing.T, line string, width int) {
		line = text.Line(line)
		width = 3 + max(0, width%100)
		rows, whole := foldCommand(line, width)
		joined := strings.Join(rows, "")
		if whole {
			joined = strings.ReplaceAll(strings.Join(rows, "\n"), "\\\n", "")
		}
		if whole && joined != line {
			t.Fatalf("%q became %q", line, joined)
		}
	})
}

func TestAChangeFarToTheRightIsInSight(t *testing.T) {
	long := `{"model":"opus","env":{"A":"` + strings.Repeat("x", 200) + `"},`
	for _, c := range []struct {
		lines []diffLine
		sees  string
		side  bool
	}{
		{[]diffLine{{'-', long + `"b":1}`}, {0, "no newline"}, {'+', long + `"sandbox":{}}`}}, `"sandbox":{}}`, true},
		{[]diffLine{{'-', `{"a":1,` + long}, {'+', `{"b":1,` + long}}, `{"b":1,`, true},
		{[]diffLine{{'-', long + `"b":1}`}, {'+', long + `"c":1}`}, {' ', "x"}, {'+', "a new line"}}, "a new line", true},
		{[]diffLine{{'-', "short"}, {'+', "shorter"}}, "shorter", false},
	} {
		d := newDiff(nil, report.Facts{})
		d.lines = c.lines
		d.layout(look{}, 60, 10)
		if got := strings.Join(d.rows(), "\n"); !strings.Contains(got, c.sees) {
			t.Errorf("%q is not in sight:\n%s", c.sees, got)
		}
		_, row := d.sideKeys()
		if got := row.word != ""; got != c.side {
			t.Errorf("%s: the hint of the keys: %t", c.sees, got)
		}
	}
}

func TestANewRepositoryIsOneRow(t *testing.T) {
	file := func(path string, before []byte) report.Change {
		path = facts.Home + "/.claude-config/" + path
		return report.Change{ID: report.ID(path), Path: path, Target: path, Before: before, After: []byte("x\n")}
	}
	plan := report.NewPlan([]report.Section{{ID: "sync", Items: []report.Item{file(".git/HEAD", nil),
		file(".git/objects/info/packs", nil), file(".git/objects/pack/a.idx", nil), file("CLAUDE.md", nil),
		file(".git/config", []byte("y\n"))}}})
	var labels []string
	for _, it := range reviewItems(prepare(plan, ""), facts) {
		labels = append(labels, it.label)
	}
	want := []string{"~/.claude-config/.git (new repository)", "~/.claude-config/CLAUDE.md",
		"~/.claude-config/.git/config"}
	if !slices.Equal(labels, want) {
		t.Errorf("%q, want %q", labels, want)
	}
}

// TestTheListGoesBeforeTheReason: where both do not fit, a plan's reason gives way, and how to take it back stays.
func TestTheListGoesBeforeTheReason(t *testing.T) {
	c := undoPage(&fake{})
	s := c.Plan.Sections[0]
	for i, it := range s.Items {
		ch := it.(report.Change)
		ch.Path = strings.Repeat("/d", i) + ch.Path // each is a row
		ch.Target = ch.Path
		s.Items[i] = ch
	}
	s.Findings = []report.Finding{{Status: report.Warn, Decide: true,
		Summary: "the policy in your user settings stays: the file was edited"}}
	c.Plan, c.Why = report.NewPlan([]report.Section{s}), numbered("reason", 12)
	d := confirming(t, c, 40, 24)
	d.sees("sandbox-bypass-warn.sh", "add-project-root.sh", "edited", "everything written here")
	d.seesNot("reason-06")
}

// TestKeysOfAnswersAreNamedWhereThereAreAnswers: a page that only asks for a yes has none.
func TestKeysOfAnswersAreNamedWhereThereAreAnswers(t *testing.T) {
	d := confirming(t, undoPage(&fake{}), 80, 40).press("?")
	d.sees("select an item")
	d.seesNot("on an answer")
	w := setOut(t, &fake{questions: true}, Options{}, 80, 40).press("enter enter enter ?")
	w.sees("on an answer: change it")
}
