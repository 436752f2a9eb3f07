// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what whole-user scope wrote goes, byte for byte where
// nothing else has been written since; what somebody added stays, is named and
// counts as left for the user. A file that cannot be read keeps nothing else
// from going.

package scope

import (
	"context"
	"errors"
	iofs "io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/githooks"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/scripts"
	"github.com/steward-setup/steward-setup/steps/install"
)

// PerProject proposes to undo whole-user scope. The error is a *report.Error,
// or ctx's.
func PerProject(ctx context.Context, r host.Reader, o Options) (Proposal, error) {
	p := Proposal{Facts: install.Facts(r)}
	d := install.NewDraft(r)
	hooks := report.Section{ID: "hooks", Title: "git hooks",
		Why: "git looks for hooks where it did before. The shared directory's files are removed; other files in it stay."}
	hooks.Findings = o.Runs.Doubts(func(run engine.Receipt) bool {
		return rooted(run) || run.Command == PerProjectCommand
	})
	led, err := leadBack(ctx, r, d, &hooks, o)
	if err != nil {
		return p, err
	}
	if !led {
		for _, step := range []func() error{
			func() error { return emptyShared(r, d, &hooks, o) },
			func() error { return withoutFloor(r, d, &hooks, o) },
			func() error { return withoutBinary(r, d, &hooks, o) },
		} {
			if err := goOn(&hooks, step()); err != nil {
				return p, err
			}
		}
	}
	roots := report.Section{ID: "roots", Title: "Project roots", Why: "Project roots stay: each keeps a worktree " +
		"readable for its own sessions. --remove-roots removes those that whole-user scope wrote."}
	if err := goOn(&roots, standing(d, &roots, false)); err != nil {
		return p, err
	}
	if o.RemoveRoots {
		if err := goOn(&roots, withoutRoots(r, d, &roots, o)); err != nil {
			return p, err
		}
	}
	p.Plan = report.NewPlan([]report.Section{hooks, roots})
	return p, nil
}

// goOn makes a finding of an error that concerns one file, so that the rest
// goes on; it returns any other one.
func goOn(s *report.Section, err error) error {
	var known *report.Error
	if err == nil || !errors.As(err, &known) || known.Where == "" {
		return err
	}
	f := report.Finding{Check: "scope", Layer: report.LayerSandbox, Status: report.Warn, Decide: true,
		Summary:  "a file could not be changed and stays as it is",
		Evidence: []report.Evidence{report.FileEvidence(known.Where, known.What)}}
	if known.Advice() != "" {
		f.Remedies = []report.Remedy{report.DocLink{Title: known.Advice() + ", then run scope per-project again",
			Target: known.Where}}
	}
	s.Note(f)
	return nil
}

// emptyShared removes our hooks.
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
			stay = append(stay, report.FileEvidence(path, scripts.Foreign))
			continue
		}
		f, err := d.Open(path, "")
		if err != nil {
			if err := goOn(s, err); err != nil {
				return err
			}
			continue
		}
		if _, written := o.Runs.Origin(f.Target, f.Bytes, ours); hook.State == githooks.Edited && !written {
			stay = append(stay, report.FileEvidence(path, "edited since steward-setup wrote it"))
			continue
		}
		d.Write(s, report.ID("scope/"+hook.Name), "starts hooks for whole-user scope only", f, nil, 0o755)
		if to, err := r.Readlink(path); err == nil {
			s.Items = append(s.Items, report.Change{ID: report.ID("scope/link:" + hook.Name), Path: path, Target: path,
				Why: "leads to the hook that is removed", Before: []byte(to), Mode: iofs.ModeSymlink | 0o777})
		}
	}
	for _, name := range shared.Others {
		stay = append(stay, report.FileEvidence(filepath.Join(dir, name), scripts.Foreign))
	}
	if stay != nil {
		s.Note(report.Finding{Check: "scope", Status: report.Warn, Decide: shared.Installed, Evidence: stay,
			Summary: "files in the shared directory stay; git no longer runs them"})
	}
	return nil
}

// unfloored is the change that takes the policy of whole-user scope out.
const unfloored report.ID = "scope/without-floor"

// floors are the runs of whole-user scope, newest first, since a run took the
// policy out of the user's settings, and whether one of them put it there.
func floors(o Options) (runs []engine.Receipt, put bool) {
	for _, r := range o.Runs.Receipts {
		if !o.Runs.Stands(r) {
			continue
		}
		has := func(is func(report.ID) bool) bool {
			return slices.ContainsFunc(r.Changes, func(c engine.ReceiptChange) bool { return is(c.ID) })
		}
		switch {
		case r.Command == PerProjectCommand && r.Finished && has(func(id report.ID) bool { return id == unfloored }):
			return runs, put
		case ours(r):
			runs = append(runs, r)
			put = put || has(func(id report.ID) bool { return strings.HasPrefix(string(id), "floor/") })
		}
	}
	return runs, put
}

// withoutWritten is the user's settings f without what the runs added, which are
// newest first: what is of others, before them or since, stays. A run of which
// either state is lost is passed over. The error is a *report.Error.
func withoutWritten(o Options, f install.File, runs []engine.Receipt) (now []byte, err error) {
	now = f.Bytes
	for _, run := range runs {
		before, replaced := o.Runs.Replaced(run, f.Target)
		after, left := o.Runs.Left(run, f.Target)
		if !replaced || !left {
			continue
		}
		if now, err = o.Agent.Retract(f.Path, now, before, after); now == nil {
			return nil, err
		}
	}
	return now, nil
}

// withoutFloor takes the policy for every start, and the shared directory, out
// of the user's settings, if whole-user scope put them there.
func withoutFloor(r host.Reader, d install.Draft, s *report.Section, o Options) error {
	f, err := d.Open(o.user(r), "")
	if err != nil || f.Bytes == nil {
		return err
	}
	stays, held := o.Agent.Floored(f.Path, f.Bytes)
	after, ok := o.Runs.Origin(f.Target, f.Bytes, ours)
	if ok {
		id := report.ID("scope/readable")
		// One that is there then is the user's own, or of an earlier run that something else
		// wrote after.
		if _, holds := o.Agent.Floored(f.Path, after); holds {
			stays.Summary = "a policy stays in your user settings: it was there before the last whole-user run"
			s.Note(stays)
		} else if held {
			id = unfloored
		}
		takeOut(d, s, id, "removes what whole-user scope added", f, after)
		return nil
	}
	runs, put := floors(o)
	if after, err = withoutWritten(o, f, runs); err != nil {
		return err
	}
	id, why := report.ID("scope/readable"), "removes what whole-user scope added; later edits stay"
	if _, holds := o.Agent.Floored(f.Path, after); held && !holds {
		id = unfloored
	} else if held && put {
		stays.Decide, stays.Summary = true, "the policy in your user settings stays: the file was edited since whole-user "+
			"scope wrote it"
		s.Note(stays)
	}
	if dir := githooks.Look(r).Filled.Before; dir != "" {
		if seen := o.Agent.Reads(f.Path, after, dir); seen != nil {
			s.Note(report.Finding{Check: "scope", Status: report.Warn, Evidence: seen,
				Summary: "sandboxed commands can still read the earlier hooks directory"})
		}
	}
	if after != nil {
		if after, err = o.Agent.WithoutReading(f.Path, after, githooks.SharedDir(r.Places())); err != nil {
			return err
		}
	}
	takeOut(d, s, id, why, f, after)
	return nil
}

// takeOut leaves after in the user's settings, with the price of a policy that goes.
func takeOut(d install.Draft, s *report.Section, id report.ID, why string, f install.File, after []byte) {
	c, needed := d.Change(id, why, f, after, 0o600)
	if !needed {
		return
	}
	if id == unfloored {
		c.Price = "plain claude is then sandboxed only where it starts in the root of a project with a policy of its own"
	}
	s.Items = append(s.Items, c)
}

// withoutBinary removes the copy of the program that whole-user scope made, if
// no other file of ours calls it.
func withoutBinary(r host.Reader, d install.Draft, s *report.Section, o Options) error {
	path := filepath.Join(r.Places().UserBin, "steward-setup")
	now, err := r.ReadAll(path)
	if err != nil {
		return nil //nolint:nilerr // there is no copy, or none that was made by us
	}
	if before, ok := o.Runs.Origin(path, now, ours); !ok || before != nil {
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
	d.Write(s, "scope/binary", "the copy that git's hooks called, which nothing else calls", f, nil, 0o755)
	return nil
}
