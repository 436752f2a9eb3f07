// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

package engine_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/steward-setup/steward-setup/internal/engine"
	"github.com/steward-setup/steward-setup/internal/host"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// TestChecksOfARoundSeeOneMachine: a file is made between two checks; the next
// round sees it.
func TestChecksOfARoundSeeOneMachine(t *testing.T) {
	home := testenv.Home(t)
	h := testenv.Must(host.New(env.System{Env: env.New([]string{"HOME=" + home}),
		GOOS: "linux", Cwd: home, Now: time.Now}))(t)
	file := filepath.Join(home, "file")
	look := func(_ context.Context, r host.Reader) report.Finding {
		f := report.Finding{Status: report.Fail, Evidence: []report.Evidence{report.FileEvidence(file, "looked at")}}
		if _, err := r.Lstat(file); err == nil {
			f.Status = report.Pass
		}
		_ = os.WriteFile(file, nil, 0o600)
		return f
	}
	checks := []engine.Check{{ID: "one", Run: look}, {ID: "two", Run: look}}
	for _, want := range []report.Status{report.Fail, report.Pass} {
		for _, f := range engine.RunChecks(t.Context(), h, checks, func(engine.Event) {}) {
			if f.Status != want {
				t.Errorf("%s is %s, want %s", f.Check, f.Status, want)
			}
		}
	}
}
