// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what is not understood, and what decides nothing, is said.

package explain

import (
	"context"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/access"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestWhatIsNotUnderstoodIsAUsageError(t *testing.T) {
	l := newLab(t)
	for _, q := range []Question{
		{Kind: AboutPath}, {Kind: AboutPath, Subject: "a\x00b"}, {Kind: AboutPath,
			Subject: strings.Repeat("a", maxSubject+1)},
		{Kind: AboutHost, Subject: "a b"}, {Kind: AboutHost, Subject: "https://"}, {Kind: AboutEnv, Subject: "1A"},
		{Kind: "weather", Subject: "rain"},
	} {
		_, err := Explain(context.Background(), l.reader(), q)
		var e *report.Error
		if !errors.As(err, &e) || e.Code != report.ExitUsage {
			t.Errorf("%.40v: %v", q, err)
		}
	}
}

// TestASettingsFileThatIsDroppedIsSaid: what the runtime throws away decides
// nothing, and who asks is told.
func TestASettingsFileThatIsDroppedIsSaid(t *testing.T) {
	l := newLab(t)
	l.put("p/.claude/settings.json", "{\"sandbox\": {\"enabled\": true}, \"permissions\": {\"deny\": [\"Bash(x *)\"]},\n}")
	x, err := Explain(context.Background(), l.reader(), Question{Kind: AboutCommand, Subject: "x y"})
	if err != nil {
		t.Fatal(err)
	}
	if r := ruling(t, x.Rulings, access.WhoBash, access.DoesRun); r.Answer != report.Asks || !r.Open {
		t.Errorf("%+v", r)
	}
	if r := ruling(t, x.Rulings, "the command", "leaves the sandbox without a request"); r.Answer != report.Allowed {
		t.Errorf("%+v", r)
	}
	if !slices.ContainsFunc(x.Notes, func(n report.Note) bool {
		return strings.HasSuffix(n.Where, "p/.claude/settings.json:1:70")
	}) {
		t.Errorf("the place is not named: %+v", x.Notes)
	}
}

// TestADirectoryHoldsWhereTheShellEnteredIt: a cd in a process of its own ends
// with it; one that only the shell knows leaves the file unknown.
func TestADirectoryHoldsWhereTheShellEnteredIt(t *testing.T) {
	l := newLab(t)
	l.settings("p/.claude/settings.json", map[string]any{"permissions": map[string]any{"deny": []string{"Read(/.env)"}}})
	for line, want := range map[string]report.Answer{
		"cat .env":                 report.Denied,
		"(cd sub); cat .env":       report.Denied,
		"cd sub | cat .env":        report.Denied,
		"cd sub & cat .env":        report.Denied,
		"x $(cd sub; y); cat .env": report.Denied,
		"cd sub && cat ../.env":    report.Denied,
		"cd sub && cat .env":       report.Asks,
		"cd -- sub && cat .env":    report.Asks,
		"(cd sub && cat .env)":     report.Asks,
		"cd && cat .env":           report.Asks,
		`cd "$X" && cat .env`:      report.Asks,
	} {
		x, err := Explain(t.Context(), l.reader(), Question{Kind: AboutCommand, Subject: line})
		if err != nil {
			t.Fatal(err)
		}
		if r := ruling(t, x.Rulings, access.WhoBash, access.DoesRun); r.Answer != want {
			t.Errorf("%s: %s, %s; want %s", line, r.Answer, r.Why, want)
		}
	}
}

func TestWhatWasTriedCounts(t *testing.T) {
	for _, c := range []struct {
		have report.Ruling
		seen report.Answer
		want report.Answer
		told report.Answer
	}{
		{report.Ruling{Answer: report.Denied}, report.Allowed, report.Allowed, report.Denied},
		{report.Ruling{Answer: report.Denied}, report.Denied, report.Denied, ""},
		{report.Ruling{Answer: report.Allowed}, report.Unclear, report.Allowed, ""},
		{report.Ruling{Answer: report.Unclear}, report.Denied, report.Denied, ""},
		{report.Ruling{Answer: report.Asks, Open: true}, report.Allowed, report.Asks, ""},
		{report.Ruling{Answer: report.Asks}, report.Allowed, report.Allowed, report.Asks},
	} {
		r := c.have
		r.Settle(report.Tried{Answer: c.seen})
		if r.Answer != c.want || r.Tried.Expected != c.told {
			t.Errorf("%+v, seen %q: %q, expected %q", c.have, c.seen, r.Answer, r.Tried.Expected)
		}
	}
}

// TestFromAWorktree: a session in a linked worktree writes the git directory
// that it shares, but for what runs outside, and reads nothing else of the
// main checkout.
func TestFromAWorktree(t *testing.T) {
	testenv.Need(t, "git")
	l := newLab(t)
	l.put("p/.claude/settings.json", `{"sandbox": {"enabled": true, "filesystem": {"denyRead": ["~/"]}}}`)
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"commit", "-qm", "x"},
		{"worktree", "add", "-q", "../w"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = l.project, testenv.Env(t, l.home)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	testenv.Need(t, "bwrap", "socat") // or there is no sandbox
	for path, want := range map[string][2]report.Answer{
		"p/.git/objects/x": {report.Allowed, report.Allowed}, "p/.git/hooks/post-checkout": {report.Allowed, report.Denied},
		"p/.git/config": {report.Allowed, report.Denied},
		"p/main.go":     {report.Denied, report.Denied}, "w/main.go": {report.Allowed, report.Allowed},
		"w/.claude/settings.json": {report.Allowed, report.Denied},
	} {
		x, err := Explain(t.Context(), l.reader(), Question{Kind: AboutPath, Subject: l.path(path), Project: l.path("w")})
		if err != nil {
			t.Fatal(err)
		}
		for i, does := range []string{access.DoesRead, access.DoesWrite} {
			if r := ruling(t, x.Rulings, access.WhoCommand, does); r.Answer != want[i] {
				t.Errorf("%s, %s: %s (%s, %v), want %s", path, does, r.Answer, r.Why, r.By, want[i])
			}
		}
	}
}
