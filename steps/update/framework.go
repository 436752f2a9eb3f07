// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: the checkout of the framework is looked at and never
// touched: what upstream has since is fetched into the cache.

package update

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/steward-setup/steward-setup/internal/agent"
	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/pins"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/steps/install"
)

func framework(ctx context.Context, r host.Reader, o Options) report.Finding {
	if o.Framework == "" {
		return ownVersion(ctx, r, o)
	}
	c := checkout{ctx: ctx, r: r, dir: o.Framework, layout: o.Agent.Layout(r.Places())}
	f := c.look(o)
	f.Evidence = append(f.Evidence, report.FileEvidence(o.Framework, "the checkout"))
	return f
}

// ownVersion compares this program with the one that installed last, if that was
// not undone.
func ownVersion(ctx context.Context, r host.Reader, o Options) report.Finding {
	receipts, err := engine.Applier{State: r.Places().State}.History()
	if err != nil {
		return report.NotKnown("the receipts could not be read", r.Places().State, err)
	}
	changes := []report.Remedy{install.Planned("show what this version would change; nothing is written", "")}
	sealed := engine.Unaltered(receipts)
	for _, receipt := range sealed {
		if _, undone := engine.UndoneBy(sealed, receipt.ID); undone || !receipt.Finished || receipt.Command != "install" {
			continue
		}
		seen := report.FileEvidence(filepath.Join(r.Places().State, "receipts", receipt.ID),
			fmt.Sprintf("%s by steward-setup %s, %s", receipt.Command, receipt.ToolVersion, day(receipt.StartedAt)))
		if receipt.ToolVersion != o.Version {
			differs, where := differing(ctx, r, o)
			return report.Finding{Status: report.Warn, Summary: fmt.Sprintf("installed by steward-setup %s; this is %s: %s",
				receipt.ToolVersion, o.Version, differs),
				Evidence: append([]report.Evidence{seen}, where...), Remedies: changes}
		}
		if o.Version == NoVersion {
			return report.Finding{Status: report.Skip, Summary: "not compared: this build has no version, like the one that " +
				"installed", Evidence: []report.Evidence{seen}}
		}
		return report.Finding{Status: report.Pass, Summary: "installed by this version, " + o.Version,
			Evidence: []report.Evidence{seen}}
	}
	for _, receipt := range receipts {
		if receipt.Altered && receipt.Finished && receipt.Command == "install" {
			return report.Finding{Status: report.Warn,
				Summary: "not known which version installed: the receipt was changed, or is from an earlier version",
				Evidence: []report.Evidence{report.FileEvidence(filepath.Join(r.Places().State, "receipts", receipt.ID),
					"cannot be verified")}, Remedies: changes}
		}
	}
	return report.Finding{Status: report.Skip, Summary: "not installed: no install is recorded here, or it was undone",
		Evidence: []report.Evidence{report.FileEvidence(filepath.Join(r.Places().State, "receipts"),
			"no receipt of an install that stands")}}
}

// differing names what this version writes otherwise than it stands on the machine: the
// scripts, then the settings.
func differing(ctx context.Context, r host.Reader, o Options) (says string, seen []report.Evidence) {
	var parts, names []string
	changes, err := o.Agent.Copies(ctx, r, o.Project, o.Framework)
	if err != nil {
		parts, seen = append(parts, "scripts not compared"), append(seen, report.ErrorEvidence(r.Places().Scripts(), err))
	}
	for _, c := range changes {
		if c.Before != nil {
			names = append(names, filepath.Base(c.Path))
			seen = append(seen, report.FileEvidence(c.Path, "this version writes it differently"))
		}
	}
	if names != nil {
		parts = append(parts, report.Few(names)+report.Counted(len(names), " differs", " differ"))
	}
	if shape := o.Agent.Shape(ctx, r, o.Project, o.Framework); shape.Status != report.Pass {
		parts, seen = append(parts, shape.Summary), append(seen, shape.Evidence...)
	}
	if parts == nil {
		return "the scripts and settings here are the same", seen
	}
	return strings.Join(parts, "; "), seen
}

// checkout is the framework's checkout as it is looked at.
type checkout struct {
	ctx    context.Context
	r      host.Reader
	dir    string
	layout agent.Layout
	head   string // the commit that is checked out
	// parts are the summary's clauses, status is the worst of them.
	parts    []string
	status   report.Status
	evidence []report.Evidence
}

func (c *checkout) note(s report.Status, part string, e ...report.Evidence) {
	c.status = report.Worse(c.status, s)
	c.parts, c.evidence = append(c.parts, part), append(c.evidence, e...)
}

func (c *checkout) look(o Options) report.Finding {
	c.status = report.Pass
	c.lacking()
	res := c.r.Run(c.ctx, proc.GitHead(c.dir))
	if c.head = strings.TrimSpace(string(res.Stdout)); !res.OK() {
		why := firstClause(res.Text())
		if res.Code == 128 {
			why = "not a git checkout, or not one of yours"
		}
		c.note(report.Unknown, "not known: "+why, report.CommandEvidence(res.Line, res.Text()))
		return c.finding(nil)
	}
	branch, onBranch := c.r.Run(c.ctx, proc.GitBranch(c.dir)).Answer()
	branch = strings.TrimPrefix(branch, "refs/heads/")
	main := "main"
	if name, known := c.r.Run(c.ctx, proc.GitDefault(c.dir)).Answer(); known {
		main = strings.TrimPrefix(name, "refs/remotes/origin/")
	}
	switch {
	case !onBranch:
		c.note(report.Warn, gitrepo.NoBranch, report.FileEvidence(c.dir, "detached at "+short(c.head)))
	case branch != main:
		c.note(report.Warn, fmt.Sprintf("branch %s is checked out, not %s", branch, main),
			report.FileEvidence(c.dir, "HEAD is "+branch))
	}
	c.dirty()
	return c.finding(c.upstream(o, main))
}

func (c *checkout) finding(remedies []report.Remedy) report.Finding {
	if c.parts == nil {
		c.parts = []string{"up to date"}
	}
	return report.Finding{Status: c.status, Summary: "framework: " + strings.Join(c.parts, "; "), Evidence: c.evidence,
		Remedies: remedies}
}

// lacking names the files that the setup uses and the checkout has not.
func (c *checkout) lacking() {
	const tools = pins.FrameworkDir + "/"
	var missing []string
	files := []string{path.Join(c.layout.Dir, c.layout.Settings[0]), tools + "pinned-versions.toml"}
	for _, name := range scripts.Hooks {
		files = append(files, tools+name)
	}
	for _, rel := range files {
		if _, err := c.r.ReadIn(c.dir, rel); err != nil {
			missing = append(missing, rel)
			c.evidence = append(c.evidence, report.FileEvidence(filepath.Join(c.dir, rel),
				"the setup uses it, and the checkout lacks it"))
		}
	}
	_, errNew := c.r.ReadIn(c.dir, tools+scripts.FrameworkWrapper)
	_, errOld := c.r.ReadIn(c.dir, tools+scripts.Wrappers[0])
	if errNew != nil && errOld != nil {
		missing = append(missing, tools+scripts.FrameworkWrapper)
		c.evidence = append(c.evidence, report.FileEvidence(filepath.Join(c.dir, tools), "neither "+
			scripts.FrameworkWrapper+" nor "+scripts.Wrappers[0]))
	}
	if missing != nil {
		c.note(report.Fail, "lacks "+report.Some(missing, 1, "", " and "))
	}
}

// dirty says what differs from the commit. A filter program of the repository's
// own is not started for it.
func (c *checkout) dirty() {
	if keys := gitrepo.OwnKeys(c.r.Run(c.ctx, proc.GitFilters(c.dir))); keys != nil {
		c.note(report.Unknown, "changes not known: its git configuration names a filter program",
			report.FileEvidence(c.dir, keys[0]+" is set; git status would start it"))
		return
	}
	res := c.r.Run(c.ctx, proc.GitDirty(c.dir))
	if !res.OK() {
		c.note(report.Unknown, "changes not known", report.CommandEvidence(res.Line, res.Text()))
		return
	}
	var names []string
	for _, entry := range res.Records() {
		if len(entry) > 3 {
			names = append(names, entry[3:])
		}
	}
	if n := len(names); n > 0 {
		c.note(report.Warn, fmt.Sprintf("%s changed locally", report.Things(n, "file")),
			report.CommandEvidence(res.Line, report.Some(names, most, ", ", " and ")))
	}
}

// upstream fetches what the remote has, and says what came since.
func (c *checkout) upstream(o Options, main string) []report.Remedy {
	address, ok := c.r.Run(c.ctx, proc.GitOrigin(c.dir)).Answer()
	if !ok || address == "" {
		c.note(report.Unknown, "no remote named origin, so its updates are not known",
			report.FileEvidence(c.dir, "remote.origin.url is not set"))
		return nil
	}
	objects, _ := c.r.Run(c.ctx, proc.GitObjects(c.dir)).Answer()
	at := filepath.Join(c.r.Places().Cache, "frameworks", report.DigestOf([]byte(c.dir)).Name(16))
	unlock, err := engine.Filling(at)
	if err != nil {
		c.note(report.Unknown, "not fetched: another run is fetching", report.ErrorEvidence(at, err))
		return nil
	}
	defer unlock()
	own := proc.Bare{Dir: at, Objects: objects}
	if res := c.r.Run(c.ctx, own.Init()); !res.OK() {
		c.note(report.Unknown, "not fetched: the cache is not writable", report.CommandEvidence(res.Line, res.Text()))
		return nil
	}
	theirs, ok := "", false
	if o.Offline {
		theirs, ok = c.r.Run(c.ctx, proc.GitTracking(c.dir, main)).Answer()
		c.evidence = append(c.evidence, report.EnvEvidence("--offline", "nothing was fetched: as the checkout knew origin/"+
			main))
	} else {
		if !filepath.IsAbs(address) && !strings.Contains(address, ":") { // git takes it from the checkout's root
			address = filepath.Join(c.dir, address)
		}
		res := c.r.Run(c.ctx, own.Fetch(address, "refs/heads/"+main))
		if !res.OK() {
			why := fetchFailed(res)
			c.note(report.Unknown, "not fetched: "+why, report.CommandEvidence("git fetch "+address,
				string(res.Stderr)+res.Text()))
			return []report.Remedy{report.Command{ID: "framework-fetch", Optional: true, Line: "git -C " + scripts.Quote(c.dir) +
				" fetch origin", Why: "fetch it yourself, then run update --offline"}}
		}
		theirs, ok = c.r.Run(c.ctx, own.Fetched()).Answer()
	}
	if !ok {
		c.note(report.Unknown, "origin/"+main+" is unknown", report.FileEvidence(c.dir, "never fetched"))
		return nil
	}
	return c.since(own, theirs, main)
}

// since counts the commits of both sides and names what changed in theirs.
func (c *checkout) since(own proc.Bare, theirs, main string) []report.Remedy {
	res := c.r.Run(c.ctx, own.Apart(c.head, theirs))
	counts := strings.Fields(string(res.Stdout))
	if !res.OK() || len(counts) != 2 {
		c.note(report.Unknown, "not compared with origin/"+main, report.CommandEvidence(res.Line, res.Text()))
		return nil
	}
	ahead, _ := strconv.Atoi(counts[0])
	behind, _ := strconv.Atoi(counts[1])
	if ahead > 0 {
		c.note(report.Warn, fmt.Sprintf("%s of your own", report.Things(ahead, "commit")),
			report.FileEvidence(c.dir, short(c.head)+" is not in origin/"+main))
	}
	if behind == 0 {
		return nil
	}
	c.note(report.Warn, fmt.Sprintf("%s behind origin/%s", report.Things(behind, "commit"), main),
		report.FileEvidence(c.dir, short(c.head)+" → "+short(theirs)))
	changed := c.r.Run(c.ctx, own.Changed(c.head, theirs, c.layout.Dir, pins.FrameworkDir, "tools/git-hooks"))
	if !changed.OK() {
		c.note(report.Unknown, "changed files not known", report.CommandEvidence(changed.Line, changed.Text()))
	}
	groups := map[string][]string{}
	for _, name := range changed.Records() {
		kind := c.part(name)
		groups[kind] = append(groups[kind], name)
	}
	for _, kind := range []string{"policy", "pins", "hooks", "scripts"} {
		if names := groups[kind]; names != nil {
			c.parts = append(c.parts, kind+" changed")
			c.evidence = append(c.evidence, report.FileEvidence(c.dir,
				kind+" changed: "+report.Some(names, most, ", ", " and ")))
		}
	}
	return []report.Remedy{report.Command{ID: "framework-pull", Line: "git -C " + scripts.Quote(c.dir) + " pull --ff-only",
		Why: "take over the framework's changes"}}
}

// part is what a file of the framework is a part of.
func (c *checkout) part(name string) string {
	base := filepath.Base(name)
	switch {
	case pathname.Within(name, c.layout.Dir):
		return "policy"
	case base == "pinned-versions.toml":
		return "pins"
	case slices.Contains(scripts.Hooks, base), strings.HasPrefix(base, "git-"),
		strings.HasPrefix(name, "tools/git-hooks/"):
		return "hooks"
	}
	return "scripts"
}

// fetchFailed is a fetch's failure in a few words.
func fetchFailed(res proc.Result) string {
	said := string(res.Stderr)
	switch {
	case errors.Is(res.Err, context.DeadlineExceeded):
		return "the remote did not answer in time"
	case strings.Contains(said, "Could not resolve host"), strings.Contains(said, "unable to access"):
		return "the remote is not reachable"
	case strings.Contains(said, "terminal prompts disabled"), strings.Contains(said, "Permission denied"),
		strings.Contains(said, "Authentication failed"):
		return "the remote asks for a login"
	case strings.Contains(said, "not allowed"):
		return "the remote's protocol is not https, ssh or a local path"
	}
	return firstClause(res.Text())
}

func firstClause(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return strings.TrimPrefix(s, "fatal: ")
}

func short(commit string) string { return commit[:min(len(commit), 10)] }

// most is how many files are named.
const most = 6
