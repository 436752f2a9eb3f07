// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what comes from the remote is looked at in a repository of
// this program's own. The user's repository is not changed before the user, or
// a rule that the user set up, said yes. The timer pulls and never pushes;
// what runs outside the sandbox waits for the user. It is written as a plan,
// and the user enables it.

package sync

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/syncrepo"
	"github.com/steward-setup/steward-setup/steps/install"
)

// Exchange is one look at the remote: what would come from it, and what would
// go there.
type Exchange struct {
	r      host.Reader
	status syncrepo.Status
	// dir is the repository, links resolved; own the program's, which holds what was
	// fetched, and scratch where it checks something out.
	dir, scratch string
	own          proc.Bare
	// branch follows upstream, a branch of origin at remote (an address).
	branch, upstream, remote string
	// ssh is the ssh command of the user's own configuration, "" for none.
	ssh string
	// from is the commit that is checked out, theirs that of the remote ("" for
	// none), to what the branch becomes.
	from, theirs, to string
	// rebased says that to has commits of this machine that were put on top.
	rebased bool
	// emptyTree is the tree without files.
	emptyTree string
	// ahead are objects that were read before they are asked for.
	ahead map[string][]byte
	// Arriving are the commits of the remote that are not here, Replayed the
	// commits here that are put on top of them, in words.
	Arriving, Replayed []string
	// Changes are the files that the arriving commits change; Asks names those
	// that run outside the sandbox.
	Changes []report.Change
	Asks    []string
	// placed says that the changes are written, and git is told.
	placed bool
	// Release ends the look.
	Release func()
}

// Open looks at the sync repository and fetches its branch. Release it after
// use. The error is a *report.Error: there is no repository, another sync runs,
// or the remote does not answer.
func Open(ctx context.Context, r host.Reader) (*Exchange, error) {
	e := &Exchange{r: r, Release: func() {}}
	if err := e.look(ctx); err != nil {
		return nil, err
	}
	cache := filepath.Join(r.Places().Cache, "sync")
	e.own.Dir, e.scratch = filepath.Join(cache, "fetched.git"), filepath.Join(cache, "work")
	unlock, err := engine.Filling(cache)
	if err != nil {
		return nil, err
	}
	e.Release = unlock
	if err := e.fetch(ctx); err != nil {
		e.Release()
		return nil, err
	}
	return e, nil
}

// Dir is the repository.
func (e *Exchange) Dir() string { return e.dir }

// states are those in which nothing is written, and what to do.
var states = map[syncrepo.State]report.Error{
	syncrepo.Absent: {What: "there is no sync repository", Next: "make or clone one:  ", Lines: makes},
	syncrepo.NoRepository: {What: "is not a git repository", Next: "move it away, then make or clone one:  ",
		Lines: makes},
	syncrepo.Unreadable: {What: "its state is unknown", Next: "fix it, or move it away, then try again; to revert an " +
		"init that was stopped:  ", Lines: []report.Line{{Words: "undo"}}},
	syncrepo.LockHeld: {Code: report.ExitStale, What: syncrepo.Held, Next: waitForIt},
	syncrepo.Conflict: {What: syncrepo.Unfinished, Why: "files may hold conflict marks; nothing was changed",
		Next: "finish or abort it there (git status says how), then try again"},
	syncrepo.Detached: {What: gitrepo.NoBranch, Next: "check one out there with git"},
	syncrepo.NoRemote: {What: "has no remote named origin", Next: "add it:  ",
		Lines: []report.Line{{Words: "sync init ADDRESS"}}},
}

var makes = []report.Line{{Words: "sync init"}}

// blocked refuses a repository in one of the states, but for those that do not
// matter here.
func blocked(s syncrepo.Status, but ...syncrepo.State) error {
	e, bad := states[s.State]
	if !bad || slices.Contains(but, s.State) {
		return nil
	}
	e.Code, e.Where, e.Why = cmp.Or(e.Code, report.ExitLeft), s.Dir, cmp.Or(e.Why, s.Why, "nothing was changed")
	return &inState{&e, s.State}
}

// inState is the error of a repository in one of the states.
type inState struct {
	err   *report.Error
	state syncrepo.State
}

func (e *inState) Error() string { return e.err.Error() }
func (e *inState) Unwrap() error { return e.err }

// First is the plan of a command that another has to come before: that one is yours to run.
func First(err error) (report.Plan, bool) {
	in, is := errors.AsType[*inState](err)
	if !is || in.state != syncrepo.Absent && in.state != syncrepo.NoRemote {
		return report.Plan{}, false
	}
	init := report.Own(in.err.Lines[0].Words, report.Command{ID: "sync-init", Why: strings.TrimSuffix(in.err.Next, ":  ")})
	return report.NewPlan([]report.Section{{ID: "sync-repository", Title: "The sync repository comes first",
		Why: err.Error(), Items: []report.Item{init}}}), true
}

// look reads what is there and refuses what cannot be worked with.
func (e *Exchange) look(ctx context.Context) error {
	place := e.r.Places().SyncRepo
	status, err := syncrepo.LookInside(ctx, e.r, place)
	if err != nil {
		return err
	}
	e.status = status
	refuse := func(what, why, next string) error {
		return &report.Error{Code: report.ExitLeft, Where: place, What: what, Why: cmp.Or(why, "nothing was changed"),
			Next: next}
	}
	if err := blocked(status); err != nil {
		return err
	}
	if keys := syncrepo.Programs(ctx, e.r, place); len(keys) > 0 {
		return refuse(syncrepo.Sets+redact.Line(keys[0], 80),
			"git would run that program; the repository's own configuration is not trusted with one",
			"move the setting to your own ~/.gitconfig: git -C "+scripts.Quote(place)+" config --unset "+
				redact.Line(keys[0], 80))
	}
	if e.dir, err = e.r.Resolve(place); err != nil {
		return refuse("cannot be looked at", err.Error(), "make it readable")
	}
	e.branch = status.Branch
	e.upstream = e.branch
	if status.Upstream != "" {
		name, ok := strings.CutPrefix(status.Upstream, "origin/")
		if !ok {
			return refuse("its branch follows "+status.Upstream, "only a branch of origin is synced",
				e.git("branch --set-upstream-to=origin/"+e.branch))
		}
		e.upstream = name
	}
	for _, name := range []string{"index", "HEAD", "refs/heads/" + e.branch, tracking + e.upstream} {
		lock := filepath.Join(".git", name+".lock")
		if host.There(e.r, filepath.Join(e.dir, lock)) {
			return &report.Error{Code: report.ExitStale, Where: filepath.Join(place, lock),
				What: "another git is working here, or was stopped",
				Why:  "two would overwrite each other's index or branch; nothing was changed",
				Next: "if no git runs there, remove this file and try again"}
		}
	}
	raw, ok := e.r.Run(ctx, proc.GitOrigin(e.dir)).Answer()
	address, err := syncrepo.ParseAddress(raw)
	if err != nil || !ok {
		return refuse("the address of origin cannot be used: "+syncrepo.WithoutPassword(redact.Line(raw, 200)), errText(err),
			e.git("remote set-url origin ADDRESS"))
	}
	e.remote = address.Text
	if e.own.Objects, ok = e.r.Run(ctx, proc.GitObjects(e.dir)).Answer(); !ok {
		return refuse("git does not say where its objects are", "", "update git to 2.31 or newer")
	}
	e.from, _ = e.r.Run(ctx, proc.GitHead(e.dir)).Answer()
	e.ssh = syncrepo.SSHCommand(ctx, e.r, e.dir)
	return nil
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// unusable says that the program's own repository is, and why, if that is known.
func (e *Exchange) unusable(err error) error {
	return &report.Error{Code: report.ExitLeft, Where: e.own.Dir, What: noCache, Err: err,
		Next: "make it writable, or remove it"}
}

// fetch gets the branch of the remote, and refuses one whose history was
// rewritten: local commits that were pushed before would be rewritten, too.
func (e *Exchange) fetch(ctx context.Context) error {
	// Made anew: a git that was killed leaves locks, and a power failure leaves objects that
	// are cut off, by which every sync from then on would fail. What is here already is not
	// fetched again, since its objects are the user's.
	if err := engine.ForgetCached(e.r.Places().Cache, e.own.Dir); err != nil {
		return e.unusable(err)
	}
	if res := e.r.Run(ctx, e.own.Init()); !res.OK() {
		return e.failed(ctx, noCache, res, "make "+e.own.Dir+" writable, or remove it")
	}
	if err := engine.WithoutFilters(e.own.Dir); err != nil {
		return e.unusable(err)
	}
	empty, ok := e.r.Run(ctx, e.own.EmptyTree()).Answer()
	if !ok {
		return &report.Error{Code: report.ExitLeft, Where: e.own.Dir, What: "git does not answer",
			Next: "remove this directory and try again"}
	}
	e.emptyTree = empty
	res := e.r.Run(ctx, e.own.FetchAsUser(e.remote, e.ssh, e.upstream))
	known, tracked := e.r.Run(ctx, proc.GitTracking(e.dir, e.upstream)).Answer()
	switch {
	case res.OK():
		if e.theirs, ok = e.r.Run(ctx, e.own.Fetched()).Answer(); !ok {
			return e.failed(ctx, "git fetched no commit", res, "try again")
		}
	case ctx.Err() == nil && res.Err == nil && strings.Contains(string(res.Stderr), "couldn't find remote ref"):
		if tracked {
			return &report.Error{Code: report.ExitLeft, Where: e.Address(), What: "has no branch " + e.upstream + " any more",
				Why: "it was there at the last fetch; nothing was changed here", Next: e.git("fetch --prune") +
					"   forgets the branch, if it is meant to be gone"}
		}
	default:
		return e.failed(ctx, "the remote does not answer: "+e.Address(), res,
			"check the network, your ssh agent or your credential helper, then try again")
	}
	if tracked && e.theirs != known && !e.ancestor(ctx, known, e.theirs) {
		return &report.Error{Code: report.ExitLeft, Where: e.Address(), What: "its history was rewritten: commit " +
			short(known) + " is no longer in " + e.upstream,
			Why:  "a rebase onto it would rewrite commits that were pushed, or drop them; nothing was changed here",
			Next: e.compare("; then decide")}
	}
	return nil
}

// git is a line that calls git in the repository.
func (e *Exchange) git(words string) string { return "git -C " + scripts.Quote(e.dir) + " " + words }

// compare is a line that shows the commits of both sides, and what then follows.
func (e *Exchange) compare(then string) string {
	return e.git("fetch && ") + e.git("log --oneline --left-right "+e.branch+"...origin/"+e.upstream) +
		"   shows both" + then
}

// Address is the remote's, without a password.
func (e *Exchange) Address() string { return syncrepo.WithoutPassword(e.remote) }

// failed explains a call of git that was refused, in git's own words; lines follow
// next.
func (e *Exchange) failed(ctx context.Context, what string, res proc.Result, next string, lines ...report.Line,
) *report.Error {
	if ctx.Err() != nil && e.placed {
		return &report.Error{Code: report.ExitInterrupted, What: "interrupted",
			Why: "the files that arrived are in place, and git does not know of them yet", Next: goOn,
			Lines: []report.Line{pulls}}
	}
	if ctx.Err() != nil {
		return &report.Error{Code: report.ExitInterrupted, What: "interrupted", Why: unchanged,
			Next: "the same line goes on"}
	}
	said := errors.New(redact.Line(redact.Text(lastWords(res)), 300))
	return &report.Error{Code: report.ExitLeft, Where: e.dir, What: what, Err: said, Why: "nothing was lost", Next: next,
		Lines: lines}
}

// inGit is failed where the user's own git says more.
func (e *Exchange) inGit(ctx context.Context, what string, res proc.Result) error {
	return e.failed(ctx, what, res, e.git("status"))
}

// lastWords is the line in which git says what failed. That nothing could be read from the remote is no reason: what
// ssh said before is.
func lastWords(res proc.Result) string {
	if res.Err != nil {
		return res.Err.Error()
	}
	said := ""
	for line := range strings.Lines(string(res.Stderr)) {
		line = strings.TrimSpace(line)
		tells := strings.HasPrefix(line, "fatal:") || strings.HasPrefix(line, "error:")
		if said == "" && line != "" || tells && !strings.HasPrefix(line, "fatal: Could not read ") {
			said = line
		}
	}
	return cmp.Or(said, res.Text())
}

func (e *Exchange) ancestor(ctx context.Context, a, b string) bool {
	return e.r.Run(ctx, e.own.Ancestor(a, b)).OK()
}

func short(commit string) string { return commit[:min(len(commit), 10)] }

// commits lists the commits of to that without ("" for none) does not have,
// oldest first.
func (e *Exchange) commits(ctx context.Context, to, without string) ([]commit, error) {
	revisions := []string{to}
	if without != "" {
		revisions = append(revisions, "^"+without)
	}
	res := e.r.Run(ctx, e.own.CommitEntries(revisions...))
	var list []commit
	if res.OK() {
		list, res.Err = parseCommits(string(res.Stdout))
	}
	if !res.OK() {
		return nil, e.inGit(ctx, notListed, res)
	}
	slices.Reverse(list)
	return list, nil
}

func subjects(list []commit) (lines []string) {
	for _, c := range list {
		lines = append(lines, short(c.id)+" "+redact.Line(redact.Text(c.subject), 120))
	}
	return lines
}

// ScheduleCommand is what receipts call the run.
const ScheduleCommand = "sync pull --schedule"

// Schedule proposes a timer that pulls every hour. The error is a *report.Error:
// a sandboxed command could replace the program, or the timer.
func Schedule(ctx context.Context, r host.Reader, a Agent) (report.Proposal, error) {
	t := install.Timer{Name: "steward-setup-sync", What: "pull of the sync repository",
		Args: []string{"sync", "pull", "--plain"}, Hourly: true,
		Left: "# 1 is something left for you: steward-setup sync pull on a terminal shows it.\n" +
			"# 75: another sync is running.\nSuccessExitStatus=75\nTimeoutStartSec=10min\n"}
	s := report.Section{ID: "schedule", Title: "Pull every hour",
		Why: "A timer of your own (systemd, or launchd on macOS) runs steward-setup sync pull. Files that run outside the " +
			"sandbox are not taken: the run fails, and the next pull on a terminal asks you."}
	d := install.NewDraft(r)
	binary, copied, err := install.Called(ctx, d, a, nil, t.Paths(r)...)
	if err != nil {
		return report.Proposal{}, err
	}
	if strings.ContainsFunc(binary+r.Places().Home, unicode.IsControl) {
		return report.Proposal{}, &report.Error{Code: report.ExitLeft, Where: "the path of steward-setup",
			What: "has a control character", Next: "move it"}
	}
	items, err := t.Changes(d, "schedule", binary)
	if err != nil {
		return report.Proposal{}, err
	}
	s.Items = items
	if len(items) == 0 {
		s.Note(install.TimerThere(filepath.Clean(t.Paths(r)[0])))
	}
	sections := []report.Section{s}
	if copied.ID != "" {
		sections = []report.Section{copied, s}
	}
	return report.Proposal{Plan: report.NewPlan(sections), Facts: install.Facts(r)}, nil
}
