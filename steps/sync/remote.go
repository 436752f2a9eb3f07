// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a remote is asked once without credentials, and one that
// answers is refused. Only a refusal at the repository's own address says that it
// is private; every other answer is unknown. What a remote
// holds is fetched into the cache, as data.

package sync

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/host/web"
	"github.com/steward-setup/steward-setup/internal/redact"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/syncrepo"
)

// whyPrivate is said wherever a repository could be public.
const whyPrivate = "CLAUDE.md and memory hold what you think and work on, and hooks run on every machine that " +
	"pulls: whoever can change the repository runs code there"

// errNotGit is an answer in neither form of git's: a sign-in page, or a proxy's.
var errNotGit = errors.New("the server answered, but not as git does")

// The first line of a list of refs: of the smart protocol, and of a directory of
// files (gitprotocol-http(5)).
var (
	smartRefs = regexp.MustCompile(`^[0-9a-f]{4}# service=git-upload-pack\n`)
	dumbRefs  = regexp.MustCompile(`^[0-9a-f]{40,64}\trefs/`)
)

// anonymous asks a server for the list of refs without credentials. The error
// says why there is none: a web.Status is the server's own answer.
func anonymous(ctx context.Context, r host.Reader, address string) error {
	b, err := web.Get(ctx, r.System().Env, strings.TrimSuffix(address, "/")+"/info/refs?service=git-upload-pack", "*/*", 0)
	if err == nil && !smartRefs.Match(b) && !dumbRefs.Match(b) {
		return errNotGit
	}
	return err
}

// refuses says whether an answer refuses this repository to everybody. At a
// guessed path 403 and 404 may be about another page.
func refuses(answer web.Status, guessed bool) bool {
	return answer == 401 || !guessed && (answer == 403 || answer == 404)
}

// private is the finding about who may read the remote; the error refuses one
// that everybody may.
func private(ctx context.Context, r host.Reader, a syncrepo.Address, o InitOptions) (report.Finding, error) {
	f := report.Finding{Check: check, Layer: report.LayerVisibility, Status: report.Pass, Summary: "the remote is private"}
	if a.Web == "" {
		f.Summary = "the remote is on this machine"
		f.Evidence = []report.Evidence{report.FileEvidence(a.Text, "no server")}
		return f, nil
	}
	if o.Offline {
		f.Status, f.Summary = report.Unknown, "not verified: whether the remote is private (--offline)"
		f.Evidence = []report.Evidence{report.EnvEvidence("--offline", a.Web+" was not asked")}
		return f, nil
	}
	ask := o.Anonymous
	if ask == nil {
		ask = anonymous
	}
	err := ask(ctx, r, a.Web)
	if err == nil {
		return f, &report.Error{Code: report.ExitLeft, Where: a.Text, What: "is readable without credentials: it is public",
			Why: whyPrivate, Next: "make it private, then run this again"}
	}
	if answer, ok := errors.AsType[web.Status](err); !ok || !refuses(answer, a.Guessed) {
		f.Status, f.Summary = report.Unknown, unverified
	}
	f.Evidence = []report.Evidence{report.CommandEvidence("GET "+a.Web+" without credentials", err.Error())}
	return f, nil
}

// readable refuses the remote that the repository has, or will have, if
// everybody may read it.
func (p *planner) readable(s *report.Section, now syncrepo.Status, a syncrepo.Address, o InitOptions) error {
	if a.Text == "" && now.Remote == "" {
		p.found(report.Warn, false, "no remote yet: nothing is synced", p.dir,
			"make an empty private repository at your host, and give its address to sync init")
		return nil
	}
	if a.Text == "" {
		var err error
		if a, err = syncrepo.ParseAddress(now.Remote); err != nil {
			p.found(report.Unknown, false, unverified, p.dir, "the form of its address is not known")
			return nil //nolint:nilerr // it is said as a finding
		}
	}
	f, err := private(p.ctx, p.r, a, o)
	s.Note(f)
	return err
}

// remote is the branch of a remote that is synced, and the commit there, both ""
// where it has no commit: the default branch, or, where no commit was made on that
// (git's own "master" on a server, while we push to main), main or the only one.
type remote struct{ branch, commit string }

// A branch's name becomes part of a path.
var (
	branchName = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$`)
	commitName = regexp.MustCompile(`^[0-9a-f]{40}$`)
)

// ask asks a remote as the user. The error is a *report.Error: one that does not
// answer is not one that is empty.
func ask(ctx context.Context, r host.Reader, a syncrepo.Address) (remote, error) {
	res := r.Run(ctx, proc.GitSyncHeads(a.Text, syncrepo.SSHCommand(ctx, r, "/")))
	if !res.OK() {
		return remote{}, noAnswer(a, res)
	}
	var found remote
	heads := map[string]string{}
	for line := range strings.Lines(string(res.Stdout)) {
		value, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		ref, symbolic := strings.CutPrefix(value, "ref: refs/heads/")
		branch, isBranch := strings.CutPrefix(name, "refs/heads/")
		switch {
		case isBranch:
			heads[branch] = value
		case name != "HEAD":
		case symbolic:
			found.branch = ref
		default:
			found.commit = value
		}
	}
	if found.commit == "" {
		found = remote{}
		for branch, commit := range heads {
			if branch == "main" || len(heads) == 1 {
				found = remote{branch, commit}
			}
		}
	}
	switch {
	case len(heads) > 0 && found == remote{}:
		return found, noDefault(a)
	case found == remote{}:
		return found, nil
	case found.branch == "" || !branchName.MatchString(found.branch) || strings.Contains(found.branch, "..") ||
		strings.HasSuffix(found.branch, ".lock"):
		return found, noDefault(a)
	case !commitName.MatchString(found.commit):
		return found, &report.Error{Code: report.ExitLeft, Where: a.Text,
			What:  "is a repository with SHA-256 names, or of a form that this program does not know",
			Next:  "clone it by hand: git clone " + a.Text + " ~/.claude-config, then:  ",
			Lines: []report.Line{{Words: "sync link"}}}
	}
	return found, nil
}

func noDefault(a syncrepo.Address) error {
	return &report.Error{Code: report.ExitLeft, Where: a.Text, What: "has no default branch that this program can use",
		Why: "nothing was changed", Next: "set its default branch to main, then run this again"}
}

func noAnswer(a syncrepo.Address, res proc.Result) error {
	e := &report.Error{Code: report.ExitLeft, Where: a.Text, What: "the remote did not answer: " +
		redact.Line(redact.Text(lastWords(res)), 200), Why: "nothing was changed", Next: "try it: git ls-remote " + a.Text}
	if res.Missing() {
		e.Where, e.What, e.Next = "PATH", gitrepo.NotInstalled, gitrepo.InstallGit
	}
	return e
}

// fetched is a remote's commit in the cache. None of its files is laid out there:
// an attribute could start a filter of the user's.
type fetched struct {
	remote
	// own has it, index is an index of it.
	own   proc.Bare
	index string
}

// fetch gets what a remote has into the cache. unlock lets another run in.
func fetch(ctx context.Context, r host.Reader, a syncrepo.Address, at remote) (f fetched, unlock func(), err error) {
	dir := filepath.Join(r.Places().Cache, "sync", report.DigestOf([]byte(a.Text)).Name(16))
	f = fetched{remote: at, own: proc.Bare{Dir: filepath.Join(dir, "git")}, index: filepath.Join(dir, "index")}
	if unlock, err = engine.Filling(dir); err != nil {
		return f, nil, err
	}
	defer func() {
		if err != nil {
			unlock()
		}
	}()
	if err = engine.Private(dir); err != nil {
		return f, nil, err
	}
	for _, step := range []proc.Spec{f.own.Init(), f.own.FetchPack(a.Text, syncrepo.SSHCommand(ctx, r, "/"), at.branch),
		f.own.ReadTree(f.index, "refs/fetched/head")} {
		if res := r.Run(ctx, step); !res.OK() {
			return f, nil, noAnswer(a, res)
		}
	}
	res := r.Run(ctx, f.own.Fetched())
	if now := strings.TrimSpace(string(res.Stdout)); !res.OK() || now != at.commit {
		return f, nil, &report.Error{Code: report.ExitStale, Where: a.Text, What: "has changed while it was fetched",
			Why: "nothing was changed", Next: "run this again"}
	}
	return f, unlock, nil
}

// pushesTo is where git pushes to: an address of its own may be set for that, or
// a rule that rewrites addresses.
func (e *Exchange) pushesTo(ctx context.Context) (string, error) {
	unset := e.git("config --unset-all remote.origin.pushurl")
	text, ok := e.r.Run(ctx, proc.GitPushAddress(e.dir)).Answer()
	address, err := syncrepo.ParseAddress(text)
	if !ok || err != nil {
		return "", &report.Error{Code: report.ExitLeft, Where: e.dir, What: "the address that git pushes to cannot be used",
			Err: err, Why: "a push goes to one place, which is shown; nothing was changed", Next: unset}
	}
	shown := syncrepo.WithoutPassword(address.Text)
	own := e.r.Run(ctx, proc.GitPushOwn(e.dir))
	if own.Err == nil && own.Code == 1 {
		return shown, nil
	}
	set, err := syncrepo.ParseAddress(strings.TrimSuffix(string(own.Stdout), "\n"))
	fetched, fetchErr := syncrepo.ParseAddress(e.remote)
	if !own.OK() || err != nil || fetchErr != nil || repository(set) != repository(fetched) {
		return "", &report.Error{Code: report.ExitLeft, Where: e.dir, What: "remote.origin.pushurl is another repository " +
			"than the one that is fetched: " + shown,
			Why: "the remote that is compared would not get the commits; nothing was changed", Next: unset}
	}
	return shown, nil
}

// repository is which repository an address names, however it is reached.
func repository(a syncrepo.Address) string {
	where := strings.TrimPrefix(cmp.Or(a.Web, a.Text), "file://")
	return strings.TrimSuffix(strings.TrimSuffix(where, "/"), ".git")
}
