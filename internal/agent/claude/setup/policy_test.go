// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the plan says of the policy is true of the session
// that starts after it, and what an answer cannot mean is refused.

package setup

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/steps/install"
)

// inProject is a proposer in the repository ~/p.
func (d *dwelling) inProject() *proposer {
	d.t.Helper()
	testenv.Need(d.t, "git")
	cmd := exec.Command("git", "init", "-q", d.path("p"))
	d.put("p/README", "", 0o644)
	cmd.Env = testenv.Env(d.t, d.home)
	if out, err := cmd.CombinedOutput(); err != nil {
		d.t.Fatalf("%v\n%s", err, out)
	}
	p := d.proposer()
	p.opts.Project = d.path("p")
	p.Project = testenv.Must(install.FindProject(context.Background(), p.r, p.opts.Project, false))(d.t)
	return p
}

func (d *dwelling) policy() report.Section {
	d.t.Helper()
	s, err := d.inProject().policy(context.Background())
	if err != nil {
		d.t.Fatal(err)
	}
	return s
}

// weak lists the places of what a section says weakens the policy.
func weak(d *dwelling, findings []report.Finding) (places string) {
	var list []string
	for _, f := range findings {
		if f.Check == "policy-invariants" {
			for _, e := range f.Evidence {
				list = append(list, string(f.Status)+" "+strings.TrimPrefix(e.Where, d.home+"/"))
			}
		}
	}
	return strings.Join(list, ", ")
}

func TestThePlanNamesWhatWeakensInEveryFile(t *testing.T) {
	testenv.AsUser(t)
	const user, project, local = ".claude/settings.json", "p/.claude/settings.json", "p/.claude/settings.local.json"
	for _, tt := range []struct {
		name, to string
		files    map[string]string
		want     string
	}{
		{"nothing", "project", nil, ""},
		{"for this checkout", "project", map[string]string{local: `{"sandbox":{"enabled":false,"filesystem":{"disabled":true}}}`}, "fail " + local + ":1:23"},
		{"in each of three", "project", map[string]string{user: `{"apiKeyHelper":"x"}`,
			project: `{"sandbox":{"excludedCommands":["a"]}}`, local: `{"sandbox":{"excludedCommands":["b"]}}`},
			"warn " + local + ":1:33, warn " + project + ":1:33, warn " + user + ":1:17"},
		{"an allow rule that the answer closes", "project",
			map[string]string{project: `{"permissions":{"allow":["Bash(a *)"]}}`}, ""},
		{"a mode that the policy closes", "project",
			map[string]string{user: `{"permissions":{"defaultMode":"bypassPermissions"}}`}, ""},
		{"what the policy overrules", "project",
			map[string]string{user: `{"sandbox":{"enabled":false,"autoAllowBashIfSandboxed":true}}`}, ""},
		{"what overrules the policy", "user", map[string]string{project: `{"sandbox":{"enabled":false}}`}, "fail " + project +
			":1:23"},
		{"the policy's own file", "user", map[string]string{user: `{"sandbox":{"excludedCommands":["docker *"]}}`}, "warn " +
			user + ":1:33"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDwelling(t, "/bin/bash")
			d.answers["policy-to"] = []string{tt.to}
			for name, text := range tt.files {
				d.put(name, text, 0o644)
			}
			if got := weak(d, d.policy().Findings); got != tt.want {
				t.Errorf("%s\nwant %s", got, tt.want)
			}
			// Each once: the wiring of the user's settings repeats nothing.
			if got := d.inProject().weakenings(); got != nil {
				t.Errorf("said again: %v", got)
			}
		})
	}
}

// A file with hundreds of allow rules is one warning.
func TestThePlanGroupsEqualWarnings(t *testing.T) {
	d := newDwelling(t, "/bin/bash")
	d.answers["sandbox-only"] = []string{"no"}
	rules := make([]string, 400)
	for i := range rules {
		rules[i] = fmt.Sprintf(`"Bash(npm run task%d *)"`, i)
	}
	d.put("p/.claude/settings.json", `{"permissions":{"allow":[`+strings.Join(rules, ",")+`]}}`, 0o644)
	warned := slices.DeleteFunc(d.policy().Findings, func(f report.Finding) bool { return f.Check != "policy-invariants" })
	if len(warned) != 1 || len(warned[0].Evidence) != len(rules) {
		t.Errorf("%d warnings: %v", len(warned), warned)
	}
}

func TestWithoutAPolicySectionTheWiringNamesThem(t *testing.T) {
	d := newDwelling(t, "/bin/bash")
	d.answers["skip"] = []string{"policy"}
	d.put(".claude/settings.json", `{"apiKeyHelper":"x"}`, 0o644)
	if got := weak(d, d.inProject().weakenings()); got != "warn .claude/settings.json:1:17" {
		t.Error(got)
	}
}

func TestAFileThatTheRuntimeDropsIsNamed(t *testing.T) {
	d := newDwelling(t, "/bin/bash")
	d.put("p/.claude/settings.local.json", `{"sandbox":{"enabled":"true"}}`, 0o644)
	for _, f := range d.policy().Findings {
		if f.Status == report.Fail && strings.HasSuffix(f.Evidence[0].Where, "settings.local.json:1:23") {
			return
		}
	}
	t.Error("nothing is said of it")
}

// Whom the policy protects depends on where it stands.
func TestThePlanSaysForWhomThePolicyHolds(t *testing.T) {
	for to, want := range map[string]string{"project": "it applies to everyone", "local": "to you, here",
		"user": "to you, in every project"} {
		d := newDwelling(t, "/bin/bash")
		d.answers["policy-to"] = []string{to}
		if got := d.policy().Why; !strings.Contains(got, want) || to != "project" && strings.Contains(got,
			"is committed") {
			t.Errorf("%s: %q", to, got)
		}
	}
}

func TestTakingWhatIsNoConflict(t *testing.T) {
	testenv.AsUser(t)
	const off = `{"sandbox":{"enabled":false,"autoAllowBashIfSandboxed":true}}`
	for _, tt := range []struct{ have, take, next string }{
		{off, "nosuch", "name one of these: sandbox.enabled, sandbox.autoAllowBashIfSandboxed"},
		{off, "sandbox", "name one of these"},
		{`{}`, "nosuch", "they do not differ"},
		{off, "sandbox.enabled", ""},
		// The line that took it can be run again.
		{`{"sandbox":{"enabled":true}}`, "sandbox.enabled", ""},
		{`{}`, "sandbox.enabled", ""},
	} {
		d := newDwelling(t, "/bin/bash")
		d.put("p/.claude/settings.json", tt.have, 0o644)
		d.answers["take"] = []string{tt.take}
		_, err := d.inProject().policy(context.Background())
		e, refused := errors.AsType[*report.Error](err)
		if refused != (tt.next != "") || refused && (e.Code != report.ExitUsage || e.Where != "--take" ||
			!strings.Contains(e.Next, tt.next)) {
			t.Errorf("--take=%s with %s: %v (%+v)", tt.take, tt.have, err, e)
		}
	}
}

// Once an alias sends plain claude through the wrapper, its price is gone;
// that of other starts is not.
func TestTheAliasTakesItsPriceAway(t *testing.T) {
	for alias, open := range map[string]bool{"no": true, "yes": false} {
		d := newDwelling(t, "/bin/bash")
		d.answers["alias"] = []string{alias}
		got := strings.Join(d.wrapper().Exposes, " ")
		if strings.Contains(got, "plain claude") != open || !strings.Contains(got, "an editor's") {
			t.Errorf("alias %s: %q", alias, got)
		}
	}
	d := newDwelling(t, "/bin/bash")
	d.answers["alias"], d.answers["wrapper"] = []string{"yes"}, []string{"keep"}
	if got := strings.Join(d.wrapper().Exposes, " "); !strings.Contains(got, "plain claude") {
		t.Errorf("without a claude-iso: %q", got)
	}
}

func TestTheScopeSectionNamesTheCommandAndTheScopeInForce(t *testing.T) {
	d := newDwelling(t, "/bin/bash")
	s, err := d.inProject().scope(context.Background())
	if err != nil || !strings.Contains(s.Why, "run steward-setup scope whole-user") ||
		s.Findings[0].Summary != "per-project" {
		t.Errorf("%v %q %+v", err, s.Why, s.Findings)
	}
	d.put(".gitconfig", "[core]\n\thooksPath = ~/.claude/git-hooks\n", 0o644)
	if s, err = d.inProject().scope(context.Background()); err != nil || s.Findings[0].Summary != "whole-user" {
		t.Errorf("%v %+v", err, s.Findings)
	}
}

// TestThePlanSaysWhatVerifyWillSayOfAnOmission: of one that verify fails, by its own
// judgement; what other settings have in force is not missing.
func TestThePlanSaysWhatVerifyWillSayOfAnOmission(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	const hidden = "sandbox.filesystem.denyRead:~/"
	for _, c := range []struct {
		omit, own string
		verdict   report.Verdict
	}{
		{"sandbox.enabled", "", report.Unprotected},
		{"sandbox.enabled", `{"sandbox":{"enabled":true}}`, ""},
		{hidden, "", report.Unprotected},
		{"sandbox.failIfUnavailable", "", report.Degraded},
		{"sandbox.credentials.files:~/.ssh/", "", ""},
	} {
		d := newDwelling(t, "/bin/bash")
		if c.own != "" {
			d.put(ownSettings, c.own, 0o600)
		}
		d.answers["omit"] = []string{c.omit}
		said := ""
		for _, f := range d.policy().Findings {
			if f.Check == "project-settings" {
				said += string(f.Status) + " " + f.Summary
			}
		}
		if want := c.verdict != ""; want != strings.HasPrefix(said, "warn ") ||
			want && (!strings.Contains(said, " "+string(c.verdict)+" ") || !strings.HasSuffix(said, " "+c.omit)) {
			t.Errorf("%+v: %q", c, said)
		}
	}
}
