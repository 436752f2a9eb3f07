// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package proc

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestLoadMakesAnswersLateNotMissing: a call is given up when its limit has
// passed as often as each processor has programs to run.
func TestLoadMakesAnswersLateNotMissing(t *testing.T) {
	const limit = 5 * time.Second
	for _, c := range []struct {
		name string
		load float64
		want time.Duration
	}{
		{"a machine with nothing else to do", 1, limit},
		{"a busy one", 3, 3 * limit},
		{"a program that hangs on a machine without room", 1000, mostLoad * limit},
	} {
		synctest.Test(t, func(t *testing.T) {
			begun := time.Now()
			ctx, cancel := within(t.Context(), limit, func() float64 { return c.load })
			defer cancel()
			<-ctx.Done()
			if took := time.Since(begun); took != c.want || !errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
				t.Errorf("%s: given up after %v (%v), want %v", c.name, took, context.Cause(ctx), c.want)
			}
		})
	}
}

// TestTheLoadIsAtLeastOne: a limit is never shorter than it says.
func TestTheLoadIsAtLeastOne(t *testing.T) {
	if l := load(); l < 1 {
		t.Errorf("load is %v", l)
	}
}
