// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package proc

import (
	"context"
	"errors"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/steward-setup/steward-setup/internal/host/env"
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

// TestOutputIsBounded: what is printed beyond the limit is not kept, the program
// is not stopped for it, and the answer is none.
func TestOutputIsBounded(t *testing.T) {
	r := Runner{Env: env.New([]string{"PATH=" + os.Getenv("PATH")})}
	for name, c := range map[string]struct {
		script         string
		most, out, err int
		cut            bool
	}{
		"as much as is kept":    {"head -c 1000 /dev/zero", 1000, 1000, 0, false},
		"one byte more":         {"head -c 1001 /dev/zero", 1000, 1000, 0, true},
		"much more":             {"head -c 99000000 /dev/zero", 0, maxOutput, 0, true},
		"complaints alone":      {"head -c 9000000 /dev/zero >&2", 0, 0, maxSaid, false},
		"one byte after a wait": {"head -c 1000 /dev/zero; sleep 0.1; echo", 1000, 1000, 0, true},
	} {
		res := r.Run(t.Context(), Spec{name: "sh", args: []string{"-c", c.script}, most: c.most, timeout: time.Minute})
		if len(res.Stdout) != c.out || len(res.Stderr) != c.err || res.Code != 0 {
			t.Errorf("%s: kept %d and %d bytes, exit code %d", name, len(res.Stdout), len(res.Stderr), res.Code)
		}
		if errors.Is(res.Err, ErrCut) != c.cut || res.OK() == c.cut {
			t.Errorf("%s: %v", name, res.Err)
		}
	}
}
