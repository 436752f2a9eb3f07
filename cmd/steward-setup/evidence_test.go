// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: evidence that says otherwise than its calls show protects nobody.

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/model"
	"github.com/steward-setup/steward-setup/internal/rehearsal"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/internal/trial"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// TestEvidenceThatDisagreesIsNotProtected: all of its calls are denials, and its own judgements
// are not there.
func TestEvidenceThatDisagreesIsNotProtected(t *testing.T) {
	host := []trial.Probe{{ID: "host", Title: "reaches a host", Call: model.Bash("curl x"), Below: trial.Network,
		Subject: "x", Through: trial.Through{Hit: "/x"}}}
	played := func(name string, hits ...string) verify.Session {
		return verify.Session{Name: name, Launch: report.Plain, Probes: host, Raw: rehearsal.Raw{Agent: "claude-code",
			Asked: true, Stream: `{"type":"result","subtype":"success"}` + "\n", Hits: hits,
			Results: map[string]model.Result{model.ID(0, 0): {Text: "refused"}}}}
	}
	body := testenv.Must(json.Marshal(verify.Evidence{At: time.Unix(1_000_000, 0), Verdict: report.Protected,
		Played: verify.Played{Sessions: []verify.Session{played(verify.PlainRoot), played(verify.Twin, "/x")}}}))(t)
	path := filepath.Join(t.TempDir(), "e.json")
	testenv.Write(t, path, fmt.Sprintf(`{"schema_version":1,"kind":"steward-setup evidence","digest":"sha256:%x",
		"body":%s}`, sha256.Sum256(body), body), 0o600)
	var out bytes.Buffer
	sys := env.System{Env: env.New(testenv.Env(t, testenv.Home(t))), GOOS: "linux", UID: os.Getuid(),
		Cwd: filepath.Dir(path), Now: time.Now}
	code := run(t.Context(), sys, strings.NewReader(""), &out, &out, []string{"evidence", "check", path})
	if !strings.Contains(out.String(), " days ago, says the file") {
		t.Errorf("not said to be the file's word:\n%s", out.String())
	}
	if code != report.ExitLeft || !strings.Contains(out.String(), "the file says otherwise than its own calls show") {
		t.Errorf("exit code %d:\n%s", code, out.String())
	}
}
