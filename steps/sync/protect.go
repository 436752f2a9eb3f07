// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what arrives through the repository runs outside the
// sandbox, so commands may not write it, and the agent's file tools may not write
// the parts of it that run. The place is named as it is spelled and as it
// really is.

package sync

import (
	iofs "io/fs"
	"path/filepath"
	"slices"

	"github.com/steward-setup/steward-setup/internal/agent"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/syncrepo"
	"github.com/steward-setup/steward-setup/steps/install"
)

// Agent is what this step asks of a runtime.
type Agent interface {
	install.Writer
	Layout(env.Places) agent.Layout
	// Opens is the user's own settings f, and by which of their entries commands may write
	// in dir, "" if by none. The error says why they cannot be read.
	Opens(d install.Draft, dir string) (f install.File, by string, err error)
	// Closes is the text of f in which commands may write in none of dirs, and file tools
	// in none of runs.
	Closes(f install.File, dirs, runs []string) ([]byte, error)
}

// protect closes the repository to commands in the user's own settings.
func (p *planner) protect(s *report.Section) error {
	draft := install.NewDraft(p.r)
	f, by, err := p.agent.Opens(draft, filepath.Dir(p.dir))
	if err != nil {
		p.found(report.Warn, true, "the repository is not closed to commands: "+filepath.Base(f.Path)+" could not be read",
			f.Path, err.Error())
		return nil
	}
	p.replaceable(by, f.Path)
	dirs := slices.Compact([]string{p.dir, p.real})
	var runs []string
	for _, dir := range dirs {
		for _, part := range syncrepo.Layout(p.r.Places()) {
			if part.Runs && part.Dir {
				runs = append(runs, filepath.Join(dir, part.Name))
			}
		}
		runs = append(runs, filepath.Join(dir, ".git"))
	}
	after, err := p.agent.Closes(f, dirs, runs)
	if err != nil {
		return err
	}
	draft.Write(s, "sync/protect",
		"sandboxed commands cannot write the repository, and file tools cannot write what runs from it", f, after, 0o600)
	return nil
}

// replaceable finds what lets commands replace a repository whose usual place is a
// symlink: what keeps them from writing there does not hold for a symlink in a writable
// directory.
func (p *planner) replaceable(by, where string) {
	info, err := p.r.Lstat(p.dir)
	if by == "" || err != nil || info.Mode()&iofs.ModeSymlink == 0 {
		return
	}
	p.open = by
	p.found(report.Fail, true, "commands can replace "+p.home(p.dir)+", which is a symlink", where,
		p.open+": remove it, or move the repository to "+p.home(p.dir)+" itself")
}
