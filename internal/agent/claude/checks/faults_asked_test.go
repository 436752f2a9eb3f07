// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the sandbox binds no tool of the agent's own: a credential
// without a Read rule is a fault, whether a prompt keeps it or nothing does.

package checks_test

import (
	"github.com/steward-setup/steward-setup/internal/report"
)

// unruled drops the Read rules for paths.
func (m *Machine) unruled(paths ...string) {
	for _, path := range paths {
		m.drop(projectFile, "permissions.deny", "Read("+path+")")
	}
}

// withoutRule is a policy without the Read rule for a credential.
func withoutRule(what, path string) Fault {
	return Fault{Name: "no Read rule for " + what, Breaks: "project-settings", Want: report.Fail, Where: "Read(" + path +
		")",
		Break: func(m *Machine) { m.unruled(path) }}
}

var unruledFaults = []Fault{
	withoutRule("Kubernetes", "~/.kube/**"), withoutRule("Docker", "~/.docker/**"),
	withoutRule("Google Cloud", "~/.config/gcloud/**"),
	withoutRule("Azure", "~/.azure/**"), withoutRule("npm's token", "~/.npmrc"),
	withoutRule("git's passwords", "~/.config/git/credentials"),
	withoutRule("the agent's own file", "~/.claude.json"),
}

// promptAlone begins what is said of a call that no rule and nothing else kept.
const promptAlone = "no deny rule: only a prompt protects it"

var askedFaults = []liveFault{
	{"no Read rules for clusters, registries and clouds", "denials", report.Fail, promptAlone +
		": reads ~/.kube/config with the Read tool", withTwin,
		func(m *Machine) { m.unruled("~/.kube/**", "~/.docker/**", "~/.config/gcloud/**", "~/.azure/**") }},
	{"a user's rule allows a credential that no rule denies", "denials", report.Fail,
		"succeeded: reads ~/.netrc with the Read tool", withTwin,
		func(m *Machine) {
			m.unruled("~/.netrc")
			m.add(userFile, "permissions.allow", "Read(~/.netrc)")
		}},
}
