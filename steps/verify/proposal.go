// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what the program proposes is judged as what is in force
// is: by the same functions, on the machine as it would be.

package verify

import (
	"context"
	"slices"
	"strings"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/policy"
	"github.com/steward-setup/steward-setup/internal/report"
)

// WouldOpen lists, as sentences, what policy-invariants fails in a session in
// dir on the machine after a change and does not fail before it.
func WouldOpen(ctx context.Context, before, after host.Reader, dir string) ([]string, error) {
	pol, err := policy.Embedded()
	if err != nil {
		return nil, err
	}
	fails := func(r host.Reader) (list []opening, err error) {
		s, err := session(ctx, r, dir)
		if err == nil {
			err = s.Lost
		}
		if err != nil {
			return nil, err
		}
		list = openingsIn(ctx, r, s, pol)
		return slices.DeleteFunc(list, func(o opening) bool { return o.status != report.Fail }), nil
	}
	have, err := fails(before)
	if err != nil {
		return nil, err
	}
	found, err := fails(after)
	if err != nil {
		return nil, err
	}
	var opens []string
	for _, o := range found {
		// A place moves with what is written above it; what is open does not.
		known := slices.ContainsFunc(have, func(h opening) bool { return h.what == o.what && h.opens == o.opens })
		if said := o.what + ": " + lowerFirst(strings.TrimSuffix(o.opens, ".")); !known && !slices.Contains(opens, said) {
			opens = append(opens, said)
		}
	}
	return opens, nil
}
