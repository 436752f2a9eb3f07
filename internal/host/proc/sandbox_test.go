// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package proc_test

import (
	"context"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestTheTrials(t *testing.T) {
	testenv.Need(t, "bwrap", "socat", "rg", "unshare")
	r := proc.Runner{Env: env.New(testenv.Env(t, testenv.Home(t)))}
	ctx := context.Background()
	if res := r.Run(ctx, proc.NestedTrial()); !res.OK() {
		t.Errorf("%s: %s %v", res.Line, res.Stderr, res.Err)
	} else if shared := proc.Shared(res); len(shared) > 0 || !strings.Contains(string(res.Stdout), "net:[") ||
		!strings.Contains(string(res.Stdout), "pid:[") {
		t.Errorf("%s shares %v: %s", res.Line, shared, res.Stdout)
	}
	if outside, err := exec.Command("ls", "-l", "/proc/self/ns/net", "/proc/self/ns/pid").Output(); err != nil ||
		len(proc.Shared(proc.Result{Stdout: outside})) != 2 {
		t.Errorf("what is outside shares not everything with itself: %s %v", outside, err)
	}
	if res := r.Run(ctx, proc.SearchTrial()); !res.OK() || string(res.Stdout) != "1\n" {
		t.Errorf("%s: %q %s %v", res.Line, res.Stdout, res.Stderr, res.Err)
	}
	near, far := proc.BridgeTrial(time.Now().UnixNano())
	var answer, other proc.Result
	var both sync.WaitGroup
	both.Go(func() { answer = r.Run(ctx, near) })
	both.Go(func() { other = r.Run(ctx, far) })
	both.Wait()
	if !proc.Carried(answer) || !other.OK() {
		t.Errorf("%q %s %v; %s %v", answer.Stdout, answer.Stderr, answer.Err, other.Stderr, other.Err)
	}
}

// The filter refuses what the runtime's refuses. That the same call works
// without it is its control.
func TestTheSeccompTrial(t *testing.T) {
	testenv.Need(t, "bwrap", "socat")
	s, ok := proc.SeccompTrial(runtime.GOARCH)
	if !ok {
		t.Skip("the system calls of " + runtime.GOARCH + " are not known")
	}
	r := proc.Runner{Env: env.New(testenv.Env(t, testenv.Home(t)))}
	if res := r.Run(context.Background(), s); res.Err != nil || res.Code != 1 ||
		!strings.Contains(string(res.Stderr), "socket(1, 2, 0): Operation not permitted") {
		t.Errorf("%s: %d %s %v", res.Line, res.Code, res.Stderr, res.Err)
	}
	// A filter for another machine refuses nothing here.
	for _, arch := range []string{"amd64", "arm64"} {
		if s, ok := proc.SeccompTrial(arch); !ok || arch != runtime.GOARCH && !r.Run(context.Background(), s).OK() {
			t.Errorf("%s: %v", arch, ok)
		}
	}
	if out, err := exec.Command("socat", "-u", "/dev/null", "ABSTRACT-SENDTO:steward-setup").CombinedOutput(); err != nil {
		t.Errorf("the control: %v\n%s", err, out)
	}
	if _, ok := proc.SeccompTrial("mips"); ok {
		t.Error("an architecture is taken for known")
	}
}
