// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the program proposes is judged as what is in force is: by
// the same functions, on the machine as it would be.

package checks

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/steward-setup/steward-setup/internal/agent/claude/opening"
	"github.com/steward-setup/steward-setup/internal/agent/claude/session"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/report"
)

// WouldOpen returns what judges changes of the machine of before: it lists, as
// sentences, what policy-invariants fails in a session in dir on the machine after a
// change and does not fail before it. The machine before is judged once, and what its
// paths are is looked at once (host.Still).
func WouldOpen(ctx context.Context, before host.Reader, dir string) func(after Changed) ([]string, error) {
	before = host.Still(before)
	fails := func(r host.Reader) (list []opening.Opening, err error) {
		s, err := session.In(ctx, r, dir)
		if err == nil {
			err = s.Lost
		}
		if err != nil {
			return nil, err
		}
		list = openingsIn(ctx, r, s)
		return slices.DeleteFunc(list, func(o opening.Opening) bool { return o.Status != report.Fail }), nil
	}
	have := sync.OnceValues(func() ([]opening.Opening, error) { return fails(before) })
	return func(after Changed) (opens []string, err error) {
		known, err := have()
		if err != nil {
			return nil, err
		}
		found, err := fails(after(before))
		if err != nil {
			return nil, err
		}
		for _, o := range found {
			// A place moves with what is written above it; what is open does not.
			same := func(h opening.Opening) bool { return h.What == o.What && h.Opens == o.Opens }
			if !slices.ContainsFunc(known, same) {
				opens = report.Union(opens, o.What+": "+opening.LowerFirst(strings.TrimSuffix(o.Opens, ".")))
			}
		}
		return opens, nil
	}
}

// Changed is a machine as a change of that of before would leave it.
type Changed func(before host.Reader) host.Reader
