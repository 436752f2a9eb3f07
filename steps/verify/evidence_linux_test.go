// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package verify_test

import (
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// rejudged holds the evidence of a run against its report: who has the file alone
// comes to the same, and a call or a judgement that is another is seen.
func rejudged(t *testing.T, h host.Reader, o verify.Options, rep verify.Report, live *verify.Rehearsal) {
	t.Helper()
	files := verify.Deciding(t.Context(), h, o)
	read := func(e verify.Evidence) (verify.Report, []report.Evidence) {
		t.Helper()
		e = testenv.Must(verify.ReadEvidence("e.json", testenv.Must(e.File())(t)))(t)
		if !maps.Equal(e.Files, files) || len(files) == 0 {
			t.Errorf("decided by %v, not %v", e.Files, files)
		}
		return e.Judge()
	}
	e := verify.EvidenceOf(t.Context(), h, o, rep, live)
	e.Files, e.Version = files, "v1"
	got, differs := read(e)
	if differs != nil || got.Verdict != rep.Verdict {
		t.Errorf("judged again: %s, not %s: %v", got.Verdict, rep.Verdict, differs)
	}
	if e.Untested != "" {
		return
	}
	if len(e.Machine.RuntimeDigest) != 64 || e.Machine.Kernel == "" || e.Machine.Tools["bubblewrap"] == "" {
		t.Errorf("played with %+v", e.Machine)
	}

	// A better finding, verdict or judgement than the calls show is not believed.
	better := e
	better.Verdict = report.Protected
	better.Findings = nil
	for _, f := range e.Findings {
		f.Status, f.Voids, f.Launches, f.Covers = report.Pass, false, nil, nil
		better.Findings = append(better.Findings, f)
	}
	if got, differs := better.Judge(); len(differs) == 0 || got.Verdict != rep.Verdict {
		t.Errorf("believed: %s, %v", got.Verdict, differs)
	}
	if _, err := better.File(); err == nil {
		t.Error("a file is written that its calls do not show")
	}
	better = e
	better.Played.Sessions = append([]verify.Session{}, e.Played.Sessions...)
	for i, s := range better.Played.Sessions {
		better.Played.Sessions[i].Judged = append([]verify.Judgement{}, s.Judged...)
		for n := range s.Judged {
			better.Played.Sessions[i].Judged[n].Status = report.Pass
		}
	}
	wrong := 0
	for _, s := range e.Played.Sessions {
		for _, j := range s.Judged {
			if j.Status != report.Pass {
				wrong++
			}
		}
	}
	if _, differs := better.Judge(); len(differs) != wrong {
		t.Errorf("%d of %d judgements are seen to be others", len(differs), wrong)
	}
	// Without the twin nothing that the system denies is known to be a denial.
	better = e
	better.Played.Sessions = nil
	for _, s := range e.Played.Sessions {
		if s.Name != verify.Twin {
			better.Played.Sessions = append(better.Played.Sessions, s)
		}
	}
	if _, differs := better.Judge(); len(differs) == 0 && e.Played.Sessions[0].Failed == "" {
		t.Error("the twin is not missed")
	}
}

// What is no evidence is refused with its place, before anything is judged.
func TestEvidenceThatIsNoneIsRefused(t *testing.T) {
	good := string(testenv.Must(verify.Evidence{At: time.Unix(1_000_000, 0).UTC(), Untested: "bwrap is missing",
		Verdict: report.Degraded, Findings: []report.Finding{{Check: "denials", Layer: report.LayerSandbox,
			Status: report.Unknown, Summary: "x", Evidence: []report.Evidence{report.EnvEvidence("a", "b")}}}}.File())(t))
	testenv.Must(verify.ReadEvidence("e.json", []byte(good)))(t)
	for want, text := range map[string]string{
		"e.json:1:1: is not understood":                 "x",
		"e.json:1:1: is not understood: unexpected end": "",
		"e.json: is no evidence":                        `{"schema_version": 1, "sessions": []}`,
		"e.json: has schema 2":                          strings.Replace(good, `version": 1`, `version": 2`, 1),
		"e.json: has schema 0":                          strings.Replace(good, `version": 1`, `version": 0`, 1),
		"e.json: is damaged or was edited":              strings.Replace(good, "bwrap", "socat", 1),
		"e.json:2:22: is not understood":                strings.Replace(good, `version": 1`, `version": "1"`, 1),
		"e.json: is larger than":                        good + strings.Repeat(" ", 8<<20),
		"e.json:3:9: is not understood: invalid":        "{\n\"kind\":\n\"aaaaaa}\x01",
		`e.json: has a session "x", which there is no`:  resealed(t, good, `"sessions": null`, `"sessions": [{"name": "x"}]`),
		`e.json: lacks the session "claude in the proj`: resealed(t, good, `"untested": "bwrap is missing",`, ""),
		`e.json: has 1001 calls in a session, with rep`: resealed(t, good, `"sessions": null`,
			`"sessions": [{"name": "claude in the project", "calls": [{}`+strings.Repeat(", {}", 1000)+`]}]`),
		`e.json: has 20 calls in a session, with repli`: resealed(t, good, `"sessions": null`,
			`"sessions": [{"name": "claude in the project", "calls": [{}`+strings.Repeat(", {}", 19)+
				`], "raw": {"results": {"a": {"Text": "`+strings.Repeat("x", 4<<20)+`"}}}}]`),
		`e.json: has the call "b" without its input`: resealed(t, good, `"sessions": null`,
			`"sessions": [{"name": "claude in the project", "calls": [{"ID": "b", "Call": {"Act": "run"}}]}]`),
		`e.json: has the call "a" in turn 9999`: resealed(t, good, `"sessions": null`,
			`"sessions": [{"name": "claude in the project", "calls": [{"ID": "a", "Turn": 9999}]}]`),
		`e.json: has a finding "denials" without a sta`: resealed(t, good, `"status": "unknown"`, `"status": "fine"`),
		`e.json: has a finding "denials" of the layer`:  resealed(t, good, `"layer": "sandbox"`, `"layer": "x"`),
		"e.json: does not say when the test was":        resealed(t, good, `"at": "1970-01-12T13:46:40Z",`, ""),
		`e.json: is not understood: json: unknown fiel`: resealed(t, good, `"verdict"`, `"verdikt"`),
		"e.json:8:15: is not understood":                resealed(t, good, `"project": ""`, `"project": 12`),
	} {
		_, err := verify.ReadEvidence("e.json", []byte(text))
		e, ok := errors.AsType[*report.Error](err)
		if !ok || e.Code != report.ExitMalformed || !strings.HasPrefix(e.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
