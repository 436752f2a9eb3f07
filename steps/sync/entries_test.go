// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package sync

import (
	"context"
	"fmt"
	"testing"

	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/proc"
)

// counting counts the processes that are started through it.
type counting struct {
	host.Reader
	n int
}

func (c *counting) Run(ctx context.Context, s proc.Spec) proc.Result {
	c.n++
	return c.Reader.Run(ctx, s)
}

// TestManyFilesAreAskedForAtOnce: a pull of many files starts git as often as one of
// few.
func TestManyFilesAreAskedForAtOnce(t *testing.T) {
	w := newExchangeWorld(t)
	arrives := func(files int) int {
		for i := range files {
			w.bob.put(fmt.Sprintf("memory/a/%d/%d.md", files, i), fmt.Sprint(i))
		}
		w.bob.pushes("from bob")
		c := &counting{Reader: w.ada.host()}
		e, err := Open(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		defer e.Release()
		if err := e.Pull(t.Context()); err != nil || len(e.Changes) != files {
			t.Fatalf("%d files arrive: %v", len(e.Changes), err)
		}
		w.ada.take(e)
		return c.n
	}
	few, many := arrives(2), arrives(60)
	if many != few {
		t.Errorf("%d processes for 60 files, %d for 2", many, few)
	}
}
