// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package update

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/regress"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/trial"
	"github.com/steward-setup/steward-setup/steps/verify"
)

func answered(result regress.Result, layer trial.Decider) regress.Answer {
	return regress.Answer{Session: "claude in the project", Call: "read:~/.aws/credentials",
		Title: "reads ~/.aws/credentials", Result: result, Layer: layer, Why: "w"}
}

// trialOf compares two sides that differ in what change does.
func trialOf(change func(installed, candidate *Side)) *Trial {
	side := func(version string) Side {
		return Side{Path: "/" + version, keys: []string{"sandbox.enabled", "hooks"}, Record: regress.Record{Runtime: version,
			Answers:    []regress.Answer{answered(regress.Held, trial.Filesystem)},
			Hooks:      []regress.Hook{{Event: "PreToolUse", Script: "s", Fires: true, Saw: "answered"}},
			StatusLine: []string{"model"}, Seconds: map[string]float64{"claude in the project": 2}}}
	}
	t := &Trial{Installed: side("2.1.1"), Candidate: side("2.1.2")}
	if change != nil {
		change(&t.Installed, &t.Candidate)
	}
	t.compare([]string{"sandbox.enabled", "hooks"})
	return t
}

func TestWhatATrialSays(t *testing.T) {
	answer := func(s *Side, a regress.Answer) { s.Record.Answers = []regress.Answer{a} }
	nothing := func(_, s *Side) {
		s.Record.Answers, s.Record.Hooks, s.Record.Failed = nil, nil, map[string]string{"claude in the project": "hung"}
	}
	weak := regress.Weakness{ID: "w", Title: "a weakness", Effect: "e"}
	for name, c := range map[string]struct {
		change func(installed, candidate *Side)
		exit   int
		check  report.ID
		status report.Status
		words  string
	}{
		"nothing": {nil, 0, "denials", report.Pass, "all 1 denials of 2.1.1 are blocked by 2.1.2 too"},
		"a denial lost": {func(_, b *Side) { answer(b, answered(regress.Through, trial.Allowed)) }, 2, "denials",
			report.Fail, "1 denial lost with 2.1.2: a command reads ~/.aws/credentials"},
		"a rule became a prompt": {func(_, b *Side) { answer(b, answered(regress.Prompted, trial.Confirmation)) }, 2,
			"denials", report.Fail, "1 denial lost"},
		"a denial gained": {func(a, _ *Side) { answer(a, answered(regress.Through, trial.Allowed)) }, 1, "denials",
			report.Unknown, "no denial of 2.1.1 was verified"},
		"a denial not verified": {func(_, b *Side) { answer(b, answered(regress.Unproven, "")) }, 1, "denials",
			report.Unknown, "1 denial not verified"},
		"open, not judged before": {func(a, b *Side) {
			answer(a, answered(regress.Unproven, ""))
			answer(b,
				answered(regress.Through, ""))
		}, 1, "denials", report.Fail, "not judged with 2.1.1"},
		"a session that failed": {func(_, b *Side) {
			b.Record.Answers, b.Record.Failed = nil, map[string]string{"claude in the project": "hung"}
		}, 1, "denials", report.Unknown, "not verified"},
		"no prompt was seen":    {nothing, 1, "prompts", report.Unknown, "no call was seen with both"},
		"no call was seen":      {nothing, 1, "other-calls", report.Unknown, "no call was seen with both"},
		"no hook was seen":      {nothing, 1, "hooks", report.Unknown, "not verified: s on PreToolUse"},
		"the time of a failure": {nothing, 1, "time", report.Skip, "no session ran with both"},
		"nothing was seen before either": {func(a, b *Side) { nothing(nil, a); nothing(nil, b) }, 1, "denials",
			report.Unknown, "no denial of 2.1.1 was verified"},
		"a new prompt": {func(_, b *Side) { answer(b, answered(regress.Held, trial.Confirmation)) }, 1,
			"prompts", report.Warn, "1 new prompt"},
		"a prompt gone": {func(a, _ *Side) { answer(a, answered(regress.Held, trial.Confirmation)) }, 1,
			"prompts", report.Warn, "1 prompt gone"},
		"another layer": {func(_, b *Side) { answer(b, answered(regress.Held, trial.Rule)) }, 1, "other-calls",
			report.Warn, "1 blocked by another layer"},
		"a hook that is silent": {func(_, b *Side) { b.Record.Hooks[0].Fires = false }, 1, "hooks", report.Fail,
			"no longer fires: s on PreToolUse"},
		"a hook that fires": {func(a, _ *Side) { a.Record.Hooks[0].Fires = false }, 1, "hooks", report.Warn,
			"fires now"},
		"a key dropped": {func(_, b *Side) { b.keys = []string{"hooks"} }, 1, "policy-keys", report.Fail,
			"2.1.2 ignores sandbox.enabled"},
		"a key learned": {func(a, _ *Side) { a.keys = []string{"hooks"} }, 1, "policy-keys", report.Warn,
			"2.1.2 understands sandbox.enabled"},
		"a schema that is not found": {func(_, b *Side) { b.keys, b.unread = nil, errors.New("gone") }, 1, "policy-keys",
			report.Unknown, "not verified which keys"},
		"an advisory begins": {func(_, b *Side) { b.weak = []regress.Weakness{weak} }, 1, "advisories", report.Fail,
			"begins: a weakness"},
		"an advisory ends": {func(a, _ *Side) { a.weak = []regress.Weakness{weak} }, 1, "advisories", report.Warn,
			"ends: a weakness"},
		"the status line is told less": {func(a, _ *Side) { a.Record.StatusLine = append(a.Record.StatusLine, "cost.total") },
			1, "status-line", report.Warn, "no longer told cost.total"},
		"the status line is told more": {func(_, b *Side) { b.Record.StatusLine = append(b.Record.StatusLine, "effort") }, 1,
			"status-line", report.Warn, "told more: effort"},
		"no status line was seen": {func(_, b *Side) { b.Record.StatusLine = nil }, 1, "status-line", report.Unknown,
			"not verified"},
		"it is slower": {func(_, b *Side) { b.Record.Seconds["claude in the project"] = 9 }, 0, "time", report.Pass,
			"takes 9.0 s, and 2.0 s with 2.1.1"},
	} {
		trial := trialOf(c.change)
		for i, f := range trial.Findings() {
			if k := TrialChecks()[i]; k.ID != f.Check || k.Layer != f.Layer || len(TrialChecks()) != len(trial.Findings()) {
				t.Errorf("%s: %s (%s) is announced as %s (%s)", name, f.Check, f.Layer, k.ID, k.Layer)
			}
		}
		var said engine.Judged
		trial.Emit(func(e engine.Event) { said, _ = e.(engine.Judged) }, 0)
		if said.Verdict.Exit() != c.exit || said.Said == "" {
			t.Errorf("%s: the verdict is %s (%s), want exit code %d", name, said.Verdict, said.Said, c.exit)
		}
		if got := trial.Exit(); got != c.exit {
			t.Errorf("%s: exit code %d, want %d", name, got, c.exit)
		}
		for _, f := range trial.Findings() {
			if len(f.Evidence) == 0 {
				t.Errorf("%s: %s has no evidence", name, f.Check)
			}
			if f.Check == c.check && (f.Status != c.status || !strings.Contains(f.Summary, c.words)) {
				t.Errorf("%s: %s %q, want %s %q", name, f.Status, f.Summary, c.status, c.words)
			}
			if name == "nothing" && f.Status != report.Pass {
				t.Errorf("nothing differs: %s says %s %q", f.Check, f.Status, f.Summary)
			}
		}
	}
}

// TestBisectFindsEveryChange: wherever the change lies, it is found in as many
// steps as halving takes, in both directions.
func TestBisectFindsEveryChange(t *testing.T) {
	held, through := Ending{Result: regress.Held, Text: "blocked"}, Ending{Result: regress.Through, Text: "succeeds"}
	for n := 2; n <= 33; n++ {
		versions := make([]string, n)
		for i := range versions {
			versions[i] = fmt.Sprint(i)
		}
		for at := 1; at < n; at++ {
			asked := 0
			c, ok, err := Bisect(versions, func(v string) (Ending, error) {
				asked++
				var i int
				_, _ = fmt.Sscan(v, &i)
				if i < at {
					return held, nil
				}
				return through, nil
			}, func(string) {})
			if err != nil || !ok || c.Before != versions[at-1] || c.After != versions[at] || !c.Lost() {
				t.Fatalf("%d versions, change at %d: %+v, %v, %v", n, at, c, ok, err)
			}
			if most := Steps(n) + 2; asked > most || len(c.Rehearsed) != asked {
				t.Errorf("%d versions: %d rehearsals, want at most %d", n, asked, most)
			}
		}
	}
}

func TestBisectSaysWhereNothingChangedOrCannotBeAsked(t *testing.T) {
	same := func(string) (Ending, error) { return Ending{Result: regress.Held, Text: "blocked"}, nil }
	if c, ok, err := Bisect([]string{"1", "2", "3"}, same, func(string) {}); ok || err != nil || len(c.Rehearsed) != 2 {
		t.Errorf("%+v, %v, %v", c, ok, err)
	}
	kept := func(v string) (Ending, error) {
		e, err := same(v)
		if v == "3" {
			e.Kept = time.Date(2026, 11, 28, 17, 8, 0, 0, time.UTC)
		}
		return e, err
	}
	if c, _, _ := Bisect([]string{"1", "2", "3"}, kept, func(string) {}); !slices.Equal(c.Earlier,
		[]string{"3 was rehearsed 2026-11-28 17:08 UTC"}) {
		t.Errorf("what was rehearsed earlier: %q", c.Earlier)
	}
	if _, _, err := Bisect([]string{"1"}, same, func(string) {}); err == nil {
		t.Error("one version has no two ends")
	}
	broken := errors.New("no network")
	if _, ok, err := Bisect([]string{"1", "2", "3"}, func(v string) (Ending, error) {
		if v == "2" {
			return Ending{}, broken
		}
		return Ending{Result: regress.Held, Layer: trial.Decider(v)}, nil
	}, func(string) {}); ok || !errors.Is(err, broken) {
		t.Errorf("%v, %v", ok, err)
	}
	gained := Change{Was: Ending{Result: regress.Through}, Is: Ending{Result: regress.Held}}
	if gained.Lost() {
		t.Error("what is gained is lost")
	}
}

// TestBisectTakesNothingUnverifiedForAChange: a version that could not be
// verified is passed over, what is left open is named, and an end has to be
// verified.
func TestBisectTakesNothingUnverifiedForAChange(t *testing.T) {
	for row, want := range map[string]string{ // an ending for each version: held, through, unproven, prompted
		"hhhhuuht": "4 8 5 6 7", "huuhhttt": "5 6 ", "huuuuuut": "1 8 2 3 4 5 6 7", "hhuhtttt": "4 5 ", "huht": "3 4 ",
		"hut":  "1 3 2",
		"uhht": "1", "hhhu": "4", "uhhu": "1", "uuuu": "1",
	} {
		versions := make([]string, len(row))
		for i := range versions {
			versions[i] = fmt.Sprint(i + 1)
		}
		asked := 0
		c, ok, err := Bisect(versions, func(v string) (Ending, error) {
			var i int
			_, _ = fmt.Sscan(v, &i)
			asked++
			result := map[byte]regress.Result{'h': regress.Held, 't': regress.Through, 'u': regress.Unproven}[row[i-1]]
			return Ending{Result: result, Text: "in the words of " + v}, nil
		}, func(string) {})
		if row[0] == 'u' || row[len(row)-1] == 'u' {
			var no *report.Error
			if !errors.As(err, &no) || no.Code != report.ExitLeft || no.Where != want || ok {
				t.Errorf("%s: %v, %v", row, ok, err)
			}
			continue
		}
		if got := c.Before + " " + c.After + " " + strings.Join(c.Between, " "); err != nil || !ok || got != want ||
			!c.Lost() || asked > Steps(len(row))+2 {
			t.Errorf("%s: %q after %d, want %q (%v)", row, got, asked, want, err)
		}
	}
	prompted := Change{Was: Ending{Result: regress.Prompted, Layer: trial.Confirmation},
		Is: Ending{Result: regress.Through, Layer: trial.Allowed}}
	if !prompted.Lost() {
		t.Error("a prompt that is gone is no loss")
	}
}

func TestCallsAreNamedAsTheyAreShown(t *testing.T) {
	rec := trialOf(nil).Candidate.Record
	for text, want := range map[string]string{
		"read:~/.aws/credentials":                             "blocked by sandbox-filesystem",
		"claude in the project · read:~/.aws/credentials":     "blocked by sandbox-filesystem",
		"hook:PreToolUse":                                     "fires",
		"hook:PostToolUse":                                    "not verified (no hook of the setup was rehearsed on it)",
		"read:~/.netrc":                                       "",
		"claude-iso in the project · read:~/.aws/credentials": "",
	} {
		got, err := ParseCall(text).in(rec)
		if got.Text != want || (err != nil) != (want == "") {
			t.Errorf("%s: %q, %v, want %q", text, got.Text, err, want)
		}
	}
	rec.Failed = map[string]string{"claude in the project": "hung"}
	rec.Answers = nil
	if got, err := ParseCall("read:x").in(rec); err != nil || got.Text != "not verified (hung)" {
		t.Errorf("%q, %v", got.Text, err)
	}
}

// TestWhatABisectPlays: the session that holds the call, and the twin that a
// denial is held against. A hook is none.
func TestWhatABisectPlays(t *testing.T) {
	for call, want := range map[string][]string{
		"host:curl-path":                 {verify.PlainRoot, verify.Twin},
		verify.IsoSub + " · tool-read:x": {verify.IsoSub, verify.Twin},
		"hook:PreToolUse":                {verify.HookSession},
	} {
		var played []string
		for _, name := range []string{verify.PlainRoot, verify.Twin, verify.IsoSub, verify.HookSession,
			verify.PlainTerminal} {
			if ParseCall(call).sessions(name) {
				played = append(played, name)
			}
		}
		slices.Sort(played)
		slices.Sort(want)
		if !slices.Equal(played, want) {
			t.Errorf("%s: %q, want %q", call, played, want)
		}
	}
}

// TestAnEarlierRehearsalIsSaidToBe: when it was, beside the versions.
func TestAnEarlierRehearsalIsSaidToBe(t *testing.T) {
	trial := trialOf(func(installed, _ *Side) {
		installed.Kept, installed.Record.At = true, time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	})
	if got := trial.Earlier(); got != " (2.1.1 was rehearsed 2026-11-23 12:00 UTC)" {
		t.Errorf("%q", got)
	}
	if got := trialOf(nil).Earlier(); got != "" {
		t.Errorf("both were rehearsed now: %q", got)
	}
}
