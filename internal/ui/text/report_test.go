// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a time is said as a person would.

package text

import (
	"bytes"
	"io/fs"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/report"
)

func TestSeconds(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0.00 s", 62 * time.Millisecond: "0.06 s", 994 * time.Millisecond: "0.99 s", 996 * time.Millisecond: "1.0 s",
		2440 * time.Millisecond: "2.4 s", 9960 * time.Millisecond: "10 s", 75 * time.Second: "75 s",
	} {
		if got := Seconds(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}

func TestEveryLayerHasWords(t *testing.T) {
	for _, l := range report.Layers {
		if About(l) == "" {
			t.Errorf("%s has none", l)
		}
	}
}

func TestOnlyWhatTheSummarySaysIsARepetition(t *testing.T) {
	f := report.Finding{Status: report.Warn, Summary: "claude in a subdirectory: no policy holds"}
	for name, c := range map[string]struct {
		f    report.Finding
		e    report.Evidence
		want bool
	}{
		"the same session": {f, report.CommandEvidence("claude in a subdirectory", "no policy holds"), true},
		"another session":  {f, report.CommandEvidence("claude in another directory", "no policy holds"), false},
		"other words":      {f, report.CommandEvidence("claude in a subdirectory", "holds"), false},
		"words before it": {report.Finding{Summary: "not proved as root: " + f.Summary},
			report.CommandEvidence("claude in a subdirectory", "no policy holds"), true},
		"where it was is new": {report.Finding{Summary: "a comment"},
			report.FileEvidence("/p/settings.json:3:1", "a comment"), false},
		"a program's word": {report.Finding{Summary: "it does not start"},
			report.CommandEvidence("bwrap --version", "it does not start"), true},
		"the one that is counted": {report.Finding{Summary: "1 start (.bashrc): commands. Also: 2 rules"},
			report.FileEvidence("/home/u/.bashrc", "Commands."), true},
		"one of two": {report.Finding{Summary: "2 starts (.bashrc): commands"},
			report.FileEvidence("/home/u/.bashrc", "Commands."), false},
		"the one with its line": {report.Finding{Summary: "1 start (.bashrc): commands"},
			report.FileEvidence("/home/u/.bashrc:3", "Commands."), false},
		"another file": {report.Finding{Summary: "1 start (.bashrc): commands. Also: 1 file"},
			report.FileEvidence("/home/u/.zshrc", "Commands."), false},
	} {
		if got := Repeats(c.f, c.e); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	for _, c := range []struct {
		l    report.LaunchStatus
		want bool
	}{
		{report.LaunchStatus{Launch: report.Plain, Status: report.Warn, Summary: f.Summary}, true},
		{report.LaunchStatus{Launch: report.Plain, Status: report.Warn, Summary: "no policy holds"}, true},
		{report.LaunchStatus{Launch: report.Plain, Status: report.Pass, Summary: f.Summary}, false},
		{report.LaunchStatus{Launch: report.Iso, Status: report.Warn, Summary: "it would not start"}, false},
		{report.LaunchStatus{Launch: report.Iso, Status: report.Warn}, false},
	} {
		if got := RepeatsLaunch(f, c.l); got != c.want {
			t.Errorf("%+v: %v, want %v", c.l, got, c.want)
		}
	}
}

func TestALaunchIsNamedOnceInItsRow(t *testing.T) {
	for said, want := range map[string]string{
		"claude-iso would not start here: x": "would not start here: x",
		"with claude-iso the sandbox is off": "the sandbox is off",
		"the sandbox is on":                  "the sandbox is on",
		"claude-isolated is no name of ours": "claude-isolated is no name of ours",
	} {
		if got := OfLaunch(report.LaunchStatus{Launch: report.Iso, Summary: said}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestARepetitionOfASentenceWithTheHomeStaysOne(t *testing.T) {
	const why = "/home/u/p is in no worktree"
	f := Said([]report.Finding{{Summary: "left out: " + why,
		Evidence: []report.Evidence{report.EnvEvidence("left out", why), report.EnvEvidence("git", "/home/u/p")}}},
		"/home/u")[0]
	if f.Summary != "left out: ~/p is in no worktree" || !Repeats(f, f.Evidence[0]) ||
		f.Evidence[1].Text != "/home/u/p" {
		t.Errorf("%+v", f)
	}
}

func TestStat(t *testing.T) {
	program := append([]byte("\x7fELF\x00"), bytes.Repeat([]byte{0}, 15_300_000)...)
	for want, c := range map[string]report.Change{
		"new":             {After: []byte{}},
		"new, 1 line":     {After: []byte("a\n")},
		"+2 −1":           {Before: []byte("a\n"), After: []byte("b\nc\n")},
		"removed":         {Before: []byte("\x00")},
		"mode":            {Before: []byte("a\n"), After: []byte("a\n"), Mode: 0o755, SetMode: true},
		"symlink":         {After: []byte("to"), Mode: fs.ModeSymlink},
		"binary, 15 MB":   {Before: []byte("old\n"), After: program},
		"binary, 5 bytes": {Before: program, After: program[:5]},
		"binary, 12 kB":   {After: program[:12_900]},
	} {
		if got := Stat(c); got != want {
			t.Errorf("Stat is %q, want %q", got, want)
		}
	}
}
