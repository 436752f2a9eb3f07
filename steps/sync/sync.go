// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Package sync proposes the private configuration repository (making or cloning
// it, moving what is there into it, the symlinks that lead to it) and exchanges it
// with its remote.
//
// Contract: files change by its plans alone. It writes the cache that a remote is
// fetched into, and through git the repository's record: Note what the remote has,
// Settle what was pulled, Send what was approved. A file of the user's that
// differs is never replaced by init or link, but for CLAUDE.md, which is kept
// beside as .bak.
package sync

import (
	"context"
	"errors"
	"fmt"
	iofs "io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/syncrepo"
)

const (
	// InitCommand and LinkCommand are what receipts call the runs.
	InitCommand = "sync init"
	LinkCommand = "sync link"
)

const (
	check    = report.ID("sync")
	symlink  = iofs.ModeSymlink | 0o777
	maxFiles = 5000
	maxDepth = 20
)

// entry is one file of the repository: what is on the disk, or what the plan
// would write.
type entry struct {
	bytes []byte // nil: on the disk
	mode  iofs.FileMode
}

// planner makes the items of one plan from the repository as it will be.
type planner struct {
	ctx   context.Context
	r     host.Reader
	agent Agent
	// dir is the repository as the user knows it, real where it lies.
	dir, real string
	entries   map[string]entry // by slash-separated path; the parts alone
	links     []Link           // every link that should be
	// made are the paths that a clone writes; late are those of git's files that
	// make it a repository, written last.
	made     map[string]bool
	late     []report.Item
	findings []report.Finding
	// open says by what commands can replace the repository, "" if by nothing.
	open string
}

// newPlanner reads the repository that lies at the usual place; absent is no
// error.
func newPlanner(ctx context.Context, r host.Reader, a Agent) (*planner, error) {
	p := &planner{ctx: ctx, r: r, agent: a, dir: r.Places().SyncRepo, entries: map[string]entry{}, made: map[string]bool{}}
	real, err := r.Resolve(p.dir)
	if err != nil {
		return nil, &report.Error{Code: report.ExitLeft, Where: p.dir, What: "cannot be followed to the repository",
			Err: err, Next: "mend or remove the symlink, then run this again"}
	}
	p.real = real
	for _, part := range syncrepo.Layout(r.Places()) {
		if err := p.walk(part.Name, 0); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// walk adds what lies at rel in the repository. A symlink in it counts as what it
// leads to if that lies in the repository too, and is left out otherwise.
func (p *planner) walk(rel string, depth int) error {
	path := p.at(rel)
	info, err := p.r.Lstat(path)
	if errors.Is(err, iofs.ErrNotExist) {
		return nil
	}
	if err == nil && info.Mode()&iofs.ModeSymlink != 0 {
		real, resolveErr := p.r.Resolve(path)
		if resolveErr != nil || !pathname.Within(real, p.real) {
			p.found(report.Warn, false, rel+" in the repository is a symlink that leads out of it: not linked", path,
				"a symlink to "+p.target(path))
			return nil //nolint:nilerr // it is said as a finding
		}
		info, err = p.r.Stat(path)
	}
	switch {
	case err != nil:
		return unreadable(path, err)
	case info.Mode().IsRegular():
		if len(p.entries) == maxFiles {
			return p.tooMany("", "")
		}
		p.entries[rel] = entry{mode: info.Mode().Perm()}
	case info.IsDir() && depth < maxDepth:
		list, err := p.r.ReadDir(path)
		if err != nil {
			return unreadable(path, err)
		}
		for _, e := range list {
			if temporary(e.Name()) {
				continue
			}
			if err := p.walk(rel+"/"+e.Name(), depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// temporary says whether a file is what a killed run may have left beside another.
func temporary(name string) bool {
	is, _ := filepath.Match(fs.AnyTemp, name) // the pattern is a good one
	return is
}

func unreadable(path string, err error) error {
	return &report.Error{Code: report.ExitLeft, Where: path, What: fs.NotRead, Why: "nothing was changed",
		Next: "mend its permissions, then run this again", Err: err}
}

// at is the real path of a file of the repository.
func (p *planner) at(rel string) string { return filepath.Join(p.real, rel) }

// known is its path as the user knows it; links lead there.
func (p *planner) known(rel string) string { return filepath.Join(p.dir, rel) }

// bytes are what a file of the repository will hold.
func (p *planner) bytes(rel string) ([]byte, error) {
	if e := p.entries[rel]; e.bytes != nil {
		return e.bytes, nil
	}
	b, err := p.r.ReadAll(p.at(rel))
	if err != nil {
		return nil, unreadable(p.at(rel), err)
	}
	return b, nil
}

// names are the files of the repository below a directory, in order.
func (p *planner) names(dir string) []string {
	var list []string
	for _, rel := range slices.Sorted(maps.Keys(p.entries)) {
		if pathname.Within(rel, dir) {
			list = append(list, rel)
		}
	}
	return list
}

// has says whether the repository has a file of this name, or one below it.
func (p *planner) has(rel string) bool {
	return len(p.names(rel)) > 0 || p.made[rel] || host.There(p.r, p.at(rel))
}

// leaves says whether a file of this name would lie outside of the repository,
// since a symlink on its way leads there.
func (p *planner) leaves(rel string) bool {
	real, err := p.r.Resolve(p.at(rel))
	return err != nil || !pathname.Within(real, p.real)
}

// add is the change that makes a file of the repository.
func (p *planner) add(rel, why string, b []byte, mode iofs.FileMode) report.Change {
	p.entries[rel] = entry{b, mode.Perm()}
	return report.Change{ID: report.ID("sync/" + rel), Why: why, Path: p.known(rel), Target: p.at(rel), Within: p.real,
		After: b, Mode: mode.Perm()}
}

// found adds a finding about one path.
func (p *planner) found(status report.Status, decide bool, summary, where, text string) {
	p.findings = append(p.findings, report.Finding{Check: check, Layer: report.LayerVisibility, Status: status,
		Decide: decide, Summary: summary, Evidence: []report.Evidence{report.FileEvidence(where, text)}})
}

// What several parts of a plan, or commands, say.
const (
	ownLink, differs       = " is a symlink of your own and stays", " differs from the repository's and stays"
	sharedMemory           = "the memory of this project, shared"
	secretLike, unverified = " looks like a secret", "not verified: whether the remote is private"
	waitForIt, unchanged   = "wait for it to end, then try again", "no file was changed"
	noCache, notListed     = "the cache cannot be used", "the commits cannot be listed"
)

// leadsOut is found where a path of the repository is a way out of it.
func (p *planner) leadsOut(path, stays string) {
	p.found(report.Warn, true, p.home(path)+" "+stays+": a symlink in the repository leads out of it", path,
		"it would be written outside of "+p.home(p.dir))
}

func (p *planner) tooMany(who, so string) error {
	return &report.Error{Code: report.ExitLeft, Where: p.dir, What: who + "holds more than 5000 files",
		Why: "that is no configuration" + so, Next: "keep large directories elsewhere"}
}

// target is where a symlink says that it leads.
func (p *planner) target(path string) string {
	to, err := p.r.Readlink(path)
	if err != nil {
		return "an unknown place"
	}
	return to
}

// place is the real path that a file or a symlink at path has, or would have.
func (p *planner) place(path string) (string, error) {
	dir, err := p.r.Resolve(filepath.Dir(path))
	if err != nil {
		return "", &report.Error{Code: report.ExitLeft, Where: filepath.Dir(path), What: "is a symlink that leads nowhere",
			Next: "mend or remove it, then run this again", Err: err}
	}
	return filepath.Join(dir, filepath.Base(path)), nil
}

// home shortens a path for a sentence.
func (p *planner) home(path string) string { return pathname.Tilde(path, p.r.Places().Home) }

// Lock takes the lock of the repository. The error is a *report.Error.
func Lock(r host.Reader) (unlock func(), err error) {
	dir, err := r.Resolve(r.Places().SyncRepo)
	if err == nil {
		_, err = r.Stat(dir)
	}
	if err != nil {
		return func() {}, nil //nolint:nilerr // Open says what is with it
	}
	path := syncrepo.LockPath(dir)
	unlock, err = fs.LockFile(path)
	switch {
	case errors.Is(err, fs.ErrHeld):
		var who []string
		for _, p := range proc.Holders(path) {
			who = append(who, fmt.Sprintf("%s (process %d)", redact.Line(p.Name, 40), p.ID))
		}
		why := "this system does not say which process holds it"
		if len(who) > 0 {
			why = "held by " + strings.Join(who, ", ")
		}
		return nil, &report.Error{Code: report.ExitStale, Where: path, What: syncrepo.Held, Why: why +
			"; nothing was changed", Next: waitForIt}
	case err != nil:
		return nil, &report.Error{Code: report.ExitLeft, Where: path, What: "the lock cannot be taken", Err: err,
			Why:  "without it two syncs could run at once; nothing was changed",
			Next: "make it a regular file that you can write"}
	}
	return unlock, nil
}
