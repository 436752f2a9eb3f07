// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: an entry that opens what the policy hides outside of the
// home is named, and so is one that opens credentials of whatever program.

package checks_test

import (
	"slices"
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// reopens is an allowRead of the user's own that opens a hidden place again.
func reopens(path string) Fault {
	return openedBy("allowRead of "+path, userFile, allowRead, path, report.Warn, false)
}

// opensSecrets is one that opens credentials.
func opensSecrets(path string) Fault {
	return openedBy("allowRead of "+path, userFile, allowRead, path, report.Fail, true)
}

var reopenedFaults = slices.Concat(
	each(reopens, "/var/tmp", "/var/tmp/build", "/run/user", "/run/us*", "/mnt/data", "/media"),
	each(opensSecrets, "/tmp/krb5cc_1000", "/tmp/krb5*", "/run/user/1000/gnupg", "~/.local/state/steward-setup",
		"~/.local/state/steward-setup/result.key",
		"~/.config/doctl", "~/.config/hub", "~/.thunderbird", "~/.s3cfg", "~/.gem/credentials", "~/.config/pypoetry",
		"~/.composer/auth.json", "~/.fly",
		"~/.config/heroku", "~/.config/Signal", "~/.electrum", "~/.ethereum", "~/.bitcoin", "~/.config/Bitwarden",
		"~/.config/linode-cli", "~/.config/helm",
		"~/.claude/history.jsonl", "~/.python_history"),
	[]Fault{
		openedBy("a project's allowRead of /var/tmp", projectFile, allowRead, "/var/tmp/", report.Warn, false),
		openedBy("allowWrite of a hidden place", userFile, allowWrite, "/var/tmp/build", report.Warn, false),
		openedBy("a rule opens a hidden place", userFile, allowRules, "Edit(//mnt/data/**)", report.Warn, false),
		openedBy("an additional directory in a hidden place", userFile, directories, "/mnt/data", report.Warn, false),
		{Name: "allowRead of the key of stored results elsewhere", Breaks: "policy-invariants", Want: report.Fail,
			Voids: true, Where: userFile + `#"~/state"`,
			Break: func(m *Machine) {
				m.Env["XDG_STATE_HOME"] = m.Home + "/state"
				m.add(userFile, allowRead, "~/state")
			}},
	})

// What lies above a hidden place leaves it hidden, and the rest of a home or of
// /tmp is the user's to open.
func TestNothingHiddenIsReopened(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	m := build(t, usualSetup)
	for _, path := range []string{"/var", "/run", "/tmp/build", "/var/lib/data", "~/notes", "~/.config/bat"} {
		m.add(userFile, allowRead, path)
	}
	m.approve()
	if f := m.judged("policy-invariants"); f.Status != report.Pass {
		t.Errorf("policy-invariants is %s: %s", f.Status, told(m, []report.Finding{f}, nil))
	}
}
