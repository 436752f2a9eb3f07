// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: faults share a machine where they are of different probes;
// each is judged as if it were alone.

package doctor_test

import (
	"slices"
	"testing"

	"github.com/steward-setup/steward-setup/internal/agent/claude/fixes"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
	"github.com/steward-setup/steward-setup/steps/doctor"
)

// together are faults that share a machine, and its sessions: they are seeded in
// this order, of different probes, and none changes what another one's calls meet.
var together = [][]string{
	{"a registry is not allowed", "as install leaves it", "Chromium and its headless shell are installed"},
	{"all unix sockets are allowed", "namespaces and unix sockets are allowed"},
	{"the agent's socket lies in the hidden home", "git is excluded from the sandbox"},
	{"the agent's address is withheld", "npm's cache is opened for reading only"},
	{"the sockets lie in a hidden directory outside of the home", "only the headless shell is installed",
		"the host is denied by another entry", "a submodule is checked out"},
	{"the keyring is hidden with the home only", "the registries are allowed"},
	{"Playwright's browser lies in the hidden home", "the remotes are on hosts that are not allowed"},
	{"a worktree is gone", "no host is allowed"},
}

// machinesOf puts the faults together, as places in faults.
func machinesOf(t *testing.T) (list [][]int) {
	t.Helper()
	shared := map[string]bool{}
	for _, names := range together {
		var machine []int
		asked := map[report.ID]bool{}
		for _, name := range names {
			i := slices.IndexFunc(faults, func(f fault) bool { return f.name == name })
			if i < 0 {
				t.Fatalf("there is no fault %q", name)
			}
			for _, w := range faults[i].wants {
				if asked[w.probe] {
					t.Fatalf("%q: another fault of its machine has %s, too", name, w.probe)
				}
				asked[w.probe] = true
			}
			machine, shared[name] = append(machine, i), true
		}
		list = append(list, machine)
	}
	for i, f := range faults {
		if !shared[f.name] {
			list = append(list, []int{i})
		}
	}
	return list
}

func TestFaults(t *testing.T) {
	testenv.AsUser(t)
	testenv.Need(t, "ssh-agent", "gpg", "docker", "podman", "unshare")
	rows, lines := make([][]row, len(faults)), testenv.NewLines(t)
	t.Run("fault", func(t *testing.T) {
		for i, machine := range machinesOf(t) {
			t.Run(faults[machine[0]].name, func(t *testing.T) {
				if i > 0 {
					t.Parallel() // the first one is long enough by itself
				}
				try(t, machine, rows, lines)
			})
		}
	})
	all := slices.Concat(rows...)
	if t.Failed() || slices.ContainsFunc(rows, func(r []row) bool { return r == nil }) {
		return // a part of the tests says nothing of the page
	}
	comparePage(t, all)
}

// try seeds the faults of a machine and compares what the doctor says; rows are
// those of each fault.
func try(t *testing.T, machine []int, rows [][]row, lines *testenv.Lines) {
	t.Helper()
	m := newMachine(t)
	var ids []report.ID
	code := report.ExitOK
	for _, i := range machine {
		faults[i].seed(m)
		for _, w := range faults[i].wants {
			ids = append(ids, w.probe)
			switch {
			case w.voids:
				code = report.ExitUnprotected
			case (w.status == report.Fail || w.status == report.Unknown) && code == report.ExitOK:
				code = report.ExitLeft
			}
		}
	}
	findings := m.ask(doctor.Options{Agent: fixes.Claude{}, Project: m.project, Probes: ids, TryFix: true})
	leadsOn(t, findings, lines)
	for _, i := range machine {
		for _, w := range faults[i].wants {
			rows[i] = append(rows[i], w.compare(t, m, faults[i].name, find(findings, w.probe)))
		}
	}
	if t.Failed() {
		t.Log(told(findings))
	}
	if got := report.Judge(findings, false).Exit(); got != code {
		t.Errorf("exit code %d, want %d", got, code)
	}
}
