// Copyright the steward-setup authors.
// SPDX-License-Identifier: Apache-2.0

// Law of this file: what keeps the throwaway home from being made has a next step that ends it.

package sample

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "github.com/steward-setup/steward-setup/internal/agent/claude"
	"github.com/steward-setup/steward-setup/internal/host/env"
	"github.com/steward-setup/steward-setup/internal/report"
	"github.com/steward-setup/steward-setup/internal/testenv"
)

// TestAFullDiskIsSaidToBeFull: git is there, and it is not git that has to be mended.
func TestAFullDiskIsSaidToBeFull(t *testing.T) {
	for said, want := range map[string]string{
		"fatal: cannot copy template: No space left on device": "free space in " + os.TempDir(),
		"fatal: unknown option":                                "fix what git reports",
	} {
		bin := t.TempDir()
		testenv.OK(t, os.WriteFile(filepath.Join(bin, "git"), []byte("#!/bin/sh\necho '"+said+"' >&2\nexit 128\n"), 0o755))
		sys := env.System{Env: env.New([]string{"HOME=/nowhere", "PATH=" + bin + ":/usr/bin:/bin"}), GOOS: "linux",
			Now: time.Now}
		_, err := New(t.Context(), sys, Agent{Settings: "{}", Ignored: "x"})
		var e *report.Error
		if !errors.As(err, &e) || !strings.Contains(e.Next, want) {
			t.Errorf("%s: %v, next %+v", said, err, e)
		}
	}
}
