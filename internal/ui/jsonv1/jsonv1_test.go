// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: scripts rely on this document; a test names every key that
// they may rely on.

package jsonv1_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/tidwall/gjson"

	"github.com/steward-setup/steward-setup/internal/catalog"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/ui/jsonv1"
)

func document(t *testing.T, fill func(*jsonv1.Collector)) string {
	t.Helper()
	c := jsonv1.New("verify", "1.0", report.Facts{OS: "linux", Distro: "debian 12", Runtime: "2.1.329"})
	fill(c)
	var out strings.Builder
	testenv.OK(t, c.Flush(&out))
	if !json.Valid([]byte(out.String())) {
		t.Fatalf("not JSON: %s", out.String())
	}
	return out.String()
}

func TestTheContractOfTheDocument(t *testing.T) {
	plan := report.NewPlan([]report.Section{{Opens: []string{"o\x1b[2J"}, Exposes: []string{"e"}, Items: []report.Item{
		report.Change{ID: "c", Path: "/p", Target: "/p", Before: []byte("x\n"), After: []byte("x\nTOKEN=id\n"), Why: "w"},
		report.Command{ID: "r", Line: "sudo true", Privileged: true, Why: "v"}}},
		{Skipped: true, Exposes: []string{"left out"}}})
	answers := []report.Answered{{Question: report.Question{ID: "q"}, Values: []string{"a", "b"}, Why: "because"},
		{Question: report.Question{ID: "d", Decided: "so"}, Why: "so"}}
	doc := document(t, func(c *jsonv1.Collector) {
		c.Emit(engine.PlanReady{Plan: plan, Apply: "line", Answers: answers})
		c.Emit(engine.Note{})
		c.Emit(engine.CheckDone{Finding: report.Finding{Check: "project-settings", Layer: report.LayerSandbox,
			Status: report.Fail, Summary: "s\x1b[2J",
			Evidence: []report.Evidence{report.FileEvidence("f:3", "t")},
			Remedies: []report.Remedy{report.Command{Line: "l", Why: "y"}, report.DocLink{Title: "a", Target: "b"}}}})
		c.Emit(engine.Judged{Verdict: report.Unprotected})
	})
	for path, want := range map[string]string{
		"schema_version": "1", "command": "verify", "tool_version": "1.0", "verdict": "unprotected",
		"host.os": "linux", "host.distro": "debian 12", "host.runtime": "2.1.329",
		"findings.0.check": "project-settings", "findings.0.layer": "sandbox", "findings.0.status": "fail",
		"findings.0.evidence.0.kind": "file", "findings.0.evidence.0.where": "f:3", "findings.0.evidence.0.text": "t",
		"findings.0.remedies.0.kind": "command", "findings.0.remedies.0.line": "l",
		"findings.0.remedies.0.privileged": "false", "findings.0.remedies.0.why": "y",
		"findings.0.remedies.1.kind": "link", "findings.0.duration_ms": "0",
		"plan.id": string(plan.ID), "plan.items.0.kind": "change", "plan.items.0.path": "/p", "plan.items.0.why": "w",
		"plan.apply": "line", "plan.opens.#": "1", "plan.exposes.#": "1", "plan.exposes.0": "e",
		"plan.answers.0.flag": "q", "plan.answers.0.values.1": "b", "plan.answers.0.why": "because",
		"plan.answers.0.decided": "false", "plan.answers.1.values.#": "0", "plan.answers.1.decided": "true",
		"plan.items.1.kind": "command", "plan.items.1.line": "sudo true", "plan.items.1.privileged": "true",
	} {
		if got := gjson.Get(doc, path); !got.Exists() || got.String() != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
	if !strings.Contains(gjson.Get(doc, "plan.items.0.diff").String(), "\n+TOKEN=id\n") ||
		strings.Contains(gjson.Get(doc, "findings.0.summary").String()+gjson.Get(doc, "plan.opens.0").String(), "\x1b") ||
		gjson.Get(doc, "notes").Exists() {
		t.Errorf("diff or summary are not as promised: %s", doc)
	}
}

func TestListsAreNeverNull(t *testing.T) {
	doc := document(t, func(c *jsonv1.Collector) {
		c.Emit(engine.PlanReady{Plan: report.NewPlan(nil)})
		c.Emit(engine.CheckDone{Finding: report.Finding{}.Complete()})
	})
	for _, path := range []string{"plan.items", "findings", "findings.0.evidence", "findings.0.remedies"} {
		if !gjson.Get(doc, path).IsArray() {
			t.Errorf("%s is %s", path, gjson.Get(doc, path).Raw)
		}
	}
}

func TestAFailureIsADocumentToo(t *testing.T) {
	doc := document(t, func(c *jsonv1.Collector) {
		c.Fail(65, &report.Error{Code: 65, What: "a comment", Where: "f:1:2", Why: "w", Next: "n"})
	})
	for path, want := range map[string]string{"error.code": "65", "error.what": "a comment", "error.where": "f:1:2",
		"error.why": "w", "error.next": "n"} {
		if got := gjson.Get(doc, path).String(); got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
}

func TestAReportIsInTheOrderOfTheContractWithItsVerdicts(t *testing.T) {
	doc := document(t, func(c *jsonv1.Collector) {
		for _, id := range []report.ID{"denials", "clean-env"} {
			c.Emit(engine.CheckStarted{ID: id})
			c.Emit(engine.CheckDone{Finding: report.Finding{Check: id, Layer: report.LayerSandbox, Status: report.Fail,
				Voids: true, Summary: "s", Duration: 1500 * time.Millisecond,
				Evidence: []report.Evidence{report.EnvEvidence("n", "t")},
				Launches: []report.LaunchStatus{{Launch: report.Plain, Status: report.Fail, Summary: "\x1b[2J", Voids: true},
					{Launch: report.Iso, Status: report.Pass, Summary: "held"}}}})
		}
		c.Emit(engine.Progress{Text: "p"})
		c.Emit(engine.Judged{Verdict: report.Unprotected,
			Launches: map[report.Launch]report.Verdict{report.Plain: report.Unprotected, report.Iso: report.Protected},
			Covers: []report.Cover{{Launch: report.Plain, Start: report.AtSub, Dir: "/p/\x1b[2J", Status: report.Fail,
				Denied: 57, Through: 57, Rehearsed: true, Why: "\x1b[2J"}},
			Live: "never", From: engine.FromStored, Age: 90 * time.Second})
	})
	for path, want := range map[string]string{
		"verdict": "unprotected", "launches.plain": "unprotected", "launches.iso": "protected",
		"covers.#": "1", "covers.0.launch": "plain", "covers.0.start": "subdirectory", "covers.0.status": "fail",
		"covers.0.denied": "57", "covers.0.through": "57",
		"covers.0.rehearsed": "true", "covers.0.why": "␛[2J",
		"live.mode": "never", "live.from": "stored", "live.age_seconds": "90",
		"findings.#": "2", "findings.0.check": "clean-env", "findings.1.check": "denials", "findings.0.voids": "true",
		"findings.0.duration_ms":       "1500",
		"findings.0.launches.0.launch": "plain", "findings.0.launches.0.status": "fail",
		"findings.0.launches.0.summary": "␛[2J", "findings.0.launches.1.summary": "held",
	} {
		if got := gjson.Get(doc, path); !got.Exists() || got.String() != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
	never := document(t, func(c *jsonv1.Collector) {
		c.Emit(engine.Judged{Verdict: report.Degraded, Live: "never", From: engine.FromNowhere})
	})
	if got := gjson.Get(never, "live.age_seconds"); !got.Exists() || got.Type != gjson.Null {
		t.Errorf("the age of nothing is %s", got.Raw)
	}
	if other := document(t, func(*jsonv1.Collector) {}); gjson.Get(other, "live").Exists() ||
		gjson.Get(other, "launches").Exists() {
		t.Error("a document that is no report has a report's keys")
	}
}

// TestTheContractOfDoctor: the parts of probes, and the data of questions,
// without secrets.
func TestTheContractOfDoctor(t *testing.T) {
	const secret = "ghp_0123456789abcdef0123456789abcdef0123"
	x := report.Explanation{Kind: "env", Subject: "A", Notes: []report.Note{{Text: "n " + secret}},
		Rulings: []report.Ruling{{Launches: []report.Launch{report.Plain}, Who: "a", Does: "b",
			Answer: report.Allowed, Why: secret, By: []report.Evidence{report.FileEvidence("/f:1", secret)},
			Tried: &report.Tried{Answer: report.Allowed, Said: secret, Expected: report.Denied}}}}
	doc := document(t, func(c *jsonv1.Collector) {
		c.Emit(engine.ProbeStep{ID: "docker", Column: engine.Inside, Status: report.Unknown, Summary: "trying"})
		c.Emit(engine.ProbeStep{ID: "docker", Column: engine.Inside, Status: report.Fail, Summary: "seccomp " + secret})
		c.Emit(engine.ProbeStep{ID: "docker", Column: engine.WithFix, Status: report.Warn, Summary: "one"})
		c.Emit(engine.ProbeStep{ID: "docker", Column: engine.WithFix, Status: report.Warn, Summary: "two"})
		c.Data(jsonv1.ExplanationOf(x))
	})
	for path, want := range map[string]string{
		"probes.docker.inside.#": "1", "probes.docker.inside.0.status": "fail", "probes.docker.fix.#": "2",
		"probes.docker.fix.1.summary": "two",
		"data.kind":                   "env", "data.subject": "A", "data.notes.#": "1", "data.rulings.0.launches.0": "plain",
		"data.rulings.0.answer": "allowed", "data.rulings.0.by.0.where": "/f:1",
		"data.rulings.0.tried.expected": "denied",
	} {
		if got := gjson.Get(doc, path).String(); got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
	if strings.Contains(doc, secret) {
		t.Errorf("a secret is in %s", doc)
	}
	if x.Rulings[0].Why != secret || x.Rulings[0].Tried.Said != secret {
		t.Error("what was given to be shown was changed")
	}
	unknown := document(t, func(c *jsonv1.Collector) { c.Data(jsonv1.AdviceOf(catalog.Answer{}, false, nil, nil)) })
	if got := gjson.Get(unknown, "data").Raw; strings.Join(strings.Fields(got), "") != `{"entry":null,"nearest":[]}` {
		t.Errorf("nothing known is %s", got)
	}
}

// TestProbesAreInTheOrderOfTheContract, in which they begin, whichever ends
// first; what does not apply is left out, and who refused has a key of its own.
func TestProbesAreInTheOrderOfTheContract(t *testing.T) {
	ids := []report.ID{"ssh-agent", "docker", "egress"}
	doc := document(t, func(c *jsonv1.Collector) {
		for _, id := range ids {
			c.Emit(engine.CheckStarted{ID: id})
		}
		for _, i := range []int{2, 0, 1} {
			c.Emit(engine.ProbeStep{ID: ids[i], Column: engine.Outside, Status: report.Skip, Summary: "not installed"})
			c.Emit(engine.ProbeStep{ID: ids[i], Column: engine.WithFix, Status: report.Skip})
			c.Emit(engine.CheckDone{Finding: report.Finding{Check: ids[i], Layer: report.LayerSandbox, Status: report.Fail,
				Summary: "s", Evidence: []report.Evidence{
					report.RefusalEvidence("seccomp"), report.EnvEvidence("layer", "no"), report.RefusalEvidence("mount"),
					report.RefusalEvidence("seccomp")}}})
		}
	})
	for path, want := range map[string]string{
		"findings.#.check": `["ssh-agent","docker","egress"]`, "findings.0.refused_by": `["seccomp","mount"]`,
		"findings.0.layer":               `"sandbox"`,
		"probes.docker.outside.0.status": `"skip"`, "probes.docker.fix": "",
	} {
		if got := strings.Join(strings.Fields(gjson.Get(doc, path).Raw), ""); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
	plain := document(t, func(c *jsonv1.Collector) { c.Emit(engine.CheckDone{Finding: report.Finding{}.Complete()}) })
	if gjson.Get(plain, "findings.0.refused_by").Exists() {
		t.Error("a finding that nothing refused names who refused it")
	}
}

// Whatever a project calls its files, branches and keys, the document is
// plain to look at, and a program reads the same names out of it.
func TestNothingHostileStandsInTheDocument(t *testing.T) {
	const evil = "a\x1b[2J\u009b31m\u202eb\u2066\u200e\u061c\u2028\u200b\ufeff\x7f\U000e0041"
	doc := document(t, func(c *jsonv1.Collector) {
		c.Emit(engine.PlanReady{Plan: report.NewPlan([]report.Section{{Items: []report.Item{
			report.Change{ID: "c", Path: "/" + evil, Target: "/" + evil, Before: []byte(evil), After: []byte("x"), Why: evil},
			report.Command{ID: "r", Line: "cat " + evil, Why: evil, Where: evil}}}}), Apply: evil})
		c.Emit(engine.CheckDone{Finding: report.Finding{Check: "scope", Layer: report.LayerSandbox, Status: report.Fail,
			Summary:  evil,
			Evidence: []report.Evidence{report.FileEvidence("/"+evil, evil)},
			Launches: []report.LaunchStatus{{Launch: report.Plain, Status: report.Fail, Summary: evil}},
			Remedies: []report.Remedy{report.Command{Line: "cat " + evil, Why: evil},
				report.DocLink{Title: evil, Target: "/" + evil}}}})
		c.Fail(1, &report.Error{Code: 1, What: evil, Where: evil, Why: evil, Next: evil})
	})
	for i, r := range doc {
		if r < ' ' && r != '\n' || r == '\x7f' || r >= 0x80 && (!unicode.IsPrint(r) ||
			unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)) {
			t.Fatalf("%U at %d: %q", r, i, doc[max(0, i-40):i])
		}
	}
	for _, path := range []string{"findings.0.evidence.0.where", "findings.0.remedies.1.target", "plan.items.0.path"} {
		if got := gjson.Get(doc, path).String(); got != "/"+evil {
			t.Errorf("%s is %q", path, got)
		}
	}
	if got := gjson.Get(doc, "findings.0.remedies.0.line").String(); got != "cat "+evil {
		t.Errorf("the line is %q", got)
	}
}
