// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package regress_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/steward-setup/steward-setup/internal/regress"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/trial"
)

func answer(result regress.Result, layer trial.Decider) *regress.Answer {
	return &regress.Answer{Session: "s", Call: "c", Result: result, Layer: layer}
}

func record(a *regress.Answer) regress.Record {
	if a == nil {
		return regress.Record{}
	}
	return regress.Record{Answers: []regress.Answer{*a}}
}

func TestCompare(t *testing.T) {
	held, byRule := answer(regress.Held, trial.Filesystem), answer(regress.Held, trial.Rule)
	asked, prompted := answer(regress.Held, trial.Confirmation), answer(regress.Prompted, trial.Confirmation)
	through, exposed := answer(regress.Through, trial.Allowed), answer(regress.Exposed, trial.Allowed)
	works, unproven := answer(regress.Works, trial.Allowed), answer(regress.Unproven, trial.Nobody)
	for name, c := range map[string]struct {
		before, after *regress.Answer
		kind          regress.Kind
		lost          bool
	}{
		"the same":                        {held, held, "", false},
		"held, then through":              {held, through, regress.NewlyThrough, true},
		"asked, then through":             {asked, through, regress.NewlyThrough, true},
		"a prompt alone, then through":    {prompted, through, regress.NewlyThrough, true},
		"exposed, then through":           {exposed, through, regress.NewlyThrough, true},
		"held, then exposed":              {held, exposed, regress.NewlyExposed, false},
		"a prompt, then exposed":          {asked, exposed, regress.NewlyExposed, false},
		"a prompt alone, then exposed":    {prompted, exposed, regress.NewlyExposed, false},
		"through, then exposed":           {through, exposed, regress.NewlyExposed, false},
		"a prompt, then a prompt alone":   {asked, prompted, regress.OtherLayer, false},
		"a rule, then a prompt alone":     {byRule, prompted, regress.NewlyAsked, true},
		"a rule, then a confirmation":     {byRule, asked, regress.NewlyAsked, false},
		"a rule, then the sandbox":        {byRule, held, regress.OtherLayer, false},
		"a prompt, then a rule":           {prompted, byRule, regress.NotAsked, false},
		"through, then held":              {through, held, regress.NewlyHeld, false},
		"through, then a prompt":          {through, prompted, regress.NewlyHeld, false},
		"exposed, then held":              {exposed, held, regress.NewlyHeld, false},
		"held, then not observed":         {held, unproven, regress.Unobserved, false},
		"works, then not":                 {works, unproven, regress.Broken, false},
		"works again":                     {unproven, works, regress.Mended, false},
		"not observed, then held":         {unproven, held, regress.Mended, false},
		"not observed, then through":      {unproven, through, regress.Open, false},
		"not rehearsed before":            {nil, held, regress.New, false},
		"not rehearsed before, and opens": {nil, through, regress.Open, false},
		"no longer rehearsed":             {held, nil, regress.Gone, false},
	} {
		got := regress.Compare(record(c.before), record(c.after))
		switch {
		case c.kind == "" && len(got) == 0:
		case len(got) != 1 || got[0].Kind != c.kind || got[0].Lost() != c.lost || regress.Lost(got) != c.lost:
			t.Errorf("%s: %+v, want %s, lost %v", name, got, c.kind, c.lost)
		}
	}
}

func TestAFailedSessionLosesNothingAndProvesNothing(t *testing.T) {
	after := regress.Record{Failed: map[string]string{"s": "it hung"}}
	got := regress.Compare(record(answer(regress.Held, trial.Rule)), after)
	if len(got) != 1 || got[0].Kind != regress.Unobserved || got[0].After.Why != "it hung" || got[0].Lost() {
		t.Errorf("%+v", got)
	}
}

func TestAnAllowedCallOfAFailedSessionIsNoDenial(t *testing.T) {
	after := regress.Record{Failed: map[string]string{"s": "it hung"}}
	got := regress.Compare(record(answer(regress.Works, trial.Allowed)), after)
	if len(got) != 1 || got[0].Kind != regress.Broken || got[0].After.Why != "it hung" {
		t.Errorf("%+v", got)
	}
}

func TestTheWorstComesFirst(t *testing.T) {
	before, after := regress.Record{}, regress.Record{}
	add := func(call string, was, is *regress.Answer) {
		was.Call, is.Call = call, call
		before.Answers, after.Answers = append(before.Answers, *was), append(after.Answers, *is)
	}
	add("b", answer(regress.Through, trial.Allowed), answer(regress.Held, trial.Rule))
	add("a", answer(regress.Held, trial.Rule), answer(regress.Unproven, trial.Nobody))
	add("c", answer(regress.Held, trial.Rule), answer(regress.Through, trial.Allowed))
	var calls string
	for _, d := range regress.Compare(before, after) {
		calls += d.Of().Call
	}
	if calls != "cab" {
		t.Errorf("%q, want what is open first", calls)
	}
}

func TestHooks(t *testing.T) {
	before := regress.Record{Hooks: []regress.Hook{{Event: "A", Script: "x", Fires: true}, {Event: "B", Script: "x"}}}
	after := regress.Record{Hooks: []regress.Hook{{Event: "A", Script: "x"}, {Event: "B", Script: "x", Fires: true},
		{Event: "C", Script: "y"}}}
	got := regress.CompareHooks(before, after)
	if len(got) != 2 || !got[0].Lost || got[1].Lost {
		t.Errorf("%+v", got)
	}
}

// TestAPromptWithoutARuleIsNoExposure: what only a prompt keeps did not get
// through.
func TestAPromptWithoutARuleIsNoExposure(t *testing.T) {
	o := trial.Outcome{Status: report.Warn, Layer: trial.Confirmation}
	if got := regress.AnswerOf("s", o); got.Result != regress.Held || got.Layer != trial.Confirmation {
		t.Errorf("%+v", got)
	}
}

// TestOutcomesBecomeAnswers: verify's words and these are the same judgement.
func TestOutcomesBecomeAnswers(t *testing.T) {
	for want, o := range map[regress.Result]trial.Outcome{
		regress.Works:    {Probe: trial.Probe{Control: true}, Status: report.Pass, Layer: trial.Allowed},
		regress.Held:     {Status: report.Pass, Layer: trial.Filesystem},
		regress.Exposed:  {Status: report.Warn, Layer: trial.Allowed},
		regress.Prompted: {Status: report.Fail, Layer: trial.Confirmation},
		regress.Through:  {Status: report.Fail, Layer: trial.Allowed},
		regress.Unproven: {Status: report.Unknown, Layer: trial.Filesystem},
	} {
		if got := regress.AnswerOf("s", o); got.Result != want {
			t.Errorf("%+v is %s, want %s", o, got.Result, want)
		}
	}
}

func TestARecordIsReadAsItWasWritten(t *testing.T) {
	r := regress.Record{Runtime: "2.1.329", Answers: []regress.Answer{*answer(regress.Held, trial.Rule)},
		Failed: map[string]string{"x": "y"},
		Hooks:  []regress.Hook{{Event: "e", Script: "s", Fires: true}}, Seconds: map[string]float64{"s": 1.5}}
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back regress.Record
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r, back); diff != "" {
		t.Error(diff)
	}
	if got := regress.Sessions(r, regress.Record{Seconds: map[string]float64{"a": 1}}); len(got) != 2 || got[0] != "a" {
		t.Errorf("%q", got)
	}
}
