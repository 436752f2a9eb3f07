// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the state is git's own answer about the repository as it
// lies there. Nothing is fetched: how far the remote is ahead is what the last
// fetch knew. Nothing that the repository's configuration names is started.

package syncrepo

import (
	"context"
	"errors"
	"fmt"
	iofs "io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/fs"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/report"
)

// State is what a sync would do next.
type State string

// The states, the first that is true: those that stop a sync come first.
const (
	// Absent: there is nothing at the place. NoRepository: what is there is no
	// repository of its own.
	Absent       State = "absent"
	NoRepository State = "not-a-repository"
	// Unreadable: git does not answer, or was not asked since the repository's
	// configuration names a program that git would start.
	Unreadable State = "unreadable"
	LockHeld   State = "lock-held"
	// Conflict: a merge or a rebase was begun and not ended.
	Conflict State = "conflict"
	// Detached: no branch is checked out. NoRemote: there is no remote to sync
	// with.
	Detached State = "detached"
	NoRemote State = "no-remote"
	// Diverged: commits here and on the remote.
	Diverged               State = "diverged"
	PullThenCommitThenPush State = "pull-then-commit-then-push"
	Pull                   State = "pull"
	CommitThenPush         State = "commit-then-push"
	PushOnly               State = "push-only"
	InSync                 State = "in-sync"
)

// maxListed bounds the files of a status; more are no private configuration.
const maxListed = 10000

// Status is the state of the repository and what it follows from.
type Status struct {
	Dir   string `json:"dir"`
	State State  `json:"state"`
	// Why is one sentence where the state's name does not say it all.
	Why string `json:"why,omitempty"`
	// Branch is what is checked out, "" for none; Commit its last commit, "" for
	// none yet. Upstream is the remote's branch that it follows ("origin/main"),
	// "" for none. Remote is the address of origin, without a password.
	Branch   string `json:"branch,omitempty"`
	Commit   string `json:"commit,omitempty"`
	Upstream string `json:"upstream,omitempty"`
	Remote   string `json:"remote,omitempty"`
	// Ahead and Behind count commits; Behind is what the last fetch knew, at
	// Fetched (zero: never, or not known).
	Ahead   int       `json:"ahead"`
	Behind  int       `json:"behind"`
	Fetched time.Time `json:"fetched,omitzero"`
	// Changed are the files that a commit would hold; those that are never
	// tracked are not among them.
	Changed []File `json:"changed"`
	// Forbidden are tracked files, and files that are staged, that must not be.
	Forbidden []File `json:"forbidden"`

	// Counted says whether git knows the distance to the remote's branch: what was
	// pushed, fetched or cloned.
	Counted bool `json:"-"`
}

// File is one file of the repository: a slash-separated path from its top, and
// its state: "new", "changed", "deleted", "renamed", "conflict", or, of
// Forbidden, why it must not be tracked.
type File struct {
	Path string `json:"path"`
	What string `json:"what"`
}

// Exists says whether there is a repository of its own.
func (s Status) Exists() bool { return s.State != Absent && s.State != NoRepository }

// Look says in which state the repository at dir is. The error is a
// *report.Error: git is missing, or ctx ended.
func Look(ctx context.Context, r host.Reader, dir string) (Status, error) {
	return look(ctx, r, dir, fs.Held)
}

// LookInside is Look for who holds the lock.
func LookInside(ctx context.Context, r host.Reader, dir string) (Status, error) {
	return look(ctx, r, dir, func(string) bool { return false })
}

func look(ctx context.Context, r host.Reader, dir string, held func(lock string) bool) (Status, error) {
	s := Status{Dir: dir, State: InSync, Changed: []File{}, Forbidden: []File{}}
	if _, err := r.Lstat(dir); errors.Is(err, iofs.ErrNotExist) {
		s.State = Absent
		return s, nil
	}
	repo, err := gitrepo.Open(ctx, r, dir)
	known := (*report.Error)(nil)
	switch {
	case errors.As(err, &known) && (known.Where == "PATH" || known.Code == report.ExitInterrupted):
		return s, err
	case errors.Is(err, gitrepo.ErrNone):
		s.State, s.Why = NoRepository, "it has no .git"
		return s, nil
	case err != nil:
		s.State, s.Why = Unreadable, err.Error()
		if info, statErr := r.Stat(dir); statErr == nil && !info.IsDir() {
			s.State, s.Why = NoRepository, "it is no directory"
		}
		return s, nil
	}
	if real, err := r.Resolve(dir); err != nil || repo.Bare || repo.Root != real {
		s.State, s.Why = NoRepository, "it lies in the repository "+repo.Root+" and has none of its own"
		return s, nil //nolint:nilerr // it is the state
	}
	if address, ok := r.Run(ctx, proc.GitOrigin(dir)).Answer(); ok {
		s.Remote = WithoutPassword(address)
	}
	for _, key := range Programs(ctx, r, dir) {
		if strings.HasPrefix(key, "filter.") {
			s.State, s.Why = Unreadable, Sets+key+", a program that git status would start"
			return s, nil
		}
	}
	if err := s.read(ctx, r, dir); err != nil {
		s.State, s.Why = Unreadable, err.Error()
		return s, nil //nolint:nilerr // it is the state
	}
	s.Fetched = fetched(r, repo.GitDir, s.Upstream)
	s.judge(r, repo.GitDir, held)
	return s, nil
}

// fetched says when the remote was asked last: at the last fetch or, since a
// clone writes no FETCH_HEAD (measured with git 2.39.5), when the remote's branch
// was noted. It is zero where neither tells.
func fetched(r host.Reader, gitDir, upstream string) time.Time {
	names := []string{"FETCH_HEAD"}
	if upstream != "" {
		remote, _, _ := strings.Cut(upstream, "/")
		names = append(names, "logs/refs/remotes/"+upstream, "refs/remotes/"+upstream, "logs/refs/remotes/"+remote+"/HEAD")
	}
	for _, name := range names {
		if info, err := r.Stat(filepath.Join(gitDir, name)); err == nil {
			return info.ModTime().UTC()
		}
	}
	return time.Time{}
}

// judge sets the state from what was read.
func (s *Status) judge(r host.Reader, gitDir string, held func(lock string) bool) {
	begun := slices.ContainsFunc([]string{"MERGE_HEAD", "rebase-merge", "rebase-apply", "CHERRY_PICK_HEAD"},
		func(name string) bool { return host.There(r, filepath.Join(gitDir, name)) })
	conflict := slices.ContainsFunc(s.Changed, func(f File) bool { return f.What == "conflict" })
	dirty := len(s.Changed) > 0
	switch {
	case held(LockPath(s.Dir)):
		s.State, s.Why = LockHeld, "another sync holds "+LockPath(s.Dir)
	case begun || conflict:
		s.State, s.Why = Conflict, Unfinished
	case s.Branch == "":
		s.State = Detached
	case s.Remote == "":
		s.State = NoRemote
	case s.Commit == "" && !dirty:
		s.State, s.Why = Pull, "there is no commit here yet; what the remote has is not known"
	case s.Ahead > 0 && s.Behind > 0:
		s.State = Diverged
	case s.Behind > 0 && dirty:
		s.State = PullThenCommitThenPush
	case s.Behind > 0:
		s.State = Pull
	case dirty:
		s.State = CommitThenPush
	case s.Ahead > 0:
		s.State = PushOnly
	}
}

// What is said of a repository of which nothing may be changed.
const (
	Unfinished, Held = "a merge or a rebase is not finished", "another sync is running"
	Sets             = "its git configuration sets "
)

// NotRead is the finding about a repository that cannot be looked at.
func NotRead(place string, err error) report.Finding {
	return report.Finding{Status: report.Unknown, Summary: "the sync repository could not be read",
		Evidence: []report.Evidence{report.ErrorEvidence(place, err)}}
}

// ErrCut is an answer of git that ends too early.
var ErrCut = errors.New("git's answer is cut off")

// OtherForm is an answer of git that begins as none does.
func OtherForm(said string) error {
	return fmt.Errorf("git answered %q, in no form that this program knows", said)
}

func noAnswer(res proc.Result) error { return errors.New(gitrepo.NoAnswer + ": " + res.Text()) }

// read asks git for the branch and the files.
func (s *Status) read(ctx context.Context, r host.Reader, dir string) error {
	res := r.Run(ctx, proc.GitSyncStatus(dir))
	if !res.OK() {
		return noAnswer(res)
	}
	if err := s.parse(string(res.Stdout)); err != nil {
		return err
	}
	if !s.Counted && s.Commit != "" { // before the first push all that is committed is to be pushed
		if n, ok := r.Run(ctx, proc.GitCommits(dir)).Answer(); ok {
			s.Ahead, _ = strconv.Atoi(n) // git counts
		}
	}
	res = r.Run(ctx, proc.GitFiles(dir))
	if !res.OK() {
		return noAnswer(res)
	}
	for _, path := range res.Records() {
		if why, bad := Ignored(path); bad {
			s.Forbidden = append(s.Forbidden, File{path, why})
		}
	}
	return nil
}

// parse reads git-status(1)'s porcelain format 2 with -z.
func (s *Status) parse(out string) error {
	var head gitrepo.Head
	fields := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	for i := 0; i < len(fields); i++ {
		kind, rest, _ := strings.Cut(fields[i], " ")
		words := 0 // before the path
		switch kind {
		case "#":
			head.Take(rest)
			continue
		case "":
			continue
		case "?":
		case "1":
			words = 7
		case "2":
			words = 8
			i++ // the old name
		case "u":
			words = 9
		default:
			return OtherForm(kind)
		}
		parts := strings.SplitN(rest, " ", words+1)
		if len(parts) != words+1 || i >= len(fields) {
			return ErrCut
		}
		path := strings.TrimSuffix(parts[words], "/")
		if _, never := Ignored(path); never {
			continue // tracked, it is in Forbidden
		}
		if len(s.Changed) == maxListed {
			return fmt.Errorf("more than %d files changed", maxListed)
		}
		s.Changed = append(s.Changed, File{path, what(kind, parts[0])})
	}
	slices.SortFunc(s.Changed, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	s.Commit, s.Branch, s.Upstream = head.Commit, head.Branch, head.Upstream
	s.Ahead, s.Behind, s.Counted = head.Ahead, head.Behind, head.Counted
	return nil
}

func what(kind, xy string) string {
	switch {
	case kind == "?":
		return "new"
	case kind == "u":
		return "conflict"
	case kind == "2":
		return "renamed"
	case strings.Contains(xy, "D"):
		return "deleted"
	case strings.HasPrefix(xy, "A"):
		return "new"
	}
	return "changed"
}

// Programs lists the settings of the repository's own configuration that name
// programs which git would start.
func Programs(ctx context.Context, r host.Reader, dir string) []string {
	return gitrepo.OwnKeys(r.Run(ctx, proc.GitLocalPrograms(dir)))
}

// SSHCommand is the core.sshCommand of the user's own configuration, "" for none.
// One of the repository's at dir does not count: it may have come with it.
func SSHCommand(ctx context.Context, r host.Reader, dir string) (command string) {
	fields := strings.Split(string(r.Run(ctx, proc.GitSSHCommand(dir)).Stdout), "\x00")
	for ; len(fields) > 1; fields = fields[2:] {
		if fields[0] == "global" || fields[0] == "system" {
			command = fields[1]
		}
	}
	return command
}
