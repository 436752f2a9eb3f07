// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: at a terminal, who waits sees what for, who has enough
// waits no longer, and the exit code is the verdict there too.

package main

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// says waits until the program has written text, wherever that stands on the
// screen by then.
func says(t *testing.T, term *testenv.Terminal, text string) string {
	t.Helper()
	term.Until(text, func(string) bool { return strings.Contains(term.Raw(), text) })
	return term.Raw()
}

func TestVerifyInLinesAtATerminal(t *testing.T) {
	n := newNewcomer(t)
	term := n.start("verify", "--live=never", "--plain")
	raw := says(t, term, "  2  run:  ")
	term.Ends(report.ExitUnprotected)
	if !strings.Contains(raw, " of 15  ") || !strings.Contains(raw, "\x1b[31m") {
		t.Errorf("neither progress nor colour is in %q", raw)
	}
	shown := raw[strings.LastIndex(raw, "\r\x1b[K")+len("\r\x1b[K"):]
	if i := strings.Index(shown, "UNPROTECTED"); i < 0 || strings.Contains(shown, " of 15  ") {
		t.Errorf("the progress stays beside the verdict: %q", shown)
	}
	n.environ = append(n.environ, "NO_COLOR=1")
	term = n.start("verify", "--live=never", "--plain")
	if raw := says(t, term, "  2  run:  "); strings.Contains(raw, "\x1b[3") ||
		!strings.Contains(raw, "✗\x1b[m project-settings") {
		t.Errorf("with NO_COLOR: %q", raw)
	}
	n.environ = append(n.environ, "TERM=dumb")
	term = n.start("verify", "--live=never")
	if raw := says(t, term, "  2  run:  "); strings.Contains(raw, "\x1b") || strings.Contains(raw, " of 15  ") ||
		!strings.Contains(raw, "UNPROTECTED") {
		t.Errorf("on a dumb terminal: %q", raw)
	}
}

func TestARunThatIsInterruptedSaysSo(t *testing.T) {
	n := newNewcomer(t)
	// A sandbox that hangs: whoever waits for it has had enough.
	path := n.environ[slices.IndexFunc(n.environ, func(kv string) bool { return strings.HasPrefix(kv, "PATH=") })]
	hangs := filepath.SplitList(strings.TrimPrefix(path, "PATH="))[1]
	n.write(filepath.Join(hangs, "bwrap"), "#!/bin/sh\ncase $1 in --version) echo 'bubblewrap 0.11.2' ;; *) exec sleep "+
		"60 ;; esac\n", 0o755)
	for _, c := range []struct {
		args      []string
		at, again string
	}{
		{[]string{"verify", "--live=never", "--plain"}, " of 15  ", " verify --project"},
		{[]string{"verify", "--live=never", "--json"}, " of 15  ", " verify --project"},
		{[]string{"update", "--offline", "--plain"}, " of 5  ", " update --offline --project"},
		{[]string{"try", "--plain"}, "2. Applied", "the throwaway home is removed"},
	} {
		args := c.args
		term := n.start(args...)
		term.Answer(c.at, "\x03")
		raw := says(t, term, c.again)
		term.Ends(report.ExitInterrupted)
		if strings.Contains(raw, "UNPROTECTED") || strings.Contains(raw, `"verdict"`) ||
			args[0] == "try" && !regexp.MustCompile(` try\s`).MatchString(raw) {
			t.Errorf("%v: %q", args, raw)
		}
		if n.written() {
			t.Errorf("%v: something was written", args)
		}
	}
}

func TestVerifyOnAScreen(t *testing.T) {
	n := newNewcomer(t)
	term := n.start("verify", "--live=never")
	term.Sees("UNPROTECTED")
	term.Sees("r check again") // the run is over
	term.Type("q")
	term.Ends(report.ExitUnprotected)
}

func TestTheBareCallIsTheHomeScreen(t *testing.T) {
	n := newNewcomer(t)
	term := n.start()
	term.Answer("install", "q")
	term.Ends(report.ExitUnprotected)
	term = n.start()
	term.Answer("install", "h")
	says(t, term, "Nothing has been applied yet")
	term.Ends(report.ExitOK)
	term = n.start()
	term.Answer("install", "\x03")
	term.Ends(report.ExitInterrupted)
	if n.written() {
		t.Error("something was written")
	}
}

// What root's own rehearsal cannot prove, another one of root's does not
// either.
func TestRootIsNotToldToVerifyAgain(t *testing.T) {
	a := &app{sys: env.System{Env: env.New([]string{"HOME=" + t.TempDir(), "PATH=/nowhere"}), GOOS: "linux",
		Executable: "/opt/steward-setup", Cwd: "/", Now: time.Now}}
	h := testenv.Must(a.host())(t)
	v := &verification{a: a, h: h, o: verifyOptions{live: verify.Auto}}
	steps := v.next([]report.Finding{{Status: report.Unknown, Remedies: []report.Remedy{verify.AsUser}}})
	if len(steps) != 1 || steps[0].Command != nil || !strings.HasPrefix(steps[0].String(),
		"run the agent and this command as an ordinary user") {
		t.Errorf("%+v", steps)
	}
}

// A line of a way that the doctor offers is about the project, as a command is.
func TestALineOfTheDoctorIsAboutItsProject(t *testing.T) {
	a := &app{sys: env.System{Env: env.New([]string{"HOME=" + t.TempDir(), "PATH=/nowhere"}), GOOS: "linux",
		Executable: "/opt/steward-setup", Cwd: "/", Now: time.Now}, project: "/p"}
	d := &consultation{a: a, h: testenv.Must(a.host())(t)}
	steps := d.next([]report.Finding{{Status: report.Warn, Remedies: []report.Remedy{
		report.DocLink{Title: "or: ", Line: report.Line{Words: "install --plan"}}}}})
	if len(steps) != 1 || !strings.HasSuffix(steps[0].String(), "/opt/steward-setup install --plan --project /p") {
		t.Errorf("%v", steps)
	}
}

func TestWhatWasNotRehearsedIsRehearsedBeforeAWarningIsMended(t *testing.T) {
	a := &app{sys: env.System{Env: env.New([]string{"HOME=" + t.TempDir(), "PATH=/nowhere"}), GOOS: "linux",
		Executable: "/opt/steward-setup", Cwd: "/", Now: time.Now}}
	h := testenv.Must(a.host())(t)
	plan := report.Own("install --plan", report.Command{Optional: true})
	findings := []report.Finding{{Status: report.Warn, Remedies: []report.Remedy{plan}},
		{Status: report.Unknown, Remedies: []report.Remedy{verify.Rehearse}}}
	for live, want := range map[verify.LiveMode][]string{
		verify.Never: {"/opt/steward-setup verify", "/opt/steward-setup install --plan"},
		verify.Auto:  {"/opt/steward-setup install --plan", "/opt/steward-setup verify"}, // it just ran
	} {
		v := &verification{a: a, h: h, o: verifyOptions{live: live}}
		var lines, home []string
		for _, s := range v.next(findings) {
			if s.Command != nil && strings.HasSuffix(s.Command.Line, " verify") && s.Command.Why == "" {
				t.Errorf("%s: nothing says why to run %q", live, s.Command.Line)
			}
			lines = append(lines, s.Command.Line)
		}
		for _, s := range report.Steps(findings, nil) { // as the screens do
			if s, keep := v.asCalled(s); keep {
				home = append(home, s.Command.Line)
			}
		}
		if !slices.Equal(lines, want) || live == verify.Never && !slices.Equal(home, want) {
			t.Errorf("%s: next %q, on a screen %q, want %q", live, lines, home, want)
		}
	}
}
