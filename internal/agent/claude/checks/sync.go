// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what arrives through the sync repository runs outside the
// sandbox on every machine. Neither the repository nor a symlink into it may be
// writable from inside.

package checks

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/steward-setup/steward-setup/internal/agent/claude/grants"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/pathname"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/syncrepo"
	"github.com/steward-setup/steward-setup/steps/verify"
)

// checkSync asks whether commands can change the sync repository.
func checkSync(ctx context.Context, r host.Reader, dir string) report.Finding {
	place := r.Places().SyncRepo
	now, err := syncrepo.Look(ctx, r, place)
	if err != nil {
		return syncrepo.NotRead(place, err)
	}
	if !now.Exists() {
		return report.Finding{Status: report.Skip, Summary: "no sync repository",
			Evidence: []report.Evidence{report.FileEvidence(place, string(now.State))}}
	}
	links := syncrepo.Links(r)
	paths := []string{place}
	for _, l := range links {
		paths = append(paths, l.Path)
	}
	held := "the sync repository"
	if len(links) > 0 {
		held += " or " + report.Counted(len(links), "the symlink to it", "the %d symlinks to it")
	}
	f := report.Finding{Status: report.Pass, Summary: "sandboxed commands cannot write " + held,
		Evidence: []report.Evidence{report.FileEvidence(place, "outside of what commands may write")}}
	sessions := sessionsOf(ctx, r, dir)
	if sessions == nil {
		f.Status, f.Summary = report.Unknown, "not verified: which settings apply here is unknown"
		return f
	}
	open := openedSync(r, sessions, paths)
	var tracked, broken []report.Evidence
	for _, file := range now.Forbidden {
		tracked = append(tracked, report.FileEvidence(filepath.Join(place, file.Path), "is tracked: "+file.What))
	}
	for _, l := range links {
		if l.Broken {
			broken = append(broken, report.FileEvidence(l.Path, "leads to "+pathname.Gone(l.To)))
		}
	}
	switch {
	case open != nil:
		f.Status, f.Voids, f.Evidence = report.Fail, true, open
		f.Summary = "sandboxed commands can write " + report.Counted(len(open), "1 part", "%d parts") +
			" of the sync repository"
		f.Remedies = []report.Remedy{report.DocLink{Title: "remove what opens it, or add \"" + place +
			"\" to sandbox.filesystem.denyWrite in", Target: r.Places().UserSettings()}}
	case tracked != nil:
		f.Status, f.Evidence = report.Fail, tracked
		f.Summary = report.Counted(len(tracked), "1 file that must never be tracked is",
			"%d files that must never be tracked are") + " in the sync repository"
		f.Remedies = []report.Remedy{report.Command{ID: "sync/untrack", Line: syncrepo.Untrack(place, now.Forbidden[0].Path),
			Why: "stop tracking it; the file stays on the disk. A credential stays in the history: change it"}}
	case now.State == syncrepo.Unreadable: // which files are tracked was not observed
		f.Status, f.Summary = report.Unknown, "not verified: which files of the sync repository are tracked"
		f.Evidence = []report.Evidence{report.FileEvidence(place, now.Why)}
		f.Remedies = []report.Remedy{report.Command{ID: "sync/git", Line: "git -C " + scripts.Quote(place) + " status",
			Why: "see what git reports of the sync repository"}}
	case broken != nil:
		f.Status, f.Evidence = report.Warn, broken
		f.Summary = report.Counted(len(broken), "1 symlink", "%d symlinks") + " to the sync repository " +
			report.Counted(len(broken), "is broken", "are broken")
		f.Remedies = []report.Remedy{report.Own("sync link", report.Command{ID: "sync/link",
			Why: "put the symlinks in place"})}
	}
	return f
}

// openedSync says where commands of some sessions can change what paths are.
func openedSync(r host.Reader, sessions []session.Settings, paths []string) (open []report.Evidence) {
	for _, s := range sessions {
		g := grants.Of(r, s)
		for _, path := range paths {
			e, can := changesSync(g, path)
			if can && !slices.Contains(open, e) && len(open) < verify.MaxListed {
				open = append(open, e)
			}
		}
	}
	return open
}

// changesSync says whether commands can change what path is: write it, write below
// it, or rename what leads to it.
func changesSync(g grants.Ground, path string) (report.Evidence, bool) {
	if o, yes := g.Opening(path, path, "Commands can change your sync repository, or a symlink into it: "+path); yes {
		return o.Evidence(), true
	}
	real := grants.RealPath(g.Host, path)
	for _, e := range g.Openers() {
		dir := e.Dir()
		if e.Place != grants.BySetting || grants.Under(dir, g.Kept) {
			continue
		}
		if pathname.Within(dir, real) || !grants.Under(real, g.Kept) && g.Host.Through(path, []string{dir}) {
			return report.FileEvidence(e.Where, e.Key+" is "+e.Text+": commands can change "+path), true
		}
	}
	return report.Evidence{}, false
}
