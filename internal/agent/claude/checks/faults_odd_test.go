// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a file of the project that a hook or a variable names in an
// unusual way is found like any other.

package checks_test

import (
	"slices"
	"testing"

	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

var oddFaults = slices.Concat(
	each(startsFault, `bash /dev/stdin < "$CLAUDE_PROJECT_DIR"/tools/x`, `bash /dev/fd/3 3< "$CLAUDE_PROJECT_DIR"/tools/x`,
		"~/code/t*/tools/x", `fish -c "$CLAUDE_PROJECT_DIR"/tools/x`,
		`curl -K "$CLAUDE_PROJECT_DIR"/tools/x`),
	each(unresolved, "ls | xargs tar cf /dev/null"),
	[]Fault{
		exports("BASH_ENV", "e2.sh", report.Fail),
		exports("ENV", "e2.sh", report.Fail),
		exports("SSL_CERT_FILE", "ca.pem", report.Warn),
	})

// TestOrdinaryFetchesAreQuiet: what writes nothing that runs, and a name of a
// stage, is no finding.
func TestOrdinaryFetchesAreQuiet(t *testing.T) {
	testenv.AsUser(t)
	t.Parallel()
	m := build(t, usualSetup)
	m.Env["ENV"] = "production"
	for _, command := range []string{"curl -sS https://a.example/ -o /dev/null", "wget -q -O /dev/null https://a.example/",
		"sed -i s/a/b/ ~/notes/log", "dd if=/dev/zero of=/dev/null count=1",
		"ls ~/notes/* | xargs grep x"} {
		m.userHook(command)
	}
	m.approve()
	if f := m.judged("policy-invariants"); f.Status != report.Pass {
		t.Errorf("policy-invariants is %s: %s", f.Status, told(m, []report.Finding{f}, nil))
	}
}
