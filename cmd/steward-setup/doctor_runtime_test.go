// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the runtime does counts, also where its settings say
// otherwise, and asking changes nothing.

package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// asked runs doctor in a project of h and returns what it says as JSON.
func asked(t *testing.T, h *hooked, args ...string) (x report.Explanation, code int) {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "bin")
	testenv.OK(t, os.MkdirAll(bin, 0o755))
	testenv.OK(t, os.Symlink(h.claude, filepath.Join(bin, "claude")))
	program := testenv.Must(exec.LookPath("steward-setup"))(t)
	cmd := exec.Command(program, append([]string{"doctor", "--json"}, args...)...)
	cmd.Dir = h.project
	cmd.Env = testenv.Env(t, h.home, append([]string{"PATH=" + bin + ":" + filepath.Dir(program) + ":/usr/bin:/bin"},
		h.vars...)...)
	before := testenv.Must(readTree(h.home))(t)
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		code = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	after := testenv.Must(readTree(h.home))(t)
	if lines := before.compare(after, []string{".cache/steward-setup", ".local/state/steward-setup"}); lines != nil {
		t.Errorf("asking changed %q", lines)
	}
	doc := struct{ Data *report.Explanation }{&x}
	if err := json.Unmarshal(out, &doc); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return x, code
}

// said finds what is said of a start.
func said(t *testing.T, x report.Explanation, l report.Launch, who, does string) report.Ruling {
	t.Helper()
	for _, r := range x.Rulings {
		for _, launch := range r.Launches {
			if launch == l && r.Who == who && r.Does == does {
				return r
			}
		}
	}
	t.Fatalf("nothing is said of %s: %s %s\n%+v", l, who, does, x)
	return report.Ruling{}
}

const policyForDoctor = `{"sandbox": {"enabled": true, "failIfUnavailable": true,
	"filesystem": {"denyRead": ["~/"], "allowRead": ["."]},
	"credentials": {"envVars": [{"name": "SOME_TOKEN", "mode": "deny"}]}}}`

// TestWhatIsTriedAgrees: on the pinned version a question is answered the same by
// the settings and by the runtime, for both starts. Every kind of question is
// TestEveryKindOfQuestionIsTried of internal/agent/claude/explain.
func TestWhatIsTriedAgrees(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	h := newHooked(t, testenv.Claude(t))
	h.put("p/.claude/settings.json", policyForDoctor)
	x, code := asked(t, h, "--explain-path", "~/secret.txt", "--live")
	if code != report.ExitOK {
		t.Errorf("exit code %d\n%+v", code, x)
	}
	for _, does := range []string{"reads it", "writes it"} {
		for _, l := range []report.Launch{report.Plain, report.Iso} {
			r := said(t, x, l, "a sandboxed command", does)
			if r.Answer != report.Denied || r.Tried == nil || r.Tried.Answer != report.Denied || r.Tried.Expected != "" {
				t.Errorf("%s %s: %+v, tried %+v", l, does, r, r.Tried)
			}
		}
	}
}

// TestWhatTheRuntimeDoesCounts: 2.1.141 does not know the credentials of the
// sandbox and hands the variable on. Without trying it the settings are all
// there is to see; tried, the difference is said, and the exit code is that of
// an open denial.
func TestWhatTheRuntimeDoesCounts(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	h := newHooked(t, testenv.ClaudeOld(t))
	h.put("p/.claude/settings.json", policyForDoctor)
	x, code := asked(t, h, "--explain-env", "SOME_TOKEN")
	if r := said(t, x, report.Plain, "a sandboxed command", "sees it"); r.Answer != report.Denied || r.Tried != nil ||
		code != report.ExitOK {
		t.Errorf("not tested: %+v, exit code %d", r, code)
	}
	x, code = asked(t, h, "--explain-env", "SOME_TOKEN", "--live")
	r := said(t, x, report.Plain, "a sandboxed command", "sees it")
	if r.Answer != report.Allowed || r.Tried == nil || r.Tried.Expected != report.Denied ||
		code != report.ExitUnprotected {
		t.Errorf("tried: %+v, %+v, exit code %d", r, r.Tried, code)
	}
	if !strings.Contains(r.By[0].Where, "/p/.claude/settings.json:3:") {
		t.Errorf("what said otherwise is not named: %+v", r.By)
	}
}
