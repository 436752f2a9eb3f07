// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what a session says of its denials follows from what its
// calls came to; a call without an answer takes nothing from another's.

package verify

import (
	"errors"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/play"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/trial"
)

// TestAPromptInPlaceOfARuleFails unless the runtime says why no command works.
func TestAPromptInPlaceOfARuleFails(t *testing.T) {
	read := func(path string) model.Call {
		return model.Call{Tool: "Read", Input: map[string]any{"file_path": path}}
	}
	probes := []trial.Probe{
		{ID: trial.ControlCommand, Call: model.Bash("echo"), Control: true, Through: trial.Through{Reply: "hello"}},
		{ID: trial.ControlRead, Call: read("/sample"), Control: true, Through: trial.Through{Reply: "sample"}},
		{ID: "tool-read:/secret", Call: read("/secret"), Below: trial.Rule, Through: trial.Through{Reply: "nonce"},
			Neighbour: trial.ControlRead, Ruled: true, Required: true},
	}
	const asked = "This command requires approval"
	for _, c := range []struct {
		name  string
		reply *model.Result // to the command
		read  string        // what reading the secret got back
		want  report.Status
		voids bool // a prompt is a protection
	}{
		{"commands work", &model.Result{Text: "hello"}, asked, report.Fail, false},
		{"the command was not reached", nil, asked, report.Fail, false},
		{"the command said nothing", &model.Result{}, asked, report.Fail, false},
		{"no command works", &model.Result{Text: "bwrap: no namespace"}, asked, report.Unknown, false},
		{"nobody is asked", &model.Result{Text: "hello"}, "a nonce", report.Fail, true},
	} {
		l := NewRehearsal()
		l.plan = sessionPlan{inputs: trial.Inputs{Runtime: play.Claude{}},
			force: silent{}}
		l.plan.session(rehearsal.Session{Name: PlainRoot, Terminal: true}, probes)
		l.plan.session(rehearsal.Session{Name: Twin, Terminal: true}, nil)
		s := l.plan.of(PlainRoot)
		s.Raw.Results = map[string]model.Result{}
		for turn, calls := range s.Session.Turns {
			for i, call := range calls {
				switch {
				case call.Input["file_path"] == "/sample":
					s.Raw.Results[model.ID(turn, i)] = model.Result{Text: "sample"}
				case call.Input["file_path"] == "/secret":
					s.Raw.Results[model.ID(turn, i)] = model.Result{Text: c.read}
				case c.reply != nil:
					s.Raw.Results[model.ID(turn, i)] = *c.reply
				}
			}
		}
		got := l.tally(places[0])
		if got.status != c.want {
			t.Errorf("%s: %s, want %s: %s", c.name, got.status, c.want, got.summary)
		}
		if len(got.remedies) != 1 {
			t.Errorf("%s leads to %v", c.name, got.remedies)
		}
		if f := l.denials(); f.Voids != c.voids {
			t.Errorf("%s: nothing protects any more is %v: %s", c.name, f.Voids, f.Summary)
		}
	}
}

// TestEveryHeldCallIsCounted by the layer that held it, also where that has no
// name.
func TestEveryHeldCallIsCounted(t *testing.T) {
	got := tally{denied: 3, held: map[trial.Decider]int{trial.Rule: 1, trial.Nobody: 2}}.count()
	if want := "3 of 3 forbidden actions were blocked: 1 by permission-rule, 2 by a layer that is not known"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// silent is what holds where no settings are known.
type silent struct{ InForce }

func (silent) Opens(trial.Probe, report.Launch) []Opener           { return nil }
func (silent) ByMode(string) (by Opener, ok bool)                  { return by, false }
func (silent) Proxied(report.Launch) (at report.Evidence, ok bool) { return at, false }

// TestAValueThatNobodyLookedAtIsUnknown: the runtime takes one where a rule decides by
// the value.
func TestAValueThatNobodyLookedAtIsUnknown(t *testing.T) {
	const word = "hello"
	for _, unlooked := range [][]string{nil, {"Agent.isolation=cloud"}} {
		l := NewRehearsal()
		l.plan = sessionPlan{inputs: trial.Inputs{Runtime: play.Claude{}}, force: silent{}}
		l.plan.session(rehearsal.Session{Name: PlainRoot}, []trial.Probe{{ID: trial.ControlCommand,
			Call: model.Bash("echo"), Control: true, Through: trial.Through{Reply: word}}})
		l.plan.session(rehearsal.Session{Name: Twin}, nil)
		s := l.plan.of(PlainRoot)
		s.Raw.Results, s.Raw.Unlooked = map[string]model.Result{model.ID(0, 0): {Text: word}}, unlooked
		want := report.Pass
		if unlooked != nil {
			want = report.Unknown
		}
		if got := l.tally(places[0]); got.status != want || len(got.evidence) != len(unlooked) {
			t.Errorf("%q: %s, want %s: %v", unlooked, got.status, want, got.evidence)
		}
	}
}

// TestAScriptWhoseProgramIsHiddenLeadsOn to the run that names the program.
func TestAScriptWhoseProgramIsHiddenLeadsOn(t *testing.T) {
	for _, c := range []struct {
		script string
		exit   int
		steps  int
	}{{"/home/ada/bin/agent", 127, 1}, {"", 127, 0}, {"/home/ada/bin/agent", 1, 0}} {
		l := NewRehearsal()
		l.plan = sessionPlan{inputs: trial.Inputs{Runtime: play.Claude{}}, force: silent{}, script: c.script}
		l.plan.session(rehearsal.Session{Name: PlainRoot}, nil)
		s := l.plan.of(PlainRoot)
		s.Err, s.Raw.Exit = errors.New("never asked the model"), c.exit
		if got := l.tally(places[0]); got.status != report.Unknown || len(got.remedies) != c.steps {
			t.Errorf("%q, exit code %d: %s leads to %v", c.script, c.exit, got.status, got.remedies)
		}
	}
}
