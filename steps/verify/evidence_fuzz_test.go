// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package verify_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// resealed is a file with something else in its body, and the digest of that.
func resealed(t testing.TB, file, from, to string) string {
	t.Helper()
	if !strings.Contains(file, from) {
		t.Fatalf("no %s in %s", from, file)
	}
	return sealed(t, strings.Replace(file, from, to, 1))
}

// sealed is a file with the digest of its body.
func sealed(t testing.TB, file string) string {
	t.Helper()
	var doc struct {
		Digest string
		Body   json.RawMessage
	}
	testenv.OK(t, json.Unmarshal([]byte(file), &doc))
	sum := sha256.Sum256(doc.Body)
	return strings.Replace(file, doc.Digest, "sha256:"+hex.EncodeToString(sum[:]), 1)
}

// FuzzEvidence: whoever made it, a file is refused or judged, and never better than
// degraded without a rehearsal.
func FuzzEvidence(f *testing.F) {
	e := verify.Evidence{At: time.Unix(1_000_000, 0), Untested: "x", Verdict: report.Degraded,
		Findings: []report.Finding{{Check: "denials", Layer: report.LayerSandbox, Status: report.Unknown, Summary: "x",
			Evidence: []report.Evidence{report.EnvEvidence("a", "b")}}}}
	good := string(testenv.Must(e.File())(f))
	_, body, _ := strings.Cut(good, `"body": `)
	body = strings.TrimSuffix(body, "\n}\n")
	f.Add(body)
	f.Add(strings.Replace(strings.Replace(body, `"untested": "x",`, "", 1), `"sessions": null`, `"sessions": [
		{"name": "claude in the project", "launch": "plain", "calls": [{"ID": "a", "Turn": 1, "With": [{"Turn": 2, "Call": {"Input": {}}}],
		"Call": {"Act": "run", "Input": {"command": [1]}}, "Neighbour": "b", "Started": "x", "Below": "y"}],
		"raw": {"session": "x", "agent": "fake", "stream": "0/0 done\nbye\n", "asked": true,
		"results": {"toolu_0_0": {"Text": "z"}}}},
		{"name": "the same without the sandbox", "calls": []}]`, 1))
	f.Fuzz(func(t *testing.T, body string) {
		if !json.Valid([]byte(body)) {
			return
		}
		file := sealed(t, `{"schema_version": 1, "kind": "steward-setup evidence", "digest": "D", "body": `+body+"}")
		e, err := verify.ReadEvidence("e.json", []byte(file))
		if err != nil {
			return
		}
		rep, _ := e.Judge()
		if e.Untested != "" && rep.Verdict == report.Protected {
			t.Errorf("protected, and nothing was tested: %s", body)
		}
	})
}
