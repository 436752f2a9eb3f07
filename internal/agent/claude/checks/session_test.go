// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a setup passes when the policy would be in force in a
// session, and what a warning says is true of that session.

package checks

import (
	"context"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/templates"
)

// project makes the repository ~/p with the policy, and files beside it.
func (h household) project(files map[string]string) host.Reader {
	h.t.Helper()
	testenv.Need(h.t, "git")
	h.put("p/.claude/settings.json", string(templates.Settings), 0o644)
	for name, text := range files {
		h.put(name, text, 0o644)
	}
	cmd := exec.Command("git", "init", "-q", filepath.Join(h.home, "p"))
	cmd.Env = testenv.Env(h.t, h.home)
	if out, err := cmd.CombinedOutput(); err != nil {
		h.t.Fatalf("%v\n%s", err, out)
	}
	return h.reader("PATH=/usr/local/bin:/usr/bin:/bin")
}

const (
	usersFile = ".claude/settings.json"
	ownFile   = "p/.claude/settings.json"
	localFile = "p/.claude/settings.local.json"
)

func TestThePolicyInForce(t *testing.T) {
	for _, tt := range []struct {
		name   string
		files  map[string]string
		status report.Status
		word   string // of the summary, the evidence or a remedy
		// weak is what policy-invariants says, and not what it must not.
		weak, not string
	}{
		{"as installed", nil, report.Pass, "policy in place (project scope)", "nothing in the settings weakens it", ""},
		{"switched off by the user, on by the project", map[string]string{usersFile: `{"sandbox":{"enabled":false}}`},
			report.Pass, "project scope", "nothing in the settings weakens it", "outside the sandbox"},
		{"switched off for this checkout", map[string]string{localFile: `{"sandbox":{"enabled":false}}`},
			report.Fail, "sandbox.enabled is false in local scope", "", ""},
		{"named by its key", map[string]string{localFile: `{"sandbox":{"enabled":false}}`},
			report.Fail, "remove the key sandbox.enabled", "", ""},
		{"may start without", map[string]string{localFile: `{"sandbox":{"failIfUnavailable":false}}`},
			report.Fail, "sandbox.failIfUnavailable is false in local scope", "", ""},
		{"files open by the user", map[string]string{usersFile: `{"sandbox":{"filesystem":{"disabled":true}}}`},
			report.Fail, "sandbox.filesystem.disabled is true in user scope", "", ""},
		{"files open by the project, which is ignored",
			map[string]string{localFile: `{"sandbox":{"filesystem":{"disabled":true}}}`},
			report.Pass, "project scope", "nothing in the settings weakens it", "every file"},
		{"everything is excluded", map[string]string{usersFile: `{"sandbox":{"excludedCommands":["*"]}}`},
			report.Fail, "Every command runs outside", "", ""},
		{"the setup of a careless user", map[string]string{usersFile: `{"sandbox":{"filesystem":{"disabled":true},"excludedCommands":["*"]},"permissions":{"allow":["Bash(gh *)"]}}`},
			report.Fail, "remove the entry sandbox.excludedCommands.0", "", ""},
		{"one command is excluded", map[string]string{usersFile: `{"sandbox":{"excludedCommands":["docker *"]}}`},
			report.Pass, "project scope", "1 setting weakens protection", "Every command"},
		{"two settings", map[string]string{usersFile: `{"env":{"GIT_EDITOR":"vi"},"permissions":{"allow":["Bash(gh *)"]}}`},
			report.Pass, "project scope", "2 settings weaken protection", ""},
		{"an allow rule that cannot lead outside", map[string]string{usersFile: `{"permissions":{"allow":["Bash(gh *)"]}}`,
			localFile: `{"sandbox":{"allowUnsandboxedCommands":false}}`},
			report.Pass, "project scope", "nothing in the settings weakens it", "Bash(gh *)"},
		{"an allow rule that a deny rule overrules",
			map[string]string{usersFile: `{"permissions":{"allow":["Bash(gh *)"],"deny":["Bash(gh *)"]}}`},
			report.Pass, "project scope", "nothing in the settings weakens it", "Bash(gh *)"},
		{"a variable that is set twice", map[string]string{usersFile: `{"env":{"GIT_EDITOR":"vi"}}`,
			localFile: `{"env":{"GIT_EDITOR":"ed"}}`},
			report.Pass, "project scope", "1 setting weakens protection", usersFile + ":"},
		{"a file that is thrown away", map[string]string{localFile: `{"sandbox":{"enabled":true},}`},
			report.Fail, localFile + ":1:28", "ignores this file", ""},
		{"a type that costs the whole file", map[string]string{localFile: `{"sandbox":{"enabled":"true"}}`},
			report.Fail, localFile + ":1:23", "ignores this file", ""},
		{"nothing at all", map[string]string{ownFile: `{}`}, report.Fail,
			"no settings file has a complete policy", "no settings switch the sandbox on", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHousehold(t)
			r, dir := h.project(tt.files), filepath.Join(h.home, "p")
			f := checkPolicy(context.Background(), r, dir)
			if got := said(f); f.Status != tt.status || !strings.Contains(got, tt.word) || len(f.Evidence) == 0 {
				t.Errorf("%s %s\nwant %s %q", f.Status, got, tt.status, tt.word)
			}
			weak := said(checkWeakenings(context.Background(), r, dir))
			// What was looked at is named in any case.
			weak = strings.ReplaceAll(weak, "settings.json: looked at", "")
			if !strings.Contains(weak, tt.weak) || tt.not != "" && strings.Contains(weak, tt.not) {
				t.Errorf("weakenings: %s\nwant %q and not %q", weak, tt.weak, tt.not)
			}
		})
	}
}

// said is all that a finding says.
// held holds what findings say against a golden file, a section for each case.
func held(t *testing.T, name string) func(h household, test string, f report.Finding) {
	t.Helper()
	s := testenv.NewSections(t, filepath.Join("testdata", name+".txt"),
		"go test ./internal/agent/claude/checks -run "+t.Name()+" -update")
	return func(h household, test string, f report.Finding) {
		text := strings.ReplaceAll(said(f), h.home, "~")
		s.Put(test, temporary.ReplaceAllString(text, "TMP"))
	}
}

// temporary is a directory of a test.
var temporary = regexp.MustCompile(`[\w./-]*/Test[^/\s]*/\d{3}`)

func said(f report.Finding) string {
	lines := []string{f.Summary}
	for _, e := range f.Evidence {
		lines = append(lines, e.Where+": "+e.Text)
	}
	for _, r := range f.Remedies {
		if link, ok := r.(report.DocLink); ok {
			lines = append(lines, link.Title+" "+link.Target)
		}
	}
	return strings.Join(lines, "\n")
}

func TestHooksThatAreSwitchedOffAreNamedByTheirKey(t *testing.T) {
	h := newHousehold(t)
	h.put(usersFile, `{"model":"x","disableAllHooks":true}`, 0o600)
	if got := said(checkWiring(t.Context(), h.reader(), h.home)); !strings.Contains(got, "remove the key disableAllHooks "+
		filepath.Join(h.home, usersFile)+":1:32") {
		t.Error(got)
	}
}
