// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package proc_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/host/proc"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

func TestTheSandboxTrial(t *testing.T) {
	testenv.Need(t, "bwrap")
	r := proc.Runner{Env: env.New(testenv.Env(t, testenv.Home(t)))}
	if res := r.Run(context.Background(), proc.SandboxTrial()); !res.OK() {
		t.Errorf("%s: %d %s %v", res.Line, res.Code, res.Stderr, res.Err)
	}
}

// TestADetachedProgramIsNotWaitedFor, gets what it was told, and no
// credential.
func TestADetachedProgramIsNotWaitedFor(t *testing.T) {
	home := testenv.Home(t)
	program := filepath.Join(home, "steward-setup")
	script := "#!/bin/sh\n{ echo \"$*\"; env; } >'" + home + "/out.new'\nmv '" + home + "/out.new' '" + home +
		"/out'\nexec sleep 5\n"
	testenv.Write(t, program, script, 0o755)
	r := proc.Runner{Env: env.New(testenv.Env(t, home, "GH_TOKEN=secret"))}
	begun := time.Now()
	testenv.OK(t, r.Detach(proc.RefreshTitle(program, "/r/p")))
	if took := time.Since(begun); took > 4*time.Second {
		t.Errorf("it was waited for: %v", took)
	}
	var out []byte
	for range 1000 {
		var err error
		if out, err = os.ReadFile(filepath.Join(home, "out")); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if !strings.HasPrefix(string(out), "hook refresh-title /r/p\n") || strings.Contains(string(out), "secret") {
		t.Errorf("it was told:\n%s", out)
	}
	if err := r.Detach(proc.RefreshTitle(filepath.Join(home, "none"), "/")); err == nil {
		t.Error("a program that is not there was started")
	}
}
