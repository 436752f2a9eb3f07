// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a repository is made, or cloned, file by file: each is a
// change that is shown, and undo removes exactly those. What is at the place and
// is no repository stays as it is.

package sync

import (
	"context"
	"errors"
	iofs "io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/syncrepo"
	"github.com/steward-setup/steward-setup/steps/install"
)

// InitOptions are what the command line says.
type InitOptions struct {
	// URL is the remote's address, "" for none. Offline asks no server whether it
	// is private.
	URL     string
	Offline bool
	// Anonymous, if set, stands in for the request without credentials.
	Anonymous func(ctx context.Context, r host.Reader, address string) error
}

// Init proposes the repository, what moves into it, and the links to it. The
// error is a *report.Error, or ctx's.
func Init(ctx context.Context, r host.Reader, a Agent, o InitOptions) (report.Proposal, error) {
	var address syncrepo.Address
	var err error
	if o.URL != "" {
		if address, err = syncrepo.ParseAddress(o.URL); err != nil {
			return report.Proposal{}, err
		}
	}
	now, err := syncrepo.Look(ctx, r, r.Places().SyncRepo)
	if err != nil {
		return report.Proposal{}, err
	}
	p, err := newPlanner(ctx, r, a)
	if err != nil {
		return report.Proposal{}, err
	}
	git := report.Section{ID: "sync-repository", Title: "The repository",
		Why: "One private git repository holds what is the same on each of your machines. It must be private: " +
			whyPrivate + "."}
	if !now.Exists() && now.State != syncrepo.Absent && !p.begun() {
		return report.Proposal{}, &report.Error{Code: report.ExitLeft, Where: p.dir,
			What: "is there and is not a git repository: " + now.Why,
			Why:  "it may hold files of yours; nothing was changed", Next: "move it away, then run this again"}
	}
	err = blocked(now, syncrepo.Absent, syncrepo.NoRepository, syncrepo.Detached, syncrepo.NoRemote)
	if err != nil { // what git cannot read is not written to
		return report.Proposal{}, err
	}
	if err := p.readable(&git, now, address, o); err != nil { // before git asks as the user
		return report.Proposal{}, err
	}
	release := func() {}
	if now.Exists() {
		err = p.existing(&git, now, address)
	} else {
		release, err = p.newRepository(&git, address)
	}
	if err != nil {
		return report.Proposal{}, err
	}
	defer release()
	if err := p.scaffold(&git); err != nil {
		return report.Proposal{}, err
	}
	if err := p.finish(&git); err != nil {
		return report.Proposal{}, err
	}
	move := report.Section{ID: "sync-move", Title: "Move into the repository",
		Why: "Each file moves into the repository, and a symlink takes its place. A CLAUDE.md is kept beside as .bak, too."}
	if err := p.moveIn(&move); err != nil {
		return report.Proposal{}, err
	}
	return p.proposal(git, move)
}

// Links proposes the links to the repository that is there. The error is a
// *report.Error, or ctx's.
func Links(ctx context.Context, r host.Reader, a Agent) (report.Proposal, error) {
	now, err := syncrepo.Look(ctx, r, r.Places().SyncRepo)
	if err != nil {
		return report.Proposal{}, err
	}
	if err := blocked(now, syncrepo.Detached, syncrepo.NoRemote); err != nil {
		return report.Proposal{}, err
	}
	p, err := newPlanner(ctx, r, a)
	if err != nil {
		return report.Proposal{}, err
	}
	return p.proposal()
}

// proposal adds the links to the sections before them.
func (p *planner) proposal(before ...report.Section) (report.Proposal, error) {
	closed := report.Section{ID: "sync-protection", Title: "Protection",
		Why: "What arrives through the repository runs outside the sandbox on each of your machines. Your own settings " +
			"deny sandboxed commands to write it."}
	links := report.Section{ID: "sync-links", Title: "Symlinks",
		Why: "Each leads from where the runtime looks to the file in the repository."}
	memory := report.Section{ID: "sync-memory", Title: "Project memory",
		Why: "The memory of a project is kept under its path below your home, so that every machine finds it. A directory " +
			"that is not in the repository yet moves into it."}
	programs := report.Section{ID: "sync-programs", Title: "Programs",
		Why: "Executables of bin/ and scripts/*.sh become commands in " + p.home(p.r.Places().UserBin) +
			", each in the build for this machine."}
	for _, step := range []struct {
		make func(*report.Section) error
		s    *report.Section
	}{{p.protect, &closed}, {p.linkParts, &links}, {p.memory, &memory}, {p.programs, &programs}} {
		if err := step.make(step.s); err != nil {
			return report.Proposal{}, err
		}
	}
	links.Findings = p.findings
	var sections []report.Section
	for _, s := range append(before, closed, links, memory, programs) {
		if len(s.Items)+len(s.Findings) > 0 {
			sections = append(sections, s)
		}
	}
	return report.Proposal{Plan: report.NewPlan(sections), Facts: install.Facts(p.r)}, p.ctx.Err()
}

// begun says whether what is at the place is empty, or what a run that was
// stopped left: a .git that git does not know yet, since its HEAD comes last.
func (p *planner) begun() bool {
	list, err := p.r.ReadDir(p.real)
	if err != nil {
		return false
	}
	list = slices.DeleteFunc(list, func(e iofs.DirEntry) bool {
		return e.Name() == filepath.Base(syncrepo.LockPath(p.real))
	})
	info, gitErr := p.r.Lstat(p.at(".git"))
	_, headErr := p.r.Lstat(p.at(".git/HEAD"))
	return len(list) == 0 || gitErr == nil && info.IsDir() && errors.Is(headErr, iofs.ErrNotExist)
}

// existing adds a remote to a repository that is there.
func (p *planner) existing(s *report.Section, now syncrepo.Status, a syncrepo.Address) error {
	if a.Text == "" || now.Remote == a.Text {
		return nil
	}
	if now.Remote != "" {
		return &report.Error{Code: report.ExitLeft, Where: p.dir, What: "is a repository with another remote, " + now.Remote,
			Why:  "nothing was changed",
			Next: "without an address init uses that one; to change it: git -C ~/.claude-config remote set-url origin " + a.Text}
	}
	path := filepath.Join(p.real, ".git", "config")
	b, err := p.r.Read(path)
	if err != nil {
		return unreadable(path, err)
	}
	info, err := p.r.Lstat(path)
	if err != nil {
		return unreadable(path, err)
	}
	s.Items = append(s.Items, report.Change{ID: "sync/.git/config", Why: "adds the remote", Path: path, Target: path,
		Within: p.real, Before: b, After: append([]byte(strings.TrimRight(string(b), "\n")+"\n"),
			remoteConfig(a, now.Branch)...), Mode: info.Mode().Perm(), ModeBefore: info.Mode().Perm()})
	return nil
}

const readme = `# Agent configuration

Private. Kept in step across machines by steward-setup; credentials, sessions
and settings stay on each machine.

| Here | Linked from |
|---|---|
| CLAUDE.md, scripts/, agent-isolation/, commands/, git-hooks/ | ~/.claude |
| memory/PROJECT | ~/.claude/projects/KEY/memory |
| bin/ | ~/.local/bin |

On a new machine: steward-setup sync init ADDRESS
`

// scaffold adds the README and completes .gitignore.
func (p *planner) scaffold(s *report.Section) error {
	const ignore, why = ".gitignore", "what is never tracked"
	e, has := p.entries[ignore]
	var now []byte
	if info, err := p.r.Lstat(p.at(ignore)); err == nil && !info.Mode().IsRegular() {
		p.found(report.Warn, true, ".gitignore is not a regular file: git does not read it", p.known(ignore),
			"replace it by a file, then run this again")
		return p.readme(s)
	}
	if has {
		b, err := p.bytes(ignore)
		if err != nil {
			return err
		}
		now = b
	}
	if after := syncrepo.Gitignore(now); string(after) != string(now) {
		switch {
		case e.bytes != nil: // it comes with the plan
			for i, it := range s.Items {
				if c, ok := it.(report.Change); ok && c.Target == p.at(ignore) {
					c.After, c.Why = after, "from the remote, with what is never tracked"
					s.Items[i] = c
				}
			}
			p.entries[ignore] = entry{after, e.mode}
		case has:
			s.Items = append(s.Items, report.Change{ID: "sync/" + ignore, Path: p.known(ignore),
				Why:    "completes the list of what is never tracked; a line with ! is an exception, for texts of the agent",
				Target: p.at(ignore), Within: p.real, Before: now, After: after, Mode: e.mode, ModeBefore: e.mode})
		default:
			s.Items = append(s.Items, p.add(ignore, why, after, 0o644))
		}
	}
	return p.readme(s)
}

func (p *planner) readme(s *report.Section) error {
	if !p.has("README.md") && !p.has("README") {
		s.Items = append(s.Items, p.add("README.md", "says what the repository is, and how a new machine uses it",
			[]byte(readme), 0o644))
	}
	return nil
}
