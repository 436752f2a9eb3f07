// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package verify_test

import (
	"testing"

	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/trial"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// A recorded call is judged by what is recorded of its machine, too.
func TestWhatIsRecordedOfTheMachineDecides(t *testing.T) {
	host := []trial.Probe{{ID: "host", Title: "reaches a host", Call: model.Bash("curl x"), Below: trial.Network,
		Subject: "x", Through: trial.Through{Hit: "/x"}}}
	played := func(name string, hits ...string) verify.Session {
		return verify.Session{Name: name, Launch: report.Plain, Probes: host, Raw: rehearsal.Raw{Agent: "fake", Asked: true,
			Stream: "0/0 done\nbye\n", Hits: hits, Results: map[string]model.Result{model.ID(0, 0): {Text: "refused"}}}}
	}
	twin := played(verify.Twin, "/x")
	status := func(e verify.Evidence, l report.Launch, at report.StartDir) report.Status {
		rep, _ := e.Judge()
		c, _ := report.CoverOf(rep.Covers, l, at)
		if c.Status == report.Pass { // what is behind a proxy is said by the finding
			return rep.Findings[0].Status
		}
		return c.Status
	}
	proxy := &report.Evidence{Kind: "file", Where: "/s:1", Text: "a proxy"}
	for _, start := range []struct {
		session string
		at      report.StartDir
	}{{verify.PlainRoot, report.AtRoot}, {verify.PlainOther, report.AtOther}} {
		s := played(start.session)
		e := verify.Evidence{Played: verify.Played{Sessions: []verify.Session{s, twin}}}
		if got := status(e, report.Plain, start.at); got != report.Pass {
			t.Errorf("%s: %s without a proxy", start.session, got)
		}
		s.Proxied = proxy
		e.Played.Sessions = []verify.Session{s, twin}
		if got := status(e, report.Plain, start.at); got != report.Unknown {
			t.Errorf("%s: %s behind a proxy", start.session, got)
		}
		s.Proxied, s.Failed = nil, "it broke"
		e.Played.Sessions = []verify.Session{s, twin}
		if got := status(e, report.Plain, start.at); got != report.Unknown {
			t.Errorf("%s: %s of a session without a result", start.session, got)
		}
	}
	if rep, _ := (verify.Evidence{}).Judge(); rep.Verdict != report.Degraded {
		t.Errorf("%s, and nothing was played", rep.Verdict)
	}
	// Of a verdict alone, or a finding, that is better than what was played it is said, too.
	written := verify.Evidence{Untested: "bwrap is missing"}
	rep, _ := written.Judge()
	written.Findings, written.Verdict = rep.Findings, report.Protected
	if _, differs := written.Judge(); len(differs) != 1 || differs[0].Where != "verdict" {
		t.Errorf("a verdict that is written better: %v", differs)
	}
	written.Verdict = rep.Verdict
	for i := range written.Findings {
		written.Findings[i].Status = report.Pass
	}
	if _, differs := written.Judge(); len(differs) != 1 || differs[0].Where != "denials" {
		t.Errorf("a finding that is written better: %v", differs)
	}
	e := verify.Evidence{Played: verify.Played{Refused: "its approval is another"}}
	if got := status(e, report.Iso, report.AtWorktree); got != report.Skip {
		t.Errorf("a launch that is refused: %s", got)
	}
}
