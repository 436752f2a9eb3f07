// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what whole-user scope wrote goes, byte for byte where
// nothing else has been written since; what somebody added stays and is named.
// git is led back first: a plan that stops half way leaves no repository
// without its hooks.

package scope

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/gitconfig"
	"github.com/steward-setup/steward-setup/internal/githooks"
	"github.com/steward-setup/steward-setup/internal/gitrepo"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/internal/settings"
	"github.com/steward-setup/steward-setup/steps/install"
)

// PerProject proposes to take whole-user scope back. The error is a
// *report.Error, or ctx's.
func PerProject(ctx context.Context, r host.Reader, o Options) (Proposal, error) {
	p := Proposal{Facts: report.Facts{Home: r.Places().Home, OS: r.System().GOOS}}
	d := install.NewDraft(r)
	hooks := report.Section{ID: "hooks", Title: "git hooks",
		Why: "git looks for hooks where it did before. The shared directory's files are removed; what else lies there stays."}
	if err := leadBack(ctx, r, d, &hooks); err != nil {
		return p, err
	}
	if err := emptyShared(r, d, &hooks, o); err != nil {
		return p, err
	}
	if err := withoutBinary(r, d, &hooks, o); err != nil {
		return p, err
	}
	roots := report.Section{ID: "roots", Title: "Project roots", Why: "The roots that were written stay: they only keep a worktree readable for its own sessions. --remove-roots takes out those that whole-user scope wrote."}
	if err := standing(r, d, &roots, false); err != nil {
		return p, err
	}
	if o.RemoveRoots {
		if err := withoutRoots(r, d, &roots, o); err != nil {
			return p, err
		}
	}
	p.Plan = report.NewPlan([]report.Section{hooks, roots})
	return p, nil
}

// leadBack takes our lines out of git's configuration.
func leadBack(ctx context.Context, r host.Reader, d install.Draft, s *report.Section) error {
	dir := githooks.SharedDir(r.Places())
	for _, path := range []string{filepath.Join(r.Places().Home, ".gitconfig"), xdgConfig(r)} {
		f, err := d.Open(path, "")
		if err != nil {
			return err
		}
		removal := gitconfig.Remove(f.Bytes(), dir)
		if !removal.Found {
			continue
		}
		change(d, s, report.ID("scope/hooks-path:"+path), "git looks for hooks where it did before", f, removal.After, 0o644)
		if removal.Changed {
			s.Findings = append(s.Findings, report.Finding{Check: "scope", Layer: report.LayerSandbox, Status: report.Warn, Summary: "core.hooksPath was changed by hand and stays",
				Evidence: []report.Evidence{report.FileEvidence(path, "it no longer leads to "+dir)}})
		}
	}
	h, err := gitrepo.UserHooksPath(ctx, r)
	if err != nil {
		return err
	}
	for _, set := range githooks.Settings(r, h) {
		if !set.Ours || removes(s, set.File) {
			continue
		}
		s.Items = append(s.Items, report.Command{ID: report.ID("scope/unset:" + set.File), Why: "core.hooksPath at " + where(set) + " leads to the shared directory, and steward-setup did not write it",
			Line: "git config --file " + scripts.Quote(set.File) + " --unset core.hooksPath " + scripts.Quote("^"+strings.ReplaceAll(set.Value, ".", `\.`)+"$")})
	}
	return nil
}

// removes says whether the section changes the file at path.
func removes(s *report.Section, path string) bool {
	return slices.ContainsFunc(s.Items, func(it report.Item) bool {
		c, ok := it.(report.Change)
		return ok && (c.Path == path || c.Target == path)
	})
}

// emptyShared removes our hooks, and the reading of them.
func emptyShared(r host.Reader, d install.Draft, s *report.Section, o Options) error {
	dir := githooks.SharedDir(r.Places())
	shared := githooks.Look(r)
	var stay []report.Evidence
	for _, hook := range shared.Hooks {
		path := filepath.Join(dir, hook.Name)
		if hook.State == githooks.Missing {
			continue
		}
		if hook.State == githooks.Foreign {
			stay = append(stay, report.FileEvidence(path, "not written by steward-setup"))
			continue
		}
		f, err := d.Open(path, "")
		if err != nil {
			return err
		}
		if _, written := o.Origin(f.Target(), f.Bytes(), ours); hook.State == githooks.Edited && !written {
			stay = append(stay, report.FileEvidence(path, "edited since steward-setup wrote it"))
			continue
		}
		change(d, s, report.ID("scope/"+hook.Name), "starts hooks for whole-user scope only", f, nil, 0o755)
	}
	for _, name := range shared.Others {
		stay = append(stay, report.FileEvidence(filepath.Join(dir, name), "not written by steward-setup"))
	}
	if stay != nil {
		s.Findings = append(s.Findings, report.Finding{Check: "scope", Layer: report.LayerSandbox, Status: report.Warn, Evidence: stay,
			Summary: "these files of the shared directory stay, and git runs none of them any more"})
	}
	return unreadable(r, d, s, o)
}

// floored says that whole-user scope put a policy into the user's settings.
func floored(receipts []engine.Receipt) bool {
	return slices.ContainsFunc(receipts, func(r engine.Receipt) bool {
		_, undone := engine.UndoneBy(receipts, r.ID)
		return ours(r) && !undone && slices.ContainsFunc(r.Changes, func(c engine.ReceiptChange) bool { return c.ID == install.FloorChange })
	})
}

// unreadable takes the policy for every start, and the shared directory, out of
// the user's settings, if whole-user scope put them there.
func unreadable(r host.Reader, d install.Draft, s *report.Section, o Options) error {
	f, err := d.Open(r.Places().UserSettings(), "")
	if err != nil || f.Bytes() == nil {
		return err
	}
	after, ok := o.Origin(f.Target(), f.Bytes(), ours)
	if !ok {
		if floored(o.Receipts) {
			s.Findings = append(s.Findings, report.Finding{Check: "scope", Layer: report.LayerSandbox, Status: report.Warn,
				Summary:  "the policy in your own settings stays: the file was changed since whole-user scope wrote it",
				Evidence: []report.Evidence{report.FileEvidence(f.Path(), "its sandbox and permissions hold for every start of a plain claude")},
				Remedies: []report.Remedy{report.DocLink{Title: "to have it per project again, remove sandbox and the permissions of the setup there", Target: f.Path()}}})
		}
		doc, err := settings.Parse(r.Places().UserSettings(), f.Bytes())
		if err != nil {
			return err
		}
		if after, err = settings.Without(doc, []string{"sandbox", "filesystem", "allowRead"}, githooks.SharedDir(r.Places())); err != nil {
			return err
		}
	}
	change(d, s, "scope/readable", "what whole-user scope put in goes", f, after, 0o600)
	return nil
}

// withoutBinary removes the copy of the program that whole-user scope made, if
// no other file of ours calls it.
func withoutBinary(r host.Reader, d install.Draft, s *report.Section, o Options) error {
	path := filepath.Join(r.Places().UserBin, "steward-setup")
	now, err := r.ReadAll(path)
	if err != nil {
		return nil //nolint:nilerr // there is no copy, or none that was made by us
	}
	if before, ok := o.Origin(path, now, ours); !ok || before != nil {
		return nil
	}
	for _, dir := range []string{r.Places().Scripts(), r.Places().Isolation()} {
		entries, _ := r.ReadDir(dir) // none, if it cannot be read
		for _, e := range entries {
			b, err := r.Read(filepath.Join(dir, e.Name()))
			if script, ok := scripts.Recognize(b); err == nil && ok && script.Binary == path {
				return nil
			}
		}
	}
	f, err := d.OpenAll(path)
	if err != nil {
		return err
	}
	change(d, s, "scope/binary", "the copy that git's hooks called, which nothing else calls", f, nil, 0o755)
	return nil
}
