// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: an address is a directory where git takes it for one.

package checks_test

import (
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// TestAColonBehindASlashIsNoHosts: git pushes to ./a:b.git, and starts its hooks (seen
// with git 2.39).
func TestAColonBehindASlashIsNoHosts(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	m := build(t, usualSetup)
	for address, want := range map[string]report.Status{"./a:b.git": report.Warn,
		"file://" + m.Project + "/a:b.git": report.Warn, "a:b.git": report.Pass, "git@host.example:a/b.git": report.Pass,
		"ssh://host.example:22" + m.Project: report.Pass, "https://host.example/a:b.git": report.Pass} {
		m.git(m.Project, "config", "remote.mirror.url", address)
		if f := m.judged("policy-invariants"); f.Status != want {
			t.Errorf("%s: %s %s", address, f.Status, f.Summary)
		}
	}
}
