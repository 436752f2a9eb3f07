// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what runs outside the sandbox must not be writable from
// inside it (DESIGN, law 7). A program that the agent could replace is never
// wired: a copy in a safe place is proposed first, or nothing that calls it.

package install

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/steward-setup/steward-setup/internal/report"
)

const binaryTitle = "A safe place for steward-setup itself"

// binary decides which file hooks and wrapper will call, and proposes a copy
// where this one is not safe. The section has no ID where there is nothing to
// say.
func (p *proposer) binary(context.Context) (report.Section, error) {
	s := report.Section{ID: "binary"}
	exe := p.r.System().Executable
	if exe == "" {
		return s, &report.Error{Code: report.ExitInternal, What: "the system does not say where this program's file is",
			Why: "the hooks have to call it by its absolute path"}
	}
	why, unsafe := p.agentWritable(exe)
	if !unsafe {
		p.call(exe)
		return report.Section{}, nil
	}
	home := p.safeBinary()
	if also, bad := p.agentWritable(home); bad {
		s.Findings = append(s.Findings, report.Finding{Check: "binary", Status: report.Fail, Decide: true,
			Layer:    report.LayerTools,
			Summary:  "there is no safe place for the program: hooks and wrapper are left out",
			Evidence: []report.Evidence{report.FileEvidence(exe, why), report.FileEvidence(home, also)}})
		return s, nil
	}
	s.Why = fmt.Sprintf("Hooks and wrapper run this program outside the sandbox, and its current place is not safe for "+
		"that: %s. Anyone who can write there could change what the hooks do. It is copied to %s, "+
		"and the hooks call that copy.",
		why, filepath.Dir(home))
	f, err := p.draft.openWith(p.r.ReadAll, home, "")
	if err != nil {
		return s, err
	}
	own, err := p.r.ReadAll(exe)
	if err != nil {
		return s, unreadable(exe, err)
	}
	p.call(home)
	c, needed := p.draft.change("binary/copy", "the program that hooks and wrapper call", f, own, 0o755)
	if !needed {
		return report.Section{}, nil
	}
	s.Items = append(s.Items, c)
	return s, nil
}

// hookProgram is where the small program for hooks lies (cmd/steward-hook), if
// it is there: beside the program itself. It is not copied from a place that
// commands may write: this program was started by the user, that one was not.
func hookProgram(binary string) string { return filepath.Join(filepath.Dir(binary), "steward-hook") }

// call has wrapper and hooks call the program at path, and the hooks the small
// one where it is beside it, as safe.
func (p *proposer) call(path string) {
	p.binaryPath = path
	if small := hookProgram(path); p.program(small) {
		if _, unsafe := p.agentWritable(small); !unsafe {
			p.hookPath = small
		}
	}
}

// program says whether there is a program at path.
func (p *proposer) program(path string) bool {
	info, err := p.r.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o100 != 0
}

// safeBinary is where the copy lies.
func (p *proposer) safeBinary() string {
	return filepath.Join(p.r.Places().UserBin, "steward-setup")
}

// keepBinary chooses the program when no copy may be made: this one if it is
// safe, else an earlier copy, else none.
func (p *proposer) keepBinary() {
	exe := p.r.System().Executable
	if _, unsafe := p.agentWritable(exe); exe != "" && !unsafe {
		p.call(exe)
		return
	}
	if _, unsafe := p.agentWritable(p.safeBinary()); unsafe {
		return
	}
	if p.program(p.safeBinary()) {
		p.call(p.safeBinary())
	}
}
