// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: a session that the program plays on a stage counts as one
// that a test plays itself.

package sessions

import (
	"context"
	"strings"
	"testing"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/proc"
)

// Counted is r, with each session that is played on a stage counted.
func Counted(t testing.TB, r host.Reader) host.Reader { return counted{r, t} }

type counted struct {
	host.Reader
	t testing.TB
}

func (c counted) Run(ctx context.Context, s proc.Spec) proc.Result {
	if strings.Contains(s.String(), " stage enter ") { // proc.Stage
		Count(c.t)
	}
	return c.Reader.Run(ctx, s)
}
