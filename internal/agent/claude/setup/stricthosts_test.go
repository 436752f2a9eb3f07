// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: after an install with strictAllowlist every host of the
// policy counts in both launches, and no host that only a project names.

package setup

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/settings"
	"github.com/steward-setup/steward-setup/internal/agent/claude/starts"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestStrictHostsStandInTheUsersSettings(t *testing.T) {
	testenv.AsRoot(t)
	t.Parallel()
	const user, project = ".claude/settings.json", "p/.claude/settings.json"
	for _, tt := range []struct {
		name    string
		answers report.Answers
		files   map[string]string
		// want are the user's hosts after it; voided is what a finding names.
		want   []string
		voided string
	}{
		{"the answer", report.Answers{"strict-allowlist": {"yes"}, "allow-host": {"a.example.org"}}, nil,
			[]string{"a.example.org"}, ""},
		{"for this checkout", report.Answers{"strict-allowlist": {"yes"}, "allow-host": {"a.example.org"},
			"policy-to": {"local"}}, nil, []string{"a.example.org"}, ""},
		{"it is set already", report.Answers{"allow-host": {"a.example.org"}},
			map[string]string{user: `{"sandbox":{"network":{"strictAllowlist":true}}}`},
			[]string{"a.example.org"}, ""},
		{"an own host covers it", report.Answers{"strict-allowlist": {"yes"}, "allow-host": {"a.example.org"}},
			map[string]string{user: `{"sandbox":{"network":{"allowedDomains":["*.example.org"]}}}`}, []string{"*.example.org"},
			""},
		{"not wanted", report.Answers{"allow-host": {"a.example.org"}}, nil, nil, ""},
		{"the policy is the user's", report.Answers{"strict-allowlist": {"yes"}, "allow-host": {"a.example.org"},
			"policy-to": {"user"}}, nil, []string{"a.example.org"}, ""},
		{"a host that the project names by itself", report.Answers{"strict-allowlist": {"yes"},
			"allow-host": {"a.example.org"}},
			map[string]string{project: `{"sandbox":{"network":{"allowedDomains":["b.example.org"]}}}`},
			[]string{"a.example.org"}, "b.example.org"},
		{"the policy of the user's own has a list", report.Answers{"skip": {"policy"}},
			map[string]string{project: `{"sandbox":{"network":{"allowedDomains":["b.example.org"]}}}`,
				user: `{"sandbox":{"enabled":true,"filesystem":{"denyRead":["~/"]},"network":{"strictAllowlist":true,` +
					`"allowedDomains":["c.example.org"]}},"permissions":{"deny":["Read(~/.ssh/**)"]}}`},
			[]string{"c.example.org"}, "b.example.org"},
		{"the policy is left out", report.Answers{"strict-allowlist": {"yes"}, "skip": {"policy"}},
			map[string]string{project: `{"sandbox":{"network":{"allowedDomains":["b.example.org"]}}}`}, nil, "b.example.org"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDwelling(t, "/bin/bash")
			maps.Copy(d.answers, tt.answers)
			for name, text := range tt.files {
				d.put(name, text, 0o644)
			}
			p := d.inProject()
			if !p.skips("policy") {
				if _, err := p.policy(context.Background()); err != nil {
					t.Fatal(err)
				}
			}
			s, err := p.wiring(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			_, after := d.planned(p)
			if got := texts(after.Get("sandbox", "network", "allowedDomains")); !slices.Equal(got, tt.want) {
				t.Errorf("the user's hosts are %q, want %q", got, tt.want)
			}
			voided := ""
			for _, f := range s.Findings {
				if strings.Contains(f.Summary, "strictAllowlist") {
					voided += f.Evidence[0].Text
					line, _ := f.Remedies[0].(report.Command)
					if named := strings.HasSuffix(line.Line, " --floor-host="+tt.voided); named != (tt.files[user] != "") {
						t.Errorf("the line that allows it is %q", line.Line)
					}
				}
			}
			if (tt.voided == "") != (voided == "") || !strings.Contains(voided, tt.voided) {
				t.Errorf("%q is said, want %q in it", voided, tt.voided)
			}
			layers := []settings.ScopedDoc{{Scope: settings.User, Doc: after}}
			if p.policyAfter != nil && p.policyTo != "user" {
				layers = append(layers, settings.ScopedDoc{Scope: policyPlaces[p.policyTo].scope, Doc: p.policyAfter})
			}
			for _, c := range starts.IgnoredHosts(p.session().InForceWith(layers...)) {
				if c.Value.Text != tt.voided {
					t.Errorf("%s does not count", c.Value.Text)
				}
			}
		})
	}
}
