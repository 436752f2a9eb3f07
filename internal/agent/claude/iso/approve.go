// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: approving is a plan like any other: its diff is what has
// changed since the user last approved, and only what the user saw is what
// the digest stands for.

package iso

import (
	"path/filepath"
	"slices"

	"github.com/steward-setup/steward-setup/internal/approval"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/report/preview"
)

// Survey reads the project that the files around start say there is, as
// Prepare does, without looking for an agent: what could be approved there.
func Survey(h host.Reader, start string) (Launch, error) {
	return survey(h, start, func(approval.Set) Place { return around(h, start) })
}

// Consider reads the project that a launch in start would happen in, without
// looking for an agent.
func Consider(h host.Reader, start string) (Launch, error) {
	return survey(h, start, func(approvals approval.Set) Place { return locate(h, approvals, start) })
}

func survey(h host.Reader, start string, locate func(approval.Set) Place) (Launch, error) {
	approvals, err := Approvals(h)
	if err != nil {
		return Launch{Place: around(h, start)}, err
	}
	type surveyed struct {
		l   Launch
		err error
	}
	place := locate(approvals)
	s := host.Found(h, surveyKey{place}, func() surveyed {
		l := Launch{Place: place}
		err := l.read(h, approvals, false)
		return surveyed{l, err}
	})
	return s.l, s.err
}

type surveyKey struct{ place Place }

// Approval proposes the plan that approves the policy of l and the items that
// the user wants to be loaded. It has no changes if all is approved already.
func (l *Launch) Approval(h host.Reader, load []Item) (report.Plan, error) {
	state := h.Places().State
	s := report.Section{ID: "launch", Title: ApprovalTitle,
		Why: "The agent starts with exactly this policy of the project: when it changes, claude-iso does not start until " +
			"you approve it again."}
	set, err := Approvals(h)
	if err != nil {
		return report.Plan{}, err
	}
	if !l.Policy.Empty() || l.Known {
		set = l.ApprovedIn(set)
		if err := propose(h, &s, report.Change{ID: "launch/policy", Path: copyPath(state, l.Place.ID),
			Why:   "the policy of " + l.Place.Project + "; a later one is compared with this copy",
			After: l.Policy.Text, Mode: 0o600}); err != nil {
			return report.Plan{}, err
		}
	}
	for _, i := range load {
		if i.Refused != "" {
			continue
		}
		set = set.WithItem(l.Place.ID, i.Digest).WithRoot(l.Place.ID, l.Place.root())
		for _, f := range i.Files {
			if err := propose(h, &s, report.Change{ID: "launch/copy-of-" + report.ID(filepath.Base(f.Rel)),
				Why:  "a copy of " + f.Path + ": claude-iso runs it in place of the file, which commands can change",
				Path: f.copyIn(state), After: f.content, Mode: copyMode}); err != nil {
				return report.Plan{}, err
			}
		}
	}
	if err := propose(h, &s, report.Change{ID: "launch/approval", Why: "what you approve, by its digest",
		Path: approval.Path(state), After: set.Bytes(), Mode: 0o600}); err != nil {
		return report.Plan{}, err
	}
	return report.NewPlan([]report.Section{s}), nil
}

// ApprovedIn returns the set with the policy of l approved, as it is now.
func (l *Launch) ApprovedIn(set approval.Set) approval.Set {
	return set.WithPolicy(l.Place.ID, l.Policy.Digest()).WithRoot(l.Place.ID, l.Place.root())
}

func noState(path, what string, err error) error {
	return &report.Error{Code: report.ExitLeft, Where: path, What: what, Next: "fix the state directory", Err: err}
}

// propose adds the change of a file of our own, with what is there now, if it changes.
func propose(h host.Reader, s *report.Section, c report.Change) (err error) {
	if c.Target, err = h.Resolve(c.Path); err != nil {
		return noState(c.Path, "cannot be inspected", err)
	}
	switch info, err := h.Stat(c.Target); {
	case err == nil:
		c.ModeBefore = info.Mode().Perm()
		if c.Before, err = h.Read(c.Target); err != nil {
			return noState(c.Path, "cannot be read", err)
		}
	case !missing(err):
		return noState(c.Path, "cannot be inspected", err)
	}
	proposed := slices.ContainsFunc(s.Items, func(it report.Item) bool {
		have, is := it.(report.Change)
		return is && have.Path == c.Path
	})
	if report.DigestOf(c.Before) != report.DigestOf(c.After) && !proposed {
		s.Items = append(s.Items, c)
	}
	return nil
}

// Changed is the difference between the policy that was approved last and the
// one that is there, as a unified diff; "" if there is none.
func (l *Launch) Changed(h host.Reader) string {
	before, err := h.Read(copyPath(h.Places().State, l.Place.ID))
	if err != nil {
		before = nil // what cannot be read is shown as if it had not been there
	}
	if string(before) == string(l.Policy.Text) {
		return ""
	}
	return preview.Diff(report.Change{Path: settingsIn(l.Place.Project), Before: before, After: l.Policy.Text})
}
