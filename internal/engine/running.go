// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: who replaces a file that a running command is kept from is
// told so before.

package engine

import (
	"fmt"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
)

// Running warns of commands of an agent that run in a sandbox and lose their
// protection from the files of a section when these are replaced; nil if there
// are none.
func Running(r host.Reader, s report.Section) []report.Finding {
	var paths []string
	for _, i := range s.Items {
		if c, is := i.(report.Change); is {
			paths = append(paths, c.Target)
		}
	}
	pids := host.Masks(r, paths)
	if pids == nil {
		return nil
	}
	which := fmt.Sprint("process ", pids[0])
	if len(pids) > 1 {
		which += fmt.Sprintf(" and %d more", len(pids)-1)
	}
	return []report.Finding{{Check: "policy-invariants", Layer: report.LayerSandbox, Status: report.Warn,
		Summary: "a command of an agent is running (" + which + "): it can write these files once they are replaced",
		Evidence: []report.Evidence{report.EnvEvidence(which, "the sandbox keeps a command from the file that was there "+
			"when the command started, not from one that replaces it")},
		Remedies: []report.Remedy{report.DocLink{Title: "end the agent's sessions in this project first, then look at the " +
			"plan again", Target: which}}}}
}
