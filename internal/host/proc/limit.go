// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: on a busy machine an answer comes late; it does not turn
// into none.

package proc

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"strconv"
	"time"

	hostfs "github.com/steward-setup/steward-setup/internal/host/fs"
)

// mostLoad bounds how far load stretches a limit: what takes longer hangs. A
// disk that hangs counts as load too.
const mostLoad = 4

// limited is ctx with the limit of a call.
func (s Spec) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.firm {
		return context.WithTimeoutCause(ctx, s.timeout, late{s.timeout})
	}
	return within(ctx, s.timeout, load)
}

// within is ctx, canceled with context.DeadlineExceeded in its cause once limit
// has passed. Where more wants to run than there are processors, a program gets
// as many times longer.
func within(ctx context.Context, limit time.Duration, load func() float64) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stretched := 1.0
	var timer *time.Timer
	armed := make(chan struct{})
	timer = time.AfterFunc(limit, func() {
		<-armed
		now := min(load(), mostLoad)
		if now <= stretched {
			cancel(late{time.Duration(float64(limit) * stretched)})
			return
		}
		more := time.Duration(float64(limit) * (now - stretched))
		stretched = now
		timer.Reset(more)
	})
	close(armed)
	return ctx, func() {
		timer.Stop()
		cancel(context.Canceled)
	}
}

// late is why a call was given up.
type late struct{ limit time.Duration }

func (l late) Error() string {
	return fmt.Sprintf("did not answer within %v", l.limit.Round(10*time.Millisecond))
}

// Unwrap makes it an expired deadline.
func (l late) Unwrap() error { return context.DeadlineExceeded }

// load is how many programs want to run for each processor, at least 1: now, or
// in the last minute if that is more (proc_loadavg(5)). Where the system does
// not say it there, it is 1.
func load() float64 {
	b, err := hostfs.Read("/proc/loadavg")
	fields := bytes.Fields(b)
	if err != nil || len(fields) < 4 {
		return 1
	}
	running, _, _ := bytes.Cut(fields[3], []byte("/"))
	most := 0.0
	for _, field := range [][]byte{fields[0], running} {
		if n, err := strconv.ParseFloat(string(field), 64); err == nil {
			most = max(most, n)
		}
	}
	return max(1, most/float64(runtime.NumCPU()))
}
